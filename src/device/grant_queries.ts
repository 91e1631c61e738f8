import { defineStatement, type Statement } from "../db/statement.ts";
import { actingAbove, holdsSome, isVisible, memberLives, PRINCIPAL_LIVES } from "../role/guard_text.ts";
import { managesDevicesOf } from "./guard_queries.ts";
import { watchesOf } from "./watch_queries.ts";

/**
 * Grants: the role by which the actor may use a device, and the role of the actor that gives it. A call may name
 * thousands of devices, each monitored by a hundred roles, and its caller may have many memberships. So reads find the
 * grants, each about a bounded number of roles, and a write only checks with two lookups for each device that they
 * still hold.
 */

/** Uses of a device's telemetry. `acting` meets the condition on a role that monitors the device. */
const CONDITIONS = {
  /** The actor sees the role. */
  read: (role: string) => holdsSome("0", "0", role),
  /** As `mayManageDevice`. */
  write: managesDevicesOf,
} as const;

export type GrantKind = keyof typeof CONDITIONS;

/** SQL: the actor sees the role `:belowId`, and it is `role` or above it. */
function isMeant(role: string): string {
  return `(${isVisible(":belowId")} AND (${role} = :belowId OR EXISTS (SELECT 1 FROM role_closure guard_below
    WHERE guard_below.descendant_id = ${role} AND guard_below.ancestor_id = :belowId)))`;
}

function findGrants(kind: GrantKind): Statement {
  const devices = `SELECT asked.key, device.id FROM json_each(:nodeIds) asked
    CROSS JOIN device ON device.node_id = asked.value WHERE asked.key > :afterKey ORDER BY asked.key`;
  const ctes = watchesOf(
    devices,
    (role, isFrom) =>
      `(SELECT acting.role_id FROM ${actingAbove(role, isFrom)} WHERE ${CONDITIONS[kind](role)} LIMIT 1)`,
  );
  const isComplete = "watched.key <= coalesce(looked.last_key, watched.key)";
  return defineStatement(`
    WITH ${ctes.join(",\n    ")}
    SELECT looked.last_key AS lastKey,
      (SELECT json_group_array(json_array(key, device_id, role_id, acting_id)) FROM (
        SELECT watched.key, watched.device_id, min(held.role_id) AS role_id, held.value AS acting_id
        FROM watched CROSS JOIN held ON held.role_id = watched.role_id
        WHERE held.value IS NOT NULL AND ${isComplete} GROUP BY watched.key)) AS held,
      (SELECT json_group_array(json_array(key, role_id)) FROM (
        SELECT watched.key, min(watched.role_id) AS role_id FROM watched
        WHERE :belowId IS NOT NULL AND ${
    isMeant("watched.role_id")
  } AND ${isComplete} GROUP BY watched.key)) AS meant
    FROM looked WHERE ${PRINCIPAL_LIVES}`);
}

/**
 * Finds grants for the devices `:nodeIds` (a JSON list) behind index `:afterKey`: as many as one statement may ask
 * about. Returns a `GrantsRow`; no row if the principal does not live.
 */
export const FIND_GRANTS: Readonly<Record<GrantKind, Statement>> = {
  read: findGrants("read"),
  write: findGrants("write"),
};

/**
 * SQL for a FROM clause: the entry `granted` of a JSON list, `[nodeId, role, role of the actor, requested role]`, as
 * long as its device, relation and membership exist.
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

/** SQL: the requested role still monitors the device. */
const IS_STILL_MEANT = `EXISTS (SELECT 1 FROM device guard_device
    CROSS JOIN monitors guard_watching ON guard_watching.device_id = guard_device.id
      AND guard_watching.role_id = granted.value ->> 3
    WHERE ${IS_NAMED} AND ${isMeant("guard_watching.role_id")})`;

/** SQL: one of the grants to write, `:grants`, no longer holds. */
export const LACKS_GRANT = `EXISTS (SELECT 1 FROM json_each(:grants) granted
  WHERE NOT EXISTS (SELECT 1 FROM ${NAMED_BY_GRANT} WHERE ${isHeld("write")})
    OR (:belowId IS NOT NULL AND NOT ${IS_STILL_MEANT}))`;

/** The devices of the grants to read, `:grants`, that still hold. */
export const READABLE_DEVICES: Statement = defineStatement(`
  SELECT guard_device.node_id AS nodeId, guard_device.id AS deviceId
  FROM json_each(:grants) granted CROSS JOIN ${NAMED_BY_GRANT}
  WHERE ${PRINCIPAL_LIVES} AND ${isHeld("read")}`);
