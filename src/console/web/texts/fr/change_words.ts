import type { RightName } from "../../../../graph/rights.ts";
import { countAllIn, countIn, type Forms } from "../plural.ts";

export const count = countIn("fr");
export const countAll = countAllIn("fr");
export const lists = new Intl.ListFormat("fr");

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

export const ROLES: Forms = { one: "rôle", other: "rôles" };
export const DEVICES: Forms = { one: "appareil", other: "appareils" };
export const MEMBERSHIPS: Forms = { one: "appartenance", other: "appartenances" };

export function deletedNodes(roleCount: number, deviceCount: number): string {
  return countAll([roleCount, ROLES], [deviceCount, DEVICES]);
}

/** A sentence with parts that are not plain text: names, or what is emphasized. */
export type Parts<T> = readonly (string | T)[];
