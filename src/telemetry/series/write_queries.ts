import { defineStatement, type Statement } from "../../db/statement.ts";
import { LACKS_GRANT } from "../../device/device_text.ts";
import { markWithPoints } from "../../device/tombstone_queries.ts";
import { PRINCIPAL_LIVES } from "../../role/guard_text.ts";
import { type ListName, PART_COUNTS } from "./write_parts.ts";

/**
 * Writing points, and registering their series. Most writes go to series that exist: one statement finds them, checks
 * the write and takes effect, or does nothing. Then another one says why, on a reader, and what is missing is registered
 * in steps, so that no write keeps the others waiting for long.
 *
 * `:grants` are grants to write for all devices in the request, found beforehand; if one of them does not hold any more,
 * nothing is written. `:belowId` is the role that the write is meant for, or null. Also takes `:actorId`, `:sessionId`
 * and `:now`.
 */

/** SQL: the actor may write all of the devices. */
const MAY_WRITE = `${PRINCIPAL_LIVES} AND NOT ${LACKS_GRANT}`;

/** Marks the devices as having points, so that a deleted device leaves a tombstone until its points are deleted. */
const MARK_DEVICES: Statement = markWithPoints(
  `node_id IN (SELECT value ->> 0 FROM json_each(:grants)) AND ${MAY_WRITE}`,
);

/** Maximum series (tag sets times fields) per device. */
export const MAX_SERIES = 10_000;

/** SQL for a FROM clause: the elements (`given`) of a list that is passed in parts. */
function elementsOf(name: ListName): string {
  const parts = Array.from({ length: PART_COUNTS[name] }, (_, i) => `(:${name}${i})`);
  return `(VALUES ${parts.join(", ")}) ${name} CROSS JOIN json_each(${name}.column1) given`;
}

/**
 * SQL: the tag sets and series of the request, with what is stored of them. Elements of `tagSets` are `[t, nodeId,
 * measurement, tags]`, those of `described` are `[n, t of the tag set, field, kind, line]`; `t` and `n` count from 0.
 * Empty if the actor may not write one of the devices, so that neither the result nor its timing reveals whether a
 * device exists.
 */
export const DESCRIBED = `
  tagged(t, device_id, measurement, tags, tag_set_id) AS MATERIALIZED (
    SELECT given.value ->> 0, device.id, given.value ->> 2, given.value ->> 3, tag_set.id
    FROM (SELECT 1 WHERE ${MAY_WRITE}) CROSS JOIN ${elementsOf("tagSets")}
      CROSS JOIN device ON device.node_id = given.value ->> 1
      LEFT JOIN tag_set ON tag_set.device_id = device.id AND tag_set.measurement = given.value ->> 2
        AND tag_set.database = :database AND tag_set.retention_policy = :retentionPolicy
        AND tag_set.tags = given.value ->> 3),
  described(n, device_id, tag_set_id, field, kind, line, series_id, stored_kind) AS MATERIALIZED (
    SELECT given.value ->> 0, tagged.device_id, tagged.tag_set_id, given.value ->> 2, given.value ->> 3,
      given.value ->> 4, series.id, series.kind
    FROM ${elementsOf("described")} CROSS JOIN tagged ON tagged.t = given.value ->> 1
      LEFT JOIN series ON series.tag_set_id = tagged.tag_set_id AND series.field = given.value ->> 2)`;

/**
 * SQL: devices that would have too many series. Devices without new series are skipped, because counting reads the
 * index: up to 10,000 rows for each device, so a statement is about few devices.
 */
const CROWDED = `SELECT 1 FROM described WHERE series_id IS NULL GROUP BY device_id
  HAVING count(*) + (SELECT count(*) FROM (
    SELECT 1 FROM tag_set guard_set CROSS JOIN series guard_series ON guard_series.tag_set_id = guard_set.id
    WHERE guard_set.device_id = described.device_id LIMIT ${MAX_SERIES})
  ) > ${MAX_SERIES}`;

/** SQL: one row if all series of the request exist, with the kinds that it gives. */
export const ACCEPTED = `accepted AS MATERIALIZED (
    SELECT 1 WHERE EXISTS (SELECT 1 FROM described) AND NOT EXISTS (
      SELECT 1 FROM described WHERE stored_kind IS NOT kind))`;

/** Why a write did not take effect: if nothing else, a grant no longer holds. Without a row, the session is over. */
export interface WriteVerdictRow {
  /** The first line whose field already has another kind, and that kind. */
  readonly line: number | null;
  readonly kind: string | null;
  /** JSON list of the `n` of series that are not registered. */
  readonly missing: string;
}

/** Returns a `WriteVerdictRow`. */
export const JUDGE_WRITE: Statement = defineStatement(`
  WITH ${DESCRIBED},
  conflict(line, kind) AS MATERIALIZED (
    SELECT line, stored_kind FROM described WHERE stored_kind <> kind ORDER BY line LIMIT 1)
  SELECT (SELECT line FROM conflict) AS line, (SELECT kind FROM conflict) AS kind,
    (SELECT json_group_array(n) FROM described WHERE series_id IS NULL) AS missing
  WHERE ${PRINCIPAL_LIVES}`);

/** Series and devices that `REGISTER_SERIES` is about at most, since other writes wait meanwhile: 0.15 s on a file. */
export const STEP_SERIES = 2000;
export const STEP_DEVICES = 16;

/** Returns a row if one of the devices would have too many series. About as many of them as `REGISTER_SERIES`. */
export const FIND_CROWDED: Statement = defineStatement(`
  WITH ${DESCRIBED} SELECT 1 AS isCrowded WHERE EXISTS (${CROWDED})`);

/** SQL: no device would have too many series. */
const FITS = `fits AS MATERIALIZED (SELECT 1 WHERE NOT EXISTS (${CROWDED}))`;

/** Adds those series of a request that are missing, with their tag sets; none if a device would have too many. */
export const REGISTER_SERIES: readonly Statement[] = [
  defineStatement(`
    WITH ${DESCRIBED}, ${FITS}
    INSERT INTO tag_set (device_id, measurement, database, retention_policy, tags)
    SELECT device_id, measurement, :database, :retentionPolicy, tags
    FROM fits CROSS JOIN tagged WHERE tag_set_id IS NULL`),
  defineStatement(`
    WITH ${DESCRIBED}, ${FITS}
    INSERT INTO series (tag_set_id, field, kind)
    SELECT tag_set_id, field, kind FROM fits CROSS JOIN described
    WHERE series_id IS NULL AND tag_set_id IS NOT NULL`),
  MARK_DEVICES,
];

/**
 * Writes points to series that exist. Elements of `points` are `[n of the series, values by time]`. Returns how many
 * points were written: 0 if the write was not accepted.
 *
 * SQLite parses about one in 6000 decimals of 17 digits as a neighbour of the nearest double.
 */
export const WRITE_POINTS: readonly Statement[] = [
  defineStatement(`
    WITH ${DESCRIBED}, ${ACCEPTED}
    INSERT INTO point (series_id, time, value)
    SELECT described.series_id, CAST(timed.key AS INTEGER), timed.value
    FROM accepted CROSS JOIN ${elementsOf("points")} CROSS JOIN described ON described.n = given.value ->> 0
      CROSS JOIN json_each(given.value, '$[1]') timed
    WHERE true ON CONFLICT (series_id, time) DO UPDATE SET value = excluded.value`),
  defineStatement("SELECT changes() AS written"),
];
