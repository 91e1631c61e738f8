import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { lastRow } from "../../db/rows.ts";
import { bind, bindBatch } from "../../db/statement.ts";
import { takingTurns } from "../../db/taking_turns.ts";
import { LEAVE_STEP, UNFINISHED } from "./leave_queries.ts";

interface LeaveDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * Ends the memberships that a deleted account has left, in steps between which other writes get their turn. Safe to run
 * concurrently and to interrupt. Throws the errors of the database.
 */
export async function endMemberships(
  { database, clock }: LeaveDeps,
  opId: string,
  signal?: AbortSignal,
): Promise<void> {
  const write = takingTurns(database);
  for (let isUnfinished = 1; isUnfinished === 1 && signal?.aborted !== true;) {
    const results = await write(bindBatch(LEAVE_STEP, { opId, now: clock() }));
    isUnfinished = lastRow<{ readonly isUnfinished: 0 | 1 }>(results)?.isUnfinished ?? 0;
  }
}

/** Finishes the deletions of accounts that were interrupted. Stops and throws like `endMemberships`. */
export async function finishLeaving(deps: LeaveDeps, signal?: AbortSignal): Promise<void> {
  for (const { opId } of await deps.database.read(bind(UNFINISHED, {}))) {
    await endMemberships(deps, opId, signal);
  }
}
