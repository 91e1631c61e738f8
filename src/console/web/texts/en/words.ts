import type { RightName } from "../../../../graph/rights.ts";
import { restoredIn } from "../change_effect.ts";
import { countAllIn, pluralIn } from "../plural.ts";

export const lists = new Intl.ListFormat("en");
export const countAll = countAllIn(lists);
export const plural = pluralIn("en");
/** Says "more than 5" if there may be more. */
export const pluralOver = pluralIn("en", "more than ");

export const people = plural("# [person|people]");
export const roles = plural("# [role|roles]");
export const moreRoles = plural("# more [role|roles]");
export const devices = plural("# [device|devices]");
export const relations = plural("# [relation|relations]");
export const memberships = plural("# [membership|memberships]");

/** "3 roles and 1 device". */
export const nodes = countAll("#", roles, devices);
/** A message about what is restored, in place of "#". */
export const restored = (text: string) => restoredIn(countAll(text, roles, devices, relations, memberships));

const KINDS: Readonly<Record<RightName, string>> = {
  roleManagement: "role",
  userManagement: "user",
  viewManagement: "view",
  deviceManagement: "device",
  reportManagement: "report",
  alarmManagement: "alarm",
};

/** "role, user and view management". */
export function list(rights: readonly RightName[]): string {
  if (rights.length === Object.keys(KINDS).length) return "all six rights";
  return `${lists.format(rights.map((name) => KINDS[name]))} management`;
}
