/** What opens on a click or a key, in any view. */

import "./role.ts";
export { ChangePanel } from "./change/change_panel.tsx";
export { EndForm } from "./change/end_form.tsx";
export { UndoDialog } from "./changes/undo_dialog.tsx";
export { DeviceForm } from "./devices/device_forms.tsx";
export { KeyList } from "./find/key_list.tsx";
export { Palette } from "./find/palette.tsx";
