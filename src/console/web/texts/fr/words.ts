import type { RightName } from "../../../../graph/rights.ts";
import { restoredIn } from "../change_effect.ts";
import { countAllIn, pluralIn } from "../plural.ts";

export const lists = new Intl.ListFormat("fr");
export const countAll = countAllIn(lists);
export const plural = pluralIn("fr");
export const pluralOver = pluralIn("fr", "plus de ");

export const people = plural("# [personne|personnes]");
export const roles = plural("# [rôle|rôles]");
export const moreRoles = plural("# [autre rôle|autres rôles]");
export const devices = plural("# [appareil|appareils]");
export const relations = plural("# [relation|relations]");
export const memberships = plural("# [appartenance|appartenances]");

export const nodes = countAll("#", roles, devices);
export const restored = (text: string) => restoredIn(countAll(text, roles, devices, relations, memberships));

const KINDS: Readonly<Record<RightName, string>> = {
  roleManagement: "des rôles",
  userManagement: "des utilisateurs",
  viewManagement: "des vues",
  deviceManagement: "des appareils",
  reportManagement: "des rapports",
  alarmManagement: "des alarmes",
};

/** "la gestion des rôles, des utilisateurs et des vues". */
export function list(rights: readonly RightName[]): string {
  if (rights.length === Object.keys(KINDS).length) return "les six droits";
  return `la gestion ${lists.format(rights.map((name) => KINDS[name]))}`;
}
