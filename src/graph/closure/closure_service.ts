import type { Database } from "../../db/database.ts";
import { bind } from "../../db/statement.ts";
import { GraphMovedError } from "./graph_moved.ts";
import { computeClosure, type ComputedClosure, CycleError, type Relation } from "./closure.ts";
import { type ClosureDifference, differencesOf, readInPages } from "./closure_comparison.ts";
import {
  COUNT_GRAPH,
  CURRENT_REVISION,
  LOOSE_ROWS,
  RELATIONS_AFTER,
  REPAIR_DELETE,
  REPAIR_UPSERT,
  UNMANAGED_ROLES_AFTER,
  WRONG_DEMANDS,
  WRONG_HISTORY,
  WRONG_USAGE,
  type WrongRow,
  type WrongUsageRow,
} from "./verification_queries.ts";

const MAX_ATTEMPTS = 5;
/** Rows per write, far from a server's time limit. */
const REPAIR_BATCH = 2000;
const MAX_LOOSE_ROWS = 100;

export interface ClosureReport {
  readonly relations: number;
  /** Number of rows that the closure should have. */
  readonly rows: number;
  /** The first differences, by descendant and ancestor. */
  readonly differences: readonly ClosureDifference[];
  readonly differenceCount: number;
  /** Non-root roles that no relation with roleManagement enters. */
  readonly unmanagedRoleIds: readonly number[];
  /** The first rows that refer to a missing row, with their kinds. */
  readonly looseRows: readonly WrongRow[];
  /** The first rows that differ from their history, with their kinds. */
  readonly wrongHistory: readonly WrongRow[];
  /** The first memberships whose copy of their role's demand differs from it. */
  readonly wrongDemandIds: readonly number[];
  /** The first wrong counts of what is stored below a root, for the root or for one branch. */
  readonly wrongUsage: readonly WrongUsageRow[];
  /** The roles of a cycle, if there is one. Rows are then not compared. */
  readonly cycle: readonly number[] | undefined;
}

export interface RepairReport {
  readonly relations: number;
  readonly rows: number;
  readonly repaired: number;
}

export interface ClosureTaskOptions {
  /** Reports progress as rows are read. `total` is the number of rows at the start. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Maximum number of differences to report. The rest are only counted. */
  readonly maxDifferences?: number;
}

/**
 * Compares the stored closure with the one that the relations give. Also finds cycles, unmanaged roles, rows that refer
 * to a missing row, and rows whose history, copies of demands or usage counts are wrong. Reads in pages while the service runs, and starts
 * over if the graph changes. Throws a `GraphMovedError` after five attempts.
 */
export function verifyClosure(
  database: Database,
  { maxDifferences = Infinity, onProgress }: ClosureTaskOptions = {},
): Promise<ClosureReport> {
  return whileGraphStands(database, async () => {
    const advance = await startProgress(database, onProgress);
    const relations = await readRelations(database, advance);
    const unmanagedRoleIds = await readUnmanagedRoles(database);
    const looseRows = await database.read(bind(LOOSE_ROWS, { limit: MAX_LOOSE_ROWS }));
    const wrongHistory = await database.read(bind(WRONG_HISTORY, { limit: MAX_LOOSE_ROWS }));
    const wrongDemands = await database.read(bind(WRONG_DEMANDS, { limit: MAX_LOOSE_ROWS }));
    const wrongDemandIds = wrongDemands.map(({ id }) => id);
    const wrongUsage = await database.read(bind(WRONG_USAGE, { limit: MAX_LOOSE_ROWS }));
    const wrongRows = { looseRows, wrongHistory, wrongDemandIds, wrongUsage };
    const found = { relations: relations.length, unmanagedRoleIds, ...wrongRows };
    const closure = computeUnlessCyclic(relations);
    if (closure instanceof CycleError) {
      return { ...found, rows: 0, differences: [], differenceCount: 0, cycle: closure.roleIds };
    }
    const differences: ClosureDifference[] = [];
    let differenceCount = 0;
    for await (const difference of differencesOf(database, closure, advance)) {
      if (differenceCount++ < maxDifferences) differences.push(difference);
    }
    return { ...found, rows: closure.size, differences, differenceCount, cycle: undefined };
  });
}

