import { AppError } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { lastRow } from "../../db/rows.ts";
import { isOutcomeUnknown, isTransactionTimeout } from "../../db/sql_errors.ts";
import { bind, bindBatch, bindNamed, type SqlArgs } from "../../db/statement.ts";
import type { ClosureRow } from "../closure/closure.ts";
import type { Decision } from "../change/decision.ts";
import { type ImportGraph, TOP } from "./import_graph.ts";
import {
  APPLY_IMPORT,
  DROP_CHUNKS,
  FIND_IMPORT,
  MAX_ROLES,
  packRow,
  PREVIEW_IMPORT,
  STAGE_CHUNK,
  type StagedKind,
} from "./import_queries.ts";

/** Rows that one write stages: less than a megabyte of JSON, names of the greatest length aside. */
const CHUNK = 20_000;

/**
 * Rows that the last batch may write on a server. It may roll a write back that takes longer than 5 seconds while others
 * wait: a server on one busy core was seen to write 1,450,000 rows in 8 seconds, so this leaves half of the time.
 */
const MAX_REMOTE_ROWS = 400_000;

/** The closure is computed in memory, where so many rows take a quarter of a gigabyte at most. */
const MAX_FILE_ROWS = 20_000_000;

/** What to do about a file that is too large. */
export const ADVICE = "Split the file: import its upper part first, then each part below with --under.";

/** Rows that the last batch may write. */
export function maxRowsOf(kind: Database["kind"]): number {
  return kind === "file" ? MAX_FILE_ROWS : MAX_REMOTE_ROWS;
}

export interface ImportOptions {
  /** The role that the roles at the top hang under; absent: they become roots. */
  readonly underId?: number | undefined;
  /** Checks all that the import would, and writes nothing. */
  readonly dryRun?: boolean;
  /** Called as rows are staged; the last batch counts for as much as that. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Rows that the last batch may write; by default `maxRowsOf` the database. */
  readonly maxRows?: number;
}

export interface ImportReport {
  readonly roles: number;
  readonly relations: number;
  /** Rows of the closure, those of the ancestors of the role above included. */
  readonly closureRows: number;
  /** Roles of the file get ids from this one on, in the file's order. Absent in a dry run. */
  readonly firstRoleId: number | undefined;
}

/** The role to import under does not exist. */
export class MissingRoleError extends Error {
  override readonly name = "MissingRoleError";
}

/** A database would not, or did not, write so much in one batch. Nothing was imported. */
export class ImportTooLargeError extends Error {
  override readonly name = "ImportTooLargeError";
}

/** Somebody removed what was staged before the last batch. Nothing was imported. */
export class StagingLostError extends Error {
  override readonly name = "StagingLostError";
}

/** The answer to the last batch got lost, and so did that to the question what became of it. */
export class ImportOutcomeUnknownError extends Error {
  override readonly name = "ImportOutcomeUnknownError";

  constructor(opId: string, options: ErrorOptions) {
    super(
      "The server does not answer any more: the file may have been imported, or not. Once it does, ask it: " +
        `SELECT decision, role_id FROM change_log WHERE op_id = '${opId}' AND kind = 'hierarchy.import'. ` +
        '"ok" means that all was imported, with role_id as the first id; no row, that nothing was: then run the task again.',
      options,
    );
  }
}

interface ImportRow {
  readonly decision: Decision;
  readonly cost: number;
  readonly firstRoleId: number;
}

/**
 * Writes a hierarchy with its closure: all of it in one batch, or nothing. An administrator's act, which no session
 * authorizes; the change log keeps it. The service may go on meanwhile, but waits for a file's lock during that batch.
 * Throws a `MissingRoleError`, an `ImportTooLargeError`, a `StagingLostError`, an `ImportOutcomeUnknownError`.
 */
export async function importHierarchy(
  { database, clock }: { database: Database; clock: () => number },
  graph: ImportGraph,
  options: ImportOptions = {},
): Promise<ImportReport> {
  if (graph.under !== (options.underId !== undefined)) {
    throw new TypeError("Cannot import a hierarchy: it was checked for another place");
  }
  const maxCost = options.maxRows ?? maxRowsOf(database.kind);
  const { length: roleCount } = graph.rows;
  const { length: relationCount } = graph.relations;
  // Every role of a file that hangs under a role is below that role.
  const topRowCount = graph.under ? roleCount : 0;
  if (roleCount > MAX_ROLES) {
    throw new ImportTooLargeError(`An import can have at most ${MAX_ROLES} roles. ${ADVICE}`);
  }
  const underId = options.underId ?? null;
  const sizes = { underId, topRowCount, rowCount: roleCount + relationCount + graph.closure.size };
  const cost = await previewCost(database, sizes);
  if (cost > maxCost) throw tooLarge(cost, maxCost);
  const report = {
    roles: roleCount,
    relations: relationCount,
    closureRows: cost - roleCount - relationCount,
    firstRoleId: undefined,
  };
  if (options.dryRun || roleCount === 0) return report;
  const opId = crypto.randomUUID();
  const args = { ...sizes, opId, now: clock(), maxCost, roleCount, relationCount };
  try {
    const chunkCount = await stage(database, graph, args, options.onProgress);
    const { cost, firstRoleId } = await apply(database, { ...args, chunkCount });
    return { ...report, closureRows: cost - roleCount - relationCount, firstRoleId };
  } catch (error) {
    // What goes wrong here, too, is left to the purge: the first failure is the one to tell.
    await database.write([bind(DROP_CHUNKS, { opId })]).catch(() => {});
    throw error;
  }
}

