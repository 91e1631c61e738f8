import type { FieldValue, KnownSeries, Point, SeriesKey } from "../points/point.ts";
import {
  FALSE_VALUE,
  findFieldsFault,
  findSeriesFault,
  MAX_VALUES,
  PointError,
  TEXT_RULE,
  toNumberValue,
  toTextValue,
  TRUE_VALUE,
} from "../points/point_rules.ts";
import { parseTime } from "../points/time.ts";

/**
 * Reads points from the elements of a JSON body (`PointsBodySchema`; checked by hand, since valibot would take
 * several times as long for 100,000). The default time is `now` (nanoseconds since 1970). Points of the same
 * measurement and tags share one `key`. Throws `PointError`, with the position in the list from 1.
 */
export function* parseJsonPoints(
  elements: Iterable<unknown>,
  now: bigint,
  recall?: (text: string) => KnownSeries | undefined,
): Generator<Point, void> {
  const seriesKeys = new Map<string, SeriesKey>();
  let valueCount = 0;
  let line = 0;
  for (const value of elements) {
    line++;
    if (!isRecord(value)) throw new PointError(line, "Expected a point to be an object");
    for (const key of Object.keys(value)) {
      if (key === "measurement" || key === "time" || key === "tags" || key === "fields") continue;
      throw new PointError(line, "Expected no keys other than measurement, time, tags and fields");
    }
    const key = readSeriesKey(value, { line, seriesKeys, recall });
    const fields = readFields(value.fields, line);
    const fault = findFieldsFault(fields, key.tags);
    if (fault !== undefined) throw new PointError(line, fault);
    valueCount += fields.size;
    if (valueCount > MAX_VALUES) throw new PointError(line, `Expected at most ${MAX_VALUES} values`);
    const time = value.time === undefined ? now : readTime(value.time, line);
    yield { line, key, time, fields };
  }
}

function readSeriesKey(
  point: Record<string, unknown>,
  { line, seriesKeys, recall }: {
    line: number;
    seriesKeys: Map<string, SeriesKey>;
    recall: ((text: string) => KnownSeries | undefined) | undefined;
  },
): SeriesKey {
  const { measurement, tags: given } = point;
  if (typeof measurement !== "string") throw new PointError(line, "Expected measurement to be a string");
  if (!isRecord(given)) throw new PointError(line, "Expected tags to be an object");
  const entries: [string, string][] = [];
  // The lengths make the id unambiguous, and the line feed tells it from a text of line protocol.
  let id = `\n${measurement.length}:${measurement}`;
  for (const [key, value] of Object.entries(given)) {
    if (typeof value !== "string") throw new PointError(line, "Expected tags to be strings");
    entries.push([key, value]);
    id += `${key.length}:${key}${value.length}:${value}`;
  }
  const earlier = seriesKeys.get(id);
  if (earlier !== undefined) return earlier;
  const tags = new Map(entries);
  const seriesKey = { text: id, measurement, tags, known: recall?.(id) };
  const fault = findSeriesFault(seriesKey);
  if (fault !== undefined) throw new PointError(line, fault);
  seriesKeys.set(id, seriesKey);
  return seriesKey;
}

function readFields(given: unknown, line: number): Map<string, FieldValue> {
  if (!isRecord(given)) throw new PointError(line, "Expected fields to be an object");
  const fields = new Map<string, FieldValue>();
  for (const [name, value] of Object.entries(given)) fields.set(name, readValue(value, line));
  return fields;
}

function readValue(value: unknown, line: number): FieldValue {
  if (typeof value === "boolean") return value ? TRUE_VALUE : FALSE_VALUE;
  if (typeof value === "number") {
    const number = toNumberValue(value);
    if (number === undefined) throw new PointError(line, "Expected a number in the range of a double");
    return number;
  }
  if (typeof value !== "string") {
    throw new PointError(line, "Expected fields to be numbers, booleans or strings");
  }
  const text = toTextValue(value);
  if (text === undefined) throw new PointError(line, `Expected ${TEXT_RULE}`);
  return text;
}

function readTime(value: unknown, line: number): bigint {
  const time = typeof value === "number" || typeof value === "string" ? parseTime(value) : undefined;
  if (time === undefined) {
    throw new PointError(line, "Expected time in milliseconds since 1970 or ISO 8601, between 1677 and 2262");
  }
  return time;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
