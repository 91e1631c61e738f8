import { defineStatement, type Statement } from "../db/statement.ts";
import { type Aggregate, AGGREGATES } from "./query.ts";

/**
 * Reading and clearing points. What a query returns is put together in SQL as texts, because a row object costs more
 * than reading its point. Values are JSON texts in their final form, in which neither a line feed nor a tab occurs; a
 * time is a number of milliseconds, or, where it is no whole one, a JSON string of nanoseconds.
 *
 * Parameters of every query: `:deviceId`, `:measurement`, `:database`, `:retentionPolicy`, `:tags` (a JSON object without
 * nodeId, which all tag sets of a device share), `:tagTexts` (a JSON list of its entries as a tag set's text has them),
 * `:from` and `:to` (nanoseconds, inclusive), `:maxRows`, `:perSeries` (the lesser of the query's limit and
 * `:maxRows` + 1) and `:maxText`.
 */

/** SQL: the tag set is of the place that the query is about. */
function isOf(tagSet: string): string {
  return `${tagSet}.device_id = :deviceId AND ${tagSet}.measurement = :measurement
    AND ${tagSet}.database = :database AND ${tagSet}.retention_policy = :retentionPolicy`;
}

/** SQL: every tag that is asked for is equal in the tag set. Most of those that are not fail at their texts, quickly. */
function hasTags(tagSet: string): string {
  return `NOT EXISTS (SELECT 1 FROM json_each(:tagTexts) asked WHERE instr(${tagSet}.tags, asked.value) = 0)
    AND NOT EXISTS (SELECT 1 FROM json_each(:tags) asked WHERE NOT EXISTS (
      SELECT 1 FROM json_each(${tagSet}.tags) stored WHERE stored.key = asked.key AND stored.value = asked.value))`;
}

/** SQL: the next tag set behind the one where a walk is (0 before the first), null after the last. */
const NEXT_TAG_SET = `(SELECT next.id FROM tag_set next
    WHERE ${isOf("next")} AND next.tags > coalesce((SELECT tags FROM tag_set WHERE id = walk.tag_set_id), '')
      AND ${hasTags("next")} ORDER BY next.tags LIMIT 1)`;

/** SQL: how many tag sets a walk looks at, in values that take about as long. */
const EXAMINED = `10 * (SELECT count(*) FROM tag_set WHERE ${isOf("tag_set")})`;

/** SQL: a time as the texts carry it. */
function timeText(time: string): string {
  return `CASE WHEN ${time} % 1000000 = 0 THEN ${time} / 1000000 ELSE '"' || ${time} || '"' END`;
}

/** SQL: a double as a JSON text that is exact to the last bit: 15 digits where they are enough, else 17. */
function realText(value: string): string {
  const short = `printf('%.15g', ${value})`;
  return `CASE WHEN CAST(${short} AS REAL) = ${value} THEN ${short} ELSE printf('%!.17g', ${value}) END`;
}

/** SQL: a value as a JSON text; null without one. */
function valueText(value: string, kind: string): string {
  return `CASE typeof(${value}) WHEN 'real' THEN ${realText(value)} WHEN 'text' THEN json_quote(${value})
    WHEN 'integer' THEN CASE ${kind} WHEN 'boolean' THEN iif(${value}, 'true', 'false') ELSE ${value} END END`;
}

/** SQL by the direction in which a statement walks through time. */
interface Direction {
  readonly order: "" | "DESC";
  /** The end of a range at which the walk begins, and the other one. */
  readonly begin: string;
  readonly end: string;
  /** The aggregate that finds whichever time the walk meets first. */
  readonly earliest: "min" | "max";
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
  between: (time, first, second) => `${time} BETWEEN ${first} AND ${second}`,
  windowEnd: (time) => `min(:to, ${time} + (:window - 1 - ${intoWindow(time)}))`,
  step: "+ 1",
};

const BACKWARD: Direction = {
  order: "DESC",
  begin: ":to",
  end: ":from",
  earliest: "max",
  between: (time, first, second) => `${time} BETWEEN ${second} AND ${first}`,
  windowEnd: (time) => `max(:from, ${time} - ${intoWindow(time)})`,
  step: "- 1",
};

interface Directed<T> {
  readonly ascending: T;
  readonly descending: T;
}

