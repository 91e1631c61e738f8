import { AppError } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { readRevised } from "../../db/revisions.ts";
import type { BoundStatement, SqlArgs } from "../../db/statement.ts";

/**
 * The moment in the past that a request asks about (`asOf`): a revision, which stands for the time of its row in the
 * change log, or a time, which stands for the last revision at or before it.
 */
export type AsOf = { readonly revision: number } | { readonly atMs: number };

/** The values of the parameters of `MOMENT`. */
export function momentArgs(asOf: AsOf): SqlArgs {
  return "revision" in asOf
    ? { asOfRevision: asOf.revision, asOfMs: null }
    : { asOfRevision: null, asOfMs: asOf.atMs };
}

/** The columns `MOMENT_COLUMNS`. */
export interface MomentRow {
  /** Milliseconds since 1970. Ends of memberships are judged at this time. */
  readonly momentMs: number;
  readonly momentRevision: number;
  readonly momentVerdict: "kept" | "before" | "future";
}

/**
 * Runs one read about a moment, whose rows have the columns `REVISION` and `MOMENT_COLUMNS`. Throws
 * `MALFORMED_REQUEST` for a moment in the future, and `BEFORE_HISTORY` for one of which nothing is kept. No row means
 * that the session has ended.
 */
export async function readMoment<T extends MomentRow>(
  database: Database,
  statement: BoundStatement,
): Promise<T | undefined> {
  const [row] = await readRevised<T>(database, statement);
  if (row?.momentVerdict === "future") {
    throw new AppError("MALFORMED_REQUEST", {
      details: [{ path: "body.asOf", message: "Expected a moment in the past" }],
    });
  }
  if (row?.momentVerdict === "before") throw new AppError("BEFORE_HISTORY");
  return row;
}
