import type { Actor } from "../core/actor.ts";
import { lastRow } from "../db/rows.ts";
import { bindBatch, type SqlArgs, type Statement } from "../db/statement.ts";
import type { RoleDeps } from "./deps.ts";

/**
 * Runs the batch of one change as one round trip, with the actor, the time and a fresh operation id, and answers the
 * row that its last statement reads: undefined when the actor's session is over.
 */
export async function runChange<T extends object>(
  deps: Pick<RoleDeps, "database" | "clock">,
  actor: Actor,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<T | undefined> {
  const results = await deps.database.write(bindBatch(batch, {
    opId: crypto.randomUUID(),
    now: deps.clock(),
    actorId: actor.userId,
    sessionId: actor.sessionId,
    ...args,
  }));
  return lastRow<T>(results);
}
