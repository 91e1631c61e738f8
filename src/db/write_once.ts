import { setTimeout as delay } from "node:timers/promises";
import { AppError } from "../core/errors.ts";
import type { Database } from "./database.ts";
import { typedRows } from "./rows.ts";
import { isOutcomeUnknown, uniqueViolation } from "./sql_errors.ts";
import { bindBatch, type SqlArgs, type Statement } from "./statement.ts";

/** The unique keys of decision rows: a second row of one operation fails. */
const OPERATION_KEYS: ReadonlySet<string> = new Set(["change_log.op_id", "security_event.op_id"]);

/** Maximum number of times that a call is sent again whose response was lost. */
export const MAX_REPEATS = 2;
/** No retry begins later than this after the first call: with its time limit, it would take too long. */
export const REPEAT_WITHIN_MS = 2000;
const MIN_PAUSE_MS = 5;
export const MAX_PAUSE_MS = 100;

export interface OnceBatch {
  /** Its last statement reads the result back by the operation's id, at most one row, and does nothing else. */
  readonly batch: readonly Statement[];
  /** Follow that statement. */
  readonly after?: readonly Statement[];
  readonly args: SqlArgs;
  /**
   * Fails on the unique `op_id` of an operation on record. The decision alone does not prevent a second run: if the
   * session has ended meanwhile, it writes no row, and later statements would act again on that of the first run.
   * Absent for an idempotent batch.
   */
  readonly guard?: Statement;
}

/**
 * Runs a batch as one write that takes effect at most once. Returns the row of its last statement, or undefined. If a
 * server's response is lost, sends the batch again, at most twice and within two seconds; if the outcome stays unknown,
 * throws `UNAVAILABLE`, and the write may have happened. Throws what `Database.write` and `bindBatch` throw.
 */
export async function writeOnce<T extends object>(
  database: Database,
  { batch, args, guard, after = [] }: OnceBatch,
): Promise<T | undefined> {
  // If an earlier run has taken effect, the guard fails, and only the last statement runs: as a write, because a
  // replica may lag behind. A file's writes have no unknown outcome, and need no guard.
  const before = guard === undefined || database.kind === "file" ? [] : [guard];
  const statements = bindBatch([...before, ...batch, ...after], args);
  const readsAt = before.length + batch.length - 1;
  const readBack = statements.slice(readsAt, readsAt + 1);
  const repeatUntil = performance.now() + REPEAT_WITHIN_MS;
  let pending = statements;
  for (let repeats = 0;;) {
    try {
      const results = await database.write(pending);
      const row = typedRows<T>(results[pending === readBack ? 0 : readsAt])[0];
      if (row !== undefined || pending !== readBack) return row;
      // Only what changed nothing can have lost its row by then, to a newer equal one. Decide anew.
      if (repeats === MAX_REPEATS) throw new AppError("UNAVAILABLE");
      pending = statements;
      repeats++;
    } catch (error) {
      if (pending !== readBack && OPERATION_KEYS.has(uniqueViolation(error) ?? "")) {
        pending = readBack;
        continue;
      }
      if (!isOutcomeUnknown(error) || repeats === MAX_REPEATS) throw error;
      const pauseMs = MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS);
      if (performance.now() + pauseMs > repeatUntil) throw error;
      await delay(pauseMs);
      repeats++;
    }
  }
}
