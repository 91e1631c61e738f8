import { NO_RIGHTS, type RightsMask } from "../rights.ts";

/** A relation of a lineage: its id, the roles that it leads from and to, and the rights that it lets through. */
export type LineageRelation = readonly [id: number, parentId: number, childId: number, rights: RightsMask];

/**
 * Returns the rights that memberships give through relations, by role id. `held` has the memberships' rights by role
 * id. A role that no path reaches has no entry; one that is reached without a right has 0. A role is visited again only
 * if it has gained a right, so at most six times.
 */
export function carryRights(
  relations: readonly LineageRelation[],
  held: ReadonlyMap<number, RightsMask>,
): Map<number, RightsMask> {
  const below = Map.groupBy(relations, ([, parentId]) => parentId);
  const carried = new Map<number, RightsMask>();
  const open = [...held.keys()];
  for (let roleId = open.pop(); roleId !== undefined; roleId = open.pop()) {
    const rights = (held.get(roleId) ?? NO_RIGHTS) | (carried.get(roleId) ?? NO_RIGHTS);
    for (const [, , childId, mask] of below.get(roleId) ?? []) {
      const before = carried.get(childId);
      const after = (before ?? NO_RIGHTS) | (rights & mask);
      if (after === before) continue;
      carried.set(childId, after);
      open.push(childId);
    }
  }
  return carried;
}

/**
 * Returns when the access that memberships give ends, by role id, regardless of rights: at the latest of their ends, or
 * never (null). `held` has the memberships' ends by role id.
 */
export function carryEnds(
  relations: readonly LineageRelation[],
  held: ReadonlyMap<number, number | null>,
): Map<number, number | null> {
  const below = Map.groupBy(relations, ([, parentId]) => parentId);
  const ends = new Map<number, number | null>();
  // The latest first, so that no role is visited twice.
  const latestFirst = [...held].sort(([, a], [, b]) => (b ?? Infinity) - (a ?? Infinity) || 0);
  for (const [startId, endsAt] of latestFirst) {
    const open = [startId];
    for (let roleId = open.pop(); roleId !== undefined; roleId = open.pop()) {
      if (ends.has(roleId)) continue;
      ends.set(roleId, endsAt);
      for (const [, , childId] of below.get(roleId) ?? []) open.push(childId);
    }
  }
  return ends;
}
