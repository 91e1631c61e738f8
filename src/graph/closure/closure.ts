import type { RightsMask } from "../rights.ts";

export interface Relation {
  readonly parentId: number;
  readonly childId: number;
  readonly rights: RightsMask;
}

/** One row of the closure: the rights that all paths from the ancestor to the descendant carry together. */
export interface ClosureRow {
  readonly descendantId: number;
  readonly ancestorId: number;
  readonly rights: RightsMask;
}

export interface ComputedClosure {
  /** Number of rows. */
  readonly size: number;
  /** Yields all rows in the order of the table's key: by descendant, then ancestor. */
  rows(): Generator<ClosureRow>;
}

/** The relations form a cycle, so no closure can be computed. */
export class CycleError extends Error {
  override readonly name = "CycleError";

  /** Takes `roleIds` in the order of the relations. The last role manages the first. */
  constructor(readonly roleIds: readonly number[]) {
    super(`The relations form a cycle of ${roleIds.length} roles`);
  }
}

/** The closure has more rows than the caller allows. */
export class ClosureTooLargeError extends Error {
  override readonly name = "ClosureTooLargeError";

  constructor(readonly maxRows: number) {
    super(`The closure has more than ${maxRows} rows`);
  }
}

/**
 * Computes the closure from the relations alone, as the reference for the stored table. Throws a `CycleError`, or a
 * `ClosureTooLargeError` as soon as there are more than `maxRows` rows: a chain of n roles has about n² / 2. Rows are
 * held in flat arrays (5 bytes each), so millions of them fit into memory.
 */
export function computeClosure(
  relations: readonly Relation[],
  { maxRows = Infinity }: { maxRows?: number } = {},
): ComputedClosure {
  const graph = indexGraph(relations);
  const roleCount = graph.ids.length;
  const rows = new RowStore(roleCount);
  const rights = new Uint8Array(roleCount);
  const isReached = new Uint8Array(roleCount);
  const reached = new Uint32Array(roleCount);
  for (const role of sortParentsFirst(graph)) {
    let count = 0;
    const reach = (ancestor: number, mask: RightsMask): void => {
      if (isReached[ancestor] === 0) {
        isReached[ancestor] = 1;
        reached[count++] = ancestor;
      }
      rights[ancestor] = at(rights, ancestor) | mask;
    };
    for (let entry = at(graph.starts, role); entry < at(graph.starts, role + 1); entry++) {
      const parent = at(graph.parents, entry);
      const mask = at(graph.rights, entry);
      reach(parent, mask);
      rows.forEach(parent, (ancestor, above) => reach(ancestor, above & mask));
    }
    if (rows.size + count > maxRows) throw new ClosureTooLargeError(maxRows);
    const ancestors = reached.subarray(0, count).sort();
    rows.append(role, ancestors, rights);
    for (const ancestor of ancestors) isReached[ancestor] = rights[ancestor] = 0;
  }
  return { size: rows.size, rows: () => listRows(graph, rows) };
}

function* listRows(graph: Graph, rows: RowStore): Generator<ClosureRow> {
  for (const [role, descendantId] of graph.ids.entries()) {
    for (const [ancestor, rights] of rows.of(role)) {
      yield { descendantId, ancestorId: at(graph.ids, ancestor), rights };
    }
  }
}

/** Roles by position, ascending by id. Entries `starts[i]` to `starts[i + 1]` are the relations that enter role `i`. */
interface Graph {
  readonly ids: Float64Array;
  readonly starts: Uint32Array;
  readonly parents: Uint32Array;
  readonly rights: Uint8Array;
}

