import type { Device } from "./device.ts";
import {
  ask,
  queryLatest,
  queryWindows,
  readLatest,
  reasonOf,
  type Result,
  writeTags,
} from "./measurements.ts";
import type { Lack } from "./measured.ts";
import { quantityOf, unitOf } from "./quantity.ts";
import { type Series, seriesOf } from "./series.ts";
import { PRESETS, type Span } from "./span.ts";
import type { Mean } from "./windows.ts";

/** The latest value of a device's first series, and the means of the last day. */
export interface Latest {
  readonly series: Series;
  /** Undefined if nothing was measured, or `lack` says why it cannot be read. */
  readonly value: number | string | undefined;
  /** Milliseconds since 1970. */
  readonly time: number | undefined;
  /** Empty for texts. */
  readonly windows: readonly Mean[];
  /** The day of the windows. */
  readonly span: Span;
  /** Why there is no value. */
  readonly lack: Lack["kind"] | undefined;
}

/** Length of the windows, in milliseconds. */
export const LATEST_WINDOW = 15 * 60_000;
/** Maximum number of devices per call. */
export const MOST_DEVICES = 50;

/**
 * Loads the latest value of each device's first series, and its day, in one request. Devices without series have none.
 * Throws a `RangeError` for more than `MOST_DEVICES`.
 */
export async function loadLatest(
  devices: readonly Device[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, Latest>> {
  if (devices.length > MOST_DEVICES) throw new RangeError(`More than ${MOST_DEVICES} devices`);
  const to = Date.now();
  const span = { from: to - PRESETS.day, to };
  const asked = devices.flatMap((device) => {
    const [series] = seriesOf(device).series;
    return series === undefined ? [] : [{ id: device.id, series }];
  });
  const queries = asked.flatMap(({ series }) => [
    queryLatest(series),
    queryWindows(series, span, LATEST_WINDOW, ["mean"]),
  ]);
  const results = await ask(queries, signal);
  return new Map(asked.map(({ id, series }, i) => [
    id,
    { series, span, ...readDay(results[2 * i], results[2 * i + 1]) },
  ]));
}

/** Reads the latest value of all tag sets, and the windows of that set. */
function readDay(
  latest: Result | undefined,
  windows: Result | undefined,
): Pick<Latest, "value" | "time" | "windows" | "lack"> {
  const none = { value: undefined, time: undefined, windows: [] };
  if (latest === undefined || latest.error !== undefined) return { ...none, lack: reasonOf(latest?.error) };
  const [newest] = [...readLatest(latest)].sort(([, a], [, b]) => b.time - a.time);
  if (newest === undefined) return { ...none, lack: "empty" };
  const [tags, { time, value }] = newest;
  // An error means that the values are no numbers.
  const ofSet = windows?.series?.find((each) => writeTags(each.tags) === tags);
  return {
    value,
    time,
    windows: (ofSet?.values ?? []).map(([at, mean]) => ({
      time: Date.parse(String(at)),
      mean: Number(mean),
    })),
    lack: undefined,
  };
}

/** Formats a latest value with its unit; undefined without a value. */
export function writeLatest({ series, value }: Pick<Latest, "series" | "value">): string | undefined {
  return typeof value === "number" ? quantityOf(unitOf(series), Math.abs(value)).write(value) : value;
}
