import {
  holds,
  holdsIndirectly,
  makerMeets,
  memberLives,
  someAuthorizingRole,
  someRoleAbove,
  someRoleOfUserAbove,
} from "../role/guard_text.ts";
import { maskOf } from "../role/rights.ts";

/** Authorization of devices as SQL conditions. Rights on a device follow from rights on the roles that monitor it. */

/** The authorizing role has direct or indirect deviceManagement, or indirect roleManagement, on `role`. */
export function managesDevicesOf(role: string): string {
  return `${holds("deviceManagement", role)} OR ${holdsIndirectly("roleManagement", role)}`;
}

/** The actor may create devices for the role, and detach devices from it. */
export function mayManageDevicesOf(role: string): string {
  return someAuthorizingRole(managesDevicesOf(role));
}

/** A role that monitors the device, and for which the actor may update it, or null. */
export function roleToManageDevice(device: string): string {
  return `(SELECT guard_monitors.role_id FROM monitors guard_monitors
    WHERE guard_monitors.device_id = ${device}
      AND ${someRoleAbove("guard_monitors.role_id", managesDevicesOf("guard_monitors.role_id"))} LIMIT 1)`;
}

/** The actor may update the device and write its telemetry. */
export function mayManageDevice(device: string): string {
  return `(${roleToManageDevice(device)} IS NOT NULL)`;
}

/** How many memberships, and how many roles below them, `managesAnyDevice` walks. */
const WALKED_ROLES = 200;

/**
 * The actor may write some device, as by `mayManageDevice`, or has so many roles that the first ones do not tell. For
 * whoever must be asked before it is known which devices a request names: costs little, however many roles there are.
 * The order matters: with many memberships, it is known before the roles below them are walked.
 */
export function managesAnyDevice(): string {
  const manages = maskOf("deviceManagement");
  const below = manages | maskOf("roleManagement");
  return `EXISTS (
    WITH guard_own(role_id, rights) AS MATERIALIZED (
      SELECT guard_role.id, guard_role.self_rights & guard_member.rights
      FROM member guard_member CROSS JOIN role guard_role ON guard_role.id = guard_member.role_id
      WHERE guard_member.user_id = :actorId AND ${memberLives("guard_member")} LIMIT ${WALKED_ROLES}),
    guard_below(role_id, rights) AS MATERIALIZED (
      SELECT guard_path.descendant_id, guard_path.rights & guard_member.rights
      FROM member guard_member CROSS JOIN role_closure guard_path ON guard_path.ancestor_id = guard_member.role_id
      WHERE guard_member.user_id = :actorId AND ${memberLives("guard_member")} LIMIT ${WALKED_ROLES})
    SELECT 1 FROM guard_own CROSS JOIN monitors guard_monitors ON guard_monitors.role_id = guard_own.role_id
      WHERE guard_own.rights & ${manages}
    UNION ALL SELECT 1 FROM (SELECT count(*) AS walked FROM guard_own) WHERE walked = ${WALKED_ROLES}
    UNION ALL SELECT 1 FROM guard_below CROSS JOIN monitors guard_monitors ON guard_monitors.role_id = guard_below.role_id
      WHERE guard_below.rights & ${below}
    UNION ALL SELECT 1 FROM (SELECT count(*) AS walked FROM guard_below) WHERE walked = ${WALKED_ROLES})`;
}

/**
 * The actor may attach the device: one role has deviceManagement on `role` and on a role that monitors the device.
 * Starts from the latter, since a device has few of them, and an actor may be a member of thousands of roles above
 * `role`. `gives`: see `someGivingRole`.
 */
export function mayAttachDevice(device: string, role: string, gives: string): string {
  const watching = "guard_monitors.role_id";
  const rule = `${holds("deviceManagement", watching)} AND ${holds("deviceManagement", role)}`;
  const someWatching = (isGiver: string): string =>
    `EXISTS (SELECT 1 FROM monitors guard_monitors WHERE guard_monitors.device_id = ${device} AND ${isGiver})`;
  return `(${someWatching(someRoleAbove(watching, rule))} AND ${
    makerMeets((maker) => someWatching(someRoleOfUserAbove(maker, watching, rule)), gives)
  })`;
}
