import { NO_RIGHTS, type RightsMask } from "../rights.ts";

/** A relation of a lineage: its id, the roles that it leads from and to, and the rights that it lets through. */
export type LineageRelation = readonly [id: number, parentId: number, childId: number, rights: RightsMask];

/**
 * The rights that memberships give on roles through relations, by the id of the role. `held` has the rights of the
 * memberships by the id of their role. A role that no path reaches has no entry; one that is reached without a right
 * has 0.
 *
 * A role is visited again only if it has gained a right, so at most six times.
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
