import {
  blockRange,
  countedSeries,
  hourSummary,
  point,
  recentPoint,
  series,
  tagSet,
} from "../../db/schema/telemetry.ts";
import { define, int, join, row, rows, rowsOf, type SQL, sql, text } from "../../db/sql.ts";
import { CUTOFF_ARGS, cutoffOf, cutoffTable } from "../series/cutoff_parts.ts";
import { SLOTS } from "../tables/slot_parts.ts";

/** Deleting points, and what has none any more. Points may be in a file of their own: what is to be deleted depends on rights. */

/** Number of series or tag sets that one statement searches. */
const CLEAR_PAGE = 2000;

const HOURS_PER_DAY = 24;

/** The arguments of the deletions of a page. */
const PAGE = { afterId: int, lastId: int };

const { ranged, recent, hour } = rowsOf({ ranged: blockRange, recent: recentPoint, hour: hourSummary });
/** The series has no points and summaries. Those that have none elsewhere are looked for in each slot. */
const IS_EMPTY: SQL = sql`NOT EXISTS (SELECT 1 FROM ${point} WHERE ${point.seriesId} = ${series.id})
          AND NOT EXISTS (SELECT 1 FROM ${ranged} WHERE ${ranged.seriesId} = ${series.id})
          AND NOT EXISTS (SELECT 1 FROM ${hour} WHERE ${hour.seriesId} = ${series.id})
          AND NOT EXISTS (SELECT 1 FROM slots CROSS JOIN ${recent}
            ON ${recent.slot} = slots.slot AND ${recent.seriesId} = ${series.id})`;

interface PageEnd {
  /** Null at the end. */
  readonly lastId: number | null;
}

/** Finds the end of a page of series. */
export const SERIES_PAGE = rows<PageEnd>()({ afterId: int }, ({ afterId }) =>
  sql`
  SELECT max(id) AS lastId FROM (
    SELECT ${series.id} FROM ${series} WHERE ${series.id} > ${afterId} ORDER BY ${series.id} LIMIT ${CLEAR_PAGE})`);

/** Deletes empty series of a page. One with points in an engine stays until all it may have is old. */
export const CLEAR_SERIES = define({ ...PAGE, ...CUTOFF_ARGS }, ({ afterId, lastId, ...given }) => {
  const owner = row(tagSet, "owner");
  return sql`
  WITH RECURSIVE ${cutoffTable(given)}, ${SLOTS}
  DELETE FROM ${series} WHERE ${series.id} > ${afterId} AND ${series.id} <= ${lastId}
    AND ${IS_EMPTY}
    AND (${series.lastDay} IS NULL OR (${series.lastDay} + 1) * ${HOURS_PER_DAY} <= (
      SELECT ${cutoffOf(owner, "hours")} FROM ${owner} WHERE ${owner.id} = ${series.tagSetId}))`;
});

/** Finds the end of a page of tag sets. */
export const TAG_SET_PAGE = rows<PageEnd>()({ afterId: int }, ({ afterId }) =>
  sql`
  SELECT max(id) AS lastId FROM (
    SELECT ${tagSet.id} FROM ${tagSet} WHERE ${tagSet.id} > ${afterId} ORDER BY ${tagSet.id} LIMIT ${CLEAR_PAGE})`);

/** Deletes empty tag sets of a page. */
export const CLEAR_TAG_SETS = define(PAGE, ({ afterId, lastId }) =>
  sql`
  DELETE FROM ${tagSet} WHERE ${tagSet.id} > ${afterId} AND ${tagSet.id} <= ${lastId}
    AND NOT EXISTS (SELECT 1 FROM ${series} WHERE ${series.tagSetId} = ${tagSet.id})`);

interface IdsRow {
  /** JSON list. */
  readonly ids: string;
}

/** The series of a device, which are at most some thousands. */
export const SERIES_OF_DEVICE = rows<IdsRow>()({ deviceId: int }, ({ deviceId }) => {
  const { owned, held } = rowsOf({ owned: tagSet, held: series });
  return sql`
  SELECT json_group_array(${held.id}) AS ids FROM ${owned} CROSS JOIN ${held} ON ${held.tagSetId} = ${owned.id}
  WHERE ${owned.deviceId} = ${deviceId}`;
});

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
    SELECT held.i + 1, ${
    seriesAfter(sql`held.id`)
  } FROM held WHERE held.id IS NOT NULL AND held.i < ${CLEAR_PAGE})
  SELECT json_group_array(id) AS ids FROM held WHERE id IS NOT NULL`);

/** In the database of rights: those of the series `ids` (JSON list) that it does not have. */
export const UNKNOWN_SERIES = rows<IdsRow>()({ ids: text }, ({ ids }) =>
  sql`
  SELECT json_group_array(given.value) AS ids FROM json_each(${ids}) given
  WHERE NOT EXISTS (SELECT 1 FROM ${series} WHERE ${series.id} = given.value)`);

interface ListedRow {
  /** JSON list of `OldSeries`, with times as numbers, exact in the text. */
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
