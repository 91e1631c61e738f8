import { defineStatement, type Statement } from "../../db/statement.ts";
import { ACCEPTED, DESCRIBED } from "../series/write_queries.ts";

/** What the database keeps about points in an engine: their series, and the day of the newest point of each. */

/**
 * Authorizes a write before the points are sent, by the rules of a write to the database, and notes the days of its
 * series. `:lastDays` is a JSON list with the day of the newest point of each series. The last statement returns the ids
 * of the devices: none if the write was not accepted.
 */
export const REGISTER_SENDING: readonly Statement[] = [
  defineStatement(`
    WITH ${DESCRIBED}, ${ACCEPTED},
    newest(series_id, day) AS MATERIALIZED (
      SELECT described.series_id, given.value
      FROM accepted CROSS JOIN json_each(:lastDays) given CROSS JOIN described ON described.n = given.key)
    UPDATE series SET last_day = newest.day FROM newest
    WHERE series.id = newest.series_id AND coalesce(series.last_day < newest.day, true)`),
  defineStatement(`
    WITH ${DESCRIBED}, ${ACCEPTED}
    SELECT device.node_id AS nodeId, device.id AS deviceId
    FROM accepted CROSS JOIN json_each(:grants) named CROSS JOIN device ON device.node_id = named.value ->> 0`),
];

/** Maximum series that one statement deletes, since other writes wait meanwhile. */
export const CLEAR_SERIES_BATCH = 2000;

/** Deletes the series of the device `:deviceId`, then empty tag sets. Each statement returns a row per deletion. */
export const FORGET_SERIES: readonly Statement[] = [
  defineStatement(`
    DELETE FROM series WHERE id IN (
      SELECT deleted_series.id FROM tag_set CROSS JOIN series deleted_series ON deleted_series.tag_set_id = tag_set.id
      WHERE tag_set.device_id = :deviceId LIMIT ${CLEAR_SERIES_BATCH}) RETURNING 1 AS gone`),
  defineStatement(`
    DELETE FROM tag_set WHERE id IN (
      SELECT emptied.id FROM tag_set emptied
      WHERE emptied.device_id = :deviceId
        AND NOT EXISTS (SELECT 1 FROM series WHERE series.tag_set_id = emptied.id)
      LIMIT ${CLEAR_SERIES_BATCH}) RETURNING 1 AS gone`),
];

/**
 * SQL: series without a point on `:day` or later, the oldest first. Excludes those with points that the database kept
 * before.
 */
const OLD_SERIES = `SELECT old.id FROM series old
  WHERE old.last_day < :day AND NOT EXISTS (SELECT 1 FROM point WHERE point.series_id = old.id)
  ORDER BY old.last_day, old.id LIMIT ${CLEAR_SERIES_BATCH}`;

/**
 * Deletes series whose points are all from before `:day`, and returns a row for each. Tag sets without other series go
 * first, while their series can still be found.
 */
export const CLEAR_SERIES_BEFORE: readonly Statement[] = [
  defineStatement(`
    WITH gone(id) AS MATERIALIZED (${OLD_SERIES})
    DELETE FROM tag_set WHERE id IN (
        SELECT series.tag_set_id FROM gone CROSS JOIN series ON series.id = gone.id)
      AND NOT EXISTS (SELECT 1 FROM series kept WHERE kept.tag_set_id = tag_set.id AND kept.id NOT IN (SELECT id FROM gone))`),
  defineStatement(`DELETE FROM series WHERE id IN (${OLD_SERIES}) RETURNING 1 AS gone`),
];

/** Whether the database has points from before an engine was configured. */
export const HOLDS_POINTS: Statement = defineStatement("SELECT EXISTS (SELECT 1 FROM point) AS holds");
