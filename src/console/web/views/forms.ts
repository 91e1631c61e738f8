/** What opens on a click or a key, in any view. */

import "./role.ts";
export { EndForm } from "./change/end_form.tsx";
export { UndoDialog } from "./changes/undo_dialog.tsx";
export { DeviceForm, RoleForm } from "./devices/device_forms.tsx";
export { KeyList } from "./find/key_list.tsx";
export { Palette } from "./find/palette.tsx";
