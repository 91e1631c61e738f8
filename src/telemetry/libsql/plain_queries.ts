import { point, series } from "../../db/schema/telemetry.ts";
import { join, row, type SQL, sql } from "../../db/sql.ts";
import { type Direction, inBothDirections, timeText, valueText } from "./point_queries.ts";
import { COLUMNS, seriesOfColumn, WALK, walking, walkQueries, WANTED } from "./walk_queries.ts";

/**
 * Reads plain fields. The rows of a piece are one line: the times, separated by commas, then a tab before each value.
 * `scanned` is 0, because there are no functions.
 */

/** The points of a series from the walk's place on. */
function pointsOf(own: typeof series, direction: Direction, ...columns: readonly ("time" | "value")[]): SQL {
  const ahead = row(point, "ahead");
  const isAhead = direction.between(ahead.time, sql`walk.at`, direction.end);
  return sql`SELECT ${
    join(columns.map((name) => ahead[name]))
  } FROM ${ahead} WHERE ${ahead.seriesId} = ${own.id}
        AND ${isAhead} ORDER BY ${ahead.time} ${direction.order}`;
}

/** The time of the first point of a series after the piece; null if there is none. */
function beyondPiece(own: typeof series, direction: Direction): SQL {
  return sql`(${pointsOf(own, direction, "time")} LIMIT 1 OFFSET ${walking.rows})`;
}

/** A FROM clause for the series of the only field. */
const FROM_SERIES = sql`FROM ${series}
      WHERE ${series.tagSetId} = walk.tag_set_id AND ${series.field} = asked.columns ->> '$[0][0]'`;

/** Queries for one field. */
export const READ_FIELD = inBothDirections(WALK, (direction) =>
  walkQueries({
    first: () => direction.begin,
    next: sql`(SELECT ${beyondPiece(series, direction)} ${FROM_SERIES})`,
    piece: (head) => {
      const times = timeText(sql`read.time`);
      const values = valueText(sql`read.value`, series.kind);
      return sql`'0,' || ${head} || (
      SELECT (SELECT group_concat(${times}) || char(9) || group_concat(${values}, char(9))
        FROM (${pointsOf(series, direction, "time", "value")} LIMIT +${walking.rows}) read)
      ${FROM_SERIES})`;
    },
  }));

/** The time of the first row after the piece, where some column has had `rows` points; null if there is none. */
function nextOf(direction: Direction): SQL {
  const later = row(series, "later");
  return sql`(
      SELECT ${direction.earliest}(${beyondPiece(later, direction)})
      FROM ${COLUMNS} CROSS JOIN ${seriesOfColumn(sql`walk.tag_set_id`, later)})`;
}

/**
 * Queries for several fields, side by side. A piece ends when some column has had `rows` points, so it has at least
 * as many rows, and no column has more points. Cells are ordered by time and column: the line has times, column
 * numbers and values.
 */
export const READ_FIELDS = inBothDirections(WALK, (direction) =>
  walkQueries({
    with: sql`${WANTED},`,
    first: () => direction.begin,
    next: nextOf(direction),
    piece: (head) => {
      const times = timeText(sql`cell.time`);
      const values = valueText(sql`cell.value`, sql`cell.kind`);
      const last = sql`coalesce(${nextOf(direction)} ${direction.back}, ${direction.end})`;
      const isInPiece = direction.between(point.time, sql`walk.at`, sql`last.time`);
      return sql`'0,' || ${head} || (
      SELECT group_concat(${times}) || char(9) || group_concat(cell.n) || char(9)
        || group_concat(${values}, char(9))
      FROM (
        SELECT ${point.time}, asked_column.n, ${point.value}, ${series.kind}
        FROM (SELECT ${last} AS time) last
        CROSS JOIN ${COLUMNS} CROSS JOIN ${seriesOfColumn(sql`walk.tag_set_id`)}
        CROSS JOIN ${point} ON ${point.seriesId} = ${series.id} AND ${isInPiece}
        ORDER BY ${point.time} ${direction.order}, asked_column.n) cell)`;
    },
  }));
