import type { LineageRelation } from "../../graph/history/lineage.ts";
import { includesRights, type RightsMask } from "../../graph/rights.ts";

/**
 * The ways on which a right gets from memberships to a role, and those on which it is lost. A lattice has more than can
 * be counted, so only the best are made: the cost of each role's best way is known beforehand, and a search from the
 * role upwards follows only these.
 */

/** A membership of the subject of an explanation. */
export interface Membership {
  readonly id: number;
  readonly roleId: number;
  /** The rights that it lets its holder use. */
  readonly rights: RightsMask;
  /** Milliseconds since 1970; null: it does not end. */
  readonly endsAt: number | null;
  /** What its role demands now; absent in the past. */
  readonly needs?: number;
  /** 1: it counts as absent in the session of the asker, whose own it is. */
  readonly isDormant?: 0 | 1;
}

/** A role with the relations above it, and the subject's memberships in these roles, at most one in each. */
export interface Lineage {
  readonly roleId: number;
  readonly selfRights: RightsMask;
  readonly relations: readonly LineageRelation[];
  readonly memberships: readonly Membership[];
}

/** A way from a membership down to the role. */
export interface Way {
  readonly membership: Membership;
  /** From the role of the membership down. Empty if that is the role itself, whose self rights then count. */
  readonly relations: readonly LineageRelation[];
  /** The relations that do not carry the right. */
  readonly lostAt: readonly LineageRelation[];
  readonly isLostAtMember: boolean;
  readonly isLostAtRole: boolean;
}

export interface Ways {
  /** Ways that carry the right, shortest first. */
  readonly open: readonly Way[];
  /** Ways that do not, fewest losses first, then shortest. The first one's losses are the least to widen. */
  readonly blocked: readonly Way[];
}

/** Maximum number of ways of each kind. */
export const MAX_WAYS = 10;

/** Maximum number of relations of all ways of a kind together, beyond which no way is added. */
const MAX_SHOWN_RELATIONS = 2000;

/**
 * Returns the best ways of both kinds. `right` is the mask of one right, or of none for access itself. Ways of equal cost are in order of their ids.
 */
export function findWays(lineage: Lineage, right: RightsMask): Ways {
  const search = new WaySearch(lineage, right);
  return { open: search.find("open"), blocked: search.find("blocked") };
}

type Kind = keyof Ways;

/** A role of the lineage, with the state of the search. */
interface Node {
  /** The relations that enter it, in order of their ids. */
  readonly entering: Edge[];
  readonly leaving: Edge[];
  membership?: Membership;
  /**
   * The least cost from a membership down to it, on ways of each kind; `Infinity` if there is none. A relation costs 1,
   * and a loss more than all relations of a way.
   */
  open: number;
  blocked: number;
}

interface Edge {
  readonly relation: LineageRelation;
  readonly parent: Node;
  readonly child: Node;
  readonly isLost: boolean;
}

/** The known part of a way: from the role upwards to `node`. */
interface Trail {
  readonly node: Node;
  readonly isLost: boolean;
  /** The cost so far, and with the best rest of the way. */
  readonly spent: number;
  readonly bound: number;
  /** The topmost relation, which was followed last, and those below it. */
  readonly top: { readonly relation: LineageRelation; readonly below: Trail["top"] } | undefined;
  /** The beginning, once it is reached. */
  readonly membership?: Membership;
}

class WaySearch {
  readonly #right: RightsMask;
  readonly #selfRights: RightsMask;
  readonly #lossCost: number;
  readonly #nodes = new Map<number, Node>();
  readonly #target: Node;