async function previewCost(database: Database, sizes: SqlArgs): Promise<number> {
  const [row] = await database.read<{ found: number; cost: number }>(bindNamed(PREVIEW_IMPORT, sizes));
  if (row?.found !== 1) throw missingRole();
  return row.cost;
}

/** Stages what the last batch moves, and answers in how many chunks. */
async function stage(
  database: Database,
  graph: ImportGraph,
  args: SqlArgs,
  onProgress: ImportOptions["onProgress"],
): Promise<number> {
  const total = 2 * Number(args["rowCount"]);
  let position = 0;
  let done = 0;
  for (const [kind, rows] of Object.entries(stagedRows(graph)) as [StagedKind, Iterable<unknown>][]) {
    for (const chunk of inChunks(rows)) {
      const values = { ...args, kind, position: position++, rows: JSON.stringify(chunk) };
      await database.write([bindNamed(STAGE_CHUNK, values)]);
      onProgress?.(done += chunk.length, total);
    }
  }
  return position;
}

function stagedRows(graph: ImportGraph): Record<StagedKind, Iterable<unknown>> {
  const isRoot = (topRights: number | undefined): number => {
    return topRights !== undefined && !graph.under ? 1 : 0;
  };
  return {
    role: graph.rows.map((
      { name, selfRights, topRights },
      i,
    ) => [i + 1, name, selfRights, isRoot(topRights)]),
    relation: graph.relations.map(({ parentId, childId, rights }, i) => [i + 1, parentId, childId, rights]),
    closure: packRows(graph, ({ ancestorId }) => ancestorId !== TOP),
    top: packRows(graph, ({ ancestorId }) => ancestorId === TOP),
  };
}

function* packRows({ closure }: ImportGraph, belongs: (row: ClosureRow) => boolean): Generator<number> {
  for (const row of closure.rows()) if (belongs(row)) yield packRow(row);
}

function* inChunks<T>(rows: Iterable<T>): Generator<T[]> {
  let chunk: T[] = [];
  for (const row of rows) {
    if (chunk.push(row) < CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

async function apply(database: Database, args: SqlArgs): Promise<ImportRow> {
  const row = await applyOnce(database, args);
  if (row === undefined) {
    throw new StagingLostError("The staged rows were deleted, and nothing was imported. Run the task again.");
  }
  if (row.decision === "ok") return row;
  throw row.decision === "denied" ? missingRole() : tooLarge(row.cost, Number(args["maxCost"]));
}

/**
 * A server that gives no answer may have done it all the same, or be about to. Once the chunks are gone it cannot any
 * more, and its log says whether it has.
 */
async function applyOnce(database: Database, args: SqlArgs): Promise<ImportRow | undefined> {
  try {
    return lastRow<ImportRow>(await database.write(bindBatch(APPLY_IMPORT, args)));
  } catch (error) {
    if (database.kind === "file" || !mayBeTooLarge(error)) throw error;
    const row = await findImport(database, String(args["opId"]));
    if (row !== undefined) return row;
    const message = "The server could not take all rows in one batch. Nothing was imported";
    throw new ImportTooLargeError(`${message}. ${ADVICE}`, { cause: error });
  }
}

/** Either the server says that it took too long, or nothing can be known but what its log tells. */
function mayBeTooLarge(error: unknown): boolean {
  return isOutcomeUnknown(error) || error instanceof AppError && isTransactionTimeout(error.cause);
}

async function findImport(database: Database, opId: string): Promise<ImportRow | undefined> {
  try {
    return lastRow<ImportRow>(await database.write(bindBatch([DROP_CHUNKS, FIND_IMPORT], { opId })));
  } catch (error) {
    throw new ImportOutcomeUnknownError(opId, { cause: error });
  }
}

function tooLarge(cost: number, maxCost: number): ImportTooLargeError {
  return new ImportTooLargeError(
    `The import would write ${cost} rows in one batch, more than the limit of ${maxCost}. ${ADVICE}`,
  );
}

function missingRole(): MissingRoleError {
  return new MissingRoleError("The role to import under does not exist.");
}
