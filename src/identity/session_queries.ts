import { SECOND_MS } from "../core/clock.ts";
import { defineStatement, probing, type Statement } from "../db/statement.ts";
import { queueMail } from "../mail/queued_mail_queries.ts";
import { REFRESH_IDLE_SECONDS, REFRESH_OVERLAP_SECONDS, SESSIONS_PER_USER } from "./lifetimes.ts";
import { decideForActor, type Proof, whenResult } from "./security_queries.ts";
import { ACTING_SESSION_LIVES } from "./session_life_queries.ts";

/**
 * Refresh tokens (RFC 9700, 4.14.2). A session's row holds the generation of its current token, when that was
 * issued and to which network, when it was first used, and how many tokens were skipped between its parent and
 * it. Each use is one batch, whose first statement raises the alarm:
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
 * A client whose response was lost still holds the parent, and gets the current token or a successor in its place.
 * A thief and the client cannot both go on like that: one of them uses a token that replaced the other's.
 */

const OVERLAP_MS = REFRESH_OVERLAP_SECONDS * SECOND_MS;
const IDLE_MS = REFRESH_IDLE_SECONDS * SECOND_MS;

/** SQL: the session of the token is live, and the token was issued. */
const LIVE =
  `family_hash = :familyHash AND ended_at IS NULL AND idle_until > :now AND :generation <= generation`;

const IS_CURRENT = ":generation = generation";
const IS_PARENT = ":generation = generation - 1 - skipped";

/** SQL: in the session's last days there are no successors, and asking for one raises no alarm. */
const HAS_SUCCESSORS = `expires_at - :now >= ${IDLE_MS}`;

/** SQL: whether the token may be used other than to rotate it. */
const USABLE = `(${IS_CURRENT} OR (${IS_PARENT} AND (used_at IS NULL OR :now < used_at + ${OVERLAP_MS})))`;

/** SQL: the current token was issued to this network just now, so the parent gets it again. */
const JUST_ISSUED = `(issued_to IS :network AND :now < issued_at + ${OVERLAP_MS})`;

const ROTATABLE = `(${IS_CURRENT} OR (${IS_PARENT} AND (used_at IS NULL OR ${JUST_ISSUED})))`;

/** SQL: the rotation of a rotatable token makes a new one. */
const ADVANCES = `(${IS_CURRENT} OR NOT ${JUST_ISSUED})`;

/** Ends the session unless the token is `accepted`. Later statements find no live session then. */
function endUnless(accepted: string): Statement {
  return defineStatement(`
    UPDATE session SET ended_at = :now, ended_reason = 'refresh_token_reused', ended_op = :opId
    WHERE ${LIVE} AND NOT ${accepted}`);
}

const REUSED_SESSION = `FROM session CROSS JOIN user_account ON user_account.id = session.user_id
  WHERE session.family_hash = :familyHash AND session.ended_op = :opId AND session.ended_reason = 'refresh_token_reused'`;

const LOG_REUSE: Statement = defineStatement(`
  INSERT INTO security_event (op_id, at, event, result, user_id, session_id, address)
  SELECT :opId, :now, 'session.refresh_token_reused', 'ended', session.user_id, session.id, :address ${REUSED_SESSION}`);

const MAIL_REUSE: Statement = queueMail({
  template: "refresh_token_reused",
  language: "user_account.language",
  recipient: "user_account.email",
  expiresAt: ":mailExpiresAt",
  source: REUSED_SESSION,
});

/** The batch's last statement: returns a `SessionRow` if the token is `accepted`. */
function readSession(accepted: string): Statement {
  return defineStatement(`
    SELECT id, user_id AS userId, generation, authenticated_at AS authenticatedAt, assurance_level AS assuranceLevel
    FROM session WHERE ${LIVE} AND ${accepted}`);
}

/**
 * Rotates. Parameters: `:familyHash`, `:generation`, `:network` (see `networkMac`), `:opId`, `:now`, `:address`,
 * `:mailExpiresAt`. Returns a `SessionRow`, or none if the token is invalid. Sent again after a lost response, the
 * batch finds the token as the parent, and makes nothing new.
 */
export const ROTATE_REFRESH_TOKEN: readonly Statement[] = [
  endUnless(ROTATABLE),
  defineStatement(`
    UPDATE session SET
      generation = generation + ${ADVANCES},
      skipped = CASE WHEN ${IS_CURRENT} THEN 0 ELSE skipped + ${ADVANCES} END,
      issued_at = CASE WHEN ${ADVANCES} THEN :now ELSE issued_at END,
      issued_to = :network,
      used_at = CASE WHEN ${IS_CURRENT} THEN NULL ELSE used_at END,
      idle_until = min(expires_at, :now + ${IDLE_MS}),
      last_token_at = :now
    WHERE ${LIVE} AND ${HAS_SUCCESSORS}`),
  LOG_REUSE,
  MAIL_REUSE,
  // A token that was rotated is now the parent.
  readSession(`${IS_PARENT} AND ${HAS_SUCCESSORS}`),
];

