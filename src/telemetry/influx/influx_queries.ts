import { defineStatement, type Statement } from "../../db/statement.ts";
import { ACCEPTED, DESCRIBED, REGISTER_SERIES } from "../series/write_queries.ts";

/** What the database keeps of points that are in an engine: their series, and by days how long these have points. */

/**
 * Settles a write before its points are sent: as one into the database. `:lastDays` is a JSON list that has for each of the
 * series the day of its newest point. The last statement answers the ids of the devices.
 */
export const REGISTER_SENDING: readonly Statement[] = [
  ...REGISTER_SERIES,
  defineStatement(`
    WITH ${DESCRIBED}, ${ACCEPTED},
    newest(series_id, day) AS MATERIALIZED (
      SELECT described.series_id, given.value
      FROM accepted CROSS JOIN json_each(:lastDays) given CROSS JOIN described ON described.n = given.key)
    UPDATE series SET last_day = newest.day FROM newest
    WHERE series.id = newest.series_id AND coalesce(series.last_day < newest.day, true)`),
  defineStatement(`
    SELECT device.node_id AS nodeId, device.id AS deviceId
    FROM json_each(:nodeIds) named CROSS JOIN device ON device.node_id = named.value`),
];

/** Series that one statement deletes at most: other writes wait meanwhile. */
export const CLEAR_SERIES_BATCH = 2000;

/** Deletes the series of the devices of `:deviceIds` (a JSON list), a row for each, and tag sets without any. */
export const FORGET_SERIES: readonly Statement[] = [
  defineStatement(`
    DELETE FROM series WHERE id IN (
      SELECT deleted_series.id FROM json_each(:deviceIds) gone CROSS JOIN tag_set ON tag_set.device_id = gone.value
        CROSS JOIN series deleted_series ON deleted_series.tag_set_id = tag_set.id
      LIMIT ${CLEAR_SERIES_BATCH}) RETURNING 1 AS gone`),
  defineStatement(`
    DELETE FROM tag_set WHERE id IN (
      SELECT emptied.id FROM json_each(:deviceIds) gone CROSS JOIN tag_set emptied ON emptied.device_id = gone.value
      WHERE NOT EXISTS (SELECT 1 FROM series WHERE series.tag_set_id = emptied.id))`),
];

/** SQL: series without a point on `:day` or later, the oldest first. Some may have points that the database kept before. */
const OLD_SERIES = `SELECT old.id FROM series old
  WHERE old.last_day < :day AND NOT EXISTS (SELECT 1 FROM point WHERE point.series_id = old.id)
  ORDER BY old.last_day, old.id LIMIT ${CLEAR_SERIES_BATCH}`;

/** Deletes series whose points are all of before `:day`, a row for each, after the tag sets that have no others. */
export const CLEAR_SERIES_BEFORE: readonly Statement[] = [
  defineStatement(`
    WITH gone(id) AS MATERIALIZED (${OLD_SERIES})
    DELETE FROM tag_set WHERE id IN (
        SELECT series.tag_set_id FROM gone CROSS JOIN series ON series.id = gone.id)
      AND NOT EXISTS (SELECT 1 FROM series kept WHERE kept.tag_set_id = tag_set.id AND kept.id NOT IN (SELECT id FROM gone))`),
  defineStatement(`DELETE FROM series WHERE id IN (${OLD_SERIES}) RETURNING 1 AS gone`),
];

/** Points that were written before an engine was configured. */
export const HOLDS_POINTS: Statement = defineStatement("SELECT EXISTS (SELECT 1 FROM point) AS holds");
