import { point, series, tagSet } from "../../db/schema/telemetry.ts";
import {
  assigned,
  define,
  int,
  long,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../../db/sql.ts";
import { ACCEPTED, SETTLED, SETTLED_COLUMNS, type SettledRow } from "./write_queries.ts";

/** What the database knows of points that are kept elsewhere: their series, and the day of each one's newest point. */

/**
 * Authorizes a write before its points are sent, by the rules for the database, and records the days of its series.
 * `lastDays`: JSON list of `[id of the series, day of its newest point]`. Returns a `SettledRow`.
 */
export const REGISTER_SENDING = [
  define({ ...SETTLED, lastDays: text }, ({ lastDays }) =>
    sql`
    WITH ${ACCEPTED},
    newest(series_id, day) AS MATERIALIZED (
      SELECT given.value ->> 0, given.value ->> 1 FROM accepted CROSS JOIN json_each(${lastDays}) given)
    UPDATE ${series} SET ${assigned(series, { lastDay: sql`newest.day` })} FROM newest
    WHERE ${series.id} = newest.series_id AND coalesce(${series.lastDay} < newest.day, true)`),
  rows<SettledRow>()(SETTLED, () =>
    sql`
    WITH ${ACCEPTED} SELECT EXISTS (SELECT 1 FROM accepted) AS accepted, ${SETTLED_COLUMNS}`),
] as const;

/** Maximum number of series per deleting statement: other writes wait for it. */
export const CLEAR_SERIES_BATCH = 2000;

/** Deletes the series of the device `deviceId`, then empty tag sets. Each statement returns a row per deletion. */
export const FORGET_SERIES = [
  define({ deviceId: int }, ({ deviceId }) => {
    const { owned, old } = rowsOf({ owned: tagSet, old: series });
    return sql`
    DELETE FROM ${series} WHERE ${series.id} IN (
      SELECT ${old.id} FROM ${owned} CROSS JOIN ${old} ON ${old.tagSetId} = ${owned.id}
      WHERE ${owned.deviceId} = ${deviceId} LIMIT ${CLEAR_SERIES_BATCH}) RETURNING 1 AS gone`;
  }),
  define({ deviceId: int }, ({ deviceId }) => {
    const { emptied, inside } = rowsOf({ emptied: tagSet, inside: series });
    return sql`
    DELETE FROM ${tagSet} WHERE ${tagSet.id} IN (
      SELECT ${emptied.id} FROM ${emptied}
      WHERE ${emptied.deviceId} = ${deviceId}
        AND NOT EXISTS (SELECT 1 FROM ${inside} WHERE ${inside.tagSetId} = ${emptied.id})
      LIMIT ${CLEAR_SERIES_BATCH}) RETURNING 1 AS gone`;
  }),
] as const;

/** The ids of series without a point on `day` or later, oldest first. Excludes series with points in the database. */
function oldSeries(day: Value): SQL {
  const old = row(series, "old");
  return sql`SELECT ${old.id} FROM ${old}
  WHERE ${old.lastDay} < ${day} AND NOT EXISTS (SELECT 1 FROM ${point} WHERE ${point.seriesId} = ${old.id})
  ORDER BY ${old.lastDay}, ${old.id} LIMIT ${CLEAR_SERIES_BATCH}`;
}

/**
 * Deletes series with points only before `day`, and returns a row for each. Their emptied tag sets go first, while
 * their series can still be found.
 */
export const CLEAR_SERIES_BEFORE = [
  define({ day: long }, ({ day }) => {
    const { cleared, kept } = rowsOf({ cleared: series, kept: series });
    return sql`
    WITH gone(id) AS MATERIALIZED (${oldSeries(day)})
    DELETE FROM ${tagSet} WHERE ${tagSet.id} IN (
        SELECT ${cleared.tagSetId} FROM gone CROSS JOIN ${cleared} ON ${cleared.id} = gone.id)
      AND NOT EXISTS (SELECT 1 FROM ${kept}
        WHERE ${kept.tagSetId} = ${tagSet.id} AND ${kept.id} NOT IN (SELECT id FROM gone))`;
  }),
  define({ day: long }, ({ day }) =>
    sql`
    DELETE FROM ${series} WHERE ${series.id} IN (${oldSeries(day)}) RETURNING 1 AS gone`),
] as const;

interface HoldsRow {
  readonly holds: 0 | 1;
}

/** Reads whether the database has points from before an engine was configured. */
export const HOLDS_POINTS = rows<HoldsRow>()({}, () => sql`SELECT EXISTS (SELECT 1 FROM ${point}) AS holds`);
