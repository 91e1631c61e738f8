/**
 * The views loaded after the first picture, as one file of the build: they share so much that separate files would be
 * a tenth larger.
 */

export { Account } from "./account/account.tsx";
export { DormantBanner } from "./account/dormant.tsx";
export { StepUpDialog } from "./account/step_up_dialog.tsx";
export { Changes } from "./changes/changes.tsx";
export { UndoDialog } from "./changes/undo_dialog.tsx";
export { Devices } from "./devices/devices.tsx";
export { Home } from "./home/home.tsx";
export { People } from "./people/people.tsx";
export { Person } from "./person/person.tsx";
export { KeyList } from "./find/key_list.tsx";
export { Palette } from "./find/palette.tsx";
export { RoleMenu } from "./role/role_menu.tsx";
export { RolePanel } from "./role/role_panel.tsx";
export { Why } from "./why/why.tsx";
