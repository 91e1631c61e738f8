import { defineStatement, type Statement } from "../../db/statement.ts";
import { LACKS_GRANT } from "../../device/grant_queries.ts";
import { markWithPoints } from "../../device/tombstone_queries.ts";
import { PRINCIPAL_LIVES } from "../../role/principal_queries.ts";
import { type ListName, PART_COUNTS } from "./write_parts.ts";

/**
 * Authorizing a write and registering its series, as parts of a batch. `:grants` are grants to write for all devices in
 * the request, found beforehand; if one of them does not hold any more, nothing is written. `:belowId` is the role that
 * the write is meant for, or null. Also takes `:actorId`, `:sessionId` and `:now`.
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
 * index.
 */
const CROWDED = `SELECT 1 FROM described WHERE series_id IS NULL GROUP BY device_id
  HAVING count(*) + (SELECT count(*) FROM (
    SELECT 1 FROM tag_set guard_set CROSS JOIN series guard_series ON guard_series.tag_set_id = guard_set.id
    WHERE guard_set.device_id = described.device_id LIMIT ${MAX_SERIES})
  ) > ${MAX_SERIES}`;

/** SQL: one row if nothing is wrong with the request. */
export const ACCEPTED = `accepted AS MATERIALIZED (SELECT 1
  WHERE NOT EXISTS (SELECT 1 FROM described WHERE stored_kind <> kind) AND NOT EXISTS (${CROWDED}))`;

/**
 * SQL: the id is missing and the request is accepted. Checking the latter takes the longest, and is skipped if no id is
 * missing.
 */
function whereNew(id: string): string {
  return `CASE WHEN ${id} IS NULL THEN EXISTS (SELECT 1 FROM accepted) END`;
}

/** The row of a write's first statement. Without a row, the session is over. */
export interface WriteVerdictRow {
  /** A grant no longer holds. */
  readonly lacksGrant: number;
  /** The first line whose field already has another kind, and that kind. */
  readonly line: number | null;
  readonly kind: string | null;
  readonly isCrowded: number;
}

/**
 * Checks a write and adds its missing tag sets and series. Each statement repeats the whole condition, which no earlier
 * statement makes false, so either all of them take effect or none. The first one returns a `WriteVerdictRow`.
 */
export const REGISTER_SERIES: readonly Statement[] = [
  defineStatement(`
    WITH ${DESCRIBED},
    conflict(line, kind) AS MATERIALIZED (
      SELECT line, stored_kind FROM described WHERE stored_kind <> kind ORDER BY line LIMIT 1)
    SELECT ${LACKS_GRANT} AS lacksGrant, (SELECT line FROM conflict) AS line,
      (SELECT kind FROM conflict) AS kind, EXISTS (${CROWDED}) AS isCrowded
    WHERE ${PRINCIPAL_LIVES}`),
  defineStatement(`
    WITH ${DESCRIBED}, ${ACCEPTED}
    INSERT INTO tag_set (device_id, measurement, database, retention_policy, tags)
    SELECT device_id, measurement, :database, :retentionPolicy, tags
    FROM tagged WHERE ${whereNew("tag_set_id")}`),
  defineStatement(`
    WITH ${DESCRIBED}, ${ACCEPTED}
    INSERT INTO series (tag_set_id, field, kind)
    SELECT tag_set_id, field, kind FROM described WHERE ${whereNew("series_id")}`),
  MARK_DEVICES,
];

/**
 * A write to the database: its series, then its points. Elements of `points` are `[n of the series, values by time]`.
 *
 * SQLite parses about one in 6000 decimals of 17 digits as a neighbour of the nearest double.
 */
export const WRITE_POINTS: readonly Statement[] = [
  ...REGISTER_SERIES,
  defineStatement(`
    WITH ${DESCRIBED}, ${ACCEPTED}
    INSERT INTO point (series_id, time, value)
    SELECT described.series_id, CAST(timed.key AS INTEGER), timed.value
    FROM accepted CROSS JOIN ${elementsOf("points")} CROSS JOIN described ON described.n = given.value ->> 0
      CROSS JOIN json_each(given.value, '$[1]') timed
    WHERE true ON CONFLICT (series_id, time) DO UPDATE SET value = excluded.value`),
];