function inBothDirections(sql: (direction: Direction) => string): Directed<Statement> {
  return { ascending: defineStatement(sql(FORWARD)), descending: defineStatement(sql(BACKWARD)) };
}

/** What a query for plain fields answers: first a row about the query, whose `tags` is null, then one per tag set. */
export interface PlainRow {
  readonly tags: string | null;
  /** Rows of the tag set; of the query: values that it looked at. */
  readonly count: number;
  /** Of the query: there is more than it may return, and nothing is returned. */
  readonly isCut: number;
  /** A line with the times (a comma between), and a line for each row with its values (likewise). */
  readonly rows: string | null;
}

interface PlainParts {
  /** SQL: of a tag set, how many rows it gives. */
  readonly count: (tagSet: string) => string;
  /** SQL: of a tag set, how long the texts in them are. */
  readonly textLength: (tagSet: string) => string;
  /** SQL: of a tag set, the rows. */
  readonly rows: (tagSet: string) => string;
  readonly with?: string;
}

/** Walks the tag sets until there is more than may be returned, counting only; then puts together what there is. */
function readPlain(parts: PlainParts): string {
  return `
  WITH RECURSIVE ${parts.with ?? ""}
  walk(tag_set_id, count, length, rows_left, text_left) AS MATERIALIZED (
    SELECT 0, 0, 0, :maxRows, :maxText
    UNION ALL
    SELECT found.id, ${parts.count("found.id")}, length(found.tags) + ${parts.textLength("found.id")},
      walk.rows_left - walk.count, walk.text_left - CASE WHEN walk.count > 0 THEN walk.length ELSE 0 END
    FROM walk CROSS JOIN tag_set found ON found.id = ${NEXT_TAG_SET}
    WHERE walk.rows_left >= walk.count AND (walk.count = 0 OR walk.text_left >= walk.length)),
  ending(is_cut) AS MATERIALIZED (SELECT EXISTS (
    SELECT 1 FROM walk WHERE count > rows_left OR (count > 0 AND length > text_left)))
  SELECT NULL AS tags, ${EXAMINED} AS count, is_cut AS isCut, NULL AS rows FROM ending
  UNION ALL
  SELECT tag_set.tags, walk.count, 0, ${parts.rows("walk.tag_set_id")}
  FROM ending CROSS JOIN walk CROSS JOIN tag_set ON tag_set.id = walk.tag_set_id
  WHERE NOT is_cut AND walk.count > 0`;
}

/** The points of one field (`:field`). */
export const READ_FIELD: Directed<Statement> = inBothDirections((direction) => {
  const points = (series: string): string =>
    `SELECT point.time, point.value FROM point
      WHERE point.series_id = ${series} AND point.time BETWEEN :from AND :to
      ORDER BY point.time ${direction.order} LIMIT :perSeries`;
  const seriesOf = (tagSet: string): string =>
    `FROM series WHERE series.tag_set_id = ${tagSet} AND series.field = :field`;
  return readPlain({
    count: (tagSet) =>
      `coalesce((SELECT (SELECT count(*) FROM (${points("series.id")})) ${seriesOf(tagSet)}), 0)`,
    textLength: (tagSet) =>
      `coalesce((SELECT CASE series.kind WHEN 'string'
        THEN (SELECT sum(length(read.value)) FROM (${points("series.id")}) read) END ${
        seriesOf(tagSet)
      }), 0)`,
    rows: (tagSet) =>
      `(SELECT (SELECT group_concat(${timeText("read.time")}) || char(10)
        || group_concat(${valueText("read.value", "series.kind")}, char(10)) FROM (${
        points("series.id")
      }) read)
        ${seriesOf(tagSet)})`,
  });
});

/** SQL: the query's columns, `:columns` being a JSON list of `[field, function or null]`. */
const WANTED = `
  wanted(n, field, aggregate) AS MATERIALIZED (
    SELECT key, value ->> 0, value ->> 1 FROM json_each(:columns))`;

/** SQL: joins the series of a column in a tag set. */
function seriesOfColumn(tagSet: string): string {
  return `series ON series.tag_set_id = ${tagSet} AND series.field = wanted.field`;
}

/**
 * The points of several fields side by side. Of each field no more than `:perSeries` points are read to find the times of
 * that many rows.
 */
