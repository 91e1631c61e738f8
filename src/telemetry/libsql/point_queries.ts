import { defineStatement, type Statement } from "../../db/statement.ts";

/**
 * Parts of the statements that read points. SQL builds results as texts, because a row object costs more than reading
 * its point. Values are JSON texts in their final form, which contain neither line feeds nor tabs. A time is a number
 * of milliseconds or, if it is not a whole number, a JSON string of nanoseconds.
 *
 * Parameters of every query: `:deviceId`, `:measurement`, `:database`, `:retentionPolicy`, `:tagPattern` and `:oddTags`
 * (see `describeTags`), `:from` and `:to` (nanoseconds, inclusive), `:columnCount`, `:perSeries` (the lesser of the
 * query's limit and `:maxRows` + 1), and the limits `:maxRows`, `:maxBytes` (of the result) and `:maxScanned`.
 */

/** SQL: the tag set is in the query's place, that is, its device, measurement, database and retention policy. */
function isOf(tagSet: string): string {
  return `${tagSet}.device_id = :deviceId AND ${tagSet}.measurement = :measurement
    AND ${tagSet}.database = :database AND ${tagSet}.retention_policy = :retentionPolicy`;
}

/**
 * SQL: the tag set has every requested tag. Its JSON text is scanned once. A match begins at an unescaped quote after a
 * brace or a comma, where a key begins. Only an entry of the keys `:` and `,` could also match across two strings.
 */
function hasTags(tagSet: string): string {
  return `(:tagPattern IS NULL OR (
      (${tagSet}.tags GLOB '{' || :tagPattern OR ${tagSet}.tags GLOB '*,' || :tagPattern)
      AND NOT EXISTS (
        SELECT 1 FROM json_each(:oddTags) asked WHERE (${tagSet}.tags ->> asked.fullkey) IS NOT asked.value)))`;
}

/** SQL: the tag sets of the place that have the requested tags. */
export function tagSets(name: string): string {
  return `tag_set ${name} INDEXED BY tag_set_in_place WHERE ${isOf(name)} AND ${hasTags(name)}`;
}

/** SQL: the id of the tag set after that of the walk (0 before the first); null after the last. */
export const NEXT_TAG_SET = `(
    SELECT next.id FROM ${tagSets("next")} AND next.id > walk.tag_set_id ORDER BY next.id LIMIT 1)`;

/** Costs of a tag set and of each column in it, in scanned values. */
const TAG_SET_PRICE = 30;
const COLUMN_PRICE = 40;
/** Bytes of tags that take as long to search as scanning one value. */
const BYTES_PER_VALUE = 16;

/** SQL: the cost of scanning all tag sets of the place, in values. Stops counting beyond `:maxScanned`. */
export const SCOPE_SCANNED = `(
    SELECT coalesce(sum(${TAG_SET_PRICE} + ${COLUMN_PRICE} * :columnCount
      + iif(:tagPattern IS NULL, 0, octet_length(priced.tags) / ${BYTES_PER_VALUE})), 0)
    FROM (SELECT tag_set.tags FROM tag_set INDEXED BY tag_set_in_place WHERE ${isOf("tag_set")}
      LIMIT :maxScanned / (${TAG_SET_PRICE} + ${COLUMN_PRICE} * :columnCount) + 1) priced)`;

/** SQL: bytes of a row besides its strings. Times in nanoseconds may take half as much again. */
export const ROW_BYTES = "32 * :columnCount";

/** SQL: a time as JSON, in milliseconds or as a string of nanoseconds. */
export function timeText(time: string): string {
  return `CASE WHEN ${time} % 1000000 = 0 THEN ${time} / 1000000 ELSE '"' || ${time} || '"' END`;
}

/**
 * SQL: a double as JSON: 15 digits if SQLite parses them as the same double, otherwise 17, which are exact. SQLite
 * parses about one text of 15 digits in 20,000 as a neighbour of the nearest double.
 */
export function realText(value: string): string {
  const short = `printf('%.15g', ${value})`;
  return `CASE WHEN CAST(${short} AS REAL) = ${value} THEN ${short} ELSE printf('%!.17g', ${value}) END`;
}

/** SQL: a value as JSON; null if it is null. */
export function valueText(value: string, kind: string): string {
  return `CASE typeof(${value}) WHEN 'real' THEN ${realText(value)} WHEN 'text' THEN json_quote(${value})
    WHEN 'integer' THEN CASE ${kind} WHEN 'boolean' THEN iif(${value}, 'true', 'false') ELSE ${value} END END`;
}

/** SQL that depends on the direction in which a statement walks through time. */
export interface Direction {
  readonly order: "" | "DESC";
  /** The bound at which the walk begins, and the other one. */
  readonly begin: string;
  readonly end: string;
  /** The aggregates that find the time that the walk meets first, and last. */
  readonly earliest: "min" | "max";
  readonly latest: "min" | "max";
  /** The time lies between the two others, of which the walk meets `first` first. */
  between(time: string, first: string, second: string): string;
  /**
   * The far end of the window of a time; null without windows. Beyond 64 bits it is a REAL, which compares correctly.
   */
  windowEnd(time: string): string;
  readonly step: "+ 1" | "- 1";
}

/** SQL: the offset of a time in its window. The remainder of a negative time is negative. */
function intoWindow(time: string): string {
  return `(${time} % :window + iif(${time} % :window < 0, :window, 0))`;
}

const FORWARD: Direction = {
  order: "",
  begin: ":from",
  end: ":to",
  earliest: "min",
  latest: "max",
  between: (time, first, second) => `${time} BETWEEN ${first} AND ${second}`,
  windowEnd: (time) => `min(:to, ${time} + (:window - 1 - ${intoWindow(time)}))`,
  step: "+ 1",
};

const BACKWARD: Direction = {
  order: "DESC",
  begin: ":to",
  end: ":from",
  earliest: "max",
  latest: "min",
  between: (time, first, second) => `${time} BETWEEN ${second} AND ${first}`,
  windowEnd: (time) => `max(:from, ${time} - ${intoWindow(time)})`,
  step: "- 1",
};

export interface Directed<T> {
  readonly ascending: T;
  readonly descending: T;
}

/** Builds a statement for each direction through time. */
export function inBothDirections(sql: (direction: Direction) => string): Directed<Statement> {
  return { ascending: defineStatement(sql(FORWARD)), descending: defineStatement(sql(BACKWARD)) };
}

/** SQL: the query's columns. `:columns` is a JSON list of `[field, function or null]`. */
export const WANTED = `
  wanted(n, field, aggregate) AS MATERIALIZED (
    SELECT key, value ->> 0, value ->> 1 FROM json_each(:columns))`;

/** SQL: joins the series of a column in a tag set. */
export function seriesOfColumn(tagSet: string): string {
  return `series ON series.tag_set_id = ${tagSet} AND series.field = wanted.field`;
}
