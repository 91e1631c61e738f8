import type { Ruled } from "../../changes/ruled.ts";
import {
  type Authorization,
  authorize,
  awake,
  holds,
  holdsDirectly,
  holdsIndirectly,
  mayGive,
  type Membership,
  reaches,
} from "../../graph/rules/rules.ts";
import { maskOf, type RightsMask } from "../../graph/rights.ts";

/** The rules that the changes of relations share. */

export const ROLE_MANAGEMENT = maskOf("roleManagement");

/**
 * Returns the step of giving a relation these rights. A change that takes some rights and adds others shrinks: the
 * closure is computed anew from all relations, which finds both.
 */
export function stepOf(former: RightsMask, rights: RightsMask): "grow" | "shrink" {
  return (former & ~rights) === 0 ? "grow" : "shrink";
}

/** A membership with its reach to both roles of a relation. */
export type Connecting = Membership<"parent" | "child">;

/** The relation of a pair. */
export interface Relation {
  readonly id: number;
  readonly rights: RightsMask;
}

/** A relation that is named by its id and its parent. */
export interface NamedRelation extends Relation {
  readonly childId: number;
  readonly byPassword: number;
}

/** What a child that could lose a relation keeps. */
export interface Kept {
  readonly isRoot: number;
  /** Another relation with roleManagement enters it. */
  readonly isManaged: boolean;
  /** Another relation enters it. */
  readonly isEntered: boolean;
}

/**
 * Whether the membership has direct or indirect roleManagement on the parent and indirect roleManagement on the child, and
 * may give the added rights.
 */
export function connects(by: Connecting, added: RightsMask): boolean {
  return holds(by, "roleManagement", by.to.parent) && holdsIndirectly(by, "roleManagement", by.to.child) &&
    mayGive(by, added);
}

/** Whether the child is left without roleManagement from above. */
export function isLeftUnmanaged(kept: Kept | null): boolean {
  return kept !== null && !kept.isRoot && !kept.isManaged;
}

/**
 * Hides the relation of a denial from a caller who does not see the parent: who reads the log of the child must not learn
 * from it whether they guessed a relation.
 */
export function hidden(facts: Authorization<Connecting>, ruled: Ruled): Ruled {
  if (ruled.ruling !== "denied" || awake(facts).some(({ to }) => reaches(to.parent))) return ruled;
  return { ...ruled, relationId: null, oldRights: null };
}

/**
 * Returns the memberships that may take the relation away: with direct or indirect roleManagement on the parent, or
 * indirect on the child. Direct on the child is enough for a relation made by password if the child stays; otherwise its
 * members could delete it. Then a key's maker needs that right, too: a removed member's key could shut out the role's
 * managers.
 */
export function takingAway(
  facts: Authorization<Connecting> & { readonly kept: Kept | null },
  byPassword: number,
): readonly Connecting[] {
  const managesIt = (by: Connecting): boolean =>
    holds(by, "roleManagement", by.to.parent) || holdsIndirectly(by, "roleManagement", by.to.child);
  const managesItself = (by: Connecting): boolean => holdsDirectly(by, "roleManagement", by.to.child);
  const stays = facts.kept !== null && (facts.kept.isRoot === 1 || facts.kept.isEntered);
  const isAllowed = awake(facts).some(managesIt) ||
    byPassword === 1 && stays && authorize(facts, managesItself).length > 0;
  if (!isAllowed) return [];
  return awake(facts).filter((by) => managesIt(by) || byPassword === 1 && managesItself(by));
}

/** The same for a relation that is named by its id: its child is hidden, too. */
export function hiddenChild(facts: Authorization<Connecting>, ruled: Ruled): Ruled {
  const shown = hidden(facts, ruled);
  return shown === ruled ? ruled : { ...shown, childId: null };
}
