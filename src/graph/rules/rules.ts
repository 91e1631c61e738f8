import { maskOf, type RightName, type RightsMask } from "../rights.ts";

/**
 * The authorization rules as functions of facts, for changes. `rule_queries.ts` has the same rules in SQL, for checks
 * and lists. One membership must meet a whole rule by itself.
 */

/** The rights that a membership's role has on another one. */
export interface Reach {
  /** The role's own self rights if it is that role, else null. */
  readonly self: RightsMask | null;
  /** The rights through relations if it is above that role, else null. */
  readonly path: RightsMask | null;
}

/** A membership that has not ended, with its reach to roles under their names in a change. */
export interface Membership<N extends string = string> {
  readonly roleId: number;
  /** 1 if it is that of the maker of the key that asks. */
  readonly isMaker: 0 | 1;
  /** The rights that it lets its user use. */
  readonly rights: RightsMask;
  /** The demand of its role now. */
  readonly needs: number;
  readonly isRoot: 0 | 1;
  /** The top branch of its chain. */
  readonly branch: string;
  readonly to: Readonly<Record<N, Reach>>;
}

/** A membership with what it can give. */
export interface GivingMembership<N extends string = string> extends Membership<N> {
  /** The lowest one, of equal memberships. */
  readonly id: number;
  /** Milliseconds; null for no end. */
  readonly endsAt: number | null;
}

/** What a change knows of who makes it. */
export interface Authorization<M> {
  /** Null if the session has ended, or the key is gone. `meets`: the demand that the session meets, null for a key. */
  readonly caller: { readonly meets: number | null } | null;
  /** Those of a key's maker, too. */
  readonly memberships: readonly M[];
  /** A key asks that a user made, not an administrator's task. */
  readonly hasMaker: boolean;
}

export function reaches({ self, path }: Reach): boolean {
  return self !== null || path !== null;
}

export function holdsDirectly(
  { rights }: Pick<Membership, "rights">,
  right: RightName,
  { self }: Reach,
): boolean {
  return ((self ?? 0) & rights & maskOf(right)) !== 0;
}

export function holdsIndirectly(
  { rights }: Pick<Membership, "rights">,
  right: RightName,
  { path }: Reach,
): boolean {
  return ((path ?? 0) & rights & maskOf(right)) !== 0;
}

export function holds(by: Pick<Membership, "rights">, right: RightName, reach: Reach): boolean {
  return holdsDirectly(by, right, reach) || holdsIndirectly(by, right, reach);
}

/** Whether the membership has all rights of the mask, so that it may give them. */
export function mayGive({ rights }: Pick<Membership, "rights">, given: RightsMask): boolean {
  return (given & ~rights) === 0;
}

/** The caller's memberships that count: the session meets the demands of their roles. The others are dormant. */
export function awake<M extends Pick<Membership, "needs" | "isMaker">>(
  { caller, memberships }: Authorization<M>,
): readonly M[] {
  const meets = caller?.meets ?? -1;
  return memberships.filter(({ isMaker, needs }) => isMaker === 0 && (needs === 0 || needs <= meets));
}

/**
 * Returns the caller's memberships that meet the rule. If the change gives something
 * (`gives`), one of a key's maker must meet it, too: otherwise a removed member would regain their rights by a key that
 * they made.
 */
export function authorize<M extends Pick<Membership, "needs" | "isMaker">>(
  facts: Authorization<M>,
  rule: (by: M) => boolean,
  gives = true,
): readonly M[] {
  if (gives && facts.hasMaker && !facts.memberships.some((by) => by.isMaker === 1 && rule(by))) return [];
  return awake(facts).filter(rule);
}

/** Whether the membership has the rights and does not end before, so that it may give them until then. */
export function mayGiveUntil(by: GivingMembership, rights: RightsMask, endsAt: number | null): boolean {
  return mayGive(by, rights) && (by.endsAt === null || (endsAt !== null && endsAt <= by.endsAt));
}

/** Compares memberships by what they can give: by latest end, then most rights, then id. */
export function byPowerToGive(a: GivingMembership, b: GivingMembership): number {
  const endOf = ({ endsAt }: GivingMembership): number => endsAt ?? Number.MAX_SAFE_INTEGER;
  return endOf(b) - endOf(a) || countRights(b.rights) - countRights(a.rights) || a.id - b.id;
}

function countRights(rights: RightsMask): number {
  return rights.toString(2).replaceAll("0", "").length;
}

/** Whether the membership lets its user add, remove and list all members of a role. */
export function managesMembersOf(by: Pick<Membership, "rights">, reach: Reach): boolean {
  return holdsDirectly(by, "userManagement", reach) || holdsIndirectly(by, "userManagement", reach) ||
    holdsIndirectly(by, "roleManagement", reach);
}
