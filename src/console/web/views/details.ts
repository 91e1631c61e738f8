/**
 * What the views after the first picture share. `role.ts`, `devices.ts` and `why.ts` add the views that build on it,
 * `pages.ts` and `forms.ts` what builds on `role.ts`. Each is one file of the build, and imports what it builds on as if
 * it needed all of that: what two of them share is then no further file.
 */

export { DormantBanner } from "./account/dormant.tsx";
export { StepUpDialog } from "./account/step_up_dialog.tsx";
export { Changes } from "./changes/changes.tsx";

// Shared by those files.
import "./change/opened_from.ts";
import "./devices/device_list.tsx";
import "./devices/latest.ts";
import "./role/allowed.ts";
