import { blockRange, hourSummary, point, recentPoint, series, tagSet } from "../../db/schema/telemetry.ts";
import { define, int, row, rows, rowsOf, type SQL, sql } from "../../db/sql.ts";
import { CLEAR_BATCH } from "../clear/clear_queries.ts";
import { SLOTS } from "../tables/slot_parts.ts";
import { CUTOFF_ARGS, cutoffOf, cutoffTable } from "../series/cutoff_parts.ts";

/** Deleting points and empty series, and the readiness check. */

export const IS_READY = rows<{ readonly ready: 1 }>()({}, () => sql`SELECT 1 AS ready`);

/**
 * Deletes the series of the device `deviceId`, whose points are deleted, then empty tag sets. Each statement returns a row
 * per deletion. One device only, because it looks at all its series.
 */
export const FORGET_DEVICE = [
  define({ deviceId: int }, ({ deviceId }) => {
    const { owned, emptied, inside } = rowsOf({ owned: tagSet, emptied: series, inside: point });
    return sql`
    DELETE FROM ${series} WHERE ${series.id} IN (
      SELECT ${emptied.id} FROM ${owned} CROSS JOIN ${emptied} ON ${emptied.tagSetId} = ${owned.id}
      WHERE ${owned.deviceId} = ${deviceId}
        AND NOT EXISTS (SELECT 1 FROM ${inside} WHERE ${inside.seriesId} = ${emptied.id})
      LIMIT ${CLEAR_BATCH})
    RETURNING 1 AS gone`;
  }),
  define({ deviceId: int }, ({ deviceId }) => {
    const { emptied, inside } = rowsOf({ emptied: tagSet, inside: series });
    return sql`
    DELETE FROM ${tagSet} WHERE ${tagSet.id} IN (
      SELECT ${emptied.id} FROM ${emptied}
      WHERE ${emptied.deviceId} = ${deviceId}
        AND NOT EXISTS (SELECT 1 FROM ${inside} WHERE ${inside.tagSetId} = ${emptied.id}) LIMIT ${CLEAR_BATCH})
    RETURNING 1 AS gone`;
  }),
] as const;

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

interface SeriesPage {
  /** Null at the end. */
  readonly lastId: number | null;
  /** JSON list of `OldSeries`, with times as numbers, exact in the text. */
  readonly listed: string;
}

/** A page of series after `afterId`, with what is old of each. */
export const SERIES_PAGE = rows<SeriesPage>()({ afterId: int, ...CUTOFF_ARGS }, ({ afterId, ...given }) => {
  const { held, owner } = rowsOf({ held: series, owner: tagSet });
  return sql`
  WITH ${cutoffTable(given)}
  SELECT max(id) AS lastId, json_group_array(json_array(id, kind, time, hours)) AS listed FROM (
    SELECT ${held.id} AS id, ${held.kind} AS kind, ${cutoffOf(owner, "time")} AS time,
      ${cutoffOf(owner, "hours")} AS hours
    FROM ${held} CROSS JOIN ${owner} ON ${owner.id} = ${held.tagSetId}
    WHERE ${held.id} > ${afterId} ORDER BY ${held.id} LIMIT ${CLEAR_PAGE})`;
});

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

/** Finds the end of a page of tag sets; null at the end. */
export const TAG_SET_PAGE = rows<Pick<SeriesPage, "lastId">>()({ afterId: int }, ({ afterId }) =>
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
