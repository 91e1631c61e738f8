import { AppError } from "../core/errors.ts";
import { bind } from "../db/statement.ts";
import { FIND_LIVE_CALLER } from "./caller_queries.ts";
import type { IdentityDeps } from "./deps.ts";

export type CallerDeps = Pick<IdentityDeps, "database" | "clock">;

/** The principal of a verified token. */
export interface Caller {
  readonly userId: number;
  /** The id of a session, or the MAC of a key's secret; null for a partial sign-in. */
  readonly sessionId: string | null;
  readonly partialLoginId: string | null;
}

/** Throws `TOKEN_INVALID` if the caller's session, partial sign-in or key has ended. */
export async function requireLiveCaller(
  { database, clock }: CallerDeps,
  { userId, sessionId, partialLoginId }: Caller,
): Promise<void> {
  const args = { actorId: userId, sessionId, partialLoginId, now: clock() };
  const live = await database.read(bind(FIND_LIVE_CALLER, args));
  if (live.length === 0) throw new AppError("TOKEN_INVALID");
}
