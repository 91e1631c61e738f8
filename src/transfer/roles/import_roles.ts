import { canonicalText, spellingsOf } from "../../core/text.ts";
import type { Database } from "../../db/database.ts";
import { lastRow } from "../../db/rows.ts";
import { isOutcomeUnknown, isTransactionTimeout } from "../../db/sql_errors.ts";
import { bind, bindBatch } from "../../db/statement.ts";
import { takingTurns } from "../../db/taking_turns.ts";
import type { RightsMask } from "../../graph/rights.ts";
import { type ImportGraph, TOP } from "./role_graph.ts";
import {
  APPLY_IMPORT,
  DROP_CHUNKS,
  FIND_IMPORT,
  type ImportArgs,
  type ImportRow,
  type ImportSizes,
  MAX_ROLES,
  packRow,
  PREVIEW_IMPORT,
  STAGE_CHUNK,
  type StagedKind,
  type UppersOfImport,
} from "../../role/role_import_queries.ts";

/** Rows per staging write: less than 1 MB of JSON, unless names are very long. */
const CHUNK = 20_000;

/**
 * Maximum rows that the last batch writes on a server. A server may roll back a write that takes longer than 5 seconds
 * while others wait. One on a busy core wrote 1,450,000 rows in 8 seconds, so this limit leaves half of the time.
 */
const MAX_REMOTE_ROWS = 400_000;

/** Maximum rows of an import, and of a batch on a file. The closure is computed in memory: up to 250 MB. */
export const MAX_ROWS = 20_000_000;

/** Advice in the error for a file that is too large. */
export const ADVICE = "Split the file: import its upper part first, then each part below with --under.";

/** Returns the maximum number of rows that one batch writes. */
export function maxRowsOf(kind: Database["kind"]): number {
  return kind === "file" ? MAX_ROWS : MAX_REMOTE_ROWS;
}

export interface ImportOptions {
  /** The role that manages the roles at the top. Without it, they become roots. */
  readonly underId?: number | undefined;
  /** Make all checks of an import, and write nothing. */
  readonly dryRun?: boolean;
  /** Reports progress as rows are staged. Staging counts for half of the total, the last batch for the other half. */
  readonly onProgress?: (done: number, total: number) => void;
  /** Maximum rows that the last batch writes. By default `maxRowsOf` the database. */
  readonly maxRows?: number;
  /** The run that the change log names. By default one of its own. */
  readonly runId?: string;
  /** Under which the new roles are noted by their keys, for another import of the same file. */
  readonly recordId?: string | undefined;
}

/** The part of a graph that is imported in one batch. */
type Hierarchy = Pick<ImportGraph, "rows" | "under" | "relations" | "closure">;

export interface ImportReport {
  readonly roles: number;
  readonly relations: number;
  /** Number of closure rows, including those of the ancestors of the role above. */
  readonly closureRows: number;
  /** Id of the first role. The others follow in the file's order. Undefined in a preview. */
  readonly firstRoleId: number | undefined;
}

/** The role to import under does not exist, or one that the file refers to. */
export class MissingRoleError extends Error {
  override readonly name = "MissingRoleError";
}

/** The import is too large for one batch. Nothing was imported. */
export class ImportTooLargeError extends Error {
  override readonly name = "ImportTooLargeError";
}

/** Staged rows were removed before the last batch. Nothing was imported. */
export class StagingLostError extends Error {
  override readonly name = "StagingLostError";
}

/** Another change, such as another import, gave external ids of the file to roles meanwhile. Nothing was imported. */
export class ExternalIdTakenError extends Error {
  override readonly name = "ExternalIdTakenError";
}

/** The response to the last batch was lost, and the outcome could not be determined. */
export class ImportOutcomeUnknownError extends Error {
  override readonly name = "ImportOutcomeUnknownError";

  constructor(opId: string, options: ErrorOptions) {
    super(
      "The server does not respond, so the file may have been imported or not. Once it responds again, run " +
        `SELECT decision, role_id FROM change_log WHERE op_id = '${opId}' AND kind = 'hierarchy.import'. ` +
        '"ok" means that everything was imported, with role_id as the first id. No row means that nothing was ' +
        "imported: run the task again.",
      options,
    );
  }
}

/**
 * Writes a hierarchy with its closure in one batch, and records it in the change log. For the administrator: no session
 * authorizes it. The service may run meanwhile; on a file, it waits for the batch's lock. Throws a `MissingRoleError`,
 * `ImportTooLargeError`, `StagingLostError`, `ExternalIdTakenError` or `ImportOutcomeUnknownError`.
 */
export async function importHierarchy(
  { database, clock }: { database: Database; clock: () => number },
  graph: Hierarchy,
  options: ImportOptions = {},
): Promise<ImportReport> {
  if (graph.under !== (options.underId !== undefined)) {
    throw new TypeError("Cannot import a hierarchy that was checked for another place");
  }
  const maxCost = options.maxRows ?? maxRowsOf(database.kind);
  const { length: roleCount } = graph.rows;
  const { length: relationCount } = graph.relations;
  if (roleCount > MAX_ROLES) {
    throw new ImportTooLargeError(`An import can have at most ${MAX_ROLES} roles. ${ADVICE}`);
  }
  const underId = options.underId ?? null;
  const upperRows = listUpperRows(graph, underId ?? TOP);
  const rowCount = roleCount + relationCount + graph.closure.size;
  const sizes = { rowCount, uppers: JSON.stringify(countUppers(upperRows, underId)) };
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
  const { runId = opId, recordId = null } = options;
  const keys = recordId === null ? null : JSON.stringify(graph.rows.map(({ key }) => key));
  const record = { recordId, keys };
  const args = { ...sizes, ...record, underId, runId, opId, now: clock(), maxCost, roleCount, relationCount };
  try {
    const chunkCount = await stage(database, stagedRows(graph, underId, upperRows), args, options.onProgress);
    const { cost, firstRoleId } = await apply(database, { ...args, chunkCount });
    return { ...report, closureRows: cost - roleCount - relationCount, firstRoleId };
  } catch (error) {
    // The first failure is reported. If this write fails, too, the purge removes the chunks.
    await database.write([bind(DROP_CHUNKS, { opId })]).catch(() => {});
    throw error;
  }
}

