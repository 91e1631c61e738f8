import { REVISION } from "../../db/revisions.ts";
import { setting } from "../../db/schema/mail.ts";
import { member } from "../../db/schema/role.ts";
import { device, series, tagSet } from "../../db/schema/telemetry.ts";
import {
  define,
  inserted,
  int,
  join,
  nullable,
  placeholdersOf,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
  type ValuesOf,
} from "../../db/sql.ts";
import { LACKS_GRANT, WRITTEN_DEVICES } from "../../device/grant_queries.ts";
import { currentDevice, storedNodeId } from "../../device/period_queries.ts";
import { markWithPoints } from "../../device/tombstone_queries.ts";
import { isVisible } from "../../graph/rules/guard_queries.ts";
import { memberIsAwake, PRINCIPAL, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";
import { type ListName, PARTS } from "./write_parts.ts";

/**
 * Writes points, and registers their series. A write knows its series and grants from an earlier one, or finds them
 * beforehand, on a reader; missing series are registered in steps, so that other writes do not wait long. Then one
 * statement checks what has been found, and takes effect or does nothing.
 */

/** `grants`: write grants for all devices of the request, found beforehand. If one is void, nothing is written. */
const AUTHORIZED = { ...PRINCIPAL, grants: text };
/** `belowId`: the role that the write is meant for, or null. */
const DESCRIPTION = {
  database: text,
  retentionPolicy: text,
  belowId: nullable(int),
  ...PARTS.tagSets,
  ...PARTS.described,
};
/** The arguments of all statements about the series of a request. */
export const DESCRIBING = { ...AUTHORIZED, ...DESCRIPTION };

export type AuthorizedArgs = ValuesOf<typeof AUTHORIZED>;
export type DescriptionArgs = ValuesOf<typeof DESCRIPTION>;

const { database, retentionPolicy } = placeholdersOf(DESCRIPTION);

/** The actor may write to all devices. */
const MAY_WRITE = sql`${PRINCIPAL_LIVES} AND NOT ${LACKS_GRANT}`;

/** Marks devices as having points, so that deleting one leaves a tombstone until its points are deleted. */
const MARK_DEVICES = markWithPoints(
  { ...AUTHORIZED, belowId: nullable(int) },
  () => sql`${device.id} IN (${WRITTEN_DEVICES}) AND ${MAY_WRITE}`,
);

/** Maximum series (tag sets times fields) per device. */
export const MAX_SERIES = 10_000;

/** A FROM clause: the elements (`given`) of a list passed in parts. */
export function elementsOf(name: ListName): SQL {
  const parts = Object.values<Value>(placeholdersOf(PARTS[name])).map((part) => sql`(${part})`);
  return sql`(VALUES ${join(parts)}) part CROSS JOIN json_each(part.column1) given`;
}

const { named, known, found } = rowsOf({ named: device, known: tagSet, found: series });
/**
 * CTEs: the tag sets and series of the request, with their stored rows. Elements of `tagSets`: `[t, nodeId
 * (see `storedNodeId`), measurement, tags]`; of `described`: `[n, t, field, kind, line]`; `t` and `n` count from 0. Empty if the actor may
 * not write to a device: neither result nor timing reveals whether it exists.
 */
export const DESCRIBED: SQL = sql`
  tagged(t, device_id, measurement, tags, tag_set_id) AS MATERIALIZED (
    SELECT given.value ->> 0, ${named.id}, given.value ->> 2, given.value ->> 3, ${known.id}
    FROM (SELECT 1 WHERE ${MAY_WRITE}) CROSS JOIN ${elementsOf("tagSets")}
      CROSS JOIN ${named} ON ${named.id} = (${
  currentDevice(storedNodeId(sql`json_type(given.value, '$[1]')`, sql`given.value ->> 1`))
})
      LEFT JOIN ${known} ON ${known.deviceId} = ${named.id} AND ${known.measurement} = given.value ->> 2
        AND ${known.database} = ${database} AND ${known.retentionPolicy} = ${retentionPolicy}
        AND ${known.tags} = given.value ->> 3),
  described(n, device_id, tag_set_id, field, kind, line, series_id, stored_kind) AS MATERIALIZED (
    SELECT given.value ->> 0, tagged.device_id, tagged.tag_set_id, given.value ->> 2, given.value ->> 3,
      given.value ->> 4, ${found.id}, ${found.kind}
    FROM ${elementsOf("described")} CROSS JOIN tagged ON tagged.t = given.value ->> 1
      LEFT JOIN ${found} ON ${found.tagSetId} = tagged.tag_set_id AND ${found.field} = given.value ->> 2)`;

const { owned, held } = rowsOf({ owned: tagSet, held: series });
/**
 * Devices that would have too many series. Only those with new series are counted: that reads up to 10,000 index rows
 * each, so a statement handles few devices.
 */
const CROWDED = sql`SELECT device_id FROM described WHERE series_id IS NULL GROUP BY device_id
  HAVING count(*) + (SELECT count(*) FROM (
    SELECT 1 FROM ${owned} CROSS JOIN ${held} ON ${held.tagSetId} = ${owned.id}
    WHERE ${owned.deviceId} = described.device_id LIMIT ${MAX_SERIES})
  ) > ${MAX_SERIES}`;

const deletions = row(setting, "deletions");
/**
 * The number of series deleted so far, which a trigger counts (`triggers/series.sql`), without those of deleted devices:
 * whatever is remembered of these, their grants are void.
 */
const DELETED_SERIES: SQL = sql`coalesce((SELECT CAST(${deletions.value} AS INTEGER) FROM ${deletions}
      WHERE ${deletions.name} = 'deleted_series'), 0)`;

/** The series of a request. All lists are empty if a grant is void. No row if the session is over. */
export interface FoundSeriesRow {
  /** JSON list of `[n, kind]` of series that already have another kind, in the order of their lines. */
  readonly conflicts: string;
  /** JSON list of `[n, id]`. */
  readonly found: string;
  /** JSON list of `[n, whether the device has series]` of series that are not registered. */
  readonly missing: string;
  readonly deletedSeries: number;
}

const others = row(tagSet, "others");
export const FIND_SERIES = rows<FoundSeriesRow>()(DESCRIBING, () =>
  sql`
  WITH ${DESCRIBED}
  SELECT (SELECT json_group_array(json_array(n, stored_kind)) FROM (
      SELECT n, stored_kind FROM described WHERE stored_kind <> kind ORDER BY line)) AS conflicts,
    (SELECT json_group_array(json_array(n, series_id)) FROM described WHERE series_id IS NOT NULL) AS found,
    (SELECT json_group_array(json_array(n, EXISTS (
      SELECT 1 FROM ${others} WHERE ${others.deviceId} = described.device_id)))
    FROM described WHERE series_id IS NULL) AS missing,
    ${DELETED_SERIES} AS deletedSeries
  WHERE ${PRINCIPAL_LIVES}`);

/**
 * Maximum series per `REGISTER_SERIES`, and maximum devices, those without series and others: other writes wait for it,
 * 0.15 s on a file.
 */
export const STEP_SERIES = 2000;
export const STEP_NEW_DEVICES = 500;
export const STEP_DEVICES = 16;

interface CrowdedRow {
  /** JSON list of `n`. */
  readonly crowded: string;
}

/** Returns the new series of devices that would have too many; no row without any. Same limits as `REGISTER_SERIES`. */
export const FIND_CROWDED = rows<CrowdedRow>()(DESCRIBING, () =>
  sql`
  WITH ${DESCRIBED}, crowded(device_id) AS MATERIALIZED (${CROWDED})
  SELECT listed.crowded FROM (
    SELECT json_group_array(described.n) AS crowded
    FROM crowded CROSS JOIN described ON described.device_id = crowded.device_id
    WHERE described.series_id IS NULL) listed WHERE listed.crowded <> '[]'`);

/** CTE: one row if no device would have too many series. */
const FITS = sql`fits AS MATERIALIZED (SELECT 1 WHERE NOT EXISTS (${CROWDED}))`;

const MISSING_TAG_SETS = inserted(tagSet, {
  deviceId: sql`tagged.device_id`,
  measurement: sql`tagged.measurement`,
  database,
  retentionPolicy,
  tags: sql`tagged.tags`,
});
const MISSING_SERIES = inserted(series, {
  tagSetId: sql`described.tag_set_id`,
  field: sql`described.field`,
  kind: sql`described.kind`,
});

/** Adds the missing series of a request and their tag sets; none if a device would have too many. */
export const REGISTER_SERIES = [
  define(DESCRIBING, () =>
    sql`
    WITH ${DESCRIBED}, ${FITS}
    INSERT INTO ${tagSet} (${MISSING_TAG_SETS.names})
    SELECT ${MISSING_TAG_SETS.values}
    FROM fits CROSS JOIN tagged WHERE tagged.tag_set_id IS NULL`),
  define(DESCRIBING, () =>
    sql`
    WITH ${DESCRIBED}, ${FITS}
    INSERT INTO ${series} (${MISSING_SERIES.names})
    SELECT ${MISSING_SERIES.values} FROM fits CROSS JOIN described
    WHERE described.series_id IS NULL AND described.tag_set_id IS NOT NULL`),
  MARK_DEVICES,
] as const;

/**
 * `revision`: as of which the grants were found; -1 if time alone may end one. `actingIds`: JSON list of the roles of
 * the actor in the grants. `deletedSeries`: when the series were found.
 */
export const SETTLED = {
  ...AUTHORIZED,
  belowId: nullable(int),
  revision: int,
  actingIds: text,
  deletedSeries: int,
};
const settled = placeholdersOf(SETTLED);
const LATEST_REVISION: SQL = sql`coalesce(${REVISION}, 0)`;

const own = row(member, "own");
/**
 * The grants hold as they were found: no rights have changed since, and of what depends on time, the memberships and
 * the sight of the requested role still hold.
 */
const HOLD_AS_FOUND = sql`${settled.revision} = ${LATEST_REVISION}
      AND NOT EXISTS (SELECT 1 FROM json_each(${settled.actingIds}) acting WHERE NOT EXISTS (
        SELECT 1 FROM ${own} WHERE ${own.userId} = ${settled.actorId} AND ${own.roleId} = acting.value
          AND ${memberIsAwake(own)}))
      AND (${settled.belowId} IS NULL OR ${isVisible(settled.belowId)})`;

/** CTE: a row if the actor may write to the series found. */
export const ACCEPTED: SQL = sql`accepted AS MATERIALIZED (
    SELECT 1 WHERE ${PRINCIPAL_LIVES} AND ${settled.deletedSeries} = ${DELETED_SERIES}
      AND (${HOLD_AS_FOUND} OR NOT ${LACKS_GRANT}))`;

/** Whether a write took effect, and what was true at that moment. */
export interface SettledRow {
  readonly accepted: 0 | 1;
  readonly revision: number;
  readonly deletedSeries: number;
}

/** The columns of a `SettledRow` besides `accepted`. */
export const SETTLED_COLUMNS: SQL = sql`${LATEST_REVISION} AS revision, ${DELETED_SERIES} AS deletedSeries`;
