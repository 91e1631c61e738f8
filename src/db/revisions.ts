import { AppError, LoggableError } from "../core/errors.ts";
import { currentRequest, hasClientLeft } from "../core/request_scope.ts";
import type { Database } from "./database.ts";
import { type SQL, sql } from "./sql.ts";
import type { BoundStatement } from "./statement.ts";

/**
 * The revision of roles, relations, members and devices: the number of the latest row of the change log. Reads have it
 * as a column, since a statement of its own would have to be prepared, and need a transaction.
 */

/** The latest revision, from the sequence, which does not turn back when rows are deleted. Null before the first. */
export const REVISION: SQL = sql`(SELECT seq FROM sqlite_sequence WHERE name = 'change_log')`;

/** The same as the column `revision`. */
export const REVISION_COLUMN: SQL = sql`${REVISION} AS revision`;

/**
 * Runs one read whose rows have the column `REVISION_COLUMN`, and notes the revision for the response. From a request's
 * second read on, throws the error of `requireClient`.
 */
export async function readRevised<T extends object>(
  database: Database,
  statement: BoundStatement<T>,
): Promise<T[]> {
  const scope = currentRequest();
  // Not before the first read: the check costs more than many reads.
  if (scope?.revision !== undefined) requireClient();
  const rows = await database.read<T & { readonly revision: number | null }>(statement);
  const [first] = rows;
  if (scope === undefined || first === undefined) return rows;
  const revision = first.revision ?? 0;
  scope.revision = Math.min(revision, scope.revision ?? revision);
  return rows;
}

/** Throws `UNAVAILABLE` if the client of the request has left. */
export function requireClient(): void {
  if (hasClientLeft()) throw new AppError("UNAVAILABLE", { cause: new LoggableError("The client has left") });
}

/** Notes the revision that a change created, for the response. */
export function noteRevision(revision: number): void {
  const scope = currentRequest();
  if (scope !== undefined) scope.revision = revision;
}
