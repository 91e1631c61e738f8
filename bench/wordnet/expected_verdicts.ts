import { ROLE_MANAGEMENT } from "../../tests/model/oracle_rights.ts";
import type { ExpectedGraph, ExpectedRelation } from "./expected_graph.ts";

/** The allowed responses to a change. There are several statuses if the rules do not determine one. */
export interface Verdict {
  readonly statuses: readonly number[];
  /** The roles that a deletion also deletes. */
  readonly gone: readonly number[];
}

export interface VerdictOptions {
  readonly rootId: number;
  /** The service's `CLOSURE_MAX_CHANGE`. */
  readonly maxCost: number;
}

const DONE = 200;
const CONFLICT = 409;
const TOO_LARGE = 422;
/** This many joined rows of a recomputation cost as much as one written row. */
const JOINED_ROWS_PER_COST = 4;
/** The cost of a role that a deletion takes along, besides its closure rows, without members and devices. */
const COST_PER_ROLE = 8;

/** The allowed responses to an authorized PUT. */
export function judgePut(graph: ExpectedGraph, relation: ExpectedRelation, options: VerdictOptions): Verdict {
  const { parentId, childId, rights } = relation;
  const below = graph.below(childId);
  if (parentId === childId || below.has(parentId)) return verdict(CONFLICT);
  const old = graph.parentsOf(childId).get(parentId) ?? 0;
  const parents = new Map(graph.parentsOf(childId)).set(parentId, rights);
  if (!isManaged(parents)) return verdict(CONFLICT);
  const pairs = (1 + graph.above(parentId).size) * (1 + below.size);
  if (pairs > options.maxCost) return verdict(TOO_LARGE);
  if ((old & ~rights) === 0) return verdict(DONE);
  const { least, most } = boundCost(graph, relation);
  if (least > options.maxCost) return verdict(TOO_LARGE);
  return most > options.maxCost ? verdict(DONE, TOO_LARGE) : verdict(DONE);
}

/** The allowed responses to an authorized deletion. */
export function judgeDelete(
  graph: ExpectedGraph,
  relation: ExpectedRelation,
  { rootId, maxCost }: VerdictOptions,
): Verdict {
  const { parentId, childId } = relation;
  const { least, most } = boundCost(graph, relation);
  if (least > maxCost) return verdict(TOO_LARGE);
  const gone = findGone(graph, relation, rootId);
  let withRoles = COST_PER_ROLE * gone.size;
  for (const roleId of gone) withRoles += graph.below(roleId).size;
  if (least + withRoles > maxCost) return verdict(TOO_LARGE);
  const refusals = most + withRoles > maxCost ? [TOO_LARGE] : [];
  const survivors = new Set([childId, ...graph.below(childId)]).difference(gone);
  for (const roleId of survivors) {
    const kept = Array.from(graph.parentsOf(roleId))
      .filter(([id]) => !gone.has(id) && !(roleId === childId && id === parentId));
    if (!isManaged(new Map(kept))) return { statuses: [...refusals, CONFLICT], gone: [] };
  }
  return { statuses: [DONE, ...refusals], gone: [...gone] };
}

function verdict(...statuses: number[]): Verdict {
  return { statuses, gone: [] };
}

function isManaged(parents: ReadonlyMap<number, number>): boolean {
  return parents.values().some((rights) => (rights & ROLE_MANAGEMENT) !== 0);
}

/** The cost of recomputing: the pairs, the relations that enter them, and a share of the joined rows. */
function boundCost(
  graph: ExpectedGraph,
  { parentId, childId }: ExpectedRelation,
): { least: number; most: number } {
  const ancestors = 1 + graph.above(parentId).size;
  const reached = new Set([childId, ...graph.below(childId)]);
  let entering = 0;
  let joined = 0;
  for (const roleId of reached) {
    entering += graph.parentsOf(roleId).size;
    joined += graph.above(roleId).size;
  }
  const least = ancestors * (reached.size + entering);
  // The joined rows depend on the entry points, but are at most those that end in the reached roles.
  return { least, most: least + ancestors * Math.ceil(joined / JOINED_ROWS_PER_COST) };
}

/** The roles that are no longer connected to the root after a deletion. */
function findGone(
  graph: ExpectedGraph,
  { parentId, childId }: ExpectedRelation,
  rootId: number,
): Set<number> {
  const gone = new Set<number>();
  const waiting = [childId];
  for (let roleId = waiting.pop(); roleId !== undefined; roleId = waiting.pop()) {
    const parents = [...graph.parentsOf(roleId).keys()];
    const stays = parents.some((id) => !gone.has(id) && !(roleId === childId && id === parentId));
    if (stays || roleId === rootId) continue;
    gone.add(roleId);
    waiting.push(...graph.childrenOf(roleId).keys());
  }
  return gone;
}
