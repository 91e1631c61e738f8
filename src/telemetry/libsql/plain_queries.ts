import type { Statement } from "../../db/statement.ts";
import {
  type Directed,
  type Direction,
  inBothDirections,
  NEXT_TAG_SET,
  ROW_BYTES,
  SCOPE_SCANNED,
  seriesOfColumn,
  timeText,
  valueText,
  WANTED,
} from "./point_queries.ts";

/** Reading plain fields; see `point_queries.ts`. */

/**
 * A row of a query for plain fields. The first one is about the query, and its `tags` is null; then comes one per tag
 * set.
 */
export interface PlainRow {
  readonly tags: string | null;
  /**
   * The number of rows of the tag set. In the first row, the cost of scanning the tag sets, in values. If that is more
   * than `:maxScanned`, nothing else was read.
   */
  readonly count: number;
  /** In the first row: there is more than the query may return, and nothing is returned. */
  readonly isCut: number;
  /** A line with the times, separated by commas, then a line per value. For several fields see `READ_FIELDS`. */
  readonly rows: string | null;
}

interface PlainParts {
  /** SQL: the number of rows of a tag set. */
  readonly count: (tagSet: string) => string;
  /** SQL: the bytes of the strings in these rows; null without strings. */
  readonly textBytes: (tagSet: string) => string;
  /** SQL: the rows of a tag set as text. */
  readonly rows: (tagSet: string) => string;
  readonly with?: string;
}

/** CTE: one row with the cost of scanning the tag sets. */
const SCOPE = `scope(scope_scanned) AS MATERIALIZED (SELECT ${SCOPE_SCANNED})`;

/** CTE: a row per tag set with its size, and the room that those before it left. Ends where the room is exceeded. */
function walk({ count, textBytes }: PlainParts): string {
  return `walk(tag_set_id, count, text_bytes, rows_left, bytes_left) AS MATERIALIZED (
    SELECT 0, 0, 0, :maxRows, :maxBytes FROM scope WHERE scope_scanned <= :maxScanned
    UNION ALL
    SELECT found.id, ${count("found.id")},
      octet_length(found.tags) + coalesce(${textBytes("found.id")}, 0),
      walk.rows_left - walk.count,
      walk.bytes_left - iif(walk.count > 0, walk.text_bytes + walk.count * ${ROW_BYTES}, 0)
    FROM walk CROSS JOIN tag_set found ON found.id = ${NEXT_TAG_SET}
    WHERE walk.rows_left >= walk.count
      AND (walk.count = 0 OR walk.bytes_left >= walk.text_bytes + walk.count * ${ROW_BYTES}))`;
}

/** CTE: one row that says whether there is more than the query may return. */
const ENDING = `ending(is_cut) AS MATERIALIZED (SELECT EXISTS (
    SELECT 1 FROM walk
    WHERE count > rows_left OR (count > 0 AND text_bytes + count * ${ROW_BYTES} > bytes_left)))`;

/** Walks the tag sets and counts, until there is more than may be returned. Builds the rows only if there is not. */
function readPlain(parts: PlainParts): string {
  return `
  WITH RECURSIVE ${parts.with ?? ""}
  ${SCOPE},
  ${walk(parts)},
  ${ENDING}
  SELECT NULL AS tags, scope_scanned AS count, is_cut AS isCut, NULL AS rows FROM scope CROSS JOIN ending
  UNION ALL
  SELECT tag_set.tags, walk.count, 0, ${parts.rows("walk.tag_set_id")}
  FROM ending CROSS JOIN walk CROSS JOIN tag_set ON tag_set.id = walk.tag_set_id
  WHERE NOT is_cut AND walk.count > 0`;
}

/**
 * SQL: bytes of strings as JSON. If they are too large even as stored, their stored size, which SQLite knows without
 * reading them.
 */
function bytesOf(texts: string): string {
  return `(SELECT CASE WHEN sum(octet_length(text.value)) > walk.bytes_left THEN sum(octet_length(text.value))
      ELSE (SELECT sum(octet_length(json_quote(text.value))) FROM (${texts}) text) END FROM (${texts}) text)`;
}

