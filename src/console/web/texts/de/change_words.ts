import type { RightName } from "../../../../graph/rights.ts";
import { countAllIn, countIn, type Forms } from "../plural.ts";

export const count = countIn("de");
export const countAll = countAllIn("de");
export const lists = new Intl.ListFormat("de");

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

export const ROLES: Forms = { one: "Rolle", other: "Rollen" };
export const DEVICES: Forms = { one: "Gerät", other: "Geräte" };
export const MEMBERSHIPS: Forms = { one: "Mitgliedschaft", other: "Mitgliedschaften" };

export function deletedNodes(roleCount: number, deviceCount: number): string {
  return countAll([roleCount, ROLES], [deviceCount, DEVICES]);
}

/** A sentence with parts that are not plain text: names, or what is emphasized. */
export type Parts<T> = readonly (string | T)[];
