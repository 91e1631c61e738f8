import { Buffer } from "node:buffer";
import type { FieldValue, Point } from "./point.ts";

/** What a point may be, however it is written, and what a query may name. */

/** Points of one request, and values (fields of all its points): each costs the store as much as a point of one field. */
export const MAX_POINTS = 100_000;
export const MAX_VALUES = 250_000;

/** Series (tag sets times fields) that the points of one request have: each is looked for, and perhaps made. */
export const MAX_REQUEST_SERIES = 10_000;

/** What points have in common. */
export type SeriesKey = Pick<Point, "measurement" | "tags">;

/** The retention policy of a request that names none; InfluxDB's own default. */
export const DEFAULT_RETENTION_POLICY = "autogen";

/** Lengths count characters (code points); `MAX_TEXT_BYTES` counts UTF-8. */
export const MAX_NAME_LENGTH = 256;
export const MAX_NODE_ID_LENGTH = 128;
export const MAX_TAG_LENGTH = 1024;
/** Names and values of all tags of a point: every series repeats them. */
export const MAX_TAGS_LENGTH = 4096;
export const MAX_TEXT_BYTES = 4096;
const MAX_TAGS = 32;
const MAX_FIELDS = 256;

export const TRUE_VALUE: FieldValue = { kind: "boolean", json: "true" };
export const FALSE_VALUE: FieldValue = { kind: "boolean", json: "false" };

/** A request's points are malformed. Its message is public: it repeats nothing of what was submitted. */
export class PointError extends Error {
  override readonly name = "PointError";

  /** `line` is that of the point, see `Point.line`. */
  constructor(readonly line: number, message: string) {
    super(message);
  }
}

/** What a name (measurement, tag, field, database, …) has to be; said of a name that `isName` refuses. */
export const NAME_RULE = "1 to 256 characters of well-formed Unicode without NUL";

/** Whether it can name something. Any character besides NUL may be in it, those of SQL and InfluxQL included. */
export function isName(text: string): boolean {
  return isText(text, MAX_NAME_LENGTH);
}

/** What is wrong with a field's name, or undefined. InfluxDB refuses `time`, too: it is the first column's name. */
export function findFieldNameFault(name: string): string | undefined {
  if (name === "time") return "Expected a field name other than time";
  return isName(name) ? undefined : `Expected a field name of ${NAME_RULE}`;
}

/** What is wrong with the tags of a point, or with those that a query asks for; undefined where nothing is. */
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
  if (nodeId === undefined) return "Expected a tag nodeId";
  return isText(nodeId, MAX_NODE_ID_LENGTH)
    ? undefined
    : `Expected a tag nodeId of 1 to ${MAX_NODE_ID_LENGTH} characters`;
}

/** What is wrong with that which the points of one series have in common, or undefined. */
export function findSeriesFault({ measurement, tags }: SeriesKey): string | undefined {
  return isName(measurement) ? findTagsFault(tags) : `Expected a measurement of ${NAME_RULE}`;
}

/**
 * What is wrong with the fields of a point with such tags, or undefined. A tag and a field of one name are refused,
 * because a query could not tell which of them it names.
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
    if (tags.has(name)) return "Expected a field name that no tag of the point has";
  }
  return undefined;
}

/** A number that is not an integer type of the line protocol; undefined unless it is finite. */
export function toNumberValue(value: number): FieldValue | undefined {
  if (!Number.isFinite(value)) return undefined;
  const json = String(value);
  // Digits alone would be read as an integer, which the shortest text of a great double is not exactly.
  const isMarked = Math.abs(value) <= Number.MAX_SAFE_INTEGER || !Number.isInteger(value) ||
    json.includes("e");
  return { kind: "number", json: isMarked ? json : json + ".0" };
}

/** A text of up to 4096 bytes of UTF-8 without NUL; undefined for any other. */
export function toTextValue(value: string): FieldValue | undefined {
  // No code unit takes more than three bytes.
  if (value.length * 3 > MAX_TEXT_BYTES && Buffer.byteLength(value) > MAX_TEXT_BYTES) return undefined;
  return isStorable(value) ? { kind: "string", json: JSON.stringify(value) } : undefined;
}

/** What a text value has to be; said of one that `toTextValue` refuses. */
export const TEXT_RULE = `a string of at most ${MAX_TEXT_BYTES} bytes of well-formed UTF-8 without NUL`;

function isText(text: string, maxLength: number): boolean {
  if (text === "" || text.length > 2 * maxLength || !isStorable(text)) return false;
  return text.length <= maxLength || [...text].length <= maxLength;
}

function areShort(tags: ReadonlyMap<string, string>): boolean {
  const text = [...tags].flat().join("");
  return text.length <= MAX_TAGS_LENGTH || [...text].length <= MAX_TAGS_LENGTH;
}

/** Neither store keeps half a surrogate pair, and SQLite's text functions stop at NUL. */
function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
