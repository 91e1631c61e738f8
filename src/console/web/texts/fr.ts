import type { Texts } from "./en.ts";
import { ACCOUNT_DATA } from "./fr/account_data.ts";
import { ACCOUNT_SECURITY } from "./fr/account_security.ts";
import { CHANGE } from "./fr/change.ts";
import { CHANGES } from "./fr/changes.ts";
import { COMMON } from "./fr/common.ts";
import { DEMANDS } from "./fr/demands.ts";
import { DEVICE_FORMS } from "./fr/device_forms.ts";
import { DEVICES } from "./fr/devices.ts";
import { FIND } from "./fr/find.ts";
import { HIERARCHY } from "./fr/hierarchy.ts";
import { HOME, PEOPLE, PERSON } from "./fr/people.ts";
import { ROLE } from "./fr/role.ts";
import { SIGN_IN } from "./fr/sign_in.ts";
import { WHY } from "./fr/why.ts";

/** What the console says in French. */
export const FR: Texts = {
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
