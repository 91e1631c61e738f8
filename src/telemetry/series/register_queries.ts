import { blockRange, countedSeries, hourSummary, point, series, tagSet } from "../../db/schema/telemetry.ts";
import { assigned, columns, define, int, long, row, rows, rowsOf, sql, text } from "../../db/sql.ts";
import { CUTOFF_ARGS, cutoffOf, cutoffTable } from "./cutoff_parts.ts";
import { ACCEPTED, SETTLED, SETTLED_COLUMNS, type SettledRow } from "./write_queries.ts";

/** What the database knows of points that are kept elsewhere: their series, and the day of each one's newest point. */

/** What `REGISTER_SENDING` returns. */
export interface RegisteredRow extends SettledRow {
  /** JSON list of `[id of the series, id of its root]` of those in `lastDays` that count to one. */
  readonly roots: string;
}

const counted = row(countedSeries, "counted");

/**
 * Authorizes a write before its points are sent, by the rules for the database, and records the days of its series.
 * `lastDays`: JSON list of `[id of the series, day of its newest point]`. Returns a `RegisteredRow`.
 */
export const REGISTER_SENDING = [
  define({ ...SETTLED, lastDays: text }, ({ lastDays }) =>
    sql`
    WITH ${ACCEPTED},
    newest(series_id, day) AS MATERIALIZED (
      SELECT given.value ->> 0, given.value ->> 1 FROM accepted CROSS JOIN json_each(${lastDays}) given)
    UPDATE ${series} SET ${assigned(series, { lastDay: sql`newest.day` })} FROM newest
    WHERE ${series.id} = newest.series_id AND coalesce(${series.lastDay} < newest.day, true)`),
  rows<RegisteredRow>()({ ...SETTLED, lastDays: text }, ({ lastDays }) =>
    sql`
    WITH ${ACCEPTED} SELECT EXISTS (SELECT 1 FROM accepted) AS accepted, ${SETTLED_COLUMNS},
      (SELECT json_group_array(json_array(${counted.seriesId}, ${counted.rootId})) FROM json_each(${lastDays}) given
        CROSS JOIN ${counted} ON ${counted.seriesId} = given.value ->> 0) AS roots`),
] as const;

const HOURS_PER_DAY = 24;

/** Maximum number of series per deleting statement: other writes wait for it. */
export const CLEAR_SERIES_BATCH = 2000;

/**
 * Deletes the series of the device `deviceId`, whose points are deleted, then empty tag sets. Each statement returns a row
 * per deletion. One device only, because it looks at all its series.
 */
export const FORGET_SERIES = [
  define({ deviceId: int }, ({ deviceId }) => {
    const { owned, emptied, inside } = rowsOf({ owned: tagSet, emptied: series, inside: point });
    return sql`
    DELETE FROM ${series} WHERE ${series.id} IN (
      SELECT ${emptied.id} FROM ${owned} CROSS JOIN ${emptied} ON ${emptied.tagSetId} = ${owned.id}
      WHERE ${owned.deviceId} = ${deviceId}
        AND NOT EXISTS (SELECT 1 FROM ${inside} WHERE ${inside.seriesId} = ${emptied.id})
      LIMIT ${CLEAR_SERIES_BATCH})
    RETURNING 1 AS gone`;
  }),
  define({ deviceId: int }, ({ deviceId }) => {
    const { emptied, inside } = rowsOf({ emptied: tagSet, inside: series });
    return sql`
    DELETE FROM ${tagSet} WHERE ${tagSet.id} IN (
      SELECT ${emptied.id} FROM ${emptied}
      WHERE ${emptied.deviceId} = ${deviceId}
        AND NOT EXISTS (SELECT 1 FROM ${inside} WHERE ${inside.tagSetId} = ${emptied.id}) LIMIT ${CLEAR_SERIES_BATCH})
    RETURNING 1 AS gone`;
  }),
] as const;

/** A series whose newest point is old, or not yet, depending on its cutoff. */
export interface AgedSeries {
  readonly id: number;
  readonly tagSetId: number;
  readonly lastDay: number;
  readonly isOld: 0 | 1;
}

/**
 * Returns a page of the series without a point on `day` or later, oldest first, after the series `afterId` of
 * `afterDay`.
 */
export const NEXT_AGED = rows<AgedSeries>()(
  { day: long, afterDay: int, afterId: int, ...CUTOFF_ARGS },
  ({ day, afterDay, afterId, ...given }) => {
    const { aged, owner } = rowsOf({ aged: series, owner: tagSet });
    return sql`
    WITH ${cutoffTable(given)}
    SELECT ${columns(aged, "id", "tagSetId", "lastDay")},
      (${aged.lastDay} + 1) * ${HOURS_PER_DAY} <= ${cutoffOf(owner, "hours")} AS isOld
    FROM ${aged} CROSS JOIN ${owner} ON ${owner.id} = ${aged.tagSetId}
    WHERE ${aged.lastDay} < ${day} AND (${aged.lastDay}, ${aged.id}) > (${afterDay}, ${afterId})
    ORDER BY ${aged.lastDay}, ${aged.id} LIMIT ${CLEAR_SERIES_BATCH}`;
  },
);

/**
 * Deletes series without newer points, and then their empty tag sets. `old`: JSON list of `[id, lastDay, tagSetId]`.
 * Keeps series with points in the database.
 */
export const CLEAR_AGED = [
  define({ old: text }, ({ old }) =>
    sql`
    DELETE FROM ${series} WHERE (${series.id}, ${series.lastDay}) IN (
        SELECT given.value ->> 0, given.value ->> 1 FROM json_each(${old}) given)
      AND NOT EXISTS (SELECT 1 FROM ${point} WHERE ${point.seriesId} = ${series.id})
      AND NOT EXISTS (SELECT 1 FROM ${blockRange} WHERE ${blockRange.seriesId} = ${series.id})
      AND NOT EXISTS (SELECT 1 FROM ${hourSummary} WHERE ${hourSummary.seriesId} = ${series.id})`),
  define({ old: text }, ({ old }) => {
    const inside = row(series, "inside");
    return sql`
    DELETE FROM ${tagSet} WHERE ${tagSet.id} IN (SELECT given.value ->> 2 FROM json_each(${old}) given)
      AND NOT EXISTS (SELECT 1 FROM ${inside} WHERE ${inside.tagSetId} = ${tagSet.id})`;
  }),
] as const;

interface HoldsRow {
  readonly holds: 0 | 1;
}

/** Reads whether the database has points from before an engine was configured. */
export const HOLDS_POINTS = rows<HoldsRow>()({}, () =>
  sql`
  SELECT EXISTS (SELECT 1 FROM ${point}) OR EXISTS (SELECT 1 FROM ${blockRange})
    OR EXISTS (SELECT 1 FROM ${hourSummary}) AS holds`);
