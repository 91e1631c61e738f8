import { AppError } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { readRevised } from "../../db/revisions.ts";
import type { ValuesOf } from "../../db/sql.ts";
import type { BoundStatement } from "../../db/statement.ts";
import type { AS_OF, DURING, MomentRow } from "./moment_queries.ts";

/**
 * A past moment (`asOf`): a revision, which stands for the time of its row in the change log, or a time, which stands
 * for the last revision at or before it.
 */
export type AsOf = { readonly revision: number } | { readonly atMs: number };

/** A period of the past (`during`), with both of its ends, in milliseconds: the arguments of `PERIOD`. */
export type Period = ValuesOf<typeof DURING>;

/** A period as it is asked for: until now, unless its end is given. */
export interface PeriodUntil extends Pick<Period, "fromMs"> {
  readonly toMs: number | undefined;
}

/** Returns the arguments of `MOMENT`. */
export function momentArgs(asOf: AsOf): ValuesOf<typeof AS_OF> {
  return "revision" in asOf
    ? { asOfRevision: asOf.revision, asOfMs: null }
    : { asOfRevision: null, asOfMs: asOf.atMs };
}

/**
 * Runs one read about a moment or a period, whose rows have `REVISION_COLUMN` and `MOMENT_COLUMNS` or `PERIOD_COLUMNS`.
 * Returns undefined if the session has ended. Throws `MALFORMED_REQUEST`, which names the `field` of the body, if it is
 * in the future, and `BEFORE_HISTORY`, with the time at which history begins (`since`), if it begins before that.
 */
export async function readMoment<T extends MomentRow>(
  database: Database,
  statement: BoundStatement<T>,
  field = "asOf",
): Promise<T | undefined> {
  const [row] = await readRevised(database, statement);
  if (row?.momentVerdict === "future") {
    throw new AppError("MALFORMED_REQUEST", {
      details: [{ path: `body.${field}`, message: "Expected a moment in the past" }],
    });
  }
  if (row?.momentVerdict === "before") throw beforeHistory(row.keptFromMs);
  if (typeof row?.roleFromMs === "number") throw beforeHistory(row.roleFromMs);
  return row;
}

function beforeHistory(sinceMs: number | null): AppError {
  const extra = sinceMs === null ? {} : { since: new Date(sinceMs).toISOString() };
  return new AppError("BEFORE_HISTORY", { extra });
}
