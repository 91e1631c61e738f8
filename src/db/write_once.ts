import { setTimeout as delay } from "node:timers/promises";
import type { Database } from "./database.ts";
import { lastRow } from "./rows.ts";
import { isOutcomeUnknown, uniqueViolation } from "./sql_errors.ts";
import { bindBatch, type SqlArgs, type Statement } from "./statement.ts";

/** The unique keys of decision rows: a second row of one operation fails. */
const OPERATION_KEYS: ReadonlySet<string> = new Set(["change_log.op_id", "security_event.op_id"]);

const MAX_REPEATS = 2;
/** No retry begins later than this after the first call: with its own time limit it would take too long. */
const REPEAT_WITHIN_MS = 2000;
const MIN_PAUSE_MS = 5;
const MAX_PAUSE_MS = 100;

export interface OnceBatch {
  /** Its last statement reads the result back by `:opId`, at most one row, and does nothing else. */
  readonly batch: readonly Statement[];
  readonly args: SqlArgs;
  /**
   * Fails on the unique `op_id` if this operation is on record. The decision alone does not prevent a second run: if,
   * say, the session has ended meanwhile, it writes no row, and the later statements would act again on the row of
   * the first run. Absent for a batch that is idempotent by itself.
   */
  readonly guard?: Statement;
}

/**
 * Runs a batch as one write that takes effect at most once, and returns the row of its last statement, if there is
 * one. Throws what `Database.write` and `bindBatch` throw.
 *
 * If a server's response is lost, the batch is sent again, at most twice and not later than two seconds after the
 * first call. If an earlier one has taken effect, or does so while this one waits for the lock, the guard makes this
 * one fail, and only the last statement is run, as a write, because a replica may lag behind. Only a refusal can have
 * lost its row by then, to an equal one, and is sent once more. If that does not
 * determine the outcome either, the error is `UNAVAILABLE`, and the write may have happened. A file's writes have no
 * unknown outcome, so they run without the guard.
 */
export async function writeOnce<T extends object>(
  database: Database,
  { batch, args, guard }: OnceBatch,
): Promise<T | undefined> {
  const guarded = guard === undefined || database.kind === "file" ? batch : [guard, ...batch];
  const statements = bindBatch(guarded.with(-1, guarded.at(-1) as Statement), args);
  const readBack = statements.slice(-1);
  const repeatUntil = performance.now() + REPEAT_WITHIN_MS;
  let pending = statements;
  for (let repeats = 0;;) {
    try {
      const row = lastRow<T>(await database.write(pending));
      if (row !== undefined || pending !== readBack || repeats === MAX_REPEATS) return row;
      // Between the two calls, a newer refusal was merged into this one's row: decide anew.
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
