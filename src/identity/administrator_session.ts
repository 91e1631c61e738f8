import type { Actor } from "../core/actor.ts";
import { SECOND_MS } from "../core/clock.ts";
import { randomToken } from "../core/encoding.ts";
import { bind, bindBatch } from "../db/statement.ts";
import type { IdentityDeps } from "./deps.ts";
import { END_ADMINISTRATOR_SESSION, OPEN_ADMINISTRATOR_SESSION } from "./administrator_session_queries.ts";
import { generateFamily, hashFamily } from "./token/refresh_token.ts";

/** Maximum lifetime, in seconds, of a session whose task crashed. */
const ADMINISTRATOR_SESSION_SECONDS = 900;
const SESSION_ID_BYTES = 16;
/** The client name of such sessions in a user's list. */
const CLIENT = "Operator task";

/** A session in which an administrator's task acts as a user. It has no tokens. Disposing of it ends it. */
export interface AdministratorSession extends AsyncDisposable {
  readonly actor: Actor;
}

/** Opens a session as a user. Only for administrator's tasks. Throws a `RangeError` if there is no such user. */
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
    // The family is discarded, so no refresh token can be made for this session.
    familyHash: await hashFamily(generateFamily()),
    expiresAt: now + ADMINISTRATOR_SESSION_SECONDS * SECOND_MS,
  }));
  if (results.at(-1)?.length !== 1) throw new RangeError(`There is no user with the id ${userId}`);
  return {
    actor: { userId, sessionId },
    async [Symbol.asyncDispose](): Promise<void> {
      await database.write([bind(END_ADMINISTRATOR_SESSION, { now: clock(), opId, sessionId })]);
    },
  };
}
