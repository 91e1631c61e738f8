import type { Statement } from "../../db/statement.ts";
import {
  type Directed,
  type Direction,
  inBothDirections,
  NEXT_TAG_SET,
  realText,
  ROW_BYTES,
  SCOPE_SCANNED,
  seriesOfColumn,
  tagSets,
  valueText,
  WANTED,
} from "./point_queries.ts";
import { type Aggregate, AGGREGATES } from "../points/query.ts";

/** Reading functions of fields; see `point_queries.ts`. */

/** The only row of a query with functions. */
export interface AggregateRow {
  /** A numeric function meets a field of another kind. Nothing else was scanned. */
  readonly isRefused: number;
  /** The cost of scanning the tag sets, in values. If it is more than `:maxScanned`, nothing else was scanned. */
  readonly scopeScanned: number;
  /** Values scanned, where a window counts as several. Counting stops beyond `:maxScanned`. */
  readonly scanned: number;
  /** There are more rows, or longer ones, than the query may return. */
  readonly isCut: number;
  /**
   * For each tag set a line with its JSON, then a line per row: the number of its window, counted from 1970 (empty
   * without windows), then its values, each after a comma. Null if there are no rows, or if a limit is exceeded.
   */
  readonly rows: string | null;
}

/** Cost of finding a window for each column, in scanned values. */
const WINDOW_PRICE = 50;
/** Bytes of strings that count as one value: to find a long string, others are read. */
const TEXT_BYTES_PER_VALUE = 16;

/** The function that all columns share, or `several`. */
type Functions = Aggregate | "several";

/** SQL: a column's function of the points that meet `inside`, as JSON. Null if it overflows a double. */
function cell(aggregate: Functions, inside: string): string {
  const computed = (expression: string): string =>
    `(
    SELECT CASE WHEN abs(made.value) <= 1.7976931348623157e308 THEN ${realText("made.value")} END
    FROM (SELECT ${expression} AS value FROM point WHERE ${inside}) made)`;
  const picked = (expression: string): string =>
    `(
    SELECT ${valueText("made.value", "series.kind")}
    FROM (SELECT ${expression} AS value FROM point WHERE ${inside}) made)`;
  const endmost = (name: "first" | "last"): string =>
    endmostOf(name, valueText("point.value", "series.kind"), inside);
  const cells: Readonly<Record<Aggregate, string>> = {
    sum: computed("sum(CAST(point.value AS REAL))"),
    mean: computed("avg(CAST(point.value AS REAL))"),
    min: picked("min(point.value)"),
    max: picked("max(point.value)"),
    count: `(SELECT nullif(count(*), 0) FROM point WHERE ${inside})`,
    first: endmost("first"),
    last: endmost("last"),
  };
  if (aggregate !== "several") return cells[aggregate];
  const cases = AGGREGATES.map((name) => `WHEN '${name}' THEN ${cells[name]}`);
  return `CASE wanted.aggregate ${cases.join(" ")} END`;
}

/** SQL: an expression on the first or last point that meets `inside`. */
function endmostOf(name: "first" | "last", expression: string, inside: string): string {
  const order = name === "first" ? "" : "DESC";
  return `(
    SELECT ${expression} FROM point WHERE ${inside} ORDER BY point.time ${order} LIMIT 1)`;
}

/** SQL: bytes of the strings that the functions return. Only first and last return any. */
function textBytes(aggregate: Functions, inside: string): string {
  const picked = (["first", "last"] as const).filter((name) => aggregate === name || aggregate === "several");
  if (picked.length === 0) return "0";
  const cases = picked.map((name) =>
    `WHEN '${name}' THEN ${endmostOf(name, "octet_length(json_quote(point.value))", inside)}`
  );
  return `coalesce((SELECT sum(CASE wanted.aggregate ${cases.join(" ")} END)
    FROM wanted CROSS JOIN ${OF_TAG_SET} AND series.kind = 'string'), 0)`;
}

/** SQL: the number of a time's window, counted from 1970. It is rounded down, while `/` truncates. */
const WINDOW_NUMBER = "walk.found / :window - (walk.found % :window < 0)";
/** SQL: the walk has finished its tag set. `k` counts the rows of a tag set; it is 0 where the walk enters one. */
const IS_DONE = "(walk.k > 0 AND (walk.found IS NULL OR walk.k = :perSeries OR :window IS NULL))";
/** SQL: the tags of the current tag set, as JSON. */
const TAGS = "(SELECT tags FROM tag_set WHERE id = walk.tag_set_id)";
/** SQL: values that the walk has scanned, and bytes of its rows. */
const SCANNED = `walk.scanned + walk.text_bytes / ${TEXT_BYTES_PER_VALUE}`;
const BYTES = `walk.i * ${ROW_BYTES} + walk.tag_bytes + walk.text_bytes`;
/** SQL: joins to `wanted` the series of each column in the current tag set. */
const OF_TAG_SET = seriesOfColumn("walk.tag_set_id");

/** SQL: a numeric function meets a series of another kind. */
const KIND_MISMATCH = `EXISTS (
      SELECT 1 FROM ${tagSets("judged")} AND EXISTS (
        SELECT 1 FROM wanted CROSS JOIN ${seriesOfColumn("judged.id")}
        WHERE wanted.aggregate IN ('sum', 'mean', 'min', 'max') AND series.kind <> 'number'))`;

/** CTE: one row with the cost of scanning the tag sets, and whether a function does not fit the kind of a series. */
const SCOPE = `scope(scope_scanned, is_refused) AS MATERIALIZED (
    SELECT scope_scanned, CASE WHEN scope_scanned <= :maxScanned THEN ${KIND_MISMATCH} ELSE 0 END
    FROM (SELECT ${SCOPE_SCANNED} AS scope_scanned))`;

