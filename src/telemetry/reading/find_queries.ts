import { series, tagSet } from "../../db/schema/telemetry.ts";
import { int, placeholdersOf, row, rows, type SQL, sql, text } from "../../db/sql.ts";

/** Finds the tag sets and series that queries read, in the database of rights. */

/**
 * `queries`: JSON list (`describeQuery`). `tagSetId`: the place in the first query, at first 0. `turnValues`: what the
 * statement may spend.
 */
const FINDING = { queries: text, tagSetId: int, turnValues: int };

const { queries, tagSetId, turnValues } = placeholdersOf(FINDING);

/** The only row of a statement. */
export interface FoundRow {
  /** JSON list of `[index of the query, tags as JSON text, list with [id, kind] or null for each column]`. */
  readonly found: string;
  /** The cost of the statement, in scanned values. */
  readonly spent: number;
  /** The place where it ended: the index of the query, and the last tag set (0 before the first one). */
  readonly n: number;
  readonly tagSetId: number;
}

/** The cost of looking at a tag set, in scanned values, and the addition per column. */
const STEP_PRICE = 20;
const COLUMN_PRICE = 20;
/** Bytes of tags that cost as much as one scanned value if they are searched, and once more if they are returned. */
const TAG_BYTES = 16;

const found = row(tagSet, "found");
const next = row(tagSet, "next");
/** The id of the tag set after that of the walk, in the query's place; null after the last one. */
const NEXT_TAG_SET = sql`(
    SELECT ${next.id} FROM ${next} INDEXED BY tag_set_in_place
    WHERE ${next.deviceId} = requested.device_id AND ${next.measurement} = requested.measurement
      AND ${next.database} = requested.database AND ${next.retentionPolicy} = requested.retention_policy
      AND ${next.id} > walk.tag_set_id
    ORDER BY ${next.id} LIMIT 1)`;

/**
 * The tag set has all requested tags, by one scan of its JSON text. A match begins at an unescaped quote after a
 * brace or comma, where a key begins. Only entries of the keys `:` and `,` could also match across two strings.
 */
const HAS_TAGS: SQL = sql`(requested.tag_pattern IS NULL OR (
      (${found.tags} GLOB '{' || requested.tag_pattern OR ${found.tags} GLOB '*,' || requested.tag_pattern)
      AND NOT EXISTS (
        SELECT 1 FROM json_each(requested.odd_tags) odd WHERE (${found.tags} ->> odd.fullkey) IS NOT odd.value)))`;

/** The series of the query's columns in the tag set found, as JSON. */
const SERIES_OF_COLUMNS = sql`(
      SELECT json_group_array(json(iif(${series.id} IS NULL, NULL, json_array(${series.id}, ${series.kind}))))
      FROM (SELECT key, value FROM json_each(requested.fields) ORDER BY key) wanted
        LEFT JOIN ${series} ON ${series.tagSetId} = ${found.id} AND ${series.field} = wanted.value)`;

const PRICE = sql`(${STEP_PRICE} + ${COLUMN_PRICE} * json_array_length(requested.fields)
        + iif(requested.tag_pattern IS NULL, 0, octet_length(${found.tags}) / ${TAG_BYTES})
        + iif(${HAS_TAGS}, octet_length(${found.tags}) / ${TAG_BYTES}, 0))`;

/** Walks through the queries and their tag sets. It ends after the last query, or once `turnValues` are spent. */
export const FIND_TAG_SETS = rows<FoundRow>()(FINDING, () =>
  sql`
  WITH RECURSIVE
  requested(n, device_id, measurement, database, retention_policy, tag_pattern, odd_tags, fields) AS MATERIALIZED (
    SELECT key, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value -> 6
    FROM json_each(${queries})),
  walk(i, n, tag_set_id, spent, found) AS (
    SELECT 0, 0, ${tagSetId}, 0, NULL
    UNION ALL
    SELECT walk.i + 1, requested.n + (${found.id} IS NULL), coalesce(${found.id}, 0),
      walk.spent + iif(${found.id} IS NULL, 0, ${PRICE}),
      CASE WHEN ${found.id} IS NOT NULL AND ${HAS_TAGS} THEN
        json_array(requested.n, ${found.tags}, json(${SERIES_OF_COLUMNS})) END
    FROM walk CROSS JOIN requested ON requested.n = walk.n
    LEFT JOIN ${found} ON ${found.id} = ${NEXT_TAG_SET}
    WHERE walk.spent < ${turnValues})
  SELECT json_group_array(json(walk.found)) FILTER (WHERE walk.found IS NOT NULL) AS found, walk.spent,
    max(walk.i), walk.n, walk.tag_set_id AS tagSetId
  FROM walk`);
