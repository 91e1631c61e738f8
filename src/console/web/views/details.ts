/**
 * One file of what is built: what is beside the first picture, and the other views. They share much of what they are made
 * of, so that files of their own would be larger together, by a tenth.
 */

export { Account } from "./account/account.tsx";
export { Changes } from "./changes/changes.tsx";
export { Devices } from "./devices/devices.tsx";
export { RolePanel } from "./role/role_panel.tsx";
export { Why } from "./why/why.tsx";
