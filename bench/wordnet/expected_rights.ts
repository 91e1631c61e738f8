import { reachableFrom, RIGHT_BITS } from "../../tests/model/oracle_rights.ts";
import type { ExpectedGraph } from "./expected_graph.ts";

/**
 * The rights that memberships give, according to the model of the property tests. Walks from each role once per
 * right, on demand, because the model's whole closure of a graph of this size would not fit into memory.
 */
export class ExpectedRights {
  readonly graph: ExpectedGraph;
  /** By role and bit of the right, for one revision of the graph. */
  readonly #reached = new Map<string, ReadonlySet<number>>();
  #revision = 0;

  constructor(graph: ExpectedGraph) {
    this.graph = graph;
  }

  /** The rights on a role that a direct member of the given roles has. */
  rightsOn(targetId: number, memberOf: readonly number[]): number {
    let rights = 0;
    for (const roleId of memberOf) {
      if (roleId === targetId) rights |= this.graph.selfRightsOf(roleId);
      for (const bit of RIGHT_BITS) {
        if (this.reachedFrom(roleId, bit).has(targetId)) rights |= bit;
      }
    }
    return rights;
  }

  /** Whether a direct member of the given roles is a direct or indirect member of the role, and so may see it. */
  isMember(targetId: number, memberOf: readonly number[]): boolean {
    if (!this.graph.hasRole(targetId)) return false;
    const above = this.graph.above(targetId);
    return memberOf.some((roleId) => roleId === targetId || above.has(roleId));
  }

  /** The roles below one over relations that all carry the right, without the role itself. */
  reachedFrom(roleId: number, bit: number): ReadonlySet<number> {
    if (this.#revision !== this.graph.revision) this.#reached.clear();
    this.#revision = this.graph.revision;
    const key = `${roleId} ${bit}`;
    const known = this.#reached.get(key);
    if (known !== undefined) return known;
    const reached = reachableFrom(roleId, (id) => this.graph.childrenOf(id), bit);
    this.#reached.set(key, reached);
    return reached;
  }
}
