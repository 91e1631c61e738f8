import { defineStatement, type Statement } from "../../db/statement.ts";
import { mayManageDevice } from "../../device/guard_queries.ts";
import { markWithPoints } from "../../device/tombstone_queries.ts";
import { sessionLives } from "../../identity/security_queries.ts";
import { type ListName, PART_COUNTS } from "./write_parts.ts";

/**
 * Who may write telemetry, as parts of batches. `:nodeIds` is a JSON list of the devices that a request names, all of
 * which the actor must be allowed to write; besides it takes `:actorId`, `:sessionId` and `:now`.
 */

/** SQL: some of the devices the actor may not write, or there is none by that name. */
const NAMES_FOREIGN_DEVICE = `EXISTS (SELECT 1 FROM json_each(:nodeIds) guard_named
  LEFT JOIN device guard_device ON guard_device.node_id = guard_named.value
  WHERE guard_device.id IS NULL OR NOT ${mayManageDevice("guard_device.id")})`;

/** SQL: the actor's session lives. */
const SESSION_LIVES = `EXISTS (SELECT 1 FROM session guard_session
  WHERE ${sessionLives("guard_session")})`;

/** SQL: the actor may write all of the devices. */
const MAY_WRITE = `${SESSION_LIVES} AND NOT ${NAMES_FOREIGN_DEVICE}`;

/** From now on the devices may have points, which are to be looked for when they are deleted. */
const MARK_DEVICES: Statement = markWithPoints(
  `node_id IN (SELECT value FROM json_each(:nodeIds)) AND ${MAY_WRITE}`,
);

/** The most series (tag sets times fields) that a device can have. */
export const MAX_SERIES = 10_000;

/** SQL: the elements (`given`) of a list that comes in parts; within a FROM clause. */
function elementsOf(name: ListName): string {
  const parts = Array.from({ length: PART_COUNTS[name] }, (_, i) => `(:${name}${i})`);
  return `(VALUES ${parts.join(", ")}) ${name} CROSS JOIN json_each(${name}.column1) given`;
}

/**
 * SQL: the tag sets of the request, elements of `tagSets` being `[t, nodeId, measurement, tags]`, and its series, elements
 * of `described` being `[n, t of its tag set, field, kind, line]`, both numbered from 0, with what is stored of them.
 * Nothing at all, in no time, where the actor may not write one of the devices: it must not show whether there is such a
 * device.
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

/** SQL: devices that would have too many series. Those that get none are not counted, for which the index must be read. */
const CROWDED = `SELECT 1 FROM described WHERE series_id IS NULL GROUP BY device_id
  HAVING count(*) + (SELECT count(*) FROM (
    SELECT 1 FROM tag_set guard_set CROSS JOIN series guard_series ON guard_series.tag_set_id = guard_set.id
    WHERE guard_set.device_id = described.device_id LIMIT ${MAX_SERIES})
  ) > ${MAX_SERIES}`;

/** SQL: a row where nothing is wrong with the request. */
export const ACCEPTED = `accepted AS MATERIALIZED (SELECT 1
  WHERE NOT EXISTS (SELECT 1 FROM described WHERE stored_kind <> kind) AND NOT EXISTS (${CROWDED}))`;

/** SQL: the id is missing and the request accepted, which takes the longest and is not looked at where no id is missing. */
function whereNew(id: string): string {
  return `CASE WHEN ${id} IS NULL THEN EXISTS (SELECT 1 FROM accepted) END`;
}

/** What a write's first statement answers; no row tells that the session is over. */
export interface WriteVerdictRow {
  readonly isForeign: number;
  /** The first line that gives a field another kind than it has, and that kind. */
  readonly line: number | null;
  readonly kind: string | null;
  readonly isCrowded: number;
}

/**
 * Judges a write and adds the tag sets and series that it lacks. Each statement repeats the whole condition, which nothing
 * that the ones before it do makes false, so that all of them act or none. The first one answers a `WriteVerdictRow`.
 */
export const REGISTER_SERIES: readonly Statement[] = [
  defineStatement(`
    WITH ${DESCRIBED},
    conflict(line, kind) AS MATERIALIZED (
      SELECT line, stored_kind FROM described WHERE stored_kind <> kind ORDER BY line LIMIT 1)
    SELECT ${NAMES_FOREIGN_DEVICE} AS isForeign, (SELECT line FROM conflict) AS line,
      (SELECT kind FROM conflict) AS kind, EXISTS (${CROWDED}) AS isCrowded
    WHERE ${SESSION_LIVES}`),
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
 * A write into the database: its series, then its points, elements of `points` being `[n of their series, values by time]`.
 *
 * SQLite reads about one in 6000 decimals of 17 digits as the double next to the nearest.
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
