import { series, tagSet } from "../../db/schema/telemetry.ts";
import { int, nullable, placeholdersOf, row, type SQL, sql, text, type Value } from "../../db/sql.ts";

/**
 * The walk shared by all statements that read points. One statement serves many queries, because a server plans each
 * anew. It visits queries, their tag sets, and in these pieces: a few plain rows, or one window per step. It ends
 * after the last query, or once `turnValues` are spent; the next statement continues there.
 *
 * `queries`: JSON list (`describeQuery`). `tagSetId`, `at`, `k`: the place in the first query (`TurnRow`), at first
 * 0, null and 0. `rows`: minimum rows per piece, unless fewer remain.
 */
export const WALK = { queries: text, tagSetId: int, at: nullable(text), k: int, rows: int, turnValues: int };

export const walking = placeholdersOf(WALK);

/** The only row of a statement. */
export interface TurnRow {
  /**
   * Two lines per piece: `scanned,n,tags` and its rows. `scanned`: the values scanned by functions; `n`: the query's
   * index; `tags`: JSON in a tag set's first piece, else empty. Null if nothing was found.
   */
  readonly text: string | null;
  /** The cost of the statement, in scanned values. */
  readonly spent: number;
  /** The place where the walk ended: the index of the query, the tag set (0 before the first one) … */
  readonly n: number;
  readonly tagSetId: number;
  /** … the time of the next piece, in nanoseconds (null if the tag set has none) and the rows before it. */
  readonly at: string | null;
  readonly k: number;
}

/** The parts that differ between the statements. */
interface WalkParts {
  /** The time of an entered tag set's first piece; null if it has none. */
  first(found: typeof tagSet): SQL;
  /** The time of the piece after `walk.at`; null if there is none. */
  readonly next: SQL;
  /** The text of the piece at `walk.at`, or null. `head` is the end of its first line, after `scanned`. */
  piece(head: SQL): SQL;
  /** The text in place of the pieces of an entered tag set, or null. */
  entry?(found: typeof tagSet): SQL;
  /** Further CTEs, with a comma at the end. */
  readonly with?: SQL;
}

/** The cost of entering a tag set or reading a window, in scanned values, and the addition per column. */
const STEP_PRICE = 20;
const COLUMN_PRICE = 20;
/** Bytes that cost as much as one scanned value: of rows, and of searched tags. */
const ROW_BYTES = 4;
const TAG_BYTES = 16;

/** The price of a step of the query. */
export const STEP_VALUES: SQL = sql`(${STEP_PRICE} + ${COLUMN_PRICE} * asked.column_count)`;

/** CTE: the queries. */
const ASKED = sql`
  asked(n, from_time, to_time, window, device_id, measurement, database, retention_policy, tag_pattern, odd_tags, row_limit,
    columns, column_count) AS MATERIALIZED (
    SELECT key, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7,
      value ->> 8, value ->> 9, value ->> 10, json_array_length(value, '$[10]')
    FROM json_each(${walking.queries}))`;

/** CTE: the columns of all queries. */
export const WANTED: SQL = sql`
  wanted(query, n, field, aggregate) AS MATERIALIZED (
    SELECT asked.n, key, value ->> 0, value ->> 1 FROM asked CROSS JOIN json_each(asked.columns))`;

/** The columns of the query. */
export const COLUMNS: SQL = sql`(SELECT n, field, aggregate FROM wanted WHERE query = asked.n) asked_column`;

/** Joins to `COLUMNS` the series of each in a tag set. */
export function seriesOfColumn(tagSetId: Value, joined = series): SQL {
  return sql`${joined} ON ${joined.tagSetId} = ${tagSetId} AND ${joined.field} = asked_column.field`;
}

const next = row(tagSet, "next");
/** The id of the tag set after that of the walk, in the query's place; null after the last one. */
const NEXT_TAG_SET = sql`(
    SELECT ${next.id} FROM ${next} INDEXED BY tag_set_in_place
    WHERE ${next.deviceId} = asked.device_id AND ${next.measurement} = asked.measurement
      AND ${next.database} = asked.database AND ${next.retentionPolicy} = asked.retention_policy
      AND ${next.id} > walk.tag_set_id
    ORDER BY ${next.id} LIMIT 1)`;

/**
 * The tag set has all requested tags, by one scan of its JSON text. A match begins at an unescaped quote after a
 * brace or comma, where a key begins. Only entries of the keys `:` and `,` could also match across two strings.
 */
function hasTags({ tags }: typeof tagSet): SQL {
  return sql`(asked.tag_pattern IS NULL OR (
      (${tags} GLOB '{' || asked.tag_pattern OR ${tags} GLOB '*,' || asked.tag_pattern)
      AND NOT EXISTS (
        SELECT 1 FROM json_each(asked.odd_tags) odd WHERE (${tags} ->> odd.fullkey) IS NOT odd.value)))`;
}

/** The values spent before a step, including the piece that the previous step read. */
const SPENT =
  sql`(walk.spent + coalesce(CAST(walk.text AS INTEGER) + octet_length(walk.text) / ${ROW_BYTES}, 0))`;

/** The step enters a tag set (or leaves the query). */
const ENTERS = sql`(walk.at IS NULL)`;

/**
 * Builds the statement. A row of `walk` has the place of the next piece and the text of the previous one, whose cost
 * therefore counts from the next step on.
 */
export function walkQueries({ first, next, piece, entry, with: others = sql`` }: WalkParts): SQL {
  const found = row(tagSet, "found");
  const { rows, tagSetId, at, k, turnValues } = walking;
  const tags =
    sql`iif(walk.k = 0, (SELECT ${tagSet.tags} FROM ${tagSet} WHERE ${tagSet.id} = walk.tag_set_id), '')`;
  const head = sql`asked.n || ',' || ${tags} || char(10)`;
  const entered = entry === undefined ? sql`` : sql`WHEN ${hasTags(found)} THEN ${entry(found)}`;
  return sql`
  WITH RECURSIVE ${ASKED},${others}
  walk(i, n, tag_set_id, at, k, spent, text) AS (
    SELECT 0, 0, ${tagSetId}, CAST(${at} AS INTEGER), ${k}, 0, NULL
    UNION ALL
    SELECT walk.i + 1, asked.n + (${ENTERS} AND ${found.id} IS NULL),
      iif(${ENTERS}, coalesce(${found.id}, 0), walk.tag_set_id),
      CASE WHEN ${ENTERS} THEN iif(${found.id} IS NOT NULL AND ${hasTags(found)}, ${first(found)}, NULL)
        WHEN walk.k + ${rows} < asked.row_limit THEN ${next} END,
      iif(${ENTERS}, 0, walk.k + ${rows}),
      ${SPENT} + iif(${ENTERS} AND ${found.id} IS NOT NULL, ${STEP_VALUES}
        + iif(asked.tag_pattern IS NULL, 0, octet_length(${found.tags}) / ${TAG_BYTES}), 0),
      CASE WHEN NOT ${ENTERS} THEN ${piece(head)} ${entered} END
    FROM walk CROSS JOIN asked ON asked.n = walk.n
    LEFT JOIN ${found} ON ${found.id} = CASE WHEN ${ENTERS} THEN ${NEXT_TAG_SET} END
    WHERE ${SPENT} < ${turnValues})
  SELECT group_concat(walk.text, char(10)) AS text, ${SPENT} AS spent, max(walk.i), walk.n, walk.tag_set_id AS tagSetId,
    CAST(walk.at AS TEXT) AS at, walk.k
  FROM walk`;
}
