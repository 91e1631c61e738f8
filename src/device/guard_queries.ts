import { member, role, roleClosure } from "../db/schema/role.ts";
import { monitors } from "../db/schema/telemetry.ts";
import { placeholdersOf, row, rowsOf, type SQL, sql, type Value } from "../db/sql.ts";
import {
  makerMeets,
  someAuthorizingRole,
  someRoleAbove,
  someRoleOfUserAbove,
} from "../graph/rules/guard_queries.ts";
import { type Acting, holds, holdsDirectly, holdsIndirectly } from "../graph/rules/rule_queries.ts";
import { memberIsAwake, PRINCIPAL } from "../graph/rules/principal_queries.ts";
import { maskOf } from "../graph/rights.ts";
import { isOpen, type Period } from "./period_queries.ts";

/** Authorization of devices as SQL conditions. Rights on a device follow from rights on the roles that monitor it. */

const { actorId } = placeholdersOf(PRINCIPAL);

/** Whether the authorizing role has direct or indirect deviceManagement, or indirect roleManagement, on `on`. */
export function managesDevicesOf(acting: Acting, on: Value): SQL {
  const indirectly = holdsIndirectly(acting, maskOf("deviceManagement") | maskOf("roleManagement"), on);
  return sql`(${holdsDirectly(acting, "deviceManagement", on)} OR ${indirectly})`;
}

/** Whether the actor may create devices for the role, and detach devices from it. */
export function mayManageDevicesOf(roleId: Value): SQL {
  return someAuthorizingRole((acting) => managesDevicesOf(acting, roleId));
}

/** Selects a role that monitors the device now and for which the actor may update it, or null. */
export function roleToManageDevice(deviceId: Value): SQL {
  const watching = row(monitors, "watching");
  const isManaged = someRoleAbove(watching.roleId, (acting) => managesDevicesOf(acting, watching.roleId));
  return sql`(SELECT ${watching.roleId} FROM ${watching}
    WHERE ${watching.deviceId} = ${deviceId} AND ${isOpen(watching)} AND ${isManaged} LIMIT 1)`;
}

/** Whether the user may update the device. Takes the same time for every user. */
export function isManagedBy(user: Value, deviceId: Value): SQL {
  const watching = row(monitors, "watching");
  const isManager = someRoleOfUserAbove(
    user,
    watching.roleId,
    (acting) => managesDevicesOf(acting, watching.roleId),
  );
  return sql`EXISTS (SELECT 1 FROM ${watching}
    WHERE ${watching.deviceId} = ${deviceId} AND ${isOpen(watching)} AND ${isManager})`;
}

/** Whether the actor may update the device and write its telemetry. */
export function mayManageDevice(deviceId: Value): SQL {
  return sql`(${roleToManageDevice(deviceId)} IS NOT NULL)`;
}

/** Maximum number of memberships, and of roles below them, that `managesAnyDevice` walks. */
const WALKED_ROLES = 200;

/**
 * Whether the actor manages a role that monitors some device in any period, or has so many roles that the first ones do
 * not tell.
 * Costs little with any number of roles, as a check before the devices of a request are known. The order matters: many
 * memberships are noticed before the roles below them are walked.
 */
export function managesAnyDevice(): SQL {
  const { held, self, path, watching } = rowsOf({
    held: member,
    self: role,
    path: roleClosure,
    watching: monitors,
  });
  const manages = maskOf("deviceManagement");
  const below = manages | maskOf("roleManagement");
  return sql`EXISTS (
    WITH walked_own(role_id, rights) AS MATERIALIZED (
      SELECT ${self.id}, ${self.selfRights} & ${held.rights}
      FROM ${held} CROSS JOIN ${self} ON ${self.id} = ${held.roleId}
      WHERE ${held.userId} = ${actorId} AND ${memberIsAwake(held)} LIMIT ${WALKED_ROLES}),
    walked_below(role_id, rights) AS MATERIALIZED (
      SELECT ${path.descendantId}, ${path.rights} & ${held.rights}
      FROM ${held} CROSS JOIN ${path} ON ${path.ancestorId} = ${held.roleId}
      WHERE ${held.userId} = ${actorId} AND ${memberIsAwake(held)} LIMIT ${WALKED_ROLES})
    SELECT 1 FROM walked_own CROSS JOIN ${watching} ON ${watching.roleId} = walked_own.role_id
      WHERE walked_own.rights & ${manages}
    UNION ALL SELECT 1 FROM (SELECT count(*) AS walked FROM walked_own) WHERE walked = ${WALKED_ROLES}
    UNION ALL SELECT 1 FROM walked_below CROSS JOIN ${watching} ON ${watching.roleId} = walked_below.role_id
      WHERE walked_below.rights & ${below}
    UNION ALL SELECT 1 FROM (SELECT count(*) AS walked FROM walked_below) WHERE walked = ${WALKED_ROLES})`;
}

/** Whether the authorizing role may give the device from one role to another: it has deviceManagement on both. */
function givesDevices(acting: Acting, from: Value, to: Value): SQL {
  return sql`${holds(acting, "deviceManagement", from)} AND ${holds(acting, "deviceManagement", to)}`;
}

/**
 * Selects the periods of the device's open relations by which the actor may let `on` monitor it, too. Starts from these
 * relations: a device has few, and an actor may be a member of thousands of roles above `on`.
 */
export function periodsToGive(deviceId: Value, on: Value): SQL {
  const watching = row(monitors, "watching");
  const isGiver = someRoleAbove(watching.roleId, (acting) => givesDevices(acting, watching.roleId, on));
  return sql`SELECT ${watching.validFrom}, ${watching.validUntil} FROM ${watching}
    WHERE ${watching.deviceId} = ${deviceId} AND ${isOpen(watching)} AND ${isGiver}`;
}

/**
 * Whether the maker of the key that acts may do the same by a relation that meets the condition. True for users, and if
 * the change gives nothing (`gives`).
 */
export function makerGivesDevice(
  deviceId: Value,
  on: Value,
  { gives, meets = () => sql`true` }: { readonly gives: Value; readonly meets?: (period: Period) => SQL },
): SQL {
  const watching = row(monitors, "watching");
  return makerMeets((maker) => {
    const isGiver = someRoleOfUserAbove(
      maker,
      watching.roleId,
      (acting) => givesDevices(acting, watching.roleId, on),
    );
    return sql`EXISTS (SELECT 1 FROM ${watching} WHERE ${watching.deviceId} = ${deviceId}
      AND ${isOpen(watching)} AND ${meets(watching)} AND ${isGiver})`;
  }, gives);
}
