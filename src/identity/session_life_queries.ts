import { session } from "../db/schema/identity.ts";
import { int, named, placeholdersOf, render, type SQL, sql, text } from "../db/sql.ts";

const { sessionId, actorId, now } = placeholdersOf({ sessionId: text, actorId: int, now: int });

/** The session is live and belongs to the actor. */
export function sessionLives({ id, userId, endedAt, idleUntil }: typeof session): SQL {
  return sql`${id} = ${sessionId} AND ${userId} = ${actorId}
    AND ${endedAt} IS NULL AND ${idleUntil} > ${now}`;
}

/** The same of the row `acting`, for statements that are still texts. */
export const ACTING_SESSION_LIVES: string = render(sessionLives(named(session, "acting")));
