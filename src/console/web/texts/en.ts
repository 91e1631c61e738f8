import { ACCOUNT_SECURITY } from "./en/account_security.ts";
import { CHANGES } from "./en/changes.ts";
import { ACCOUNT_DATA } from "./en/account_data.ts";
import { CHANGE } from "./en/change.ts";
import { DEVICES } from "./en/devices.ts";
import { HIERARCHY } from "./en/hierarchy.ts";
import { ROLE } from "./en/role.ts";
import { EN_START } from "./en_start.ts";
import { WHY } from "./en/why.ts";

/** What the console says in English. The other languages have the same texts. */
export const EN = {
  ...EN_START,
  hierarchy: HIERARCHY,
  change: CHANGE,
  why: WHY,
  changes: CHANGES,
  role: ROLE,
  devices: DEVICES,
  accountSecurity: ACCOUNT_SECURITY,
  accountData: ACCOUNT_DATA,
};

export type Texts = typeof EN;
