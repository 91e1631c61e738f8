import { AppError } from "../../core/errors.ts";
import { yieldToEventLoop } from "../../core/yield_to_event_loop.ts";
import { parseElements } from "./json_elements.ts";
import { parseEachJsonPoint, parseJsonPoints } from "./json_points.ts";
import { type LineFaults, pathOf } from "./line_faults.ts";
import {
  type LineProtocolOptions,
  parseEachLine,
  parseLineProtocol,
  type Precision,
} from "./line_protocol.ts";
import { LINE_PROTOCOL_TYPE, POINTS_TYPE_MESSAGE } from "./media_types.ts";
import { type KnownSeries, nodeIdOf, type Point, type SeriesWrite } from "../points/point.ts";
import { PointError } from "../points/point_rules.ts";
import type { FindFault } from "../points/points_refused.ts";
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
  const progress = createProgress(groups, size);
  try {
    for (const point of parse(text, format, STRICT)) {
      groups.add(point);
      if (progress.note(point.fields.size)) await yieldToEventLoop();
    }
  } catch (error) {
    throw malformedBy(error, format);
  }
  return groups.series;
}

/** What `readFaulty` does with the points of a body that cannot be written. */
export interface Sorting {
  /** Takes them. */
  readonly faults: LineFaults;
  /** Finds those that are well-formed. */
  readonly findFault: FindFault;
  /** Whether the others are wanted, too. Otherwise it is enough to find the faults that can be named. */
  readonly keepsOthers: boolean;
}

/**
 * Like `readPoints`, but sorts out the points that cannot be written, and returns the others. Throws
 * `MALFORMED_REQUEST` only for what is wrong with the body as a whole.
 */
export async function readFaulty(
  text: string,
  format: PointsFormat,
  { faults, findFault, keepsOthers }: Sorting,
  size: PointsSize = { values: 0, knownSeries: 0, newSeries: 0 },
): Promise<readonly SeriesWrite[]> {
  const groups = new PointGroups();
  const progress = createProgress(groups, size);
  try {
    for (const point of parse(text, format, LENIENT)) {
      if (point instanceof PointError) {
        faults.add({ line: point.line, nodeId: undefined, message: point.message });
        if (progress.note(point.values)) await yieldToEventLoop();
      } else {
        const message = findFault(point) ?? (keepsOthers ? groups.findFault(point) : undefined);
        if (message !== undefined) {
          faults.add({ line: point.line, nodeId: nodeIdOf(point.key.tags), message });
        } else if (keepsOthers) groups.add(point);
        if (progress.note(point.fields.size)) await yieldToEventLoop();
      }
      if (faults.isFull && !keepsOthers) break;
    }
  } catch (error) {
    throw malformedBy(error, format);
  }
  return groups.series;
}

/** Returns a counter of what is parsed. Its `note` returns whether other requests should have a turn. */
function createProgress(groups: PointGroups, size: PointsSize): { note(values: number): boolean } {
  let turn = 0;
  let counted = 0;
  return {
    note(values) {
      turn += values + (groups.series.length - counted) * SERIES_VALUES;
      size.values += values;
      for (; counted < groups.series.length; counted++) {
        if (groups.series[counted]?.known === undefined) size.newSeries++;
        else size.knownSeries++;
      }
      if (turn < TURN_VALUES) return false;
      turn = 0;
      return true;
    },
  };
}

/** Returns the error with its details, even for senders that do not ask for them. */
function malformedBy(error: unknown, { mediaType }: PointsFormat): unknown {
  if (error instanceof PointError) {
    const details = [{ path: pathOf(error.line, mediaType), message: error.message }];
    return new AppError("MALFORMED_REQUEST", { extra: { details } });
  }
  if (!(error instanceof AppError) || error.details.length === 0) return error;
  return new AppError(error.code, { extra: { details: error.details } });
}

/** The parsers of the two formats. */
interface Parsers<T> {
  readonly lines: (text: string, options: LineProtocolOptions) => Iterable<T>;
  readonly json: (text: string, options: LineProtocolOptions) => Iterable<T>;
}

const STRICT: Parsers<Point> = {
  lines: parseLineProtocol,
  json: (text, { now, recall }) => parseJsonPoints(parseElements(text), now, recall),
};

/** These yield the errors of malformed points. */
const LENIENT: Parsers<Point | PointError> = {
  lines: parseEachLine,
  json: (text, { now, recall }) => parseEachJsonPoint(parseElements(text, true), now, recall),
};

function parse<T>(
  text: string,
  { mediaType, precision = "ns", now, recall }: PointsFormat,
  parsers: Parsers<T>,
): Iterable<T> {
  const options = { precision, now: BigInt(now) * NANOSECONDS_PER_MS, recall };
  if (mediaType === LINE_PROTOCOL_TYPE) return parsers.lines(text, options);
  if (mediaType === "application/json") return parsers.json(text, options);
  throw new AppError("UNSUPPORTED_MEDIA_TYPE", { message: POINTS_TYPE_MESSAGE });
}
