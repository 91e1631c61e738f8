import { holds, holdsIndirectly, isVisible, someAuthorizingRole } from "../role/guard_queries.ts";

/** Who may do what with a device, as SQL conditions: rights are on roles, a device has those of the roles that monitor it. */

/** The authorizing role may change and write devices of the role: deviceManagement, or roleManagement from above. */
function managesDevicesOf(role: string): string {
  return `${holds("deviceManagement", role)} OR ${holdsIndirectly("roleManagement", role)}`;
}

/** May create devices for the role, and detach devices from it. */
export function mayManageDevicesOf(role: string): string {
  return someAuthorizingRole(managesDevicesOf(role));
}

/** May update the device and write its telemetry. */
export function mayManageDevice(device: string): string {
  return someAuthorizingRole(`EXISTS (SELECT 1 FROM monitors guard_monitors
    WHERE guard_monitors.device_id = ${device} AND (${managesDevicesOf("guard_monitors.role_id")}))`);
}

/** May attach the device to the role: one authorizing role manages devices of both sides. */
export function mayAttachDevice(device: string, role: string): string {
  return someAuthorizingRole(`${holds("deviceManagement", role)} AND EXISTS (
    SELECT 1 FROM monitors guard_monitors WHERE guard_monitors.device_id = ${device}
      AND ${holds("deviceManagement", "guard_monitors.role_id")})`);
}

/** May see the device and read its telemetry: is a member, directly or indirectly, of a role that monitors it. */
export function mayReadDevice(device: string): string {
  return `EXISTS (SELECT 1 FROM monitors guard_monitors WHERE guard_monitors.device_id = ${device}
    AND ${isVisible("guard_monitors.role_id")})`;
}
