import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { readTogether, type RowsOfAll } from "../db/rows.ts";
import type { ArgsOfAll, Exactly, SqlArgs, Statement } from "../db/statement.ts";
import type { IdentityDeps } from "./deps.ts";
import { FIND_LIVE_SESSION } from "./session_queries.ts";
import type { ACTING } from "./session_life_queries.ts";

/** The arguments of reads of the actor's data, without those of the actor and their session. */
type OwnArgs<S extends readonly Statement[]> = Omit<ArgsOfAll<S>, keyof typeof ACTING>;

/** Reads the actor's data and checks their session in one snapshot. Throws `TOKEN_INVALID`. */
export async function readOwn<const S extends readonly Statement[], G extends OwnArgs<S> & SqlArgs>(
  { database, clock }: Pick<IdentityDeps, "database" | "clock">,
  actor: Actor,
  reads: S,
  args: Exactly<OwnArgs<S>, G>,
): Promise<RowsOfAll<S>> {
  const acting = { actorId: actor.userId, sessionId: actor.sessionId, now: clock() };
  const statements: readonly Statement[] = [FIND_LIVE_SESSION, ...reads];
  const [live = [], ...results] = await readTogether(database, statements, { ...acting, ...args });
  if (live.length === 0) throw new AppError("TOKEN_INVALID");
  return results as RowsOfAll<S>;
}
