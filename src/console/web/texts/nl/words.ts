import type { RightName } from "../../../../graph/rights.ts";
import { restoredIn } from "../change_effect.ts";
import { countAllIn, pluralIn } from "../plural.ts";

export const lists = new Intl.ListFormat("nl");
export const countAll = countAllIn(lists);
export const plural = pluralIn("nl");
export const pluralOver = pluralIn("nl", "meer dan ");

export const people = plural("# [persoon|personen]");
export const roles = plural("# [rol|rollen]");
export const moreRoles = plural("# andere [rol|rollen]");
export const devices = plural("# [apparaat|apparaten]");
export const relations = plural("# [relatie|relaties]");
export const memberships = plural("# [lidmaatschap|lidmaatschappen]");

export const nodes = countAll("#", roles, devices);
export const restored = (text: string) => restoredIn(countAll(text, roles, devices, relations, memberships));

const KINDS: Readonly<Record<RightName, string>> = {
  roleManagement: "rol",
  userManagement: "gebruikers",
  viewManagement: "weergave",
  deviceManagement: "apparaat",
  reportManagement: "rapport",
  alarmManagement: "alarm",
};

/** "rol-, gebruikers- en weergavebeheer". */
export function list(rights: readonly RightName[]): string {
  if (rights.length === Object.keys(KINDS).length) return "alle zes rechten";
  return lists.format(rights.map((name, i) => KINDS[name] + (i < rights.length - 1 ? "-" : "beheer")));
}
