/**
 * What the views after the first picture share. `role.ts`, `devices.ts` and `why.ts` add the views that build on it,
 * `pages.ts` and `forms.ts` what builds on `role.ts`. Each is one file of the build, and imports all of what it builds
 * on: otherwise, what two of them share would be another file.
 */

export { DormantBanner } from "./account/dormant.tsx";
export { StepUpDialog } from "./account/step_up_dialog.tsx";
export { Changes } from "./changes/changes.tsx";

// Shared by those files.
import "./change/opened_from.ts";
import "./devices/device_list.tsx";
import "./devices/latest.ts";
import "./role/allowed.ts";