/** Any other use of a refresh token. Returns a `SessionRow`, or none if the token is invalid. */
export const USE_REFRESH_TOKEN: readonly Statement[] = [
  endUnless(USABLE),
  defineStatement(`
    UPDATE session SET
      used_at = CASE WHEN ${IS_CURRENT} THEN coalesce(used_at, :now) ELSE used_at END,
      last_token_at = :now
    WHERE ${LIVE}`),
  LOG_REUSE,
  MAIL_REUSE,
  readSession(USABLE),
];

/** Ends the session of a refresh token of any generation. Returns a row if the session was live. */
export const LOG_OUT: readonly Statement[] = [
  defineStatement(
    `UPDATE session SET ended_at = :now, ended_reason = 'logout', ended_op = :opId WHERE ${LIVE}`,
  ),
  defineStatement(`
    INSERT INTO security_event (op_id, at, event, result, actor_id, user_id, session_id, address)
    SELECT :opId, :now, 'logout', 'ok', user_id, user_id, id, :address
    FROM session WHERE family_hash = :familyHash AND ended_op = :opId`),
  defineStatement(`SELECT session_id AS sessionId FROM security_event WHERE op_id = :opId`),
];

export interface NewSession {
  /** SQL: its id. */
  readonly id: string;
  /** SQL: the id of its user. */
  readonly user: string;
  /** SQL: whether it was opened. */
  readonly condition: string;
}

/**
 * Ends what a new session is too many: the least recently used of its user's. Those whose time is up go first, so
 * the statement never reads more than the limit.
 */
export function endSurplusSessions({ id, user, condition }: NewSession): Statement {
  return defineStatement(`
    UPDATE session SET ended_at = :now, ended_reason = 'too_many', ended_op = :opId
    WHERE ${condition} AND id IN (
      SELECT other.id FROM session other WHERE other.user_id = ${user} AND other.ended_at IS NULL AND other.id <> ${id}
      ORDER BY other.idle_until > :now DESC, other.last_token_at DESC LIMIT -1 OFFSET ${
    SESSIONS_PER_USER - 1
  })`);
}

/** The actor's user, if the session is live. */
export const FIND_LIVE_SESSION: Statement = probing(defineStatement(
  `SELECT acting.user_id AS userId FROM session acting WHERE ${ACTING_SESSION_LIVES}`,
));

/**
 * SQL: a batch that ends sessions of the actor's user. The event row decides; no row means that the acting
 * session is over.
 */
function endSessions(which: string, verdict: string, proof: Proof = "none"): readonly Statement[] {
  return [
    decideForActor({ event: "session.end", proof, verdict }),
    defineStatement(`
      UPDATE session SET ended_at = :now, ended_reason = 'ended_by_user', ended_op = :opId
      WHERE user_id = :actorId AND ended_at IS NULL AND ${which} AND ${whenResult("ok")}`),
    defineStatement(`SELECT result FROM security_event WHERE op_id = :opId`),
  ];
}

/** Ends one session of the actor's user; `denied` if there is no such live session. */
export const END_SESSION = endSessions(
  "id = :endedSessionId",
  `CASE WHEN EXISTS (SELECT 1 FROM session asked WHERE asked.id = :endedSessionId AND asked.user_id = :actorId
    AND asked.ended_at IS NULL AND asked.idle_until > :now) THEN 'ok' ELSE 'denied' END`,
);

/** Ends all sessions of the actor's user except the current one. Needs a sudo token if keys are to end, too. */
const [DECIDE_END, ...END_AND_READ] = endSessions(
  "id <> :sessionId",
  "CASE WHEN :keys AND :sudoVersion IS NULL THEN 'proof_required' ELSE 'ok' END",
  "any",
);
export const END_OTHER_SESSIONS: readonly Statement[] = [
  DECIDE_END as Statement,
  // A login that waits for its second factor would become another session.
  defineStatement(`
    UPDATE partial_login SET ended_at = :now WHERE user_id = :actorId AND ended_at IS NULL
      AND ${whenResult("ok")}`),
  ...END_AND_READ,
];

/** Rows that a statement of `END_EVERYTHING_OPEN` ends at most. */
export const OPEN_ROWS_PER_BATCH = 1000;

/** SQL: the next rows of a table that are open, from user `:fromUser` on. */
function nextOpen(table: "session" | "partial_login"): string {
  return `id IN (SELECT id FROM ${table} WHERE user_id >= :fromUser AND ended_at IS NULL
    ORDER BY user_id LIMIT ${OPEN_ROWS_PER_BATCH})`;
}

/**
 * Ends what all users have open, a batch at a time, and returns the user of each row, and whether it was live. First
 * the sign-ins that wait for a second factor, because each could become another session.
 */
export const END_EVERYTHING_OPEN = {
  signIns: defineStatement(`
    UPDATE partial_login SET ended_at = :now WHERE ${nextOpen("partial_login")}
    RETURNING user_id AS userId, expires_at > :now AS isLive`),
  sessions: defineStatement(`
    UPDATE session SET ended_at = :now, ended_reason = 'operator', ended_op = :opId WHERE ${
    nextOpen("session")
  }
    RETURNING user_id AS userId, idle_until > :now AS isLive`),
};
