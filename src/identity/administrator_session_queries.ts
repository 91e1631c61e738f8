import { securityEvent, session, userAccount } from "../db/schema/identity.ts";
import { assigned, define, inserted, int, rows, sql, text } from "../db/sql.ts";

const RECORD = define(
  { opId: text, now: int, sessionId: text, userId: int },
  ({ opId, now, sessionId, userId }) => {
    const { names, values } = inserted(securityEvent, {
      opId,
      at: now,
      event: sql`'session.operator'`,
      result: sql`'ok'`,
      userId: userAccount.id,
      sessionId,
    });
    return sql`
    INSERT INTO ${securityEvent} (${names})
    SELECT ${values} FROM ${userAccount} WHERE ${userAccount.id} = ${userId}`;
  },
);

const OPEN = define(
  { opId: text, now: int, familyHash: text, expiresAt: int, client: text },
  ({ opId, now, familyHash, expiresAt, client }) => {
    const { names, values } = inserted(session, {
      id: securityEvent.sessionId,
      userId: securityEvent.userId,
      familyHash,
      createdAt: now,
      authenticatedAt: now,
      idleUntil: expiresAt,
      expiresAt,
      lastTokenAt: now,
      client,
    });
    return sql`
    INSERT INTO ${session} (${names})
    SELECT ${values} FROM ${securityEvent} WHERE ${securityEvent.opId} = ${opId}`;
  },
);

const READ_OPENED = rows<{ readonly id: string }>()(
  { sessionId: text },
  ({ sessionId }) => sql`SELECT ${session.id} FROM ${session} WHERE ${session.id} = ${sessionId}`,
);

/** Opens a session without a refresh token, and records that in the same batch. */
export const OPEN_ADMINISTRATOR_SESSION = [RECORD, OPEN, READ_OPENED] as const;

export const END_ADMINISTRATOR_SESSION = define(
  { sessionId: text, opId: text, now: int },
  ({ sessionId, opId, now }) => {
    const ended = assigned(session, { endedAt: now, endedReason: sql`'operator'`, endedOp: opId });
    return sql`
  UPDATE ${session} SET ${ended}
  WHERE ${session.id} = ${sessionId} AND ${session.endedAt} IS NULL`;
  },
);
