import { device, point, series, tagSet } from "../../db/schema/telemetry.ts";
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
import { ACCEPTED, DESCRIBED, DESCRIBING } from "../series/write_queries.ts";

/** What the database keeps about points in an engine: their series, and the day of the newest point of each. */

export interface SentDeviceRow {
  readonly nodeId: string;
  readonly deviceId: number;
}

/**
 * Authorizes a write before the points are sent, by the rules of a write to the database, and notes the days of its
 * series. `lastDays` is a JSON list with the day of the newest point of each series. The last statement returns the ids
 * of the devices: none if the write was not accepted.
 */
export const REGISTER_SENDING = [
  define({ ...DESCRIBING, lastDays: text }, ({ lastDays }) =>
    sql`
    WITH ${DESCRIBED}, ${ACCEPTED},
    newest(series_id, day) AS MATERIALIZED (
      SELECT described.series_id, given.value
      FROM accepted CROSS JOIN json_each(${lastDays}) given CROSS JOIN described ON described.n = given.key)
    UPDATE ${series} SET ${assigned(series, { lastDay: sql`newest.day` })} FROM newest
    WHERE ${series.id} = newest.series_id AND coalesce(${series.lastDay} < newest.day, true)`),
  rows<SentDeviceRow>()(DESCRIBING, ({ grants }) => {
    const sent = row(device, "sent");
    return sql`
    WITH ${DESCRIBED}, ${ACCEPTED}
    SELECT ${sent.nodeId} AS nodeId, ${sent.id} AS deviceId
    FROM accepted CROSS JOIN json_each(${grants}) named CROSS JOIN ${sent} ON ${sent.nodeId} = named.value ->> 0`;
  }),
] as const;

/** Maximum series that one statement deletes, since other writes wait meanwhile. */
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

/**
 * The ids of series without a point on `day` or later, the oldest first. Excludes those with points that the database
 * kept before.
 */
function oldSeries(day: Value): SQL {
  const old = row(series, "old");
  return sql`SELECT ${old.id} FROM ${old}
  WHERE ${old.lastDay} < ${day} AND NOT EXISTS (SELECT 1 FROM ${point} WHERE ${point.seriesId} = ${old.id})
  ORDER BY ${old.lastDay}, ${old.id} LIMIT ${CLEAR_SERIES_BATCH}`;
}

/**
 * Deletes series whose points are all from before `day`, and returns a row for each. Tag sets without other series go
 * first, while their series can still be found.
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

/** Whether the database has points from before an engine was configured. */
export const HOLDS_POINTS = rows<HoldsRow>()({}, () => sql`SELECT EXISTS (SELECT 1 FROM ${point}) AS holds`);
