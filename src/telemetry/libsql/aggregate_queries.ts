import type { Statement } from "../../db/statement.ts";
import { type Aggregate, AGGREGATES } from "../points/query.ts";
import { type Directed, type Direction, inBothDirections, realText, valueText } from "./point_queries.ts";
import { COLUMNS, seriesOfColumn, STEP_VALUES, walkQueries, WANTED } from "./walk_queries.ts";

/**
 * Reading functions of fields. A piece is one row: a window, or the whole range without windows. Its line has the number
 * of the window, counted from 1970 (empty without windows), then a value for each column, each after a comma. The line is
 * empty if a numeric function meets a field of another kind, or if the functions would scan more than `:rowValues` values.
 */

/** SQL: a column's function of the points that meet `inside`, as JSON. Null if it overflows a double. */
function cell(inside: string): string {
  const computed = (expression: string): string =>
    `(
    SELECT CASE WHEN abs(made.value) <= 1.7976931348623157e308 THEN ${realText("made.value")} END
    FROM (SELECT ${expression} AS value FROM point WHERE ${inside}) made)`;
  const picked = (expression: string): string =>
    `(
    SELECT ${valueText("made.value", "series.kind")}
    FROM (SELECT ${expression} AS value FROM point WHERE ${inside}) made)`;
  const endmost = (order: "" | "DESC"): string =>
    `(
    SELECT ${valueText("point.value", "series.kind")}
    FROM point WHERE ${inside} ORDER BY point.time ${order} LIMIT 1)`;
  const cells: Readonly<Record<Aggregate, string>> = {
    sum: computed("sum(CAST(point.value AS REAL))"),
    mean: computed("avg(CAST(point.value AS REAL))"),
    min: picked("min(point.value)"),
    max: picked("max(point.value)"),
    count: `(SELECT nullif(count(*), 0) FROM point WHERE ${inside})`,
    first: endmost(""),
    last: endmost("DESC"),
  };
  return `CASE asked_column.aggregate ${
    AGGREGATES.map((name) => `WHEN '${name}' THEN ${cells[name]}`).join(" ")
  } END`;
}

/** SQL: the number of the current window, counted from 1970. It is rounded down, while `/` truncates. */
const WINDOW_NUMBER = "walk.at / asked.window - (walk.at % asked.window < 0)";

/** SQL: a numeric function meets a series of another kind in the tag set that the walk enters. */
const IS_REFUSED = `EXISTS (
      SELECT 1 FROM ${COLUMNS} CROSS JOIN ${seriesOfColumn("found.id")}
      WHERE asked_column.aggregate IN ('sum', 'mean', 'min', 'max') AND series.kind <> 'number')`;

/** SQL: the far end of the current window, or of the range without windows. */
function windowEnd(direction: Direction): string {
  return `coalesce(${direction.windowEnd("walk.at")}, ${direction.end})`;
}

/** SQL: the point is in the series and in the current window. */
function insideWindow(direction: Direction): string {
  return `point.series_id = series.id AND ${
    direction.between("point.time", "walk.at", windowEnd(direction))
  }`;
}

/** SQL: the time of the first point of a tag set from a time on; null if there is none. */
function firstPoint(direction: Direction, tagSet: string, from: string): string {
  return `(
      SELECT ${direction.earliest}((
        SELECT point.time FROM point
        WHERE point.series_id = series.id AND ${direction.between("point.time", from, direction.end)}
        ORDER BY point.time ${direction.order} LIMIT 1))
      FROM ${COLUMNS} CROSS JOIN ${seriesOfColumn(tagSet)})`;
}

/** SQL: a FROM clause with the number of values that the functions scan in the window. Counting them costs a fraction. */
function fromCount(direction: Direction): string {
  return `FROM (
        SELECT count(*) AS scanned FROM (
          SELECT 1 FROM ${COLUMNS} CROSS JOIN ${seriesOfColumn("walk.tag_set_id")} CROSS JOIN point ON ${
    insideWindow(direction)
  }
          WHERE asked_column.aggregate NOT IN ('first', 'last') LIMIT +:rowValues + 1)) counted`;
}

/**
 * Queries with functions. The walk goes from the first point of each window to the first one beyond it, so empty windows
 * and, with a limit, later points cost nothing.
 */
export const READ_FUNCTIONS: Directed<Statement> = inBothDirections((direction) =>
  walkQueries({
    with: `${WANTED},`,
    first: `CASE WHEN NOT ${IS_REFUSED} THEN ${firstPoint(direction, "found.id", direction.begin)} END`,
    next: `CASE WHEN asked.window IS NOT NULL THEN ${
      firstPoint(direction, "walk.tag_set_id", `${direction.windowEnd("walk.at")} ${direction.forth}`)
    } END`,
    entry: `CASE WHEN ${IS_REFUSED} THEN '0,' || asked.n || ',' || char(10) END`,
    piece: (head) =>
      `(
      SELECT (counted.scanned + ${STEP_VALUES}) || ',' || ${head} || iif(counted.scanned > :rowValues, '',
        coalesce(${WINDOW_NUMBER}, '') || (
          SELECT group_concat(',' || coalesce(cell.text, 'null'), '') FROM (
            SELECT ${cell(insideWindow(direction))} AS text
            FROM ${COLUMNS} LEFT JOIN ${seriesOfColumn("walk.tag_set_id")} ORDER BY asked_column.n) cell))
      ${fromCount(direction)})`,
  })
);