export const READ_FIELDS: Directed<Statement> = inBothDirections((direction) => {
  const times = (tagSet: string): string => `
    SELECT DISTINCT point.time FROM (
      SELECT coalesce(${direction.earliest}((
        SELECT point.time FROM point WHERE point.series_id = series.id AND point.time BETWEEN :from AND :to
        ORDER BY point.time ${direction.order} LIMIT 1 OFFSET :perSeries - 1)), ${direction.end}) AS time
      FROM wanted CROSS JOIN ${seriesOfColumn(tagSet)}) bound
    CROSS JOIN wanted CROSS JOIN ${seriesOfColumn(tagSet)}
    CROSS JOIN point ON point.series_id = series.id
      AND ${direction.between("point.time", direction.begin, "bound.time")}
    ORDER BY point.time ${direction.order} LIMIT :perSeries`;
  return readPlain({
    with: `${WANTED},`,
    count: (tagSet) => `(SELECT count(*) FROM (${times(tagSet)}))`,
    textLength: (tagSet) =>
      `coalesce((
      SELECT sum((SELECT sum(length(read.value)) FROM (
        SELECT point.value FROM point WHERE point.series_id = series.id AND point.time BETWEEN :from AND :to
        ORDER BY point.time ${direction.order} LIMIT :perSeries) read))
      FROM wanted CROSS JOIN ${seriesOfColumn(tagSet)} AND series.kind = 'string'), 0)`,
    rows: (tagSet) =>
      `(
      SELECT group_concat(CASE cell.n WHEN 0 THEN ${timeText("cell.time")} END)
        || group_concat(CASE cell.n WHEN 0 THEN char(10) ELSE ',' END
          || coalesce(${valueText("cell.value", "cell.kind")}, 'null'), '')
      FROM (
        SELECT row.time, wanted.n, point.value, series.kind
        FROM (${times(tagSet)}) row
        CROSS JOIN wanted LEFT JOIN ${seriesOfColumn(tagSet)}
        LEFT JOIN point ON point.series_id = series.id AND point.time = row.time
        ORDER BY row.time ${direction.order}, wanted.n) cell)`,
  });
});

/** What a query with functions answers, in one row. */
export interface AggregateRow {
  /** A function of numbers is asked of a field that holds something else: nothing else was looked at. */
  readonly isRefused: number;
  /** Rows, and values looked at; where one of them is more than it may be, counting ended there. */
  readonly rowCount: number;
  readonly looked: number;
  /** Its texts and tags are longer than they may be. */
  readonly isLong: number | null;
  /**
   * For each tag set a line with its JSON, then a line per row: its window, counted from the one that begins in 1970
   * (nothing without windows), and its values, each behind a comma. Null where there are no rows, or more of something than
   * there may be.
   */
  readonly rows: string | null;
}

/** No number and no window is longer than so many characters: they are no text that has to be bounded. */
const NUMBER_LENGTH = 30;

/** The one function that all columns of a query have, or several. */
type Functions = Aggregate | "several";

/** SQL: a column's function over `inside`, a condition on points, as a JSON text. What overflows a double has none. */
function cell(aggregate: Functions, inside: string): string {
  const computed = (expression: string): string =>
    `(
    SELECT CASE WHEN abs(made.value) <= 1.7976931348623157e308 THEN ${realText("made.value")} END
    FROM (SELECT ${expression} AS value FROM point WHERE ${inside}) made)`;
  const picked = (expression: string): string =>
    `(
    SELECT ${valueText("made.value", "series.kind")}
    FROM (SELECT ${expression} AS value FROM point WHERE ${inside}) made)`;
  const endmost = (order: string): string =>
    `(
    SELECT ${valueText("point.value", "series.kind")} FROM point WHERE ${inside}
    ORDER BY point.time ${order} LIMIT 1)`;
  const cells: Readonly<Record<Aggregate, string>> = {
    sum: computed("sum(CAST(point.value AS REAL))"),
    mean: computed("avg(CAST(point.value AS REAL))"),
    min: picked("min(point.value)"),
    max: picked("max(point.value)"),
    count: `(SELECT nullif(count(*), 0) FROM point WHERE ${inside})`,
    first: endmost(""),
    last: endmost("DESC"),
  };
  if (aggregate !== "several") return cells[aggregate];
  const cases = AGGREGATES.map((name) => `WHEN '${name}' THEN ${cells[name]}`);
  return `CASE wanted.aggregate ${cases.join(" ")} END`;
}