/** SQL: a FROM clause for the series of `:field` in a tag set. */
function fromSeriesOf(tagSet: string): string {
  return `FROM series WHERE series.tag_set_id = ${tagSet} AND series.field = :field`;
}

/** Reads the points of one field (`:field`). */
export const READ_FIELD: Directed<Statement> = inBothDirections((direction) => {
  const points = `SELECT point.time, point.value FROM point
      WHERE point.series_id = series.id AND point.time BETWEEN :from AND :to
      ORDER BY point.time ${direction.order} LIMIT :perSeries`;
  return readPlain({
    count: (tagSet) => `coalesce((SELECT (SELECT count(*) FROM (${points})) ${fromSeriesOf(tagSet)}), 0)`,
    textBytes: (tagSet) =>
      `(SELECT CASE series.kind WHEN 'string' THEN ${bytesOf(points)} END ${fromSeriesOf(tagSet)})`,
    rows: (tagSet) =>
      `(SELECT (SELECT group_concat(${timeText("read.time")}) || char(10)
        || group_concat(${valueText("read.value", "series.kind")}, char(10)) FROM (${points}) read)
        ${fromSeriesOf(tagSet)})`,
  });
});

/**
 * SQL: the times of the first `:perSeries` rows of a tag set. None lies beyond the time by which some column has
 * `:perSeries` points.
 */
function timesOf(tagSet: string, direction: Direction): string {
  return `
    SELECT DISTINCT point.time FROM (
      SELECT coalesce(${direction.earliest}((
        SELECT point.time FROM point WHERE point.series_id = series.id AND point.time BETWEEN :from AND :to
        ORDER BY point.time ${direction.order} LIMIT 1 OFFSET :perSeries - 1)), ${direction.end}) AS time
      FROM wanted CROSS JOIN ${seriesOfColumn(tagSet)}) bound
    CROSS JOIN wanted CROSS JOIN ${seriesOfColumn(tagSet)}
    CROSS JOIN point ON point.series_id = series.id
      AND ${direction.between("point.time", direction.begin, "bound.time")}
    ORDER BY point.time ${direction.order} LIMIT :perSeries`;
}

/** SQL: the points in a tag set's rows, of the series that meet a condition. */
function cellsOf(tagSet: string, direction: Direction, ofSeries: string): string {
  return `
    SELECT point.time, wanted.n, point.value, series.kind
    FROM (SELECT ${direction.latest}(row.time) AS time FROM (${timesOf(tagSet, direction)}) row) bound
    CROSS JOIN wanted CROSS JOIN ${seriesOfColumn(tagSet)} ${ofSeries}
    CROSS JOIN point ON point.series_id = series.id
      AND ${direction.between("point.time", direction.begin, "bound.time")}`;
}

const IS_TEXT = "AND series.kind = 'string'";

/**
 * Reads the points of several fields side by side. At most `:perSeries` points of each field are read to find the times
 * of the rows. `rows` lists cells in the order of time and column: a line with their times, one with their column
 * numbers, and a line per value. Probing each column for each row would be slow if there are strings.
 */
export const READ_FIELDS: Directed<Statement> = inBothDirections((direction) =>
  readPlain({
    with: `${WANTED},`,
    count: (tagSet) => `(SELECT count(*) FROM (${timesOf(tagSet, direction)}))`,
    textBytes: (tagSet) =>
      `CASE WHEN EXISTS (SELECT 1 FROM wanted CROSS JOIN ${seriesOfColumn(tagSet)} ${IS_TEXT})
        THEN ${bytesOf(cellsOf(tagSet, direction, IS_TEXT))} END`,
    rows: (tagSet) =>
      `(SELECT group_concat(${timeText("cell.time")}) || char(10) || group_concat(cell.n) || char(10)
        || group_concat(${valueText("cell.value", "cell.kind")}, char(10))
      FROM (${cellsOf(tagSet, direction, "")} ORDER BY point.time ${direction.order}, wanted.n) cell)`,
  })
);