function indexGraph(relations: readonly Relation[]): Graph {
  const unique = new Set<number>();
  for (const { parentId, childId } of relations) unique.add(parentId).add(childId);
  const ids = Float64Array.from(unique).sort();
  const positions = new Map<number, number>();
  for (const [position, id] of ids.entries()) positions.set(id, position);
  const position = (id: number): number => positions.get(id) as number;

  const starts = new Uint32Array(ids.length + 1);
  for (const { childId } of relations) starts[position(childId) + 1]! += 1;
  for (let i = 1; i < starts.length; i++) starts[i]! += at(starts, i - 1);
  const parents = new Uint32Array(relations.length);
  const rights = new Uint8Array(relations.length);
  const next = starts.slice();
  for (const relation of relations) {
    const entry = next[position(relation.childId)]!++;
    parents[entry] = position(relation.parentId);
    rights[entry] = relation.rights;
  }
  return { ids, starts, parents, rights };
}

const NEW = 0;
const OPEN = 1;
const DONE = 2;

/** Orders every role after all of its parents: a depth-first walk upwards, iterative because chains may be long. */
function sortParentsFirst(graph: Graph): Uint32Array {
  const state = new Uint8Array(graph.ids.length);
  const next = graph.starts.slice();
  const order = new Uint32Array(graph.ids.length);
  let count = 0;
  const path: number[] = [];
  for (let start = 0; start < state.length; start++) {
    if (state[start] === NEW) path.push(start);
    for (let role = path.at(-1); role !== undefined; role = path.at(-1)) {
      state[role] = OPEN;
      if (at(next, role) === at(graph.starts, role + 1)) {
        state[role] = DONE;
        order[count++] = role;
        path.pop();
        continue;
      }
      const parent = at(graph.parents, next[role]!++);
      if (state[parent] === OPEN) throw cycleThrough(graph, path.slice(path.indexOf(parent)));
      if (state[parent] === NEW) path.push(parent);
    }
  }
  return order;
}

/** Returns the error for a cycle. In `upwards`, a parent follows each role. The first role is a parent of the last. */
function cycleThrough(graph: Graph, upwards: readonly number[]): CycleError {
  return new CycleError(upwards.toReversed().map((role) => at(graph.ids, role)));
}

/** Rows grouped by role, in arrays that double in size when they are full. */
class RowStore {
  #ancestors = new Uint32Array(1024);
  #rights = new Uint8Array(1024);
  #size = 0;
  readonly #starts: Uint32Array;
  readonly #ends: Uint32Array;

  constructor(roleCount: number) {
    this.#starts = new Uint32Array(roleCount);
    this.#ends = new Uint32Array(roleCount);
  }

  get size(): number {
    return this.#size;
  }

  /** Stores the rows of a role. `rights` is indexed by the position of the ancestor. */
  append(role: number, ancestors: Uint32Array, rights: Uint8Array): void {
    this.#makeRoom(ancestors.length);
    this.#starts[role] = this.#size;
    this.#ancestors.set(ancestors, this.#size);
    for (const ancestor of ancestors) this.#rights[this.#size++] = at(rights, ancestor);
    this.#ends[role] = this.#size;
  }

  forEach(role: number, visit: (ancestor: number, rights: RightsMask) => void): void {
    const end = at(this.#ends, role);
    for (let row = at(this.#starts, role); row < end; row++) {
      visit(at(this.#ancestors, row), at(this.#rights, row));
    }
  }

  *of(role: number): Generator<[ancestor: number, rights: RightsMask]> {
    const end = at(this.#ends, role);
    for (let row = at(this.#starts, role); row < end; row++) {
      yield [at(this.#ancestors, row), at(this.#rights, row)];
    }
  }

  #makeRoom(count: number): void {
    const needed = this.#size + count;
    if (needed <= this.#ancestors.length) return;
    const length = Math.max(needed, 2 * this.#ancestors.length);
    const ancestors = new Uint32Array(length);
    const rights = new Uint8Array(length);
    ancestors.set(this.#ancestors);
    rights.set(this.#rights);
    this.#ancestors = ancestors;
    this.#rights = rights;
  }
}

/** Reads an element. The index must be within bounds. */
function at(list: Float64Array | Uint32Array | Uint8Array, index: number): number {
  return list[index] as number;
}
