import {
  holds,
  holdsIndirectly,
  isVisible,
  someAuthorizingRole,
  someRoleAbove,
} from "../role/guard_queries.ts";

/** Authorization of devices as SQL conditions. Rights on a device follow from rights on the roles that monitor it. */

/** The authorizing role has direct or indirect deviceManagement, or indirect roleManagement, on `role`. */
function managesDevicesOf(role: string): string {
  return `${holds("deviceManagement", role)} OR ${holdsIndirectly("roleManagement", role)}`;
}

/** The actor may create devices for the role, and detach devices from it. */
export function mayManageDevicesOf(role: string): string {
  return someAuthorizingRole(managesDevicesOf(role));
}

/** The actor may update the device and write its telemetry. */
export function mayManageDevice(device: string): string {
  return `EXISTS (SELECT 1 FROM monitors guard_monitors
    WHERE guard_monitors.device_id = ${device}
      AND ${someRoleAbove("guard_monitors.role_id", managesDevicesOf("guard_monitors.role_id"))})`;
}

/** The actor may attach the device: one role has deviceManagement on `role` and on a role that monitors the device. */
export function mayAttachDevice(device: string, role: string): string {
  return someAuthorizingRole(`${holds("deviceManagement", role)} AND EXISTS (
    SELECT 1 FROM monitors guard_monitors WHERE guard_monitors.device_id = ${device}
      AND ${holds("deviceManagement", "guard_monitors.role_id")})`);
}

/** The actor may see the device and read its telemetry: they are a direct or indirect member of a monitoring role. */
export function mayReadDevice(device: string): string {
  return `EXISTS (SELECT 1 FROM monitors guard_monitors WHERE guard_monitors.device_id = ${device}
    AND ${isVisible("guard_monitors.role_id")})`;
}
