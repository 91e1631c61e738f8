import { SECOND_MS } from "../core/clock.ts";
import { defineStatement, probing, type Statement } from "../db/statement.ts";
import { queueMail } from "../mail/queued_mail_queries.ts";
import { REFRESH_IDLE_SECONDS, REFRESH_OVERLAP_SECONDS } from "./lifetimes.ts";
import { recordEvent, sessionLives, whenResult } from "./security_queries.ts";

/**
 * Refresh tokens. A session's row holds the generation of its current token, when that token was first used,
 * and when its predecessor was. A repeated refresh derives the same successor, so lost responses and concurrent
 * requests do no harm. An older token ends the session (RFC 9700, 4.14.2). Each use is one conditional UPDATE.
 */

const OVERLAP_MS = REFRESH_OVERLAP_SECONDS * SECOND_MS;
const IDLE_MS = REFRESH_IDLE_SECONDS * SECOND_MS;

/** SQL: the session of the token is live. No token was issued for a generation ahead of the row. */
const LIVE =
  `family_hash = :familyHash AND ended_at IS NULL AND idle_until > :now AND :generation <= generation`;

/** SQL: the token is the current one, or a predecessor within its overlap. */
const USABLE = `(:generation = generation
  OR (:generation = generation - 1 AND (used_at IS NULL OR :now < used_at + ${OVERLAP_MS}))
  OR (:generation = generation - 2 AND :now < previous_used_at + ${OVERLAP_MS}))`;

const END_IF_REUSED = `
  ended_at = CASE WHEN ${USABLE} THEN NULL ELSE :now END,
  ended_reason = CASE WHEN ${USABLE} THEN NULL ELSE 'refresh_token_reused' END,
  ended_op = CASE WHEN ${USABLE} THEN NULL ELSE :opId END`;

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

const READ_SESSION: Statement = defineStatement(`
  SELECT id, user_id AS userId, generation, authenticated_at AS authenticatedAt, assurance_level AS assuranceLevel
  FROM session WHERE ${LIVE} AND ${USABLE}`);

/**
 * Rotates: the current token gets a successor, a predecessor within its overlap gets the same successor again.
 * In the session's last days there are no successors, and asking for one raises no alarm. Returns a
 * `SessionRow`, or none if the token is invalid.
 */
export const ROTATE_REFRESH_TOKEN: readonly Statement[] = [
  defineStatement(`
    UPDATE session SET
      generation = generation + (:generation = generation),
      previous_used_at = CASE WHEN :generation = generation THEN coalesce(used_at, :now) ELSE previous_used_at END,
      used_at = CASE WHEN :generation = generation THEN NULL ELSE used_at END,
      idle_until = CASE WHEN ${USABLE} THEN min(expires_at, :now + ${IDLE_MS}) ELSE idle_until END,
      last_token_at = CASE WHEN ${USABLE} THEN :now ELSE last_token_at END,
      ${END_IF_REUSED}
    WHERE ${LIVE} AND (NOT ${USABLE} OR expires_at - :now >= ${IDLE_MS})`),
  LOG_REUSE,
  MAIL_REUSE,
  defineStatement(`
    SELECT id, user_id AS userId, generation, authenticated_at AS authenticatedAt, assurance_level AS assuranceLevel
    FROM session WHERE ${LIVE} AND ${USABLE} AND expires_at - :now >= ${IDLE_MS}`),
];

/** Any other use of a refresh token. Returns a `SessionRow`, or none if the token is invalid. */
export const USE_REFRESH_TOKEN: readonly Statement[] = [
  defineStatement(`
    UPDATE session SET
      used_at = CASE WHEN :generation = generation THEN coalesce(used_at, :now) ELSE used_at END,
      last_token_at = CASE WHEN ${USABLE} THEN :now ELSE last_token_at END,
      ${END_IF_REUSED}
    WHERE ${LIVE}`),
  LOG_REUSE,
  MAIL_REUSE,
  READ_SESSION,
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

const ACTING_SESSION = sessionLives("acting");

/** The actor's user, if the session is live. */
export const FIND_LIVE_SESSION: Statement = probing(defineStatement(
  `SELECT acting.user_id AS userId FROM session acting WHERE ${ACTING_SESSION}`,
));

/**
 * SQL: a batch that ends sessions of the actor's user. The event row decides; no row means that the acting
 * session is over.
 */
function endSessions(which: string, verdict: string): readonly Statement[] {
  return [
    recordEvent(
      "session.end",
      `SELECT ${verdict} AS result, acting.user_id, acting.id AS session_id
      FROM session acting WHERE ${ACTING_SESSION}`,
    ),
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

/** Ends all sessions of the actor's user but the acting one. */
const [DECIDE_END, ...END_AND_READ] = endSessions("id <> :sessionId", "'ok'");
export const END_OTHER_SESSIONS: readonly Statement[] = [
  DECIDE_END as Statement,
  // A login that waits for its second factor would become another session.
  defineStatement(`
    UPDATE partial_login SET ended_at = :now WHERE user_id = :actorId AND ended_at IS NULL
      AND ${whenResult("ok")}`),
  ...END_AND_READ,
];
