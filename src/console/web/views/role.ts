import "./details.ts";
export { RoleMenu } from "./role/role_menu.tsx";
export { RolePanel } from "./role/role_panel.tsx";
