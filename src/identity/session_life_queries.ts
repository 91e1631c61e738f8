import { session } from "../db/schema/identity.ts";
import { int, placeholdersOf, row, type SQL, sql, text, type Value } from "../db/sql.ts";

/** The arguments that identify the actor and their session. */
export const ACTING = { sessionId: text, actorId: int, now: int };
const { sessionId, actorId, now } = placeholdersOf(ACTING);

/** The session is live and belongs to the actor. */
export function sessionLives({ id, userId, endedAt, idleUntil }: typeof session): SQL {
  return sql`${id} = ${sessionId} AND ${userId} = ${actorId}
    AND ${endedAt} IS NULL AND ${idleUntil} > ${now}`;
}

/** The user is the actor, and their session is live. After it has ended, a read finds no rows, at no cost. */
export function isActors(userId: Value): SQL {
  const acting = row(session, "acting");
  return sql`${userId} = (SELECT ${acting.userId} FROM ${acting} WHERE ${sessionLives(acting)})`;
}
