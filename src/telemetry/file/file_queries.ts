import { point, series, tagSet } from "../../db/schema/telemetry.ts";
import { define, int, long, row, rows, rowsOf, type SQL, sql, text } from "../../db/sql.ts";
import { CLEAR_BATCH } from "../libsql/store_queries.ts";

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

/** The same, only points before `time`. */
export const DELETE_POINTS_BEFORE = define({ ids: text, time: long }, ({ ids, time }) =>
  sql`
  DELETE FROM ${point} WHERE (${point.seriesId}, ${point.time}) IN (
    SELECT ${old.seriesId}, ${old.time} FROM json_each(${ids}) given
      CROSS JOIN ${old} ON ${old.seriesId} = given.value AND ${old.time} < ${time}
    LIMIT ${CLEAR_BATCH}) RETURNING 1 AS gone`);
