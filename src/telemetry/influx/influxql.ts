import { AppError } from "../../core/errors.ts";
import type { Namespace, SeriesWrite } from "../points/point.ts";
import type { Column } from "../points/query.ts";
import type { StoreQuery } from "../store.ts";
import { MAX_TIME, MIN_TIME } from "../points/time.ts";

// Names, InfluxQL statements and lines of the line protocol, as texts that no input can leave its place in.
//
// A field has one type per measurement in InfluxDB, and a measurement is seen by all who share a database. So each
// device has measurements of its own: `<deviceId>/<database>/<retentionPolicy>/<measurement>`. Tags, fields and values
// keep their names, but for a few characters that the languages cannot carry everywhere (a tag that ends with a
// backslash, for one): those are percent-encoded.

/** Functions of numbers only. */
const NUMERIC = new Set(["sum", "min", "max", "mean"]);

/** What InfluxDB accepts in one request (`max-body-size`, in bytes), unless it was set otherwise. */
const MAX_LINES_LENGTH = 25_000_000;

/** What quotes, ends or escapes something in one of the two languages, control characters, and `%` itself. */
const UNSAFE = /[\p{Cc}"'\\%]/gu;

/** Names with a meaning of their own: the time in any case, and what begins like InfluxDB's own (`_name`). */
const RESERVED = /^(time$|_)/i;

/** Encodes a tag's value, which is never empty: for InfluxDB such a tag is not there. */
export function encodeTagValue(text: string): string {
  return text.toWellFormed().replace(UNSAFE, percentEncode);
}

/** Encodes the name of a tag or a field. */
export function encodeName(text: string): string {
  const encoded = encodeTagValue(text);
  return RESERVED.test(encoded) ? percentEncode(encoded.charAt(0)) + encoded.slice(1) : encoded;
}

/** What `encodeTagValue` or `encodeName` made the text from. */
export function decodeText(text: string): string {
  return text.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

/** What the names of a device's measurements in the namespace begin with. */
export function measurementPrefix(deviceId: number, { database, retentionPolicy }: Namespace): string {
  return `${deviceId}/${encodePart(database)}/${encodePart(retentionPolicy)}/`;
}

/**
 * The rows of a query, of each tag set by itself. Bounds are always there: a query with windows would else end now.
 * Functions of numbers read their field as one, so that texts are no error, which would end all further statements, but
 * absent (`textsStatement` looks for them). A row more than may be answered tells that there are more. Not so for series:
 * SLIMIT counts those without rows, too.
 *
 * InfluxDB gives a window that begins before 1677-09-21 the time 1970, and leaves out one that ends after 2262-04-11.
 */
export function rowsStatement(query: StoreQuery): string {
  const { from = MIN_TIME, to = MAX_TIME, window, descending, limit = Infinity, maxRows } = query;
  const columns = query.columns.map(selectColumn).join(",");
  const where = `time >= ${from} AND time <= ${to}${hasTags(query)}`;
  const windows = window === undefined ? "*" : `time(${window}ns),* fill(none)`;
  const order = descending ? " ORDER BY time DESC" : "";
  const rows = Math.min(limit, maxRows + 1);
  return `SELECT ${columns} FROM ${source(query)} WHERE ${where} GROUP BY ${windows}${order} LIMIT ${rows}`;
}

/** Has a row where a field that the query wants a function of numbers of holds anything else; undefined without one. */
export function textsStatement(query: StoreQuery): string | undefined {
  const fields = new Set(query.columns.filter(isNumeric).map(({ field }) => identifier(encodeName(field))));
  if (fields.size === 0) return undefined;
  const columns = Array.from(fields, (field) => `${field}::string,${field}::boolean`).join(",");
  const bounds = `time >= ${MIN_TIME} AND time <= ${MAX_TIME}`;
  return `SELECT ${columns} FROM ${source(query)} WHERE ${bounds}${hasTags(query)} LIMIT 1`;
}

/** Deletes all points of devices. */
export function forgetStatement(deviceIds: readonly number[]): string {
  // The only pattern: numbers stand in it, nothing that somebody chose.
  return `DROP SERIES FROM /^(${deviceIds.map((id) => BigInt(id)).join("|")})\\//`;
}

export function deleteBeforeStatement(time: bigint): string {
  return `DELETE WHERE time < ${time}`;
}

export function createDatabaseStatement(database: string): string {
  return `CREATE DATABASE ${identifier(database)}`;
}

/**
 * One line per measurement, tag set and time, with nanoseconds. Numbers are all written as floats: after a whole number
 * InfluxDB would refuse a fraction. Throws `TELEMETRY_REFUSED` where the lines, each of which repeats its names, get too
 * long for one request.
 */
export function formatLines(
  series: readonly SeriesWrite[],
  namespace: Namespace,
  deviceIds: ReadonlyMap<string, number>,
): string {
  const lines = new Map<string, Map<bigint, string>>();
  for (const { nodeId, measurement, tags, field, kind, values } of series) {
    const deviceId = deviceIds.get(nodeId);
    if (deviceId === undefined) throw new TypeError("A device to write to has no id");
    const key = measurementPrefix(deviceId, namespace) + encodePart(measurement) + formatTags(tags);
    const fields = lines.get(key) ?? new Map<bigint, string>();
    lines.set(key, fields);
    const name = escapeKey(encodeName(field));
    for (const [time, json] of values) {
      const before = fields.get(time);
      const value = kind === "string" ? formatText(json) : json;
      fields.set(time, `${before === undefined ? "" : `${before},`}${name}=${value}`);
    }
  }
  const texts: string[] = [];
  let length = 0;
  for (const [key, fields] of lines) {
    for (const [time, text] of fields) {
      const line = `${key} ${text} ${time}\n`;
      length += line.length;
      if (length > MAX_LINES_LENGTH) throw tooLong();
      texts.push(line);
    }
  }
  return texts.join("");
}

function tooLong(): AppError {
  const message =
    "The request is too large for the telemetry engine: write fewer points at once, or use shorter names";
  return new AppError("TELEMETRY_REFUSED", { message });
}

function isNumeric({ aggregate }: Column): boolean {
  return aggregate !== undefined && NUMERIC.has(aggregate);
}

/** The kind after `::` also tells a field from a tag of the same name. */
function selectColumn(column: Column): string {
  const field = `${identifier(encodeName(column.field))}::${isNumeric(column) ? "float" : "field"}`;
  return column.aggregate === undefined ? field : `${column.aggregate}(${field})`;
}

function source(query: StoreQuery): string {
  return identifier(measurementPrefix(query.deviceId, query) + encodePart(query.measurement));
}

function hasTags({ tags }: StoreQuery): string {
  return Array.from(
    tags,
    ([name, value]) => ` AND ${identifier(encodeName(name))}::tag = '${encodeTagValue(value)}'`,
  ).join("");
}

/** Takes a name without quotes, backslashes and line breaks, as all are that went through an encoding. */
function identifier(name: string): string {
  return `"${name}"`;
}

/** Tags in the order of their keys, as InfluxDB keeps them; it sorts others itself. */
function formatTags(json: string): string {
  const tags = Object.entries(JSON.parse(json) as Record<string, string>);
  return tags.map(([name, value]) => `,${escapeKey(encodeName(name))}=${escapeKey(encodeTagValue(value))}`)
    .join("");
}

/** The three characters that separate names in a line. There is no backslash in it that the escape could meet. */
function escapeKey(text: string): string {
  return text.replace(/[,= ]/g, "\\$&");
}

function formatText(json: string): string {
  const text = JSON.parse(json) as string;
  return `"${text.toWellFormed().replace(/["\\]/g, "\\$&")}"`;
}

/** Leaves letters, digits and `-_.!~*()`: no slash, so that the parts of a measurement stay apart. */
function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", "%27");
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