/**
 * Repairs the stored closure from the relations by writing only the differences. A write does nothing if the graph has
 * changed since it was read. Throws a `CycleError`, or a `GraphMovedError` after five attempts.
 */
export function rebuildClosure(
  database: Database,
  { onProgress }: ClosureTaskOptions = {},
): Promise<RepairReport> {
  let repaired = 0;
  return whileGraphStands(database, async (revision) => {
    const advance = await startProgress(database, onProgress);
    const relations = await readRelations(database, advance);
    const closure = computeClosure(relations);
    let batch: ClosureDifference[] = [];
    const flush = async (): Promise<void> => {
      await repair(database, batch, revision);
      repaired += batch.length;
      batch = [];
    };
    for await (const difference of differencesOf(database, closure, advance)) {
      if (batch.push(difference) === REPAIR_BATCH) await flush();
    }
    if (batch.length > 0) await flush();
    return { relations: relations.length, rows: closure.size, repaired };
  });
}

/** Repeats `attempt` until the graph's revision is the same before and after. */
async function whileGraphStands<T>(
  database: Database,
  attempt: (revision: number) => Promise<T>,
): Promise<T> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
    const revision = await readRevision(database);
    try {
      const result = await attempt(revision);
      if (await readRevision(database) === revision) return result;
    } catch (error) {
      // Pages read while the graph changes may show a cycle that never existed, and repairs from them are refused.
      if (await readRevision(database) === revision) throw error;
    }
  }
  throw new GraphMovedError(
    `The graph changed during each of ${MAX_ATTEMPTS} attempts to read it. Try again when the service is less busy.`,
  );
}

async function readRevision(database: Database): Promise<number> {
  const [row] = await database.read(bind(CURRENT_REVISION, {}));
  return row?.revision ?? 0;
}

async function startProgress(
  database: Database,
  onProgress: ClosureTaskOptions["onProgress"],
): Promise<(rows: number) => void> {
  if (onProgress === undefined) return () => {};
  const [{ total } = { total: 0 }] = await database.read(bind(COUNT_GRAPH, {}));
  let done = 0;
  return (read) => onProgress(done += read, total);
}

async function readRelations(database: Database, onRead: (rows: number) => void): Promise<Relation[]> {
  const relations: Relation[] = [];
  const pages = readInPages(database, RELATIONS_AFTER, (last) => ({ afterId: last?.id ?? -1 }));
  for await (const page of pages) {
    for (const { parentId, childId, rights } of page) relations.push({ parentId, childId, rights });
    onRead(page.length);
  }
  return relations;
}

async function readUnmanagedRoles(database: Database): Promise<number[]> {
  const ids: number[] = [];
  const pages = readInPages(database, UNMANAGED_ROLES_AFTER, (last) => ({ afterId: last?.id ?? -1 }));
  for await (const page of pages) ids.push(...page.map(({ id }) => id));
  return ids;
}

function computeUnlessCyclic(relations: readonly Relation[]): ComputedClosure | CycleError {
  try {
    return computeClosure(relations);
  } catch (error) {
    if (error instanceof CycleError) return error;
    throw error;
  }
}

/** Throws a `GraphMovedError` if the graph is not at `revision` any more. The statements then do nothing. */
async function repair(
  database: Database,
  differences: readonly ClosureDifference[],
  revision: number,
): Promise<void> {
  const rows = differences.map(({ descendantId, ancestorId, expected }) => [
    descendantId,
    ancestorId,
    expected ?? null,
  ]);
  const args = { rows: JSON.stringify(rows), revision };
  const results = await database.write([
    bind(REPAIR_DELETE, args),
    bind(REPAIR_UPSERT, args),
    bind(CURRENT_REVISION, {}),
  ]);
  if (results.at(-1)?.[0]?.["revision"] !== revision) throw new GraphMovedError("The graph was changed");
}
