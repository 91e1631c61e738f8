import { ACCOUNT_SECURITY } from "./en/account_security.ts";
import { CHANGES } from "./en/changes.ts";
import { ACCOUNT_DATA } from "./en/account_data.ts";
import { CHANGE } from "./en/change.ts";
import { DEMANDS } from "./en/demands.ts";
import { DEVICE_FORMS } from "./en/device_forms.ts";
import { DEVICES } from "./en/devices.ts";
import { FIND } from "./en/find.ts";
import { HIERARCHY } from "./en/hierarchy.ts";
import { HOME, PEOPLE, PERSON } from "./en/people.ts";
import { ROLE } from "./en/role.ts";
import type { EN_START } from "./en_start.ts";
import { WHY } from "./en/why.ts";

/** What the views say in English: the page has the rest (`EN_START`). */
export const EN = {
  find: FIND,
  hierarchy: HIERARCHY,
  home: HOME,
  people: PEOPLE,
  person: PERSON,
  change: CHANGE,
  why: WHY,
  changes: CHANGES,
  role: ROLE,
  devices: DEVICES,
  deviceForms: DEVICE_FORMS,
  demands: DEMANDS,
  accountSecurity: ACCOUNT_SECURITY,
  accountData: ACCOUNT_DATA,
};

/** What the console says in a language. */
export type Texts = typeof EN & typeof EN_START;
