import {
  blockRange,
  countedSeries,
  hourSummary,
  point,
  recentPoint,
  series,
  tagSet,
} from "../../db/schema/telemetry.ts";
import { int, join, row, rows, rowsOf, type SQL, sql, text } from "../../db/sql.ts";
import { SLOTS } from "../tables/slot_parts.ts";
import { CUTOFF_ARGS, cutoffOf, cutoffTable } from "../series/cutoff_parts.ts";

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
export const LAST_SERIES = rows<LastSeriesRow>()({}, () => {
  const last = row(recentPoint, "last");
  return sql`
  WITH RECURSIVE ${SLOTS}
  SELECT max(id) AS lastId FROM (
    SELECT max(${point.seriesId}) AS id FROM ${point}
    UNION ALL
    SELECT max(${blockRange.seriesId}) FROM ${blockRange}
    UNION ALL
    SELECT max(${hourSummary.seriesId}) FROM ${hourSummary}
    UNION ALL
    SELECT max(${countedSeries.seriesId}) FROM ${countedSeries}
    UNION ALL
    SELECT (SELECT ${last.seriesId} FROM ${last} WHERE ${last.slot} = slots.slot ORDER BY ${last.seriesId} DESC LIMIT 1)
    FROM slots)`;
});

/** Maximum series of a page. */
const PAGE = 2000;

/** The id of the first series that has anything here, after another one; null after the last. */
function seriesAfter(id: SQL): SQL {
  const firsts = [point, blockRange, hourSummary, countedSeries].map((table) => {
    const next = row(table, "next");
    return sql`SELECT min(${next.seriesId}) AS first FROM ${next} WHERE ${next.seriesId} > ${id}`;
  });
  return sql`(SELECT min(first) FROM (${join(firsts, " UNION ALL ")}))`;
}

/** In the points' file: a page of the ids of series with points or blocks, each found by one search. */
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

interface ListedRow {
  /** As in `SeriesPage`. */
  readonly listed: string;
}

/** In the database of rights: what is old of series (`ids`: JSON list). */
export const LISTED_SERIES = rows<ListedRow>()({ ids: text, ...CUTOFF_ARGS }, ({ ids, ...given }) => {
  const { held, owner } = rowsOf({ held: series, owner: tagSet });
  return sql`
  WITH ${cutoffTable(given)}
  SELECT json_group_array(
      json_array(${held.id}, ${held.kind}, ${cutoffOf(owner, "time")}, ${cutoffOf(owner, "hours")})) AS listed
  FROM json_each(${ids}) given CROSS JOIN ${held} ON ${held.id} = given.value
    CROSS JOIN ${owner} ON ${owner.id} = ${held.tagSetId}`;
});
