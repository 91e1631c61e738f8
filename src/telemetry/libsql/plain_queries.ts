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

/** Reading points as they are; see `point_queries.ts`. */

/** What a query for plain fields answers: first a row about the query, whose `tags` is null, then one per tag set. */
export interface PlainRow {
  readonly tags: string | null;
  /** Rows of the tag set; of the query: values that it scanned, or would have where that is more than `:maxScanned`. */
  readonly count: number;
  /** Of the query: there is more than it may return, and nothing is returned. */
  readonly isCut: number;
  /** A line with the times (a comma between), and a line for each value; of several fields see `READ_FIELDS`. */
  readonly rows: string | null;
}

interface PlainParts {
  /** SQL: of a tag set, how many rows it gives. */
  readonly count: (tagSet: string) => string;
  /** SQL: of a tag set, how many bytes the texts in them take; null without any. */
  readonly textBytes: (tagSet: string) => string;
  /** SQL: of a tag set, the rows. */
  readonly rows: (tagSet: string) => string;
  readonly with?: string;
}

/** CTE: one row, what it takes to scan the tag sets. */
const SCOPE = `scope(scope_scanned) AS MATERIALIZED (SELECT ${SCOPE_SCANNED})`;

/** CTE: a row for each tag set with what it gives and what those before it left, until that is more than is left. */
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

/** CTE: one row, whether there is more than the query may return. */
const ENDING = `ending(is_cut) AS MATERIALIZED (SELECT EXISTS (
    SELECT 1 FROM walk
    WHERE count > rows_left OR (count > 0 AND text_bytes + count * ${ROW_BYTES} > bytes_left)))`;

/** Walks the tag sets until there is more than may be returned, counting only; then puts together what there is. */
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

/** SQL: bytes of texts as JSON; as they are stored where that is too much already, so that no more is read than may be. */
function bytesOf(texts: string): string {
  return `(SELECT CASE WHEN sum(octet_length(text.value)) > walk.bytes_left THEN sum(octet_length(text.value))
      ELSE (SELECT sum(octet_length(json_quote(text.value))) FROM (${texts}) text) END FROM (${texts}) text)`;
}

/** SQL: the series of `:field` in a tag set; a FROM clause. */
function fromSeriesOf(tagSet: string): string {
  return `FROM series WHERE series.tag_set_id = ${tagSet} AND series.field = :field`;
}

/** The points of one field (`:field`). */
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

/** SQL: the times of a tag set's rows. They lie before the time up to which some column has `:perSeries` points. */
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
 * The points of several fields side by side. Of each field no more than `:perSeries` points are read to find the times of
 * that many rows. Its `rows` are cells in the order of time and column: a line with their times, one with the numbers of
 * their columns, and a line for each value. To look for each row in each column would take long where texts are.
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
