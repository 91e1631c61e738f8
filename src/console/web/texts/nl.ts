import type { Texts } from "./en.ts";
import { ACCOUNT_DATA } from "./nl/account_data.ts";
import { ACCOUNT_SECURITY } from "./nl/account_security.ts";
import { CHANGE } from "./nl/change.ts";
import { CHANGES } from "./nl/changes.ts";
import { COMMON } from "./nl/common.ts";
import { DEMANDS } from "./nl/demands.ts";
import { DEVICE_FORMS } from "./nl/device_forms.ts";
import { DEVICES } from "./nl/devices.ts";
import { FIND } from "./nl/find.ts";
import { HIERARCHY } from "./nl/hierarchy.ts";
import { HOME, PEOPLE, PERSON } from "./nl/people.ts";
import { ROLE } from "./nl/role.ts";
import { SIGN_IN } from "./nl/sign_in.ts";
import { WHY } from "./nl/why.ts";

/** What the console says in Dutch. */
export const NL: Texts = {
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
