import type { Statement } from "../../db/statement.ts";
import { type Directed, type Direction, inBothDirections, timeText, valueText } from "./point_queries.ts";
import { COLUMNS, seriesOfColumn, walkQueries, WANTED } from "./walk_queries.ts";

/**
 * Reading plain fields. The rows of a piece are one line: the times, separated by commas, then the values, each after a
 * tab. Functions scan nothing here, so `scanned` is 0.
 */

/** SQL: the points of a series from the walk's place on. */
function pointsOf(direction: Direction, columns: string): string {
  return `SELECT ${columns} FROM point WHERE point.series_id = series.id
        AND ${
    direction.between("point.time", "walk.at", direction.end)
  } ORDER BY point.time ${direction.order}`;
}

/** SQL: the time of the first point of a series after the piece; null if there is none. */
function beyondPiece(direction: Direction): string {
  return `(${pointsOf(direction, "point.time")} LIMIT 1 OFFSET :rows)`;
}

/** SQL: a FROM clause for the series of the only field. */
const FROM_SERIES =
  "FROM series WHERE series.tag_set_id = walk.tag_set_id AND series.field = asked.columns ->> '$[0][0]'";

/** Queries for one field. */
export const READ_FIELD: Directed<Statement> = inBothDirections((direction) =>
  walkQueries({
    first: direction.begin,
    next: `(SELECT ${beyondPiece(direction)} ${FROM_SERIES})`,
    piece: (head) =>
      `'0,' || ${head} || (
      SELECT (SELECT group_concat(${timeText("read.time")}) || char(9)
        || group_concat(${valueText("read.value", "series.kind")}, char(9))
        FROM (${pointsOf(direction, "point.time, point.value")} LIMIT +:rows) read)
      ${FROM_SERIES})`,
  })
);

/** SQL: the time of the first row after the piece, by which some column has had `:rows` points; null if there is none. */
function nextOf(direction: Direction): string {
  return `(
      SELECT ${direction.earliest}(${beyondPiece(direction)})
      FROM ${COLUMNS} CROSS JOIN ${seriesOfColumn("walk.tag_set_id")})`;
}

/**
 * Queries for several fields, side by side. The piece ends where some column has had `:rows` points, so that it has at least as many
 * rows, and no column more points. It lists cells in the order of time and column: after the times come the numbers of the columns, then the values.
 */
export const READ_FIELDS: Directed<Statement> = inBothDirections((direction) =>
  walkQueries({
    with: `${WANTED},`,
    first: direction.begin,
    next: nextOf(direction),
    piece: (head) =>
      `'0,' || ${head} || (
      SELECT group_concat(${timeText("cell.time")}) || char(9) || group_concat(cell.n) || char(9)
        || group_concat(${valueText("cell.value", "cell.kind")}, char(9))
      FROM (
        SELECT point.time, asked_column.n, point.value, series.kind
        FROM (SELECT coalesce(${nextOf(direction)} ${direction.back}, ${direction.end}) AS time) last
        CROSS JOIN ${COLUMNS} CROSS JOIN ${seriesOfColumn("walk.tag_set_id")}
        CROSS JOIN point ON point.series_id = series.id AND ${
        direction.between("point.time", "walk.at", "last.time")
      }
        ORDER BY point.time ${direction.order}, asked_column.n) cell)`,
  })
);
