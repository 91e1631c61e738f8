import { point, series, tagSet } from "../../db/schema/telemetry.ts";
import { define, int, row, rows, rowsOf, type SQL, sql, text } from "../../db/sql.ts";
import { CLEAR_BATCH } from "../libsql/store_queries.ts";
import { CUTOFF_ARGS, cutoffOf, namedCutoffs } from "../series/cutoff_parts.ts";

/** Deleting points from a file of their own. What is to be deleted depends on the database of rights. */

interface IdsRow {
  /** JSON list. */
  readonly ids: string;
}

interface LastSeriesRow {
  /** Null without points. */
  readonly lastId: number | null;
}

/** In the points' file: the greatest id of a series with points. */
export const LAST_SERIES = rows<LastSeriesRow>()(
  {},
  () => sql`SELECT max(${point.seriesId}) AS lastId FROM ${point}`,
);

/** Maximum series of a page. */
const PAGE = 2000;

/** The id of the first series with points after another one; null after the last. */
function seriesAfter(id: SQL): SQL {
  const next = row(point, "next");
  return sql`(SELECT ${next.seriesId} FROM ${next} WHERE ${next.seriesId} > ${id} ORDER BY ${next.seriesId} LIMIT 1)`;
}

/** In the points' file: a page of the ids of series with points, each found by one search. */
export const SERIES_WITH_POINTS = rows<IdsRow>()({ afterId: int }, ({ afterId }) =>
  sql`
  WITH RECURSIVE held(i, id) AS (
    SELECT 1, ${seriesAfter(sql`${afterId}`)}
    UNION ALL
    SELECT held.i + 1, ${seriesAfter(sql`held.id`)} FROM held WHERE held.id IS NOT NULL AND held.i < ${PAGE})
  SELECT json_group_array(id) AS ids FROM held WHERE id IS NOT NULL`);

/** In the database of rights: those of the series `ids` (JSON list) that it does not have. */
export const UNKNOWN_SERIES = rows<IdsRow>()({ ids: text }, ({ ids }) =>
  sql`
  SELECT json_group_array(given.value) AS ids FROM json_each(${ids}) given
  WHERE NOT EXISTS (SELECT 1 FROM ${series} WHERE ${series.id} = given.value)`);

interface BeforeRow {
  /** JSON list of `[id, time]`, the times exact in the text. */
  readonly before: string;
}

/** In the database of rights: the times before which the points of series (`ids`: JSON list) are deleted. */
export const CUTOFFS_OF_SERIES = rows<BeforeRow>()({ ids: text, ...CUTOFF_ARGS }, ({ ids, ...given }) => {
  const { held, owner } = rowsOf({ held: series, owner: tagSet });
  return sql`
  WITH ${namedCutoffs(given)}
  SELECT json_group_array(json_array(${held.id}, ${cutoffOf(owner, given)})) AS before
  FROM json_each(${ids}) listed CROSS JOIN ${held} ON ${held.id} = listed.value
    CROSS JOIN ${owner} ON ${owner.id} = ${held.tagSetId}`;
});

/** In the database of rights: the series of a device, which are at most some thousands. */
export const SERIES_OF_DEVICE = rows<IdsRow>()({ deviceId: int }, ({ deviceId }) => {
  const { owned, held } = rowsOf({ owned: tagSet, held: series });
  return sql`
  SELECT json_group_array(${held.id}) AS ids FROM ${owned} CROSS JOIN ${held} ON ${held.tagSetId} = ${owned.id}
  WHERE ${owned.deviceId} = ${deviceId}`;
});

const old = row(point, "old");

/** In the points' file: deletes up to a batch of the points of series (`ids`: JSON list). Returns a row for each. */
export const DELETE_POINTS_OF = define({ ids: text }, ({ ids }) =>
  sql`
  DELETE FROM ${point} WHERE (${point.seriesId}, ${point.time}) IN (
    SELECT ${old.seriesId}, ${old.time} FROM json_each(${ids}) given CROSS JOIN ${old} ON ${old.seriesId} = given.value
    LIMIT ${CLEAR_BATCH}) RETURNING 1 AS gone`);

/** The same, only points before the times of their series. `before`: JSON list of `[id, time]`. */
export const DELETE_POINTS_BEFORE = define({ before: text }, ({ before }) =>
  sql`
  DELETE FROM ${point} WHERE (${point.seriesId}, ${point.time}) IN (
    SELECT ${old.seriesId}, ${old.time} FROM json_each(${before}) given
      CROSS JOIN ${old} ON ${old.seriesId} = given.value ->> 0 AND ${old.time} < given.value ->> 1
    LIMIT ${CLEAR_BATCH}) RETURNING 1 AS gone`);
