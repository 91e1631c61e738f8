import { AppError } from "../../core/errors.ts";
import { yieldToEventLoop } from "../../core/yield_to_event_loop.ts";
import { parseElements } from "./json_elements.ts";
import { parseJsonPoints } from "./json_points.ts";
import { parseLineProtocol, type Precision } from "./line_protocol.ts";
import type { KnownSeries, Point, SeriesWrite } from "../points/point.ts";
import { PointError } from "../points/point_rules.ts";
import { PointGroups } from "../series/series_writes.ts";

const NANOSECONDS_PER_MS = 1_000_000n;

export interface PointsFormat {
  /** In lower case, without parameters. */
  readonly mediaType: string;
  /** Unit of the timestamps in line protocol; `ns` by default. */
  readonly precision: Precision | undefined;
  /** Time of points without one, in milliseconds since 1970. */
  readonly now: number;
  /** Returns what is known of the series of a measurement and tags (`SeriesKey.text`). */
  readonly recall?: ((text: string) => KnownSeries | undefined) | undefined;
}

/** The amount parsed so far. */
export interface PointsSize {
  values: number;
  /** Series that earlier writes found (`SeriesWrite.known`). */
  knownSeries: number;
  newSeries: number;
}

/** The content type of line protocol, and the default. */
export const LINE_PROTOCOL_TYPE = "text/plain";

/** Names the content types that `readPoints` accepts. */
export const POINTS_TYPE_MESSAGE =
  "The request body must be sent as application/json, or as text/plain for line protocol";

/** Values parsed before other requests get a turn: some 10 ms. */
const TURN_VALUES = 4000;

/** Number of values that take as long to parse as a series. */
const SERIES_VALUES = 5;

/**
 * Parses a body of points (JSON or line protocol) in turns with other requests. Throws `UNSUPPORTED_MEDIA_TYPE`, and
 * `MALFORMED_REQUEST` with the bad line or element, always with details. Counts in `size`, even for a refused body.
 */
export async function readPoints(
  text: string,
  format: PointsFormat,
  size: PointsSize = { values: 0, knownSeries: 0, newSeries: 0 },
): Promise<readonly SeriesWrite[]> {
  const groups = new PointGroups();
  let turn = 0;
  let counted = 0;
  try {
    for (const point of parse(text, format)) {
      groups.add(point);
      turn += point.fields.size + (groups.series.length - counted) * SERIES_VALUES;
      size.values += point.fields.size;
      for (; counted < groups.series.length; counted++) {
        if (groups.series[counted]?.known === undefined) size.newSeries++;
        else size.knownSeries++;
      }
      if (turn < TURN_VALUES) continue;
      turn = 0;
      await yieldToEventLoop();
    }
  } catch (error) {
    if (!(error instanceof PointError)) throw error;
    const details = [{ path: pathOf(error, format), message: error.message }];
    throw new AppError("MALFORMED_REQUEST", { extra: { details } });
  }
  return groups.series;
}

function pathOf({ line }: PointError, { mediaType }: PointsFormat): string {
  return mediaType === LINE_PROTOCOL_TYPE ? `body.line ${line}` : `body.${line - 1}`;
}

function parse(text: string, { mediaType, precision = "ns", now, recall }: PointsFormat): Iterable<Point> {
  const nowNs = BigInt(now) * NANOSECONDS_PER_MS;
  if (mediaType === LINE_PROTOCOL_TYPE) return parseLineProtocol(text, { precision, now: nowNs, recall });
  if (mediaType === "application/json") return parseJsonPoints(parseElements(text), nowNs, recall);
  throw new AppError("UNSUPPORTED_MEDIA_TYPE", { message: POINTS_TYPE_MESSAGE });
}