async function previewCost(database: Database, sizes: ImportSizes): Promise<number> {
  const [row] = await database.read(bind(PREVIEW_IMPORT, sizes));
  if (row?.found !== 1) throw missingRole();
  return row.cost;
}

/** Stages the rows that the last batch moves. Returns the number of chunks. */
async function stage(
  database: Database,
  staged: Record<StagedKind, Iterable<unknown>>,
  { opId, now, rowCount }: Pick<ImportArgs, "opId" | "now" | "rowCount">,
  onProgress: ImportOptions["onProgress"],
): Promise<number> {
  const total = 2 * rowCount;
  let position = 0;
  let done = 0;
  const write = takingTurns(database);
  for (const [kind, rows] of Object.entries(staged) as [StagedKind, Iterable<unknown>][]) {
    for (const chunk of inChunks(rows)) {
      const values = { opId, now, kind, position: position++, rows: JSON.stringify(chunk) };
      await write([bind(STAGE_CHUNK, values)]);
      onProgress?.(done += chunk.length, total);
    }
  }
  return position;
}

/** A row of the closure from a role of the database to a new one: [position, id, rights]. */
type UpperRow = readonly [position: number, upperId: number, rights: RightsMask];

function listUpperRows({ closure }: Hierarchy, underId: number): UpperRow[] {
  const rows: UpperRow[] = [];
  for (const { descendantId, ancestorId, rights } of closure.rows()) {
    if (ancestorId <= TOP) rows.push([descendantId, idOf(ancestorId, underId), rights]);
  }
  return rows;
}

/** Returns the id of a role of the database from the number that relations name it by. */
function idOf(node: number, underId: number): number {
  return node === TOP ? underId : -node;
}

/** The role that the file is imported under must exist even if no role is below it. */
function countUppers(upperRows: readonly UpperRow[], underId: number | null): UppersOfImport {
  const counts = new Map<number, number>(underId === null ? [] : [[underId, 0]]);
  for (const [, upperId] of upperRows) counts.set(upperId, (counts.get(upperId) ?? 0) + 1);
  return [...counts];
}

function stagedRows(
  graph: Hierarchy,
  underId: number | null,
  upperRows: readonly UpperRow[],
): Record<StagedKind, Iterable<unknown>> {
  const isRoot = (topRights: number | undefined): number => {
    return topRights !== undefined && !graph.under ? 1 : 0;
  };
  const demanding = new Map<number, number>();
  for (const [position, upperId] of upperRows) {
    if (upperId === underId || !demanding.has(position)) demanding.set(position, upperId);
  }
  return {
    role: graph.rows.map(({ name, selfRights, topRights, externalId = null }, i) => {
      const stored = externalId === null ? null : canonicalText(externalId);
      const spellings = externalId === null ? [] : spellingsOf(externalId);
      return [i + 1, name, selfRights, isRoot(topRights), stored, demanding.get(i + 1) ?? null, spellings];
    }),
    relation: graph.relations.map(({ parentId, childId, rights }, i) => {
      return [i + 1, parentId === TOP ? -(underId ?? TOP) : parentId, childId, rights];
    }),
    closure: packRows(graph),
    top: upperRows,
  };
}

function* packRows({ closure }: Hierarchy): Generator<number> {
  for (const row of closure.rows()) if (row.ancestorId > TOP) yield packRow(row);
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

async function apply(database: Database, args: ImportArgs): Promise<ImportRow> {
  const row = await applyOnce(database, args);
  if (row === undefined) {
    throw new StagingLostError("The staged rows were deleted, and nothing was imported. Run the task again.");
  }
  if (row.decision === "ok") return row;
  if (row.decision === "external_id_taken") {
    throw new ExternalIdTakenError(
      "Roles got external ids of the file meanwhile, perhaps by another import. Nothing was imported: run the task again.",
    );
  }
  throw row.decision === "denied" ? missingRole() : tooLarge(row.cost, args.maxCost);
}

/**
 * Applies the import. A server that does not respond may have applied it, or may still do so. Once the chunks are
 * deleted it no longer can, and the change log tells whether it has.
 */
async function applyOnce(database: Database, args: ImportArgs): Promise<ImportRow | undefined> {
  try {
    return lastRow<ImportRow>(await database.write(bindBatch(APPLY_IMPORT, args)));
  } catch (error) {
    if (database.kind === "file" || !mayBeTooLarge(error)) throw error;
    const row = await findImport(database, args.opId);
    if (row !== undefined) return row;
    const message = "The server could not take all rows in one batch. Nothing was imported";
    throw new ImportTooLargeError(`${message}. ${ADVICE}`, { cause: error });
  }
}

/** Whether the server reports a transaction timeout, or the outcome is unknown. */
function mayBeTooLarge(error: unknown): boolean {
  return isOutcomeUnknown(error) || isTransactionTimeout(error);
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
  return new MissingRoleError("The role to import under does not exist, or another that was to be a parent.");
}
