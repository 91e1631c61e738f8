import { point, series, type tagSet } from "../../db/schema/telemetry.ts";
import { int, join, placeholdersOf, quoted, type SQL, sql, type Value } from "../../db/sql.ts";
import { type Aggregate, AGGREGATES } from "../points/query.ts";
import { type Direction, inBothDirections, realText, valueText } from "./point_queries.ts";
import { COLUMNS, seriesOfColumn, STEP_VALUES, WALK, walkQueries, WANTED } from "./walk_queries.ts";

/**
 * Reads functions of fields. A piece is one row: a window, or the whole range. Its line has the window's number since
 * 1970 (empty without windows), then a comma and value per column. The line is empty if a numeric function meets
 * other values, or if the functions would scan more than `rowValues` values.
 */
const FUNCTIONS = { ...WALK, rowValues: int };

const { rowValues } = placeholdersOf(FUNCTIONS);

/** Returns a column's function of the points `inside`, as JSON; null if it overflows a double. */
function cell(inside: SQL): SQL {
  const [made, number] = [sql`made.value`, sql`CAST(${point.value} AS REAL)`];
  const computed = (expression: SQL): SQL =>
    sql`(
    SELECT CASE WHEN abs(${made}) <= 1.7976931348623157e308 THEN ${realText(made)} END
    FROM (SELECT ${expression} AS value FROM ${point} WHERE ${inside}) made)`;
  const picked = (expression: SQL): SQL =>
    sql`(
    SELECT ${valueText(made, series.kind)}
    FROM (SELECT ${expression} AS value FROM ${point} WHERE ${inside}) made)`;
  const endmost = (order: SQL): SQL =>
    sql`(
    SELECT ${valueText(point.value, series.kind)}
    FROM ${point} WHERE ${inside} ORDER BY ${point.time} ${order} LIMIT 1)`;
  const cells: Readonly<Record<Aggregate, SQL>> = {
    sum: computed(sql`sum(${number})`),
    mean: computed(sql`avg(${number})`),
    min: picked(sql`min(${point.value})`),
    max: picked(sql`max(${point.value})`),
    count: sql`(SELECT nullif(count(*), 0) FROM ${point} WHERE ${inside})`,
    first: endmost(sql``),
    last: endmost(sql`DESC`),
  };
  const cases = AGGREGATES.map((name) => sql`WHEN ${quoted(name)} THEN ${cells[name]}`);
  return sql`CASE asked_column.aggregate ${join(cases, " ")} END`;
}

/** The number of the current window since 1970, rounded down, while `/` truncates. */
const WINDOW_NUMBER = sql`walk.at / asked.window - (walk.at % asked.window < 0)`;

/** The tag set of the walk. */
const WALKED = sql`walk.tag_set_id`;

/**
 * A numeric function meets a value of another kind in the tag set just entered. One outside of the range is nothing that
 * the caller need know.
 */
function isRefused(found: typeof tagSet, direction: Direction): SQL {
  const isAsked = direction.between(point.time, direction.begin, direction.end);
  return sql`EXISTS (
      SELECT 1 FROM ${COLUMNS} CROSS JOIN ${seriesOfColumn(found.id)}
      WHERE asked_column.aggregate IN ('sum', 'mean', 'min', 'max') AND ${series.kind} <> 'number'
        AND EXISTS (SELECT 1 FROM ${point} WHERE ${point.seriesId} = ${series.id} AND ${isAsked}))`;
}

/** The far end of the current window, or of the range without windows. */
function windowEnd(direction: Direction): SQL {
  return sql`coalesce(${direction.windowEnd(sql`walk.at`)}, ${direction.end})`;
}

/** The point is in the series and in the current window. */
function insideWindow(direction: Direction): SQL {
  const isInside = direction.between(point.time, sql`walk.at`, windowEnd(direction));
  return sql`${point.seriesId} = ${series.id} AND ${isInside}`;
}

/** The time of a tag set's first point from a time on; null if there is none. */
function firstPoint(direction: Direction, tagSetId: Value, from: SQL): SQL {
  const isAhead = direction.between(point.time, from, direction.end);
  return sql`(
      SELECT ${direction.earliest}((
        SELECT ${point.time} FROM ${point}
        WHERE ${point.seriesId} = ${series.id} AND ${isAhead}
        ORDER BY ${point.time} ${direction.order} LIMIT 1))
      FROM ${COLUMNS} CROSS JOIN ${seriesOfColumn(tagSetId)})`;
}

/**
 * A FROM clause with the number of values that the functions scan in the window. Counting costs a fraction of
 * reading.
 */
function fromCount(direction: Direction): SQL {
  return sql`FROM (
        SELECT count(*) AS scanned FROM (
          SELECT 1 FROM ${COLUMNS} CROSS JOIN ${seriesOfColumn(WALKED)}
            CROSS JOIN ${point} ON ${insideWindow(direction)}
          WHERE asked_column.aggregate NOT IN ('first', 'last') LIMIT +${rowValues} + 1)) counted`;
}

/**
 * Queries with functions. The walk goes to the first point beyond each window, so that empty windows, and points
 * beyond a limit, cost nothing.
 */
export const READ_FUNCTIONS = inBothDirections(FUNCTIONS, (direction) => {
  const beyondWindow = sql`${direction.windowEnd(sql`walk.at`)} ${direction.forth}`;
  const nextPoint = firstPoint(direction, WALKED, beyondWindow);
  return walkQueries({
    with: sql`${WANTED},`,
    first: (found) =>
      sql`CASE WHEN NOT ${isRefused(found, direction)} THEN ${
        firstPoint(direction, found.id, direction.begin)
      } END`,
    next: sql`CASE WHEN asked.window IS NOT NULL THEN ${nextPoint} END`,
    entry: (found) =>
      sql`CASE WHEN ${isRefused(found, direction)} THEN '0,' || asked.n || ',' || char(10) END`,
    piece: (head) => {
      const text = cell(insideWindow(direction));
      return sql`(
      SELECT (counted.scanned + ${STEP_VALUES}) || ',' || ${head} || iif(counted.scanned > ${rowValues}, '',
        coalesce(${WINDOW_NUMBER}, '') || (
          SELECT group_concat(',' || coalesce(cell.text, 'null'), '') FROM (
            SELECT ${text} AS text
            FROM ${COLUMNS} LEFT JOIN ${seriesOfColumn(WALKED)} ORDER BY asked_column.n) cell))
      ${fromCount(direction)})`;
    },
  });
});