/** SQL: the window that a time lies in, counted from the one that begins in 1970; floor, where `/` truncates. */
const WINDOW_NUMBER = "walk.found / :window - (walk.found % :window < 0)";

/**
 * Functions over windows of `:window` nanoseconds, or, where that is null, over the whole range; one `AggregateRow`. Walks
 * from the first point of each window to the first one beyond it, so that neither empty windows nor, with a limit, later
 * points cost anything. What is to be looked at is counted first, at a fraction of the price, up to `:maxLooked`.
 */
function readAggregates(aggregate: Functions, direction: Direction): string {
  const windowEnd = `coalesce(${direction.windowEnd("walk.found")}, ${direction.end})`;
  const ofTagSet = seriesOfColumn("walk.tag_set_id");
  const inside = `point.series_id = series.id AND ${
    direction.between("point.time", "walk.found", windowEnd)
  }`;
  // `k` counts the rows of a tag set; at 0 it was only just entered.
  const isDone = "(walk.k > 0 AND (walk.found IS NULL OR walk.k = :perSeries OR :window IS NULL))";
  const from = `CASE walk.k WHEN 0 THEN ${direction.begin} ELSE ${windowEnd} ${direction.step} END`;
  return `
  WITH RECURSIVE ${WANTED},
  scope(is_refused, examined) AS MATERIALIZED (SELECT EXISTS (
    SELECT 1 FROM tag_set CROSS JOIN wanted CROSS JOIN ${seriesOfColumn("tag_set.id")}
    WHERE ${isOf("tag_set")} AND wanted.aggregate IN ('sum', 'mean', 'min', 'max') AND series.kind <> 'number'
      AND ${hasTags("tag_set")}), ${EXAMINED}),
  walk(i, tag_set_id, k, found, looked) AS MATERIALIZED (
    SELECT 0, 0, 1, NULL, examined FROM scope WHERE NOT is_refused
    UNION ALL
    SELECT walk.i + (walk.found IS NOT NULL),
      CASE WHEN ${isDone} THEN ${NEXT_TAG_SET} ELSE walk.tag_set_id END,
      CASE WHEN ${isDone} THEN 0 ELSE walk.k + 1 END,
      CASE WHEN NOT ${isDone} THEN (
        SELECT ${direction.earliest}((
          SELECT point.time FROM point WHERE point.series_id = series.id
            AND ${direction.between("point.time", from, direction.end)}
          ORDER BY point.time ${direction.order} LIMIT 1))
        FROM wanted CROSS JOIN ${ofTagSet}) END,
      walk.looked + CASE WHEN walk.found IS NULL THEN 0 ELSE (
        SELECT sum(CASE WHEN wanted.aggregate IN ('first', 'last') THEN 1 ELSE (
          SELECT count(*) FROM (SELECT 1 FROM point WHERE ${inside} LIMIT :maxLooked + 1)) END)
        FROM wanted CROSS JOIN ${ofTagSet}) END
    FROM walk WHERE walk.tag_set_id IS NOT NULL AND walk.i <= :maxRows AND walk.looked <= :maxLooked),
  total(row_count, looked) AS MATERIALIZED (SELECT count(found), coalesce(max(looked), 0) FROM walk),
  built(rows) AS MATERIALIZED (
    SELECT group_concat(line, char(10)) FROM (
      SELECT CASE walk.k WHEN 1 THEN (SELECT tags FROM tag_set WHERE id = walk.tag_set_id) || char(10) ELSE '' END
        || coalesce(${WINDOW_NUMBER}, '') || (
        SELECT group_concat(',' || coalesce(cell.text, 'null'), '') FROM (
          SELECT ${cell(aggregate, inside)} AS text
          FROM wanted LEFT JOIN ${ofTagSet} ORDER BY wanted.n) cell
        ) AS line
      FROM total CROSS JOIN walk WHERE walk.found IS NOT NULL
        AND row_count <= :maxRows AND total.looked <= :maxLooked ORDER BY walk.i))
  SELECT is_refused AS isRefused, row_count AS rowCount, max(looked, examined) AS looked,
    length(rows) > :maxText + ${NUMBER_LENGTH} * row_count * (SELECT count(*) FROM wanted) AS isLong,
    iif(length(rows) > :maxText + ${NUMBER_LENGTH} * row_count * (SELECT count(*) FROM wanted), NULL, rows) AS rows
  FROM scope CROSS JOIN total CROSS JOIN built`;
}

