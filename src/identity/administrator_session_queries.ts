import { and, compile, eq, insertFrom, isNull, select, update } from "../db/builder.ts";
import { securityEvent, session, userAccount } from "../db/schema/identity.ts";
import { int, sql, text } from "../db/sql.ts";

const RECORD = compile(
  { opId: text, now: int, sessionId: text, userId: int },
  ({ opId, now, sessionId, userId }) =>
    insertFrom(
      securityEvent,
      select({
        opId,
        at: now,
        event: sql<string>`'session.operator'`,
        result: sql<string>`'ok'`,
        userId: userAccount.id,
        sessionId,
      }).from(userAccount).where(eq(userAccount.id, userId)),
    ),
);

const OPEN = compile(
  { opId: text, now: int, familyHash: text, expiresAt: int, client: text },
  ({ opId, now, familyHash, expiresAt, client }) =>
    insertFrom(
      session,
      select({
        // Both are those of the event above.
        id: sql<string>`${securityEvent.sessionId}`,
        userId: sql<number>`${securityEvent.userId}`,
        familyHash,
        createdAt: now,
        authenticatedAt: now,
        idleUntil: expiresAt,
        expiresAt,
        lastTokenAt: now,
        client,
      }).from(securityEvent).where(eq(securityEvent.opId, opId)),
    ),
);

const READ_OPENED = compile(
  { sessionId: text },
  ({ sessionId }) => select({ id: session.id }).from(session).where(eq(session.id, sessionId)),
);

/** Opens a session without a refresh token, and records that in the same batch. */
export const OPEN_ADMINISTRATOR_SESSION = [RECORD, OPEN, READ_OPENED] as const;

export const END_ADMINISTRATOR_SESSION = compile(
  { sessionId: text, opId: text, now: int },
  ({ sessionId, opId, now }) =>
    update(session, { endedAt: now, endedReason: "operator", endedOp: opId })
      .where(and(eq(session.id, sessionId), isNull(session.endedAt))),
);
