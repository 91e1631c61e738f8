import { defineStatement, type Statement } from "../../db/statement.ts";

/**
 * Parts of the statements that read points. What a query returns is put together in SQL as texts, because a row object
 * costs more than reading its point. Values are JSON texts in their final form, in which neither a line feed nor a tab
 * occurs; a time is a number of milliseconds, or, where it is no whole one, a JSON string of nanoseconds.
 *
 * Parameters of every query: `:deviceId`, `:measurement`, `:database`, `:retentionPolicy`, `:tagPattern` and `:oddTags`
 * (see `describeTags`), `:from` and `:to` (nanoseconds, inclusive), `:columnCount`, `:perSeries` (the lesser of the query's
 * limit and `:maxRows` + 1), and what ends it: `:maxRows`, `:maxBytes` (of what it returns) and `:maxScanned`.
 */

/** SQL: the tag set is of the place that the query is about. */
function isOf(tagSet: string): string {
  return `${tagSet}.device_id = :deviceId AND ${tagSet}.measurement = :measurement
    AND ${tagSet}.database = :database AND ${tagSet}.retention_policy = :retentionPolicy`;
}

/**
 * SQL: every tag that is asked for is in the tag set, whose JSON text is scanned once. A match begins at an unescaped
 * quote behind a brace or a comma, and there begins a key; only the keys `:` and `,` could match between two texts.
 */
function hasTags(tagSet: string): string {
  return `(:tagPattern IS NULL OR (
      (${tagSet}.tags GLOB '{' || :tagPattern OR ${tagSet}.tags GLOB '*,' || :tagPattern)
      AND NOT EXISTS (
        SELECT 1 FROM json_each(:oddTags) asked WHERE (${tagSet}.tags ->> asked.fullkey) IS NOT asked.value)))`;
}

/** SQL: the tag sets of the place that have the tags. */
export function tagSets(name: string): string {
  return `tag_set ${name} INDEXED BY tag_set_in_place WHERE ${isOf(name)} AND ${hasTags(name)}`;
}

/** SQL: the next tag set behind the one where a walk is (0 before the first), null after the last. */
export const NEXT_TAG_SET = `(
    SELECT next.id FROM ${tagSets("next")} AND next.id > walk.tag_set_id ORDER BY next.id LIMIT 1)`;

/** What a tag set and each column in it take to scan, in values that functions scan meanwhile. */
const TAG_SET_PRICE = 30;
const COLUMN_PRICE = 40;
/** Bytes of its tags that are scanned meanwhile. */
const BYTES_PER_VALUE = 16;

/** SQL: what it takes to scan all tag sets of the place, in values; of no more of them than `:maxScanned` pays for. */
export const SCOPE_SCANNED = `(
    SELECT coalesce(sum(${TAG_SET_PRICE} + ${COLUMN_PRICE} * :columnCount
      + iif(:tagPattern IS NULL, 0, octet_length(priced.tags) / ${BYTES_PER_VALUE})), 0)
    FROM (SELECT tag_set.tags FROM tag_set INDEXED BY tag_set_in_place WHERE ${isOf("tag_set")}
      LIMIT :maxScanned / (${TAG_SET_PRICE} + ${COLUMN_PRICE} * :columnCount) + 1) priced)`;

/** SQL: bytes that the values of a row and its time take, besides texts; up to half as many again with nanoseconds. */
export const ROW_BYTES = "32 * :columnCount";

/** SQL: a time as the texts carry it. */
export function timeText(time: string): string {
  return `CASE WHEN ${time} % 1000000 = 0 THEN ${time} / 1000000 ELSE '"' || ${time} || '"' END`;
}

/**
 * SQL: a double as a JSON text: 15 digits where SQLite reads the same double from them, else 17, which are exact. It reads
 * about one text of 15 digits in 20,000 as the double next to the nearest.
 */
export function realText(value: string): string {
  const short = `printf('%.15g', ${value})`;
  return `CASE WHEN CAST(${short} AS REAL) = ${value} THEN ${short} ELSE printf('%!.17g', ${value}) END`;
}

/** SQL: a value as a JSON text; null without one. */
export function valueText(value: string, kind: string): string {
  return `CASE typeof(${value}) WHEN 'real' THEN ${realText(value)} WHEN 'text' THEN json_quote(${value})
    WHEN 'integer' THEN CASE ${kind} WHEN 'boolean' THEN iif(${value}, 'true', 'false') ELSE ${value} END END`;
}

/** SQL by the direction in which a statement walks through time. */
export interface Direction {
  readonly order: "" | "DESC";
  /** The end of a range at which the walk begins, and the other one. */
  readonly begin: string;
  readonly end: string;
  /** The aggregates that find whichever time the walk meets first and last. */
  readonly earliest: "min" | "max";
  readonly latest: "min" | "max";
  /** The range from the first time to the second, in the walk's order. */
  between(time: string, first: string, second: string): string;
  /** The far end of the window that a time lies in; null without windows. Beyond 64 bits it is a REAL, which compares well. */
  windowEnd(time: string): string;
  readonly step: "+ 1" | "- 1";
}

/** SQL: how far into its window a time is. Of the remainder of a negative time the sign is negative. */
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

export function inBothDirections(sql: (direction: Direction) => string): Directed<Statement> {
  return { ascending: defineStatement(sql(FORWARD)), descending: defineStatement(sql(BACKWARD)) };
}

/** SQL: the query's columns, `:columns` being a JSON list of `[field, function or null]`. */
export const WANTED = `
  wanted(n, field, aggregate) AS MATERIALIZED (
    SELECT key, value ->> 0, value ->> 1 FROM json_each(:columns))`;

/** SQL: joins the series of a column in a tag set. */
export function seriesOfColumn(tagSet: string): string {
  return `series ON series.tag_set_id = ${tagSet} AND series.field = wanted.field`;
}
