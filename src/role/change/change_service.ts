import type { Actor } from "../../core/actor.ts";
import { DAY_MS, SECOND_MS } from "../../core/clock.ts";
import { noteRevision } from "../../db/revisions.ts";
import { pickNamed, type SqlArgs, type Statement } from "../../db/statement.ts";
import { writeOnce } from "../../db/write_once.ts";
import { REFUSE_REPEATED_CHANGE } from "./change_queries.ts";
import type { DecisionRow } from "./decision.ts";
import type { RoleDeps } from "../deps.ts";

/**
 * Runs the batch of one change. Returns the row that its last statement reads, or undefined if the actor's session has
 * ended. Notes the row's revision for the response, even if the change is refused. Takes one round trip, and more if a
 * server's response is lost; the change is made only once.
 */
export async function runChange<T extends DecisionRow>(
  deps: Pick<RoleDeps, "database" | "clock" | "storeLimits">,
  actor: Actor,
  batch: readonly Statement[],
  args: SqlArgs,
): Promise<T | undefined> {
  const row = await writeOnce<T>(deps.database, {
    guard: REFUSE_REPEATED_CHANGE,
    batch,
    args: {
      opId: crypto.randomUUID(),
      now: deps.clock(),
      actorId: actor.userId,
      sessionId: actor.sessionId,
      payer: actor.payer,
      ...pickNamed(batch, limitArgs(deps)),
      ...args,
    },
  });
  if (row !== undefined) noteRevision(row.revision);
  return row;
}

/** Returns the limits as parameters; see `charge_queries.ts`. */
function limitArgs({ clock, storeLimits }: Pick<RoleDeps, "clock" | "storeLimits">): SqlArgs {
  const { roles, devices, bucket, trashDays } = storeLimits;
  const { capacity, drainSeconds } = bucket;
  const drainMs = drainSeconds * SECOND_MS;
  return {
    quotaRoles: roles,
    quotaDevices: devices,
    latestFreeAt: clock() + drainMs,
    msPerByte: drainMs / capacity,
    trashMs: trashDays * DAY_MS,
  };
}
