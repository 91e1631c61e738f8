import { ACCOUNT_DATA } from "./de/account_data.ts";
import { ACCOUNT_SECURITY } from "./de/account_security.ts";
import { CHANGE } from "./de/change.ts";
import { CHANGES } from "./de/changes.ts";
import { COMMON } from "./de/common.ts";
import { DEMANDS } from "./de/demands.ts";
import { DEVICE_FORMS } from "./de/device_forms.ts";
import { DEVICES } from "./de/devices.ts";
import { FIND } from "./de/find.ts";
import { HIERARCHY } from "./de/hierarchy.ts";
import { HOME, PEOPLE, PERSON } from "./de/people.ts";
import { ROLE } from "./de/role.ts";
import { SIGN_IN } from "./de/sign_in.ts";
import { WHY } from "./de/why.ts";
import type { Texts } from "./en.ts";

/** What the console says in German. */
export const DE: Texts = {
  ...COMMON,
  signIn: SIGN_IN,
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
