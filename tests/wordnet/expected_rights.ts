/**
 * What rights the memberships give, from the relations alone: right by right, everything that can be reached over
 * relations that carry it. Knows nothing of how the service computes or keeps them.
 */

export interface ExpectedRelation {
  readonly parentId: number;
  readonly childId: number;
  /** Bit i stands for the i-th right. */
  readonly rights: number;
}

const BITS = [1, 2, 4, 8, 16, 32] as const;

export class ExpectedRights {
  readonly #children = new Map<number, ExpectedRelation[]>();
  readonly #selfRights = new Map<number, number>();
  /** By "role bit". */
  readonly #reached = new Map<string, ReadonlySet<number>>();

  addRole(roleId: number, selfRights: number): void {
    this.#selfRights.set(roleId, selfRights);
  }

  /** Add everything before the first question. */
  addRelation(relation: ExpectedRelation): void {
    const siblings = this.#children.get(relation.parentId);
    if (siblings === undefined) this.#children.set(relation.parentId, [relation]);
    else siblings.push(relation);
  }

  /** The rights on a role of somebody who is a direct member of the given roles. */
  rightsOn(targetId: number, memberOf: readonly number[]): number {
    let rights = 0;
    for (const roleId of memberOf) {
      if (roleId === targetId) rights |= this.#selfRights.get(roleId) ?? 0;
      for (const bit of BITS) {
        if (this.reachedFrom(roleId, bit).has(targetId)) rights |= bit;
      }
    }
    return rights;
  }

  /** The roles below one, over relations that all carry the right; the role itself is not among them. */
  reachedFrom(roleId: number, bit: number): ReadonlySet<number> {
    const key = `${roleId} ${bit}`;
    const known = this.#reached.get(key);
    if (known !== undefined) return known;
    const reached = new Set<number>();
    const waiting = [roleId];
    for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
      for (const { childId, rights } of this.#children.get(current) ?? []) {
        if ((rights & bit) === 0 || reached.has(childId)) continue;
        reached.add(childId);
        waiting.push(childId);
      }
    }
    this.#reached.set(key, reached);
    return reached;
  }
}
