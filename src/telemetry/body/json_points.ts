import type { FieldValue, KnownSeries, Point, SeriesKey } from "../points/point.ts";
import {
  FALSE_VALUE,
  findFieldsFault,
  findSeriesFault,
  PointError,
  TEXT_RULE,
  toNumberValue,
  toTextValue,
  TRUE_VALUE,
  withinMaxValues,
} from "../points/point_rules.ts";
import { parseTime } from "../points/time.ts";

/**
 * Reads points from the elements of a JSON body (`PointsBodySchema`; checked by hand, since valibot would take
 * several times as long for 100,000). The default time is `now` (nanoseconds since 1970). Points of the same
 * measurement and tags share one `key`. Throws `PointError`, with the position in the list from 1.
 */
export function parseJsonPoints(
  elements: Iterable<unknown>,
  now: bigint,
  recall?: (text: string) => KnownSeries | undefined,
): Generator<Point, void> {
  const reader = new ElementReader(elements, now, recall);
  return withinMaxValues(() => reader.next());
}

/** Like `parseJsonPoints`, but yields the error of a malformed point, as `parseElements` can, and goes on. */
export function parseEachJsonPoint(
  elements: Iterable<unknown>,
  now: bigint,
  recall?: (text: string) => KnownSeries | undefined,
): Generator<Point | PointError, void> {
  const reader = new ElementReader(elements, now, recall);
  return withinMaxValues(() => reader.nextOrFault());
}

class ElementReader {
  readonly #elements: Iterator<unknown>;
  readonly #seriesKeys = new Map<string, SeriesKey>();
  #line = 0;

  constructor(
    elements: Iterable<unknown>,
    readonly now: bigint,
    readonly recall: ((text: string) => KnownSeries | undefined) | undefined,
  ) {
    this.#elements = elements[Symbol.iterator]();
  }

  next(): Point | undefined {
    const { done, value } = this.#elements.next();
    return done === true ? undefined : this.#read(value);
  }

  nextOrFault(): Point | PointError | undefined {
    const { done, value } = this.#elements.next();
    if (done === true) return undefined;
    try {
      return this.#read(value);
    } catch (error) {
      if (!(error instanceof PointError)) throw error;
      if (isRecord(value) && isRecord(value.fields)) {
        error.values = Math.max(1, Object.keys(value.fields).length);
      }
      return error;
    }
  }

  #read(value: unknown): Point {
    const line = ++this.#line;
    if (value instanceof PointError) throw value;
    if (!isRecord(value)) throw new PointError(line, "Expected a point to be an object");
    for (const key of Object.keys(value)) {
      if (key === "measurement" || key === "time" || key === "tags" || key === "fields") continue;
      throw new PointError(line, "Expected no keys other than measurement, time, tags and fields");
    }
    const key = readSeriesKey(value, { line, seriesKeys: this.#seriesKeys, recall: this.recall });
    const fields = readFields(value.fields, line);
    const fault = findFieldsFault(fields, key.tags);
    if (fault !== undefined) throw new PointError(line, fault);
    const time = value.time === undefined ? this.now : readTime(value.time, line);
    return { line, key, time, fields };
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
