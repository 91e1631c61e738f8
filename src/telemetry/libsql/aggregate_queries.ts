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

/** Functions of points; see `point_queries.ts`. */

/** What a query with functions answers, in one row. */
export interface AggregateRow {
  /** A function of numbers is asked of a field that holds something else: nothing else was scanned. */
  readonly isRefused: number;
  /** What it takes to scan the tag sets, in values. Where it is more than `:maxScanned`, nothing else was scanned. */
  readonly scopeScanned: number;
  /** Values scanned, a window counting for several; where that is more than `:maxScanned`, counting ended there. */
  readonly scanned: number;
  /** There are more rows, or they are longer, than it may return. */
  readonly isCut: number;
  /**
   * For each tag set a line with its JSON, then a line per row: its window, counted from the one that begins in 1970
   * (nothing without windows), and its values, each behind a comma. Null where there are no rows, or more of something than
   * there may be.
   */
  readonly rows: string | null;
}

/** What finding a window takes for each column, in values that are scanned meanwhile. */
const WINDOW_PRICE = 50;
/** Bytes of texts that count as a value: to find a long one, others are read. */
const TEXT_BYTES_PER_VALUE = 16;

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

/** SQL: something of the first or last of the points that meet a condition. */
function endmostOf(name: "first" | "last", expression: string, inside: string): string {
  const order = name === "first" ? "" : "DESC";
  return `(
    SELECT ${expression} FROM point WHERE ${inside} ORDER BY point.time ${order} LIMIT 1)`;
}

/** SQL: bytes of the texts that the functions pick; all others make numbers. */
function textBytes(aggregate: Functions, inside: string): string {
  const picked = (["first", "last"] as const).filter((name) => aggregate === name || aggregate === "several");
  if (picked.length === 0) return "0";
  const cases = picked.map((name) =>
    `WHEN '${name}' THEN ${endmostOf(name, "octet_length(json_quote(point.value))", inside)}`
  );
  return `coalesce((SELECT sum(CASE wanted.aggregate ${cases.join(" ")} END)
    FROM wanted CROSS JOIN ${OF_TAG_SET} AND series.kind = 'string'), 0)`;
}

/** SQL: the window that a time lies in, counted from the one that begins in 1970; floor, where `/` truncates. */
const WINDOW_NUMBER = "walk.found / :window - (walk.found % :window < 0)";
/** SQL: the walk is done with its tag set. `k` counts the rows of a tag set; at 0 it was only just entered. */
const IS_DONE = "(walk.k > 0 AND (walk.found IS NULL OR walk.k = :perSeries OR :window IS NULL))";
/** SQL: the tags of the tag set where the walk is, as JSON. */
const TAGS = "(SELECT tags FROM tag_set WHERE id = walk.tag_set_id)";
/** SQL: values that the walk scanned, and bytes that its rows take. */
const SCANNED = `walk.scanned + walk.text_bytes / ${TEXT_BYTES_PER_VALUE}`;
const BYTES = `walk.i * ${ROW_BYTES} + walk.tag_bytes + walk.text_bytes`;
/** SQL: joins to `wanted` the series of each column in the tag set where the walk is. */
const OF_TAG_SET = seriesOfColumn("walk.tag_set_id");

/** SQL: a function of numbers is asked of a series of another kind. */
const KIND_MISMATCH = `EXISTS (
      SELECT 1 FROM ${tagSets("judged")} AND EXISTS (
        SELECT 1 FROM wanted CROSS JOIN ${seriesOfColumn("judged.id")}
        WHERE wanted.aggregate IN ('sum', 'mean', 'min', 'max') AND series.kind <> 'number'))`;

/** CTE: one row, what it takes to scan the tag sets, and whether a function does not fit the kind of a series. */
const SCOPE = `scope(scope_scanned, is_refused) AS MATERIALIZED (
    SELECT scope_scanned, CASE WHEN scope_scanned <= :maxScanned THEN ${KIND_MISMATCH} ELSE 0 END
    FROM (SELECT ${SCOPE_SCANNED} AS scope_scanned))`;

/** SQL: the far end of the window where the walk is, or of the range without windows. */
function windowEnd(direction: Direction): string {
  return `coalesce(${direction.windowEnd("walk.found")}, ${direction.end})`;
}

/** SQL: a point of the series that lies in the window where the walk is. */
function insideWindow(direction: Direction): string {
  const inRange = direction.between("point.time", "walk.found", windowEnd(direction));
  return `point.series_id = series.id AND ${inRange}`;
}

/** SQL: the time of the first point beyond the window where the walk is, or in a tag set that it has just entered. */
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

/** SQL: values that the functions scan in the window where the walk is. */
function scannedInWindow(inside: string): string {
  return `iif(:window IS NULL, 0, ${WINDOW_PRICE} * :columnCount) + (
        SELECT count(*) FROM (
          SELECT 1 FROM wanted CROSS JOIN ${OF_TAG_SET} CROSS JOIN point ON ${inside}
          WHERE wanted.aggregate NOT IN ('first', 'last') LIMIT :maxScanned + 1))`;
}

/**
 * CTE: the walk through the tag sets and their windows. A row whose `found`, the time of a window's first point, is not
 * null is a row of the result; the others enter or leave a tag set.
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

/** CTE: one row, the values that the whole walk scanned, and whether it found more than the query may return. */
const TOTAL = `total(scanned, is_cut) AS MATERIALIZED (
    SELECT coalesce(max(${SCANNED}), 0), coalesce(max(walk.i) > :maxRows OR max(${BYTES}) > :maxBytes, 0) FROM walk)`;

/** CTE: one row, the lines of the result as one text. */
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
 * Functions over windows of `:window` nanoseconds, or, where that is null, over the whole range; one `AggregateRow`. Walks
 * from the first point of each window to the first one beyond it, so that neither empty windows nor, with a limit, later
 * points cost anything. What is to be scanned and returned is counted first, at a fraction of the price.
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

/** By function: a server reads and plans a statement anew each time, and of one that can do all most is for nothing. */
export const READ_AGGREGATES = Object.fromEntries(
  [...AGGREGATES, "several" as const].map((aggregate) => [
    aggregate,
    inBothDirections((direction) => readAggregates(aggregate, direction)),
  ]),
) as Readonly<Record<Functions, Directed<Statement>>>;
