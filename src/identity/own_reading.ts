import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { nameRows, type PlainReads, type RowsOf } from "../db/plain_read.ts";
import { bindBatch, type SqlArgs } from "../db/statement.ts";
import type { IdentityDeps } from "./deps.ts";
import { FIND_LIVE_SESSION } from "./session_queries.ts";

/** Reads the actor's own data in one snapshot with the check that their session is live. Throws `TOKEN_INVALID`. */
export async function readOwn<R extends PlainReads>(
  { database, clock }: Pick<IdentityDeps, "database" | "clock">,
  actor: Actor,
  reads: R,
  args: SqlArgs = {},
): Promise<RowsOf<R>> {
  const acting = { actorId: actor.userId, sessionId: actor.sessionId, now: clock() };
  const statements = [FIND_LIVE_SESSION, ...Object.values(reads)];
  const [live = [], ...results] = await database.readAll(bindBatch(statements, { ...acting, ...args }));
  if (live.length === 0) throw new AppError("TOKEN_INVALID");
  return nameRows(reads, results);
}
