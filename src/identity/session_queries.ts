import { SECOND_MS } from "../core/clock.ts";
import {
  and,
  compile,
  desc,
  eq,
  gt,
  gte,
  inArray,
  insertFrom,
  isNull,
  ne,
  not,
  pick,
  select,
  update,
} from "../db/builder.ts";
import { partialLogin, securityEvent, session, userAccount } from "../db/schema/identity.ts";
import {
  assigned,
  type Declared,
  define,
  inserted,
  int,
  nullable,
  placeholdersOf,
  row,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import { probing, type Statement } from "../db/statement.ts";
import { queueMail } from "../mail/queued_mail_queries.ts";
import {
  REFRESH_IDLE_SECONDS,
  REFRESH_OVERLAP_SECONDS,
  SESSION_SECONDS,
  SESSIONS_PER_USER,
} from "./lifetimes.ts";
import { decideForActor, type Proof, READ_RESULT, whenResult } from "./security_queries.ts";
import { ACTING, isActors, sessionLives } from "./session_life_queries.ts";
import type { Proven } from "./session_proof.ts";

/**
 * Refresh tokens (RFC 9700, 4.14.2). A session's row holds its current token's generation, time and network of issue,
 * and first use, and how many tokens were skipped between that token and its parent. Each use is one batch, whose
 * first statement raises the alarm:
 *
 * | Token      | Rotation                                                       | Any other use                |
 * | ---------- | -------------------------------------------------------------- | ---------------------------- |
 * | current    | a successor                                                    | accepted                     |
 * | its parent | within 10 s, from the same network: the current token again    | accepted until 10 s after    |
 * |            | else, if the current token is unused: a successor in its place | the current token's first    |
 * |            | else: the alarm                                                | use, then the alarm          |
 * | any other  | the alarm                                                      | the alarm                    |
 * | not issued | refused                                                        | refused                      |
 *
 * A client that lost a response still holds the parent, and gets the current token or its replacement. A thief and
 * the client cannot both continue so: one of them will use a token that replaced the other's.
 */

const OVERLAP_MS = REFRESH_OVERLAP_SECONDS * SECOND_MS;
const IDLE_MS = REFRESH_IDLE_SECONDS * SECOND_MS;

/** The arguments that identify a refresh token. */
const TOKEN = { familyHash: text, generation: int, now: int };
const { familyHash, generation, now } = placeholdersOf(TOKEN);
const { network, opId, address, mailExpiresAt } = placeholdersOf({
  network: text,
  opId: text,
  address: text,
  mailExpiresAt: int,
});
const { actorId, sessionId, endedSessionId, fromUser } = placeholdersOf({
  actorId: int,
  sessionId: text,
  endedSessionId: text,
  fromUser: int,
});

/** The token was issued, and its session is live. */
const LIVE = sql`${session.familyHash} = ${familyHash} AND ${session.endedAt} IS NULL
    AND ${session.idleUntil} > ${now} AND ${generation} <= ${session.generation}`;

const IS_CURRENT = sql`${generation} = ${session.generation}`;
const IS_PARENT = sql`${generation} = ${session.generation} - 1 - ${session.skipped}`;

/** In the session's last days there are no successors, and a rotation raises no alarm. */
const HAS_SUCCESSORS = sql`${session.expiresAt} - ${now} >= ${IDLE_MS}`;

/** The token may be used, other than for rotation. */
const USABLE = sql`(${IS_CURRENT}
      OR (${IS_PARENT} AND (${session.usedAt} IS NULL OR ${now} < ${session.usedAt} + ${OVERLAP_MS})))`;

/** The current token was just issued to this network, so the parent gets it again. */
const JUST_ISSUED = sql`(${session.issuedTo} IS ${network} AND ${now} < ${session.issuedAt} + ${OVERLAP_MS})`;

const ROTATABLE = sql`(${IS_CURRENT} OR (${IS_PARENT} AND (${session.usedAt} IS NULL OR ${JUST_ISSUED})))`;

/** The rotation makes a new token. */
const ADVANCES = sql`(${IS_CURRENT} OR NOT ${JUST_ISSUED})`;

/** What a session has that ends in this operation. */
function endedFor(
  endedReason:
    | "refresh_token_reused"
    | "logout"
    | "too_many"
    | "ended_by_user"
    | "ended_by_manager"
    | "operator",
) {
  return { endedAt: now, endedReason, endedOp: opId };
}

/** Ends the session unless the token is `accepted`. Later statements then find no live session. */
function endUnless(declared: Declared, accepted: SQL): Statement {
  return compile(
    { ...TOKEN, ...declared, opId: text },
    () => update(session, endedFor("refresh_token_reused")).where(and(LIVE, not(accepted))),
  );
}

const REUSED_SESSION = sql`FROM ${session} CROSS JOIN ${userAccount} ON ${userAccount.id} = ${session.userId}
  WHERE ${session.familyHash} = ${familyHash} AND ${session.endedOp} = ${opId}
    AND ${session.endedReason} = 'refresh_token_reused'`;

const LOG_REUSE = define({ familyHash: text, opId: text, now: int, address: text }, () => {
  const { names, values } = inserted(securityEvent, {
    opId,
    at: now,
    event: sql`'session.refresh_token_reused'`,
    result: sql`'ended'`,
    userId: session.userId,
    sessionId: session.id,
    address,
  });
  return sql`
  INSERT INTO ${securityEvent} (${names})
  SELECT ${values}
  ${REUSED_SESSION}`;
});

const MAIL_REUSE = queueMail({ familyHash: text, mailExpiresAt: int }, {
  template: "refresh_token_reused",
  language: userAccount.language,
  recipient: userAccount.email,
  expiresAt: mailExpiresAt,
  source: REUSED_SESSION,
});

/** Returns the batch's last statement, which reads a `SessionRow` if the token is `accepted`. */
function readSession(accepted: SQL) {
  return compile(
    TOKEN,
    () =>
      select(
        pick(session, "id", "userId", "generation", "authenticatedAt", "assuranceLevel", "methods", "meets"),
      )
        .from(session).where(and(LIVE, accepted)),
  );
}

/**
 * Rotates a token. `network`: see `networkMac`. Returns a `SessionRow`, or none if the token is invalid. If the batch
 * is sent again after a lost response, the token is the parent, and no new one is made.
 */
export const ROTATE_REFRESH_TOKEN: readonly Statement[] = [
  endUnless({ network: text }, ROTATABLE),
  define({ ...TOKEN, network: text }, () => {
    const rotated = assigned(session, {
      generation: sql`${session.generation} + ${ADVANCES}`,
      skipped: sql`CASE WHEN ${IS_CURRENT} THEN 0 ELSE ${session.skipped} + ${ADVANCES} END`,
      issuedAt: sql`CASE WHEN ${ADVANCES} THEN ${now} ELSE ${session.issuedAt} END`,
      issuedTo: network,
      usedAt: sql`CASE WHEN ${IS_CURRENT} THEN NULL ELSE ${session.usedAt} END`,
      idleUntil: sql`min(${session.expiresAt}, ${now} + ${IDLE_MS})`,
      lastTokenAt: now,
    });
    return sql`
    UPDATE ${session} SET ${rotated}
    WHERE ${LIVE} AND ${HAS_SUCCESSORS}`;
  }),
  LOG_REUSE,
  MAIL_REUSE,
  // The rotated token is now the parent.
  readSession(sql`${IS_PARENT} AND ${HAS_SUCCESSORS}`),
];

/** Uses a refresh token otherwise. Returns a `SessionRow`, or none if the token is invalid. */
export const USE_REFRESH_TOKEN: readonly Statement[] = [
  endUnless({}, USABLE),
  define(TOKEN, () => {
    const used = assigned(session, {
      usedAt:
        sql`CASE WHEN ${IS_CURRENT} THEN coalesce(${session.usedAt}, ${now}) ELSE ${session.usedAt} END`,
      lastTokenAt: now,
    });
    return sql`
    UPDATE ${session} SET ${used}
    WHERE ${LIVE}`;
  }),
  LOG_REUSE,
  MAIL_REUSE,
  readSession(USABLE),
];

/** Reads the session of a current token, where its use cannot be stored. Returns a `SessionRow`, or none. */
export const READ_CURRENT_TOKEN = probing(readSession(IS_CURRENT));

/** Ends the session of a refresh token of any generation. Returns a row if the session was live. */
export const LOG_OUT: readonly Statement[] = [
  compile({ ...TOKEN, opId: text }, () => update(session, endedFor("logout")).where(LIVE)),
  compile({ familyHash: text, opId: text, now: int, address: text }, () =>
    insertFrom(
      securityEvent,
      select({
        opId,
        at: now,
        event: sql<string>`'logout'`,
        result: sql<string>`'ok'`,
        actorId: session.userId,
        userId: session.userId,
        sessionId: session.id,
        address,
      }).from(session).where(and(eq(session.familyHash, familyHash), eq(session.endedOp, opId))),
    )),
  compile(
    { opId: text },
    () =>
      select({ sessionId: securityEvent.sessionId }).from(securityEvent).where(eq(securityEvent.opId, opId)),
  ),
];

export interface NewSession {
  readonly id: Value;
  /** The id of its user. */
  readonly user: Value;
  /** Whether it was opened. */
  readonly condition: SQL;
}

export interface OpenedSession {
  readonly id: Value;
  readonly user: Value;
  /** When the sign-in began, in milliseconds since the Unix epoch. */
  readonly authenticatedAt: Value;
  readonly assuranceLevel: 1 | 2;
  /** What the sign-in proved: `methods` are all that it showed. */
  readonly proven: Proven;
  readonly client: Value;
  /** `FROM … WHERE …`, at most one row. */
  readonly source: SQL;
}

/** Opens a session with the family `familyHash`. `declared`: the arguments of the parts. */
export function openSession(
  declared: Declared,
  { id, user, proven, source, ...rest }: OpenedSession,
): Statement {
  return define({ ...declared, familyHash: text, now: int }, () => {
    const { names, values } = inserted(session, {
      ...rest,
      ...proven,
      id,
      userId: user,
      familyHash,
      createdAt: now,
      idleUntil: sql`${now} + ${IDLE_MS}`,
      expiresAt: sql`${now} + ${SESSION_SECONDS * SECOND_MS}`,
      lastTokenAt: now,
    });
    return sql`
    INSERT INTO ${session} (${names})
    SELECT ${values}
    ${source}`;
  });
}

/**
 * Ends the user's least recently used sessions beyond the limit that a new session exceeds. Expired ones end first,
 * so the statement never reads more than the limit. `declared`: the arguments of the parts.
 */
export function endSurplusSessions(declared: Declared, { id, user, condition }: NewSession): Statement {
  return compile({ ...declared, opId: text, now: int }, () => {
    const other = row(session, "other");
    const surplus = select({ id: other.id }).from(other)
      .where(and(sql`${other.userId} = ${user}`, isNull(other.endedAt), sql`${other.id} <> ${id}`))
      .orderBy(desc(gt(other.idleUntil, now)), desc(other.lastTokenAt)).offset(SESSIONS_PER_USER - 1);
    return update(session, endedFor("too_many")).where(and(condition, inArray(session.id, surplus)));
  });
}

/** Reads the actor's user, if the session is live. */
export const FIND_LIVE_SESSION = probing(compile(ACTING, () => {
  const acting = row(session, "acting");
  return select({ userId: acting.userId }).from(acting).where(sessionLives(acting));
}));

/** Reads the actor's live sessions after (`beforeAt`, `beforeId`), newest first. */
export const LIST_SESSIONS = compile(
  { ...ACTING, beforeAt: int, beforeId: text, limit: int },
  ({ beforeAt, beforeId, limit }) =>
    select(pick(session, "id", "createdAt", "lastTokenAt", "client")).from(session)
      .where(and(
        isActors(session.userId),
        isNull(session.endedAt),
        gt(session.idleUntil, now),
        sql`(${session.createdAt}, ${session.id}) < (${beforeAt}, ${beforeId})`,
      ))
      .orderBy(desc(session.createdAt), desc(session.id)).limit(limit),
);

interface Ending {
  readonly which: SQL;
  readonly verdict: SQL;
  readonly proof: Proof;
}

/**
 * Returns a batch that ends sessions of the actor's user. Its event row decides; none if the acting session is over.
 * `declared`: the arguments of the verdict; `chosen`: those of `which`.
 */
function endSessions(
  declared: Declared,
  chosen: Declared,
  { which, verdict, proof }: Ending,
): readonly [Statement, Statement, Statement] {
  return [
    decideForActor(declared, { event: "session.end", proof, verdict: () => verdict }),
    compile(
      { ...chosen, actorId: int, opId: text, now: int },
      () =>
        update(session, endedFor("ended_by_user"))
          .where(and(eq(session.userId, actorId), isNull(session.endedAt), which, whenResult("ok"))),
    ),
    READ_RESULT,
  ];
}

const requested = row(session, "requested");
/** Ends one session of the actor's user; `denied` if there is no such live session. */
export const END_SESSION = endSessions({ endedSessionId: text }, { endedSessionId: text }, {
  which: eq(session.id, endedSessionId),
  verdict: sql`CASE WHEN EXISTS (SELECT 1 FROM ${requested}
    WHERE ${requested.id} = ${endedSessionId} AND ${requested.userId} = ${actorId}
      AND ${requested.endedAt} IS NULL AND ${requested.idleUntil} > ${now}) THEN 'ok' ELSE 'denied' END`,
  proof: "none",
});

const { keys, sudoVersion } = placeholdersOf({ keys: int, sudoVersion: nullable(int) });
/** Ends all sessions of the actor's user except the current one. Needs a sudo token to end keys, too. */
const [DECIDE_END, ...END_AND_READ] = endSessions({ keys: int }, { sessionId: text }, {
  which: ne(session.id, sessionId),
  verdict: sql`CASE WHEN ${keys} AND ${sudoVersion} IS NULL THEN 'proof_required' ELSE 'ok' END`,
  proof: "any",
});
export const END_OTHER_SESSIONS: readonly Statement[] = [
  DECIDE_END,
  // A pending login would become another session.
  compile({ actorId: int, opId: text, now: int }, () =>
    update(partialLogin, { endedAt: now })
      .where(and(eq(partialLogin.userId, actorId), isNull(partialLogin.endedAt), whenResult("ok")))),
  ...END_AND_READ,
];

/**
 * Ends the sessions and pending logins of a user on behalf of another user, and records that in the security log of the
 * first. `ending` selects the ids of both, `user_id` and `acting_id`: one row if they end, else none. `declared` are its
 * arguments.
 */
export function endSessionsOf(
  declared: Declared,
  ending: SQL,
): readonly Statement[] {
  const of = { ...declared, opId: text, now: int };
  const user = sql`(SELECT user_id FROM (${ending}))`;
  return [
    compile(of, () =>
      update(partialLogin, { endedAt: now })
        .where(and(sql`${partialLogin.userId} = ${user}`, isNull(partialLogin.endedAt)))),
    compile(of, () =>
      update(session, endedFor("ended_by_manager"))
        .where(and(sql`${session.userId} = ${user}`, isNull(session.endedAt)))),
    define(of, () => {
      const { names, values } = inserted(securityEvent, {
        opId,
        at: now,
        event: sql`'session.end_by_manager'`,
        result: sql`'ok'`,
        actorId: sql`acting_id`,
        userId: sql`user_id`,
      });
      return sql`
  INSERT INTO ${securityEvent} (${names})
  SELECT ${values} FROM (${ending})`;
    }),
  ];
}

/** Maximum number of rows per statement of `END_EVERYTHING_OPEN`. */
export const OPEN_ROWS_PER_BATCH = 1000;

/** The row is among the next open ones of its table, from user `fromUser` on. */
function isNextOpen(table: typeof session | typeof partialLogin): SQL {
  const open = row(table, "open");
  const next = select({ id: open.id }).from(open)
    .where(and(gte(open.userId, fromUser), isNull(open.endedAt)))
    .orderBy(open.userId).limit(OPEN_ROWS_PER_BATCH);
  return inArray(table.id, next);
}

/**
 * Ends the open sign-ins and sessions of all users, a batch at a time. Returns the user of each row, and whether it
 * was live. Run `signIns` first, because each could become another session.
 */
export const END_EVERYTHING_OPEN = {
  signIns: compile({ fromUser: int, now: int }, () => {
    const { userId, expiresAt } = partialLogin;
    return update(partialLogin, { endedAt: now }).where(isNextOpen(partialLogin))
      .returning({ userId, isLive: sql<0 | 1>`${expiresAt} > ${now}` });
  }),
  sessions: compile({ fromUser: int, now: int, opId: text }, () => {
    const { userId, idleUntil } = session;
    return update(session, endedFor("operator")).where(isNextOpen(session))
      .returning({ userId, isLive: sql<0 | 1>`${idleUntil} > ${now}` });
  }),
};
