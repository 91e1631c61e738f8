import { Buffer } from "node:buffer";
import type { FieldValue, Point, SeriesKey } from "./point.ts";

/** The rules for points in either format, and for the names in queries. */

/**
 * Maximum values (fields of all points) per request. They are written at once, and other writes wait: 0.1 s on a
 * file.
 */
export const MAX_VALUES = 100_000;

/** Maximum size of a body of points, in bytes, compressed and decompressed. */
export const MAX_POINTS_BYTES = 10 * 1024 * 1024;

/** Maximum series (tag sets times fields) per request. Each is looked up, and maybe created. */
export const MAX_REQUEST_SERIES = 10_000;

/** The default retention policy, as in InfluxDB. */
export const DEFAULT_RETENTION_POLICY = "autogen";

/** Lengths count characters (code points); `MAX_TEXT_BYTES` counts bytes of UTF-8. */
export const MAX_NAME_LENGTH = 256;
export const MAX_NODE_ID_LENGTH = 128;
export const MAX_TAG_LENGTH = 1024;
/** All tag names and values of a point together, because every series repeats them. */
export const MAX_TAGS_LENGTH = 4096;
export const MAX_TEXT_BYTES = 4096;
export const MAX_TAGS = 32;
export const MAX_FIELDS = 256;

export const TRUE_VALUE: FieldValue = { kind: "boolean", json: "true" };
export const FALSE_VALUE: FieldValue = { kind: "boolean", json: "false" };

/** The error for malformed points. The message is public and repeats nothing submitted. */
export class PointError extends Error {
  override readonly name = "PointError";
  /** The values of the point, about: what it costs. */
  values = 1;

  /** `line` is `Point.line` of the malformed point. */
  constructor(readonly line: number, message: string) {
    super(message);
  }
}

/** The error for a request that exceeds a limit at this point. The request cannot be written without the point, either. */
export class RequestLimitError extends PointError {}

/**
 * Yields what `next` returns until it is undefined. A malformed point counts as its values. Throws `RequestLimitError`
 * beyond `MAX_VALUES`.
 */
export function* withinMaxValues<T extends Point | PointError>(
  next: () => T | undefined,
): Generator<T, void> {
  let valueCount = 0;
  for (let point = next(); point !== undefined; point = next()) {
    valueCount += point instanceof PointError ? point.values : point.fields.size;
    if (valueCount > MAX_VALUES) {
      throw new RequestLimitError(point.line, `Expected at most ${MAX_VALUES} values`);
    }
    yield point;
  }
}

/** The rule of `isName`, for messages: measurements, tags, fields, databases and retention policies. */
export const NAME_RULE = "1 to 256 characters of well-formed Unicode without NUL";

/**
 * Whether the text can be a name. All characters except NUL are allowed, even those with a meaning in SQL or
 * InfluxQL.
 */
export function isName(text: string): boolean {
  return isText(text, MAX_NAME_LENGTH);
}

/**
 * Returns the fault of a field's name, or undefined. `time` is the name of the first column; InfluxDB refuses it,
 * too.
 */
export function findFieldNameFault(name: string): string | undefined {
  if (name === "time") return "Expected a field name other than time";
  return isName(name) ? undefined : `Expected a field name of ${NAME_RULE}`;
}

/** Returns the fault of a point's or query's tags, or undefined. */
export function findTagsFault(tags: ReadonlyMap<string, string>): string | undefined {
  if (tags.size > MAX_TAGS) return `Expected at most ${MAX_TAGS} tags`;
  for (const [key, value] of tags) {
    if (key === "time") return "Expected a tag name other than time";
    if (!isName(key)) return `Expected a tag name of ${NAME_RULE}`;
    if (!isText(value, MAX_TAG_LENGTH)) {
      return `Expected a tag value of 1 to ${MAX_TAG_LENGTH} characters of well-formed Unicode without NUL`;
    }
  }
  if (!areShort(tags)) return `Expected tags of at most ${MAX_TAGS_LENGTH} characters in total`;
  const nodeId = tags.get("nodeId");
  if (nodeId === undefined) return "Expected a nodeId tag";
  return isText(nodeId, MAX_NODE_ID_LENGTH)
    ? undefined
    : `Expected a nodeId tag of 1 to ${MAX_NODE_ID_LENGTH} characters`;
}

/** Returns the fault of a measurement or its tags, or undefined. */
export function findSeriesFault(
  { measurement, tags }: Pick<SeriesKey, "measurement" | "tags">,
): string | undefined {
  return isName(measurement) ? findTagsFault(tags) : `Expected a measurement of ${NAME_RULE}`;
}

/**
 * Returns the fault of a point's fields, or undefined. A field must not share a tag's name, because a query could not
 * tell them apart.
 */
export function findFieldsFault(
  fields: ReadonlyMap<string, FieldValue>,
  tags: ReadonlyMap<string, string>,
): string | undefined {
  if (fields.size === 0) return "Expected at least one field";
  if (fields.size > MAX_FIELDS) return `Expected at most ${MAX_FIELDS} fields`;
  for (const name of fields.keys()) {
    const fault = findFieldNameFault(name);
    if (fault !== undefined) return fault;
    if (tags.has(name)) return "Expected a field name that differs from the tag names of the point";
  }
  return undefined;
}

/** Converts a number of JSON or a float of line protocol. Undefined unless it is finite. */
export function toNumberValue(value: number): FieldValue | undefined {
  if (!Number.isFinite(value)) return undefined;
  const json = String(value);
  // Digits alone would be parsed as an integer, but a large double's shortest text is not its exact value.
  const isMarked = Math.abs(value) <= Number.MAX_SAFE_INTEGER || !Number.isInteger(value) ||
    json.includes("e");
  return { kind: "number", json: isMarked ? json : json + ".0" };
}

/** Converts a string. Undefined if it has more than 4096 bytes of UTF-8, contains NUL or is not well-formed. */
export function toTextValue(value: string): FieldValue | undefined {
  // A UTF-16 code unit takes at most three bytes, so short strings need no exact count.
  if (value.length * 3 > MAX_TEXT_BYTES && Buffer.byteLength(value) > MAX_TEXT_BYTES) return undefined;
  return isStorable(value) ? { kind: "string", json: JSON.stringify(value) } : undefined;
}

/** The rule of `toTextValue`, for messages. */
export const TEXT_RULE = `a string of at most ${MAX_TEXT_BYTES} bytes of well-formed UTF-8 without NUL`;

function isText(text: string, maxLength: number): boolean {
  if (text === "" || text.length > 2 * maxLength || !isStorable(text)) return false;
  return text.length <= maxLength || [...text].length <= maxLength;
}

function areShort(tags: ReadonlyMap<string, string>): boolean {
  const text = [...tags].flat().join("");
  return text.length <= MAX_TAGS_LENGTH || [...text].length <= MAX_TAGS_LENGTH;
}

/** Neither store keeps half a surrogate pair, and SQLite's string functions stop at NUL. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
