import type { Database } from "../../db/database.ts";
import { computeClosure, type Relation } from "../../graph/closure/closure.ts";
import { type ImportGraph, TOP } from "./role_graph.ts";
import {
  importHierarchy,
  type ImportOptions,
  type ImportReport,
  ImportTooLargeError,
  MAX_ROWS,
} from "./import_roles.ts";

/**
 * Rows of one step on a server: roles, relations and closure rows. It takes less than a second, for which other writes
 * wait. A file is written in one step.
 */
const STEP_ROWS = 100_000;

export interface StepOptions extends Omit<ImportOptions, "dryRun" | "maxRows"> {
  /** Rows of one step. By default those of the kind of database. */
  readonly stepRows?: number;
}

/** What all steps imported, and the ids of the new roles by their position, the first at 0. */
export interface StepsReport extends Omit<ImportReport, "firstRoleId"> {
  readonly ids: readonly number[];
}

/** An import stopped after some of its steps. */
export class PartlyImportedError extends Error {
  override readonly name = "PartlyImportedError";

  constructor(done: number, total: number, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `The import stopped after ${done} of ${total} new roles, which stay. Import the same files again, and it goes ` +
        `on from there. The next step failed: ${reason}`,
      { cause },
    );
  }
}

/**
 * Writes a hierarchy as `importHierarchy` does, in several batches if one would be too large: parents first, so that
 * after each step every role that is there has its managers, and rights over what is there are right. A step that the
 * database does not take is halved. Throws what `importHierarchy` throws if nothing was imported, otherwise a
 * `PartlyImportedError`.
 */
export async function importInSteps(
  deps: { database: Database; clock: () => number },
  graph: ImportGraph,
  { stepRows, onProgress, ...options }: StepOptions,
): Promise<StepsReport> {
  const { length: total } = graph.rows;
  let most = stepRows ?? (deps.database.kind === "file" ? MAX_ROWS : STEP_ROWS);
  if (total + graph.relations.length + graph.closure.size <= most) {
    const whole = { ...options, ...(onProgress && { onProgress }) };
    try {
      const { firstRoleId = 0, ...report } = await importHierarchy(deps, graph, whole);
      return { ...report, ids: graph.rows.map((_, i) => firstRoleId + i) };
    } catch (error) {
      if (!canBeHalved(error, total)) throw error;
      most /= 2;
    }
  }
  const { firstRoleId: _, ...report } = await importHierarchy(deps, graph, {
    ...options,
    dryRun: true,
    maxRows: MAX_ROWS,
  });
  const { order, sizes } = orderParentsFirst(graph);
  const relationsInto = Map.groupBy(graph.relations, ({ childId }) => childId);
  const ids: number[] = [];
  for (let done = 0; done < total;) {
    const positions = takeStep(order, done, sizes, most);
    const step = stepOf(graph, positions, relationsInto, ids);
    try {
      const { firstRoleId = 0 } = await importHierarchy(deps, step, {
        ...options,
        onProgress: (rows, ofStep) => onProgress?.(done + positions.length * rows / ofStep, total),
      });
      for (const [i, position] of positions.entries()) ids[position - 1] = firstRoleId + i;
      done += positions.length;
      onProgress?.(done, total);
    } catch (error) {
      if (!canBeHalved(error, positions.length)) {
        throw done === 0 ? error : new PartlyImportedError(done, total, error);
      }
      most /= 2;
    }
  }
  return { ...report, ids };
}

/** A step is too large for a slow server, or below roles of the database that have many above them. */
function canBeHalved(error: unknown, roles: number): boolean {
  return error instanceof ImportTooLargeError && roles > 1;
}

/**
 * Returns the positions of the roles in an order in which parents come first, and by position the number of rows that a
 * role writes. A role has all roles above its parents above it, and its parents, too: so its parents have fewer.
 */
function orderParentsFirst(
  { rows, relations, closure }: ImportGraph,
): { readonly order: readonly number[]; readonly sizes: Uint32Array } {
  const above = new Uint32Array(rows.length + 1);
  const sizes = new Uint32Array(rows.length + 1).fill(1);
  for (const { childId } of relations) sizes[childId]! += 1;
  for (const { descendantId, ancestorId } of closure.rows()) {
    sizes[descendantId]! += 1;
    if (ancestorId > TOP) above[descendantId]! += 1;
  }
  const order = rows.map((_, i) => i + 1).sort((a, b) => (above[a] ?? 0) - (above[b] ?? 0));
  return { order, sizes };
}

/** Returns as many of the next positions as have up to this many rows, but at least one. */
function takeStep(
  order: readonly number[],
  from: number,
  sizes: Uint32Array,
  most: number,
): readonly number[] {
  let to = from;
  for (let rows = 0; to < order.length; to++) {
    rows += sizes[order[to] ?? 0] ?? 0;
    if (rows > most && to > from) break;
  }
  return order.slice(from, to);
}

/** Returns some of the roles as a hierarchy of its own. Roles of earlier steps are roles of the database by now. */
function stepOf(
  { rows, under }: ImportGraph,
  positions: readonly number[],
  relationsInto: ReadonlyMap<number, readonly Relation[]>,
  ids: readonly number[],
): Pick<ImportGraph, "rows" | "under" | "relations" | "closure"> {
  const places = new Map(positions.map((position, i) => [position, i + 1]));
  const toNode = (node: number): number => node <= TOP ? node : places.get(node) ?? -(ids[node - 1] ?? 0);
  const relations = positions.flatMap((position) =>
    (relationsInto.get(position) ?? []).map(({ parentId, childId, rights }) => {
      return { parentId: toNode(parentId), childId: toNode(childId), rights };
    })
  );
  const ofStep = positions.flatMap((position) => rows[position - 1] ?? []);
  return { rows: ofStep, under, relations, closure: computeClosure(relations) };
}
