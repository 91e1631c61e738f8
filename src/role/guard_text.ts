import { member } from "../db/schema/role.ts";
import { named, raw, render, type SQL } from "../db/sql.ts";
import * as guard from "./guard_queries.ts";
import * as principal from "./principal_queries.ts";
import type { RightName } from "./rights.ts";

/**
 * The rules of `guard_queries.ts` and `principal_queries.ts` for statements that are still texts: with texts in place of
 * values, and about the row `acting` of the text around them.
 */

const ACTING = named(member, "acting");

/** Rows get a prefix, so that none hides a row of the text around them. */
export function textOf(rule: SQL): string {
  return render(rule, (name) => name === "acting" ? name : `guard_${name}`);
}

/** Rules as they were written, with marks where texts go. */
const written = new Map<string, string>();

/**
 * A rule about texts. It is written once under its name, since hundreds of texts use the same few rules while their
 * modules load.
 */
function about(name: string, rule: (part: (i: number) => SQL) => SQL, ...texts: readonly string[]): string {
  let text = written.get(name);
  if (text === undefined) written.set(name, text = textOf(rule((i) => raw(`§${i}§`))));
  return text.replaceAll(/§(\d)§/g, (_, i) => texts[Number(i)] ?? "");
}

export const HAS_FEW: string = textOf(guard.HAS_FEW);
export const IS_ASKING_KEY: string = textOf(guard.IS_ASKING_KEY);
export const ROLES_AT_ONCE: string = textOf(guard.ROLES_AT_ONCE);
export const PRINCIPAL_LIVES: string = textOf(principal.PRINCIPAL_LIVES);
export const ONE_ROW: string = textOf(principal.ONE_ROW);
export const ACTOR_IS_USER: string = textOf(principal.ACTOR_IS_USER);

export function memberLives(row: string): string {
  return about("memberLives", (part) => principal.memberLives({ endsAt: part(0) }), `${row}.ends_at`);
}

export function isFromMemberships(role: string): string {
  return about("isFromMemberships", (part) => guard.isFromMemberships(part(0)), role);
}

export function someAuthorizingRole(condition: string, user = ":actorId"): string {
  return about(
    "someAuthorizingRole",
    (part) => guard.someAuthorizingRole(() => part(0), part(1)),
    condition,
    user,
  );
}

export function someGivingRole(condition: string, gives = "true"): string {
  return about("someGivingRole", (part) => guard.someGivingRole(() => part(0), part(1)), condition, gives);
}

export function makerMeets(rule: (maker: string) => string, gives: string): string {
  const met = rule("guard_made.created_by");
  return about("makerMeets", (part) => guard.makerMeets(() => part(0), part(1)), met, gives);
}

export function someRoleAbove(role: string, condition: string): string {
  return about("someRoleAbove", (part) => guard.someRoleAbove(part(0), () => part(1)), role, condition);
}

/** With its name, `acting`. */
export function actingAbove(role: string, isFrom = isFromMemberships(role)): string {
  return about("actingAbove", (part) => guard.actingAbove(part(0), part(1)), role, isFrom) + " acting";
}

export function someRoleOfUserAbove(user: string, role: string, condition: string): string {
  const rule = (part: (i: number) => SQL): SQL => guard.someRoleOfUserAbove(part(0), part(1), () => part(2));
  return about("someRoleOfUserAbove", rule, user, role, condition);
}

export function holdsIndirectly(right: RightName, role: string): string {
  return about(`holdsIndirectly ${right}`, (part) => guard.holdsIndirectly(ACTING, right, part(0)), role);
}

export function holds(right: RightName, role: string): string {
  return about(`holds ${right}`, (part) => guard.holds(ACTING, right, part(0)), role);
}

export function holdsSome(direct: string, indirect: string, role: string): string {
  const rule = (part: (i: number) => SQL): SQL => guard.holdsSome(ACTING, part(0), part(1), part(2));
  return about("holdsSome", rule, direct, indirect, role);
}

export function managesMembersOf(role: string): string {
  return about("managesMembersOf", (part) => guard.managesMembersOf(ACTING, part(0)), role);
}

export function mayGive(rights: string): string {
  return about("mayGive", (part) => guard.mayGive(ACTING, part(0)), rights);
}

export function mayGiveUntil(rights: string, endsAt: string): string {
  return about("mayGiveUntil", (part) => guard.mayGiveUntil(ACTING, part(0), part(1)), rights, endsAt);
}

export function seesAsManager(role: string): string {
  return about("seesAsManager", (part) => guard.seesAsManager(part(0)), role);
}

export function seesEachAsManager(role: string): string {
  return about("seesEachAsManager", (part) => guard.seesEachAsManager(part(0)), role);
}

export function isVisible(role: string): string {
  return about("isVisible", (part) => guard.isVisible(part(0)), role);
}

export function isOneVisible(role: string): string {
  return about("isOneVisible", (part) => guard.isOneVisible(part(0)), role);
}

export function seenOf(roles: string): string {
  return about("seenOf", (part) => guard.seenOf(part(0)), roles);
}

export function unionOfMasks(mask: string): string {
  return about("unionOfMasks", (part) => guard.unionOfMasks(part(0)), mask);
}
