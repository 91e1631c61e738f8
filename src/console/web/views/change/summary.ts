import { RIGHT_NAMES, type RightName } from "../../../../graph/rights.ts";
import type { Member } from "../../schemas.ts";
import type { Answer, ChangeRequest, Effect, Person } from "./requests.ts";

/** A previewed change. */
export interface Previewed extends Answer {
  readonly request: ChangeRequest;
  readonly effect: Effect;
}

/** Whether rights are gained or lost. */
export type Direction = "gained" | "lost";

/**
 * How a number of people is to be read: others may keep a right by another role, and more memberships than are counted
 * may change.
 */
export type Bound = "exact" | "atMost" | "about";

/** The gains or the losses of people by a change. */
export interface Side {
  readonly people: number;
  readonly rights: readonly RightName[];
  /** Number of roles concerned; undefined if the viewer sees too little. */
  readonly roles: number | undefined;
  readonly bound: Bound;
  /** Those whom the service names. */
  readonly affected: readonly Affected[];
}

/** A person or key that gains or loses by a change, or keeps everything. */
export interface Affected {
  /** Address of the person, or name of the key. */
  readonly name: string;
  readonly isKey: boolean;
  readonly rights: readonly RightName[];
  readonly roleIds: readonly number[];
  /** Rights that they have before and after, although one of their roles gains or loses them. */
  readonly kept: readonly RightName[];
  /** A role by which they keep these; undefined if the viewer sees none. */
  readonly through: number | undefined;
  /** Whether they may gain or lose on other roles, too. */
  readonly mayBeMore: boolean;
}

/** Returns one side of a change. If all are named, it is what they gain or lose, and otherwise what their roles do. */
export function summarize(shown: Previewed, direction: Direction): Side {
  const { effect: { changes, hidden, people, named, truncated }, request } = shown;
  const affected = named.map((person) => toAffected(person, direction)).filter(({ rights }) =>
    rights.length > 0
  );
  const isExact = !truncated && affected.length === people[direction] &&
    affected.every((each) => !each.mayBeMore);
  if (isExact && affected.length > 0) {
    return {
      people: affected.length,
      rights: sortRights(affected.flatMap(({ rights }) => rights)),
      roles: new Set(affected.flatMap(({ roleIds }) => roleIds)).size,
      bound: "exact",
      affected,
    };
  }
  const pairs = changes.filter((pair) => pair[direction].length > 0);
  // Roles above the acting ones gain and lose through them, so never more.
  const isKnown = hidden === 0 ||
    pairs.some(({ actingRoleId }) => request.actingRoleIds.includes(actingRoleId));
  return {
    people: people[direction],
    rights: changedRights(shown, direction),
    roles: isKnown ? new Set(pairs.map(({ roleId }) => roleId)).size : undefined,
    bound: truncated ? "about" : "atMost",
    affected,
  };
}

/** Returns what a person gains or loses, and keeps. */
export function toAffected(person: Person, direction: Direction): Affected {
  const changed = person.on.filter((each) => each[direction].length > 0);
  const kept = person.on.filter((each) => each.kept.length > 0);
  return {
    name: person.userEmail ?? person.key?.name ?? "",
    isKey: person.key !== undefined,
    rights: sortRights(changed.flatMap((each) => each[direction])),
    roleIds: changed.flatMap(({ roleIds }) => roleIds),
    kept: sortRights(kept.flatMap((each) => each.kept)),
    through: kept.flatMap(({ through }) => through)[0],
    mayBeMore: person.others > 0,
  };
}

function sortRights(rights: readonly RightName[]): readonly RightName[] {
  const all = new Set(rights);
  return RIGHT_NAMES.filter((name) => all.has(name));
}

/** Whether rights are lost or nodes deleted. */
export function takesSomething(shown: Previewed): boolean {
  return shown.deletedNodeIds.length > 0 || changedRights(shown, "lost").length > 0;
}

/** Returns the rights that a change gives to roles or takes from them. */
export function changedRights({ effect }: Previewed, direction: Direction): readonly RightName[] {
  return RIGHT_NAMES.filter((name) => effect.rights[name][direction] > 0);
}

/** The viewer's loss by a change. */
export interface OwnLoss {
  readonly rights: readonly RightName[];
  readonly roles: number;
  /** Whether there may be more roles. */
  readonly isLeast: boolean;
  /** Whether they may keep some of it by another role. */
  readonly isCertain: boolean;
}

/** Returns the viewer's loss: as the service tells it, or else by their memberships alone. */
export function findOwnLoss(
  effect: Effect,
  email: string | undefined,
  memberships: readonly Member[],
): OwnLoss | undefined {
  if (effect.keeps.some(({ userEmail }) => userEmail === email)) return undefined;
  const named = effect.named.find(({ userEmail }) => userEmail === email);
  if (named !== undefined && named.others === 0) {
    const { rights, roleIds } = toAffected(named, "lost");
    return rights.length === 0
      ? undefined
      : { rights, roles: roleIds.length, isLeast: false, isCertain: true };
  }
  const lost = memberships.flatMap(({ roleId, rights: mask }) =>
    effect.changes.filter(({ actingRoleId }) => actingRoleId === roleId).map((pair) => ({
      roleId: pair.roleId,
      actingRoleId: roleId,
      rights: pair.lost.filter((name) => mask === undefined || mask[name]),
    }))
  ).filter(({ rights }) => rights.length > 0);
  if (lost.length === 0) return undefined;
  return {
    rights: sortRights(lost.flatMap(({ rights }) => rights)),
    roles: new Set(lost.map(({ roleId }) => roleId)).size,
    isLeast: effect.truncated,
    isCertain: new Set(lost.map(({ actingRoleId }) => actingRoleId)).size === memberships.length,
  };
}