  constructor({ roleId, selfRights, relations, memberships }: Lineage, right: RightsMask) {
    this.#right = right;
    this.#selfRights = selfRights;
    this.#lossCost = relations.length + 1;
    this.#target = this.#nodeOf(roleId);
    for (const relation of relations.toSorted(([a], [b]) => a - b)) {
      const [, parentId, childId, rights] = relation;
      const [parent, child] = [this.#nodeOf(parentId), this.#nodeOf(childId)];
      const edge = { relation, parent, child, isLost: this.#isLostIn(rights) };
      parent.leaving.push(edge);
      child.entering.push(edge);
    }
    for (const membership of memberships) this.#nodeOf(membership.roleId).membership = membership;
    for (const node of this.#topDown()) this.#estimate(node);
  }

  find(kind: Kind): Way[] {
    const found: Way[] = [];
    let shown = 0;
    const trails = this.#begin(kind);
    for (let best = trails.pop(); best !== undefined; best = trails.pop()) {
      if (best.membership === undefined) {
        this.#follow(trails, best, kind);
        continue;
      }
      const way = this.#toWay(best.membership, best);
      shown += way.relations.length;
      if (found.length > 0 && shown > MAX_SHOWN_RELATIONS) break;
      found.push(way);
      if (found.length === MAX_WAYS) break;
    }
    return found;
  }

  #nodeOf(roleId: number): Node {
    let node = this.#nodes.get(roleId);
    if (node === undefined) {
      node = { entering: [], leaving: [], open: Infinity, blocked: Infinity };
      this.#nodes.set(roleId, node);
    }
    return node;
  }

  /** Returns all roles, each after those above it. Leaves out roles in a circle, which only a damaged database has. */
  #topDown(): Node[] {
    const missing = new Map<Node, number>();
    const order: Node[] = [];
    for (const node of this.#nodes.values()) {
      if (node.entering.length === 0) order.push(node);
      else missing.set(node, node.entering.length);
    }
    for (const { leaving } of order) {
      for (const { child } of leaving) {
        const left = (missing.get(child) ?? 0) - 1;
        missing.set(child, left);
        if (left === 0) order.push(child);
      }
    }
    return order;
  }

  #estimate(node: Node): void {
    if (node.membership !== undefined) {
      if (this.#isLostIn(node.membership.rights)) node.blocked = this.#lossCost;
      else node.open = 0;
    }
    for (const { parent, isLost } of node.entering) {
      const rest = 1 + (isLost ? this.#lossCost : 0);
      if (!isLost) node.open = Math.min(node.open, rest + parent.open);
      node.blocked = Math.min(
        node.blocked,
        rest + (isLost ? Math.min(parent.open, parent.blocked) : parent.blocked),
      );
    }
  }

  #isLostIn(rights: RightsMask): boolean {
    return !includesRights(rights, this.#right);
  }

  /** Returns the way of a membership in the role itself, and the beginnings of all others. */
  #begin(kind: Kind): Trail[] {
    const start: Trail = { node: this.#target, isLost: false, spent: 0, bound: 0, top: undefined };
    const trails: Trail[] = [];
    this.#enter(trails, start, kind);
    const { membership } = this.#target;
    if (membership === undefined) return trails;
    const losses = Number(this.#isLostIn(this.#selfRights)) + Number(this.#isLostIn(membership.rights));
    if ((losses > 0) === (kind === "blocked")) {
      insert(trails, { ...start, bound: losses * this.#lossCost, membership });
    }
    return trails;
  }

  /** Adds the continuations of a trail. */
  #follow(trails: Trail[], trail: Trail, kind: Kind): void {
    this.#enter(trails, trail, kind);
    const { membership } = trail.node;
    if (membership === undefined) return;
    const isLost = this.#isLostIn(membership.rights);
    if ((trail.isLost || isLost) !== (kind === "blocked")) return;
    insert(trails, { ...trail, bound: trail.spent + (isLost ? this.#lossCost : 0), membership });
  }

  /**
   * Adds the continuations of a trail over a relation. Of equal ones, the first ids come first, and so are added last.
   */
  #enter(trails: Trail[], trail: Trail, kind: Kind): void {
    const { entering } = trail.node;
    for (let i = entering.length - 1; i >= 0; i--) {
      const { relation, parent, isLost: isLostHere } = entering[i] as Edge;
      const isLost = trail.isLost || isLostHere;
      const spent = trail.spent + 1 + (isLostHere ? this.#lossCost : 0);
      const bound = spent + leastRest(parent, isLost, kind);
      if (bound === Infinity) continue;
      insert(trails, { node: parent, isLost, spent, bound, top: { relation, below: trail.top } });
    }
  }

  #toWay(membership: Membership, trail: Trail): Way {
    const relations: LineageRelation[] = [];
    for (let step = trail.top; step !== undefined; step = step.below) relations.push(step.relation);
    return {
      membership,
      relations,
      lostAt: relations.filter(([, , , rights]) => this.#isLostIn(rights)),
      isLostAtMember: this.#isLostIn(membership.rights),
      isLostAtRole: relations.length === 0 && this.#isLostIn(this.#selfRights),
    };
  }
}

/** Returns the least cost from a membership down to a role, so that the whole way is of this kind. */
function leastRest({ open, blocked }: Node, isLost: boolean, kind: Kind): number {
  if (kind === "open") return isLost ? Infinity : open;
  return isLost ? Math.min(open, blocked) : blocked;
}

/**
 * Adds a trail to the best ones, in which the best comes last. Each leads to a way of its own, so no more trails are
 * needed than ways. A new one goes before its equals, so that a way is followed to its end.
 */
function insert(trails: Trail[], trail: Trail): void {
  let place = trails.length;
  while (place > 0 && (trails[place - 1] as Trail).bound < trail.bound) place--;
  trails.splice(place, 0, trail);
  if (trails.length > MAX_WAYS) trails.shift();
}
