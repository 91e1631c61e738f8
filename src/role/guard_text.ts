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

export const HAS_FEW: string = textOf(guard.HAS_FEW);
export const IS_ASKING_KEY: string = textOf(guard.IS_ASKING_KEY);
export const ROLES_AT_ONCE: string = textOf(guard.ROLES_AT_ONCE);
export const PRINCIPAL_LIVES: string = textOf(principal.PRINCIPAL_LIVES);
export const ONE_ROW: string = textOf(principal.ONE_ROW);
export const ACTOR_IS_USER: string = textOf(principal.ACTOR_IS_USER);
export const LACKS_SUDO: string = textOf(principal.LACKS_SUDO);
export const LACKS_LASTING_PROOF: string = textOf(principal.LACKS_LASTING_PROOF);

export function memberLives(row: string): string {
  return textOf(principal.memberLives(named(member, row)));
}

export function isFromMemberships(role: string): string {
  return textOf(guard.isFromMemberships(raw(role)));
}

export function unlessMany(value: string): string {
  return textOf(guard.unlessMany(raw(value)));
}

export function someAuthorizingRole(condition: string, user?: string): string {
  return textOf(guard.someAuthorizingRole(() => raw(condition), user === undefined ? undefined : raw(user)));
}

export function someGivingRole(condition: string, gives = "true"): string {
  return textOf(guard.someGivingRole(() => raw(condition), raw(gives)));
}

export function makerMeets(rule: (maker: string) => string, gives: string): string {
  return textOf(guard.makerMeets(() => raw(rule("guard_made.created_by")), raw(gives)));
}

export function someRoleAbove(role: string, condition: string): string {
  return textOf(guard.someRoleAbove(raw(role), () => raw(condition)));
}

/** With its name, `acting`. */
export function actingAbove(role: string, isFrom?: string): string {
  const rows = guard.actingAbove(raw(role), isFrom === undefined ? undefined : raw(isFrom));
  return `${textOf(rows)} acting`;
}

export function someRoleOfUserAbove(user: string, role: string, condition: string): string {
  return textOf(guard.someRoleOfUserAbove(raw(user), raw(role), () => raw(condition)));
}

export function holdsIndirectly(right: RightName, role: string): string {
  return textOf(guard.holdsIndirectly(ACTING, right, raw(role)));
}

export function holds(right: RightName, role: string): string {
  return textOf(guard.holds(ACTING, right, raw(role)));
}

export function holdsSome(direct: string, indirect: string, role: string): string {
  return textOf(guard.holdsSome(ACTING, raw(direct), raw(indirect), raw(role)));
}

export function managesMembersOf(role: string): string {
  return textOf(guard.managesMembersOf(ACTING, raw(role)));
}

export function mayGive(rights: string): string {
  return textOf(guard.mayGive(ACTING, raw(rights)));
}

export function mayGiveUntil(rights: string, endsAt: string): string {
  return textOf(guard.mayGiveUntil(ACTING, raw(rights), raw(endsAt)));
}

export function byReach(row: string): string {
  return textOf(guard.byReach(named(member, row)));
}

export function seesAsManager(role: string): string {
  return textOf(guard.seesAsManager(raw(role)));
}

export function seesEachAsManager(role: string): string {
  return textOf(guard.seesEachAsManager(raw(role)));
}

export function isVisible(role: string): string {
  return textOf(guard.isVisible(raw(role)));
}

export function isOneVisible(role: string): string {
  return textOf(guard.isOneVisible(raw(role)));
}

export function seenOf(roles: string): string {
  return textOf(guard.seenOf(raw(roles)));
}

export function unionOfMasks(mask: string): string {
  return textOf(guard.unionOfMasks(raw(mask)));
}

export function userRights(role: string, selfRights?: string): string {
  return textOf(guard.userRights(raw(role), selfRights === undefined ? undefined : raw(selfRights)));
}

export function rightsThroughRelations(role: string): string {
  return textOf(guard.rightsThroughRelations(raw(role)));
}
