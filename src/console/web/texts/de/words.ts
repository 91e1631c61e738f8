import type { RightName } from "../../../../graph/rights.ts";
import { restoredIn } from "../change_effect.ts";
import { countAllIn, pluralIn } from "../plural.ts";

export const lists = new Intl.ListFormat("de");
export const countAll = countAllIn(lists);
export const plural = pluralIn("de");
export const pluralOver = pluralIn("de", "mehr als ");

export const people = plural("# [Person|Personen]");
export const roles = plural("# [Rolle|Rollen]");
export const moreRoles = plural("# weitere [Rolle|Rollen]");
export const devices = plural("# [Gerät|Geräte]");
export const relations = plural("# [Beziehung|Beziehungen]");
export const memberships = plural("# [Mitgliedschaft|Mitgliedschaften]");

export const nodes = countAll("#", roles, devices);
export const restored = (text: string) => restoredIn(countAll(text, roles, devices, relations, memberships));

/** What each right manages, as "-verwaltung" follows it. */
const KINDS: Readonly<Record<RightName, string>> = {
  roleManagement: "Rollen",
  userManagement: "Benutzer",
  viewManagement: "Ansichten",
  deviceManagement: "Geräte",
  reportManagement: "Berichts",
  alarmManagement: "Alarm",
};

/** "Rollen-, Benutzer- und Ansichtenverwaltung". */
export function list(rights: readonly RightName[]): string {
  if (rights.length === Object.keys(KINDS).length) return "alle sechs Rechte";
  const last = rights.length - 1;
  return lists.format(rights.map((name, i) => i === last ? `${KINDS[name]}verwaltung` : `${KINDS[name]}-`));
}
