import { AppError } from "../../core/errors.ts";
import { parseJson } from "../../core/json.ts";
import { yieldToEventLoop } from "../../core/yield_to_event_loop.ts";
import type { Namespace, SeriesWrite } from "../points/point.ts";
import type { Column, TimeRange } from "../points/query.ts";
import { MAX_RETURNED_POINTS } from "../read_budget.ts";
import { type Cutoff, type Cutoffs, KEEP_ALL } from "../retention.ts";
import { partsOf, type StoreQuery } from "../store.ts";

// Builds names, InfluxQL statements and lines of line protocol that no input can break out of. In InfluxDB a field
// has one type per measurement, for all users of a database, so each device has its own measurements,
// `<deviceId>/<database>/<retentionPolicy>/<measurement>`. Only characters that a language cannot carry are
// percent-encoded.

/** Functions that need numbers. */
const NUMERIC = new Set(["sum", "min", "max", "mean"]);

/** InfluxDB's default limit for a request (`max-body-size`), in bytes. */
const MAX_LINES_LENGTH = 25_000_000;

/** Characters that quote, end or escape in one of the two languages, control characters, and `%`. */
const UNSAFE = /[\p{Cc}"'\\%]/gu;

/** Names with a special meaning: `time` in any case, and those that begin with `_` like InfluxDB's own. */
const RESERVED = /^(time$|_)/i;

/** Encodes the value of a tag. It must not be empty: InfluxDB drops empty tags. */
export function encodeTagValue(text: string): string {
  return text.toWellFormed().replace(UNSAFE, percentEncode);
}

/** Encodes the name of a tag or a field. */
export function encodeName(text: string): string {
  const encoded = encodeTagValue(text);
  return RESERVED.test(encoded) ? percentEncode(encoded.charAt(0)) + encoded.slice(1) : encoded;
}

/** Reverses `encodeTagValue` and `encodeName`. */
export function decodeText(text: string): string {
  return text.replace(/%([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
}

/** Returns the prefix of a device's measurements in the namespace. */
export function measurementPrefix(deviceId: number, { database, retentionPolicy }: Namespace): string {
  return `${deviceId}/${encodePart(database)}/${encodePart(retentionPolicy)}/`;
}

/**
 * Yields the statements for the rows of a query, in their order, grouped by tag set. Always bounded: with windows, the range would
 * otherwise end at the present. Numeric functions cast to float, so other values count as missing instead of ending
 * later statements (`textsStatements` find them). A series may exceed the call's maximum by one row; SLIMIT is
 * useless, as it counts series without rows. A function of several parts of a range reads them as subqueries, since
 * conditions on the time cannot have OR.
 *
 * InfluxDB gives a window from before 1677-09-21 the time 1970, and omits one that ends after 2262-04-11.
 */
export function* rowsStatements(query: StoreQuery): Generator<string> {
  const { window, descending, limit = Infinity } = query;
  const parts = partsOf(query);
  const columns = query.columns.map(selectColumn).join(",");
  const windows = window === undefined ? "*" : `time(${window}ns),* fill(none)`;
  const order = descending ? " ORDER BY time DESC" : "";
  const rows = Math.min(limit, Math.floor(MAX_RETURNED_POINTS / query.columns.length) + 1);
  const statement = (from: string, where: string): string =>
    `SELECT ${columns} FROM ${from} WHERE ${where} GROUP BY ${windows}${order} LIMIT ${rows}`;
  if (parts.length > 1 && query.columns[0].aggregate !== undefined) {
    const subqueries = parts.map((part) =>
      `(SELECT *::field FROM ${source(query)} WHERE ${isWithin(part)}${hasTags(query)} GROUP BY *)`
    );
    const whole = { from: parts[0]?.from ?? 0n, to: parts.at(-1)?.to ?? 0n };
    return yield statement(subqueries.join(","), isWithin(whole));
  }
  for (const part of descending ? parts.toReversed() : parts) {
    yield statement(source(query), `${isWithin(part)}${hasTags(query)}`);
  }
}

/** Yields statements that find other values in the fields of numeric functions, within the range. */
export function* textsStatements(query: StoreQuery): Generator<string> {
  const fields = new Set(query.columns.filter(isNumeric).map(({ field }) => identifier(encodeName(field))));
  if (fields.size === 0) return;
  const columns = Array.from(fields, (field) => `${field}::string,${field}::boolean`).join(",");
  for (const part of partsOf(query)) {
    yield `SELECT ${columns} FROM ${source(query)} WHERE ${isWithin(part)}${hasTags(query)} LIMIT 1`;
  }
}

function isWithin({ from, to }: TimeRange): string {
  return `time >= ${from} AND time <= ${to}`;
}

/** Returns the statement that deletes all points of devices. */
export function forgetStatement(deviceIds: readonly number[]): string {
  // The pattern contains numbers and no input.
  return `DROP SERIES FROM /^(${deviceIds.map((id) => BigInt(id)).join("|")})\\//`;
}

/** Returns the statements that delete points before their cutoffs; none for what is kept. */
export function deleteBeforeStatements({ others, named }: Cutoffs): string[] {
  const statements = others.time === KEEP_ALL ? [] : [deletion(others.time, [], named)];
  for (const cutoff of named) {
    if (cutoff.time === KEEP_ALL) continue;
    const ownPolicies = cutoff.retentionPolicy === undefined
      ? named.filter((other) => other.database === cutoff.database && other.retentionPolicy !== undefined)
      : [];
    statements.push(deletion(cutoff.time, [cutoff], ownPolicies));
  }
  return statements;
}

/** Empty `among`: all places. A pattern cannot exclude, but a condition on the measurement (`_name`) can. */
function deletion(time: bigint, among: readonly Place[], except: readonly Place[]): string {
  const source = among.length === 0 ? "" : ` FROM ${placesPattern(among)}`;
  const condition = except.length === 0 ? "" : `"_name" !~ ${placesPattern(except)} AND `;
  return `DELETE${source} WHERE ${condition}time < ${time}`;
}

type Place = Pick<Cutoff, "database" | "retentionPolicy">;

/** Returns the pattern of the measurements of places. It consists of digits, slashes and encoded names. */
function placesPattern(places: readonly Place[]): string {
  const parts = places.map(({ database, retentionPolicy }) =>
    [database, retentionPolicy].flatMap((name) => name === undefined ? [] : [`${encodePart(name)}/`]).join("")
  );
  return `/^[0-9]+\\/(${parts.map((part) => part.replace(/[.*()/]/g, "\\$&")).join("|")})/`;
}

/** Returns the statement that creates the database unless it exists. */
export function createDatabaseStatement(database: string): string {
  return `CREATE DATABASE ${identifier(database)}`;
}

/** Values formatted before other requests get a turn: some 10 ms. */
const TURN_VALUES = 4000;

/**
 * Formats one line per measurement, tag set and time (nanoseconds), in turns with other requests. Numbers are floats,
 * because InfluxDB refuses a fraction in a field that began with an integer. Throws `TELEMETRY_REFUSED` if the lines,
 * which repeat their names, are too long for one request.
 */
export async function formatLines(
  series: readonly SeriesWrite[],
  namespace: Namespace,
  deviceIds: ReadonlyMap<string, number>,
): Promise<string> {
  let turn = 0;
  const lines = new Map<string, Map<bigint, string>>();
  for (const { nodeId, measurement, tags, field, kind, values } of series) {
    const deviceId = deviceIds.get(nodeId);
    if (deviceId === undefined) throw new TypeError("A device in the request has no id");
    const key = measurementPrefix(deviceId, namespace) + encodePart(measurement) + formatTags(tags);
    const fields = lines.get(key) ?? new Map<bigint, string>();
    lines.set(key, fields);
    const name = escapeKey(encodeName(field));
    for (const [time, json] of values) {
      if (++turn % TURN_VALUES === 0) await yieldToEventLoop();
      const before = fields.get(time);
      const value = kind === "string" ? formatText(json) : json;
      fields.set(time, `${before === undefined ? "" : `${before},`}${name}=${value}`);
    }
  }
  const texts: string[] = [];
  let length = 0;
  for (const [key, fields] of lines) {
    for (const [time, text] of fields) {
      if (++turn % TURN_VALUES === 0) await yieldToEventLoop();
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

/** Returns the expression of a column. The kind after `::` also tells a field from a tag of the same name. */
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

/** Quotes an encoded name, which has no quotes, backslashes or line breaks. */
function identifier(name: string): string {
  return `"${name}"`;
}

/** Formats tags in the order of their keys, which saves InfluxDB from sorting them. */
function formatTags(json: string): string {
  const tags = Object.entries(parseJson(json) as Record<string, string>);
  return tags.map(([name, value]) => `,${escapeKey(encodeName(name))}=${escapeKey(encodeTagValue(value))}`)
    .join("");
}

/** Escapes the three separators of a line. Encoded texts have no backslash that could interfere. */
function escapeKey(text: string): string {
  return text.replace(/[,= ]/g, "\\$&");
}

function formatText(json: string): string {
  const text = JSON.parse(json) as string;
  return `"${text.toWellFormed().replace(/["\\]/g, "\\$&")}"`;
}

/**
 * Percent-encodes all but letters, digits and `-_.!~*()`. Slashes are encoded, too: they separate the parts of a
 * measurement's name.
 */
function encodePart(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll("'", "%27");
}

function percentEncode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
