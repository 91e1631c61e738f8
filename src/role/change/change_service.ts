import type { Actor } from "../../core/actor.ts";
import type { SqlArgs, Statement } from "../../db/statement.ts";
import { writeOnce } from "../../db/write_once.ts";
import { REFUSE_REPEATED_CHANGE } from "./change_queries.ts";
import type { RoleDeps } from "../deps.ts";

/**
 * Runs the batch of one change as one round trip, with the actor, the time and a fresh operation id, and answers the
 * row that its last statement reads: undefined when the actor's session is over. Where a server's answer gets lost it
 * takes more round trips, and the change is made once all the same.
 */
export async function runChange<T extends object>(
  deps: Pick<RoleDeps, "database" | "clock">,
  actor: Actor,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<T | undefined> {
  return await writeOnce<T>(deps.database, {
    guard: REFUSE_REPEATED_CHANGE,
    batch,
    args: {
      opId: crypto.randomUUID(),
      now: deps.clock(),
      actorId: actor.userId,
      sessionId: actor.sessionId,
      ...args,
    },
  });
}