/** SQL: the far end of the current window, or of the range without windows. */
function windowEnd(direction: Direction): string {
  return `coalesce(${direction.windowEnd("walk.found")}, ${direction.end})`;
}

/** SQL: the point is in the series and in the current window. */
function insideWindow(direction: Direction): string {
  const inRange = direction.between("point.time", "walk.found", windowEnd(direction));
  return `point.series_id = series.id AND ${inRange}`;
}

/** SQL: the time of the first point beyond the current window, or of the first one in a tag set just entered. */
function nextFound(direction: Direction): string {
  const beyond = `${windowEnd(direction)} ${direction.step}`;
  const from = `CASE walk.k WHEN 0 THEN ${direction.begin} ELSE ${beyond} END`;
  return `(
        SELECT ${direction.earliest}((
          SELECT point.time FROM point WHERE point.series_id = series.id
            AND ${direction.between("point.time", from, direction.end)}
          ORDER BY point.time ${direction.order} LIMIT 1))
        FROM wanted CROSS JOIN ${OF_TAG_SET})`;
}

/** SQL: the cost of the current window, in values. */
function scannedInWindow(inside: string): string {
  return `iif(:window IS NULL, 0, ${WINDOW_PRICE} * :columnCount) + (
        SELECT count(*) FROM (
          SELECT 1 FROM wanted CROSS JOIN ${OF_TAG_SET} CROSS JOIN point ON ${inside}
          WHERE wanted.aggregate NOT IN ('first', 'last') LIMIT :maxScanned + 1))`;
}

/**
 * CTE: the walk through the tag sets and their windows. `found` is the time of the first point of a window. Rows that
 * have it are rows of the result; the others enter or leave a tag set.
 */
function walk(aggregate: Functions, direction: Direction): string {
  const inside = insideWindow(direction);
  return `walk(i, tag_set_id, k, found, scanned, tag_bytes, text_bytes) AS MATERIALIZED (
    SELECT 0, 0, 1, NULL, 0, 0, 0 FROM scope WHERE NOT is_refused AND scope_scanned <= :maxScanned
    UNION ALL
    SELECT walk.i + (walk.found IS NOT NULL),
      CASE WHEN ${IS_DONE} THEN ${NEXT_TAG_SET} ELSE walk.tag_set_id END,
      CASE WHEN ${IS_DONE} THEN 0 ELSE walk.k + 1 END,
      CASE WHEN NOT ${IS_DONE} THEN ${nextFound(direction)} END,
      walk.scanned + CASE WHEN walk.found IS NULL THEN 0 ELSE ${scannedInWindow(inside)} END,
      walk.tag_bytes + CASE WHEN walk.found IS NOT NULL AND walk.k = 1 THEN octet_length(${TAGS}) ELSE 0 END,
      walk.text_bytes + CASE WHEN walk.found IS NULL THEN 0 ELSE ${textBytes(aggregate, inside)} END
    FROM walk
    WHERE walk.tag_set_id IS NOT NULL AND walk.i <= :maxRows AND ${SCANNED} <= :maxScanned AND ${BYTES} <= :maxBytes)`;
}

/** CTE: one row with the values that the walk scanned, and whether it found more than the query may return. */
const TOTAL = `total(scanned, is_cut) AS MATERIALIZED (
    SELECT coalesce(max(${SCANNED}), 0), coalesce(max(walk.i) > :maxRows OR max(${BYTES}) > :maxBytes, 0) FROM walk)`;

/** CTE: one row with the lines of the result as one text. */
function built(aggregate: Functions, direction: Direction): string {
  return `built(rows) AS MATERIALIZED (
    SELECT group_concat(line, char(10)) FROM (
      SELECT CASE walk.k WHEN 1 THEN ${TAGS} || char(10) ELSE '' END || coalesce(${WINDOW_NUMBER}, '') || (
        SELECT group_concat(',' || coalesce(cell.text, 'null'), '') FROM (
          SELECT ${cell(aggregate, insideWindow(direction))} AS text
          FROM wanted LEFT JOIN ${OF_TAG_SET} ORDER BY wanted.n) cell
        ) AS line
      FROM total CROSS JOIN walk
      WHERE walk.found IS NOT NULL AND NOT is_cut AND total.scanned <= :maxScanned ORDER BY walk.i))`;
}

/**
 * Functions over windows of `:window` nanoseconds, or over the whole range if that is null; one `AggregateRow`. Walks
 * from the first point of each window to the first one beyond it, so empty windows and, with a limit, later points cost
 * nothing. What will be scanned and returned is counted first, at a fraction of the cost.
 */
function readAggregates(aggregate: Functions, direction: Direction): string {
  return `
  WITH RECURSIVE ${WANTED},
  ${SCOPE},
  ${walk(aggregate, direction)},
  ${TOTAL},
  ${built(aggregate, direction)}
  SELECT is_refused AS isRefused, scope_scanned AS scopeScanned, scanned, is_cut AS isCut, rows FROM scope CROSS JOIN total CROSS JOIN built`;
}

/**
 * By function, because a server parses and plans a statement each time, and most of one for all functions would be
 * unused.
 */
export const READ_AGGREGATES = Object.fromEntries(
  [...AGGREGATES, "several" as const].map((aggregate) => [
    aggregate,
    inBothDirections((direction) => readAggregates(aggregate, direction)),
  ]),
) as Readonly<Record<Functions, Directed<Statement>>>;
