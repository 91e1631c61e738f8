import { defineStatement, single, type Statement } from "../db/statement.ts";
import { anyRoleAbove, holdsSome, isVisible, ROLES_AT_ONCE } from "../role/guard_queries.ts";
import { memberLives, PRINCIPAL_LIVES } from "../role/principal_queries.ts";
import { managesDevicesOf } from "./guard_queries.ts";

/**
 * Grants: by which role the actor may do something with a device, and from which of their own. A call may name thousands
 * of devices, each with a hundred roles that monitor it, and its caller may have many memberships. So grants are found by
 * reads, each about a bounded number of roles, and a write only checks that they still hold: two lookups for each device.
 */

/** What a caller may do with the telemetry of a device: `acting` meets the condition on a role that monitors it. */
const CONDITIONS = {
  /** As `mayReadDevice`. */
  read: (role: string) => holdsSome("0", "0", role),
  /** As `mayManageDevice`. */
  write: managesDevicesOf,
} as const;

export type GrantKind = keyof typeof CONDITIONS;

/** SQL: `:belowId` is null, or the actor sees that role, and it is `role` or above it. */
function isMeant(role: string): string {
  return `(:belowId IS NULL OR ${isVisible(":belowId")} AND (${role} = :belowId OR EXISTS (
    SELECT 1 FROM role_closure guard_below
    WHERE guard_below.descendant_id = ${role} AND guard_below.ancestor_id = :belowId)))`;
}

function findGrants(kind: GrantKind): Statement {
  return single(defineStatement(`
    WITH watched(key, device_id, role_id) AS MATERIALIZED (
      SELECT asked.key, device.id, watching.role_id FROM json_each(:nodeIds) asked
        CROSS JOIN device ON device.node_id = asked.value
        CROSS JOIN monitors watching ON watching.device_id = device.id
          AND watching.role_id > iif(asked.key = :afterKey, :afterRoleId, -1)
      WHERE asked.key >= :afterKey LIMIT ${ROLES_AT_ONCE}),
    held(role_id, acting_id, is_meant) AS MATERIALIZED (
      SELECT role_id, ${anyRoleAbove("asking.role_id", CONDITIONS[kind]("asking.role_id"))}, ${
    isMeant("asking.role_id")
  } FROM (SELECT DISTINCT role_id FROM watched) asking)
    SELECT (SELECT json_group_array(json_array(key, device_id, role_id, acting_id)) FROM (
        SELECT watched.key, watched.device_id, min(held.role_id) AS role_id, held.acting_id
        FROM watched CROSS JOIN held ON held.role_id = watched.role_id
        WHERE held.acting_id IS NOT NULL GROUP BY watched.key)) AS held,
      (SELECT json_group_array(json_array(key, role_id)) FROM (
        SELECT watched.key, min(held.role_id) AS role_id
        FROM watched CROSS JOIN held ON held.role_id = watched.role_id
        WHERE held.is_meant GROUP BY watched.key)) AS meant,
      last.key AS lastKey, (SELECT max(role_id) FROM watched WHERE key = last.key) AS lastRoleId,
      last.count = ${ROLES_AT_ONCE} AS isCut
    FROM (SELECT count(*) AS count, max(key) AS key FROM watched) last WHERE ${PRINCIPAL_LIVES}`));
}

/**
 * Looks through the roles that monitor the devices `:nodeIds` (a JSON list), in the order of the list and of the roles'
 * ids, from behind `:afterKey` and `:afterRoleId` on. Returns a `GrantsRow`; no row if the principal does not live.
 */
export const FIND_GRANTS: Readonly<Record<GrantKind, Statement>> = {
  read: findGrants("read"),
  write: findGrants("write"),
};

/**
 * SQL for a FROM clause: the entry `granted` of a JSON list, `[nodeId, role, role of the actor, role meant]`, as far as
 * there are the device, the relation and the membership that it names.
 */
const NAMED_BY_GRANT = `device guard_device
    CROSS JOIN monitors guard_watching ON guard_watching.device_id = guard_device.id
      AND guard_watching.role_id = granted.value ->> 1
    CROSS JOIN member acting ON acting.user_id = :actorId AND acting.role_id = granted.value ->> 2
      AND ${memberLives("acting")}`;
const IS_NAMED = "guard_device.node_id = granted.value ->> 0";

function isHeld(kind: GrantKind): string {
  return `${IS_NAMED} AND (${CONDITIONS[kind]("guard_watching.role_id")})`;
}

/** SQL: the role that is meant still monitors the device. */
const IS_STILL_MEANT = `EXISTS (SELECT 1 FROM device guard_device
    CROSS JOIN monitors guard_watching ON guard_watching.device_id = guard_device.id
      AND guard_watching.role_id = granted.value ->> 3
    WHERE ${IS_NAMED} AND ${isMeant("guard_watching.role_id")})`;

/** SQL: one of the grants to write, `:grants`, does not hold any more. */
export const LACKS_GRANT = `EXISTS (SELECT 1 FROM json_each(:grants) granted
  WHERE NOT EXISTS (SELECT 1 FROM ${NAMED_BY_GRANT} WHERE ${isHeld("write")})
    OR (:belowId IS NOT NULL AND NOT ${IS_STILL_MEANT}))`;

/** The devices of those grants to read, `:grants`, that still hold. */
export const READABLE_DEVICES: Statement = defineStatement(`
  SELECT guard_device.node_id AS nodeId, guard_device.id AS deviceId
  FROM json_each(:grants) granted CROSS JOIN ${NAMED_BY_GRANT}
  WHERE ${PRINCIPAL_LIVES} AND ${isHeld("read")}`);
