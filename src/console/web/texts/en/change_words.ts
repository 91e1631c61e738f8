import type { RightName } from "../../../../graph/rights.ts";
import { countAllIn, countIn, type Forms } from "../plural.ts";

export const count = countIn("en");
export const countAll = countAllIn("en");
export const lists = new Intl.ListFormat("en");

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

export const ROLES: Forms = { one: "role", other: "roles" };
export const DEVICES: Forms = { one: "device", other: "devices" };
export const MEMBERSHIPS: Forms = { one: "membership", other: "memberships" };

export function deletedNodes(roleCount: number, deviceCount: number): string {
  return countAll([roleCount, ROLES], [deviceCount, DEVICES]);
}

/** A sentence with parts that are not plain text: names, or what is emphasized. */
export type Parts<T> = readonly (string | T)[];
