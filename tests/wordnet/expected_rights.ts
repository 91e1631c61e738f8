import type { ExpectedGraph } from "./expected_graph.ts";

const BITS = [1, 2, 4, 8, 16, 32] as const;

/**
 * What rights the memberships give, from the relations alone: right by right, everything that can be reached over
 * relations that carry it. Knows nothing of how the service computes or keeps them.
 */
export class ExpectedRights {
  readonly graph: ExpectedGraph;
  /** By "role bit", at one revision of the graph. */
  readonly #reached = new Map<string, ReadonlySet<number>>();
  #revision = 0;

  constructor(graph: ExpectedGraph) {
    this.graph = graph;
  }

  /** The rights on a role of somebody who is a direct member of the given roles. */
  rightsOn(targetId: number, memberOf: readonly number[]): number {
    let rights = 0;
    for (const roleId of memberOf) {
      if (roleId === targetId) rights |= this.graph.selfRightsOf(roleId);
      for (const bit of BITS) {
        if (this.reachedFrom(roleId, bit).has(targetId)) rights |= bit;
      }
    }
    return rights;
  }

  /** Whether a direct member of the given roles is a member of the role, directly or indirectly: then he sees it. */
  isMember(targetId: number, memberOf: readonly number[]): boolean {
    if (!this.graph.hasRole(targetId)) return false;
    const above = this.graph.above(targetId);
    return memberOf.some((roleId) => roleId === targetId || above.has(roleId));
  }

  /** The roles below one, over relations that all carry the right; the role itself is not among them. */
  reachedFrom(roleId: number, bit: number): ReadonlySet<number> {
    if (this.#revision !== this.graph.revision) this.#reached.clear();
    this.#revision = this.graph.revision;
    const key = `${roleId} ${bit}`;
    const known = this.#reached.get(key);
    if (known !== undefined) return known;
    const reached = new Set<number>();
    const waiting = [roleId];
    for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
      for (const [childId, rights] of this.graph.childrenOf(current)) {
        if ((rights & bit) === 0 || reached.has(childId)) continue;
        reached.add(childId);
        waiting.push(childId);
      }
    }
    this.#reached.set(key, reached);
    return reached;
  }
}
