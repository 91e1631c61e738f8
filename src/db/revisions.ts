import { AppError } from "../core/errors.ts";
import { consistencyScope } from "./consistency.ts";
import type { Database } from "./database.ts";
import type { BoundStatement } from "./statement.ts";

/**
 * The revision of the roles, relations, members and devices: the number of the latest row of the change log. A column of
 * the statement that reads them, since a statement of its own would have to be prepared, and need a transaction.
 */

/** SQL: the latest revision as the column `revision`. Taken from the sequence, which deleting rows does not turn back. */
export const REVISION = "(SELECT seq FROM sqlite_sequence WHERE name = 'change_log') AS revision";

/**
 * Runs one read whose rows have the column `REVISION`, and notes the revision for the response. A copy that does not
 * know the session, or has not reached the revision that the request demands, or the one that its client has `passed`, is
 * passed over for a fresh read. Throws `REVISION_NOT_REACHED` if that is below the demanded revision, too.
 */
export async function readRevised<T extends object>(
  database: Database,
  statement: BoundStatement,
  passed = 0,
): Promise<T[]> {
  const rows = await database.read<T & { readonly revision: number | null }>(statement);
  const scope = consistencyScope.getStore();
  if (scope === undefined) return rows;
  const [first] = rows;
  const revision = first?.revision ?? 0;
  const { atLeast = 0, ageMs } = scope;
  const isBehind = revision < atLeast || (ageMs !== undefined && revision < passed);
  if (first !== undefined && !isBehind) {
    scope.revision = Math.min(revision, scope.revision ?? revision);
    return rows;
  }
  if (ageMs !== undefined) {
    scope.maxAgeMs = 0;
    scope.ageMs = undefined;
    return await readRevised(database, statement);
  }
  if (first !== undefined) throw new AppError("REVISION_NOT_REACHED", { retryAfterSeconds: 1 });
  return rows;
}

/** Notes the revision that a change created, for the response. */
export function noteRevision(revision: number): void {
  const scope = consistencyScope.getStore();
  if (scope !== undefined) scope.revision = revision;
}