/** By function: a server reads and plans a statement anew each time, and of one that can do all most is for nothing. */
export const READ_AGGREGATES = Object.fromEntries(
  [...AGGREGATES, "several" as const].map((aggregate) => [
    aggregate,
    inBothDirections((direction) => readAggregates(aggregate, direction)),
  ]),
) as Readonly<Record<Functions, Directed<Statement>>>;

export const IS_READY: Statement = defineStatement("SELECT 1 AS ready");

/** Points that one statement deletes at most: other writes wait meanwhile. */
export const CLEAR_BATCH = 5000;

/** How many tag sets one statement looks through for old points. */
const CLEAR_TAG_SETS = 200;

/** Deletes points of the devices of `:deviceIds` (a JSON list), a row for each, then series and tag sets without any. */
export const FORGET_DEVICES: readonly Statement[] = [
  defineStatement(`
    DELETE FROM point WHERE (series_id, time) IN (
      SELECT old.series_id, old.time FROM json_each(:deviceIds) gone
        CROSS JOIN tag_set ON tag_set.device_id = gone.value
        CROSS JOIN series ON series.tag_set_id = tag_set.id CROSS JOIN point old ON old.series_id = series.id
      LIMIT ${CLEAR_BATCH}) RETURNING 1 AS gone`),
  defineStatement(`
    DELETE FROM series WHERE id IN (
      SELECT emptied.id FROM json_each(:deviceIds) gone CROSS JOIN tag_set ON tag_set.device_id = gone.value
        CROSS JOIN series emptied ON emptied.tag_set_id = tag_set.id
      WHERE NOT EXISTS (SELECT 1 FROM point WHERE point.series_id = emptied.id) LIMIT ${CLEAR_BATCH})
    RETURNING 1 AS gone`),
  defineStatement(`
    DELETE FROM tag_set WHERE id IN (
      SELECT emptied.id FROM json_each(:deviceIds) gone CROSS JOIN tag_set emptied ON emptied.device_id = gone.value
      WHERE NOT EXISTS (SELECT 1 FROM series WHERE series.tag_set_id = emptied.id) LIMIT ${CLEAR_BATCH})
    RETURNING 1 AS gone`),
];

/** The last of the next tag sets after `:afterId`; null beyond the last one. */
export const NEXT_TAG_SETS: Statement = defineStatement(`
  SELECT max(id) AS lastId FROM (SELECT id FROM tag_set WHERE id > :afterId ORDER BY id LIMIT ${CLEAR_TAG_SETS})`);

/**
 * Deletes points before `:time` of the tag sets after `:afterId` up to `:lastId`, a row for each, then series and tag sets
 * without any.
 */
export const CLEAR_BEFORE: readonly Statement[] = [
  defineStatement(`
    DELETE FROM point WHERE (series_id, time) IN (
      SELECT old.series_id, old.time FROM tag_set CROSS JOIN series ON series.tag_set_id = tag_set.id
        CROSS JOIN point old ON old.series_id = series.id AND old.time < :time
      WHERE tag_set.id > :afterId AND tag_set.id <= :lastId LIMIT ${CLEAR_BATCH}) RETURNING 1 AS gone`),
  defineStatement(`
    DELETE FROM series WHERE id IN (
      SELECT emptied.id FROM tag_set CROSS JOIN series emptied ON emptied.tag_set_id = tag_set.id
      WHERE tag_set.id > :afterId AND tag_set.id <= :lastId
        AND NOT EXISTS (SELECT 1 FROM point WHERE point.series_id = emptied.id))`),
  defineStatement(`
    DELETE FROM tag_set WHERE id > :afterId AND id <= :lastId
      AND NOT EXISTS (SELECT 1 FROM series WHERE series.tag_set_id = tag_set.id)`),
];
