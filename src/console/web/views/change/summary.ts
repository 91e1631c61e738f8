import { RIGHT_NAMES, type RightName } from "../../../../role/rights.ts";
import type { Member } from "../../schemas.ts";
import type { Effect } from "./requests.ts";
import type { Previewed } from "./use_preview.ts";

/** Whether rights are gained or lost. */
export type Direction = "gained" | "lost";

/** The gains or the losses of people by a change. */
export interface Side {
  readonly people: number;
  readonly rights: readonly RightName[];
  /** Number of roles concerned; undefined if the viewer sees too little. */
  readonly roles: number | undefined;
}

/** Returns one side of a change. */
export function summarize(shown: Previewed, direction: Direction): Side {
  const { effect: { changes, hidden, people }, request } = shown;
  const pairs = changes.filter((pair) => pair[direction].length > 0);
  // Roles above the acting ones gain and lose through them, so never more.
  const isKnown = hidden === 0 ||
    pairs.some(({ actingRoleId }) => request.actingRoleIds.includes(actingRoleId));
  return {
    people: people[direction],
    rights: changedRights(shown, direction),
    roles: isKnown ? new Set(pairs.map(({ roleId }) => roleId)).size : undefined,
  };
}

/**
 * Returns the side for the affected people alone. Roles without members gain and lose, too, so people may gain or
 * lose less than the effect.
 */
export function narrowTo(affected: readonly Affected[], { people }: Side): Side {
  const rights = new Set(affected.flatMap(({ rights }) => rights));
  return {
    people,
    rights: RIGHT_NAMES.filter((name) => rights.has(name)),
    roles: new Set(affected.flatMap(({ roleIds }) => roleIds)).size,
  };
}

/** A person or key that gains or loses by a change. */
export interface Affected {
  /** Address of the person, or name of the key. */
  readonly name: string;
  readonly isKey: boolean;
  /** The roles of which they are members. */
  readonly actingRoleIds: readonly number[];
  readonly rights: readonly RightName[];
  readonly roleIds: readonly number[];
}

/** The relevant part of a membership or key. */
export interface Holder extends Pick<Member, "roleId" | "rights"> {
  readonly name: string;
  readonly isKey: boolean;
}

/** Lists what the affected holders gain or lose, by all that they hold. */
export function listAffected(
  { changes }: Effect,
  direction: Direction,
  holders: readonly Holder[],
): readonly Affected[] {
  const byName = Map.groupBy(holders, ({ name, isKey }) => `${isKey} ${name}`);
  return [...byName.values()].flatMap((held) => {
    const actingRoleIds = new Set<number>();
    const rights = new Set<RightName>();
    const roles = new Set<number>();
    for (const { roleId: heldId, rights: mask } of held) {
      for (const pair of changes) {
        if (pair.actingRoleId !== heldId) continue;
        for (const name of pair[direction]) {
          if (mask !== undefined && !mask[name]) continue;
          actingRoleIds.add(heldId);
          rights.add(name);
          roles.add(pair.roleId);
        }
      }
    }
    const [{ name, isKey } = { name: "", isKey: false }] = held;
    return rights.size === 0 ? [] : [{
      name,
      isKey,
      actingRoleIds: [...actingRoleIds],
      rights: RIGHT_NAMES.filter((right) => rights.has(right)),
      roleIds: [...roles],
    }];
  });
}

/** Whether rights are lost or nodes deleted. */
export function takesSomething(shown: Previewed): boolean {
  return shown.deletedNodeIds.length > 0 || changedRights(shown, "lost").length > 0;
}

/** Returns the rights that a change gives or takes. */
export function changedRights({ effect }: Previewed, direction: Direction): readonly RightName[] {
  return RIGHT_NAMES.filter((name) => effect.rights[name][direction] > 0);
}

/** Returns the viewer's loss by the change, given their memberships. */
export function listOwnLoss(effect: Effect, memberships: readonly Member[]): Affected | undefined {
  const own = memberships.map(({ roleId, rights }) => ({
    name: "",
    isKey: false,
    roleId,
    ...(rights === undefined ? {} : { rights }),
  }));
  return listAffected(effect, "lost", own)[0];
}
