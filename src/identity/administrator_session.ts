import { type Actor, userActor } from "../core/actor.ts";
import { SECOND_MS } from "../core/clock.ts";
import { randomToken } from "../core/encoding.ts";
import { bind, bindBatch } from "../db/statement.ts";
import type { IdentityDeps } from "./deps.ts";
import { END_ADMINISTRATOR_SESSION, OPEN_ADMINISTRATOR_SESSION } from "./administrator_session_queries.ts";
import { generateFamily, hashFamily } from "./token/refresh_token.ts";

/** The longest time that the session of a crashed task remains open. */
const ADMINISTRATOR_SESSION_SECONDS = 900;
const SESSION_ID_BYTES = 16;
/** What such a session is called where people see theirs. */
const CLIENT = "Operator task";

/** A session for an administrator's task that acts as a user. No token leads to it. Disposing of it ends it. */
export interface AdministratorSession extends AsyncDisposable {
  readonly actor: Actor;
}

/**
 * Opens a session in a user's name, which only an administrator's task may do. Throws a `RangeError` if there
 * is no such user.
 */
export async function openAdministratorSession(
  { database, clock }: Pick<IdentityDeps, "database" | "clock">,
  userId: number,
): Promise<AdministratorSession> {
  const opId = crypto.randomUUID();
  const sessionId = randomToken(SESSION_ID_BYTES);
  const now = clock();
  const results = await database.write(bindBatch(OPEN_ADMINISTRATOR_SESSION, {
    opId,
    now,
    sessionId,
    userId,
    client: CLIENT,
    // The family is not kept, so nobody can make a refresh token for this session.
    familyHash: await hashFamily(generateFamily()),
    expiresAt: now + ADMINISTRATOR_SESSION_SECONDS * SECOND_MS,
  }));
  if (results.at(-1)?.length !== 1) throw new RangeError(`There is no user with the id ${userId}`);
  return {
    actor: userActor(userId, sessionId),
    async [Symbol.asyncDispose](): Promise<void> {
      await database.write([bind(END_ADMINISTRATOR_SESSION, { now: clock(), opId, sessionId })]);
    },
  };
}
