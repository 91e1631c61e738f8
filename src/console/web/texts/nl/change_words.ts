import type { RightName } from "../../../../graph/rights.ts";
import { countAllIn, countIn, type Forms } from "../plural.ts";

export const count = countIn("nl");
export const countAll = countAllIn("nl");
export const lists = new Intl.ListFormat("nl");

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

export const ROLES: Forms = { one: "rol", other: "rollen" };
export const DEVICES: Forms = { one: "apparaat", other: "apparaten" };
export const MEMBERSHIPS: Forms = { one: "lidmaatschap", other: "lidmaatschappen" };

export function deletedNodes(roleCount: number, deviceCount: number): string {
  return countAll([roleCount, ROLES], [deviceCount, DEVICES]);
}

export type Parts<T> = readonly (string | T)[];
