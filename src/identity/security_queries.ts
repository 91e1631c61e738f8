import { FRESH_SIGN_IN_SECONDS } from "../core/errors.ts";
import { MINUTE_MS, SECOND_MS } from "../core/clock.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import type { MessageTemplate } from "../mail/message_content.ts";
import { queueMail } from "../mail/queued_mail_queries.ts";
import { endPasswordLinks } from "./password_link_queries.ts";
import { ACTING_SESSION_LIVES } from "./session_life_queries.ts";
import type { SecurityResult, SessionEnd } from "./security_result.ts";

/**
 * The statements that all security writes share. The batch's first statement inserts the security event of
 * `:opId`, whose result is the decision. All later statements depend on that result.
 */

/** Fails if this operation is already on record; see `writeOnce`. */
export const REFUSE_REPEATED_EVENT: Statement = defineStatement(`
  INSERT INTO security_event (op_id, at, event, result)
  SELECT op_id, at, event, result FROM security_event WHERE op_id = :opId`);

/** The same for a batch that decides an attempt on record: fails if the attempt is already decided. */
export const REFUSE_REPEATED_VERDICT: Statement = defineStatement(`
  INSERT INTO security_event (op_id, at, event, result)
  SELECT op_id, at, event, result FROM security_event WHERE op_id = :opId AND result <> 'started'`);

/** SQL: the user has an active second factor. Recovery codes do not count: they only stand in for one. */
export function hasActiveFactor(user: string): string {
  return `EXISTS (SELECT 1 FROM second_factor active_factor WHERE active_factor.user_id = ${user}
    AND active_factor.kind IN ('totp', 'email_otp') AND active_factor.activated_at IS NOT NULL)`;
}

/** Results of attempts that have an event of their own: they changed something, sent something, or count as a guess. */
const OWN_ROW_RESULTS: readonly SecurityResult[] = ["ok", "started", "wrong", "activation"];

/** Events of a user in a minute, after which their successes share a row. */
const OWN_ROWS_PER_MINUTE = 60;

/**
 * Inserts the event of `:opId`. `decided` selects result, user_id and session_id, in one row; no row means that the
 * token is void. Parameters besides those of `decided`: `:opId`, `:now`, `:address`.
 *
 * Attempts that were refused unseen are merged, so that nobody can fill the log with them: those of one user, event and
 * result within a minute share a row. It keeps its id and time, counts the attempts, and takes on the rest from the
 * latest: the operation id, by which that batch reads its answer back, the session and the address. So are successes once
 * the user has `OWN_ROWS_PER_MINUTE`, since many change nothing. Guesses never are.
 */
export function recordEvent(event: string, decided: string): Statement {
  const own = OWN_ROW_RESULTS.map((result) => `'${result}'`).join(", ");
  return defineStatement(`
    WITH decided AS MATERIALIZED (${decided})
    INSERT INTO security_event (op_id, at, event, result, actor_id, user_id, session_id, address, merge_key)
    SELECT :opId, :now, '${event}', result, user_id, user_id, session_id, :address, CASE WHEN result NOT IN (${own})
        OR (result = 'ok' AND (SELECT crowd.at / ${MINUTE_MS} = :now / ${MINUTE_MS} FROM security_event crowd
          WHERE crowd.user_id = decided.user_id ORDER BY crowd.id DESC LIMIT 1 OFFSET ${
    OWN_ROWS_PER_MINUTE - 1
  }))
      THEN user_id || ' ' || (:now / ${MINUTE_MS}) || ' ${event} ' || result END
    FROM decided WHERE true
    ON CONFLICT (merge_key) WHERE merge_key IS NOT NULL DO UPDATE SET op_id = excluded.op_id,
      session_id = excluded.session_id, address = excluded.address, attempts = attempts + 1`);
}

/** The proof that an operation requires besides a live session. */
export type Proof =
  /** Nothing. */
  | "none"
  /** None, but a sudo token is accepted, too, if it is current. */
  | "any"
  /** A sudo token. Without a second factor, an access token if the session's login is recent. */
  | "fresh"
  /** A sudo token. Without a second factor, any access token. */
  | "factor";

/** SQL: the actor of `acting` lacks the proof. Parameters: `:sudoVersion` (null for an access token), `:now`. */
function lacksProof(proof: "fresh" | "factor"): string {
  const stale = `acting.authenticated_at <= :now - ${FRESH_SIGN_IN_SECONDS * SECOND_MS}`;
  const unproven = proof === "fresh"
    ? `(${hasActiveFactor("acting.user_id")} OR ${stale})`
    : hasActiveFactor("acting.user_id");
  return `(:sudoVersion IS NULL AND ${unproven})`;
}

/** SQL: the verdict, or `proof_required` if proof is missing. */
function provenVerdict(proof: Proof, verdict: string): string {
  return proof === "none" || proof === "any"
    ? verdict
    : `CASE WHEN ${lacksProof(proof)} THEN 'proof_required' ELSE ${verdict} END`;
}

/** SQL: the actor's live session as `acting` and their account, unless their sudo token is outdated. */
function actingAccount(proof: Proof, joins: string): string {
  const current = proof === "none"
    ? ""
    : "AND (:sudoVersion IS NULL OR account.security_version = :sudoVersion)";
  return `session acting CROSS JOIN user_account account ON account.id = acting.user_id ${joins}
    WHERE ${ACTING_SESSION_LIVES} ${current}`;
}

export interface ActorDecision {
  /** Name of the event in the security log: `area.verb`. */
  readonly event: string;
  readonly proof: Proof;
  /** SQL: the result; `'ok'` makes the change. May use `acting` (session) and `account` (user_account). */
  readonly verdict: string;
  /** SQL: further joins that the verdict uses. */
  readonly joins?: string;
}

/**
 * Decides a change of the actor's own account. Inserts one event row if their session is live (and their sudo
 * token carries the account's current `security_version`), with `proof_required` if proof is missing. No row:
 * the token is void. Parameters besides the verdict's: `:opId`, `:now`, `:actorId`, `:sessionId`, `:address`,
 * and `:sudoVersion` unless `proof` is `none`.
 */
export function decideForActor({ event, proof, verdict, joins = "" }: ActorDecision): Statement {
  const result = provenVerdict(proof, verdict);
  return recordEvent(
    event,
    `SELECT ${result} AS result, acting.user_id, acting.id AS session_id FROM ${actingAccount(proof, joins)}`,
  );
}

/**
 * Decides what `decideForActor` left as `started` while a secret was compared: repeats every condition. The
 * result is `void` if the token has become void meanwhile.
 */
export function confirmForActor({ proof, verdict, joins = "" }: Omit<ActorDecision, "event">): Statement {
  return defineStatement(`
    UPDATE security_event SET result = coalesce((
      SELECT ${provenVerdict(proof, verdict)} FROM ${actingAccount(proof, joins)}), 'void')
    WHERE op_id = :opId AND result = 'started'`);
}

/** Closes an attempt that is still `started`: the secret was wrong. */
export const FAIL_ATTEMPT: Statement = defineStatement(
  `UPDATE security_event SET result = 'wrong' WHERE op_id = :opId AND result = 'started'`,
);

/** SQL: the key under which this attempt is merged if it is abandoned, or null if it is not `started`. */
const ABANDONED =
  `(SELECT coalesce(attempt.user_id, '-') || ' ' || (attempt.at / ${MINUTE_MS}) || ' ' || attempt.event
    || ' abandoned' FROM security_event attempt WHERE attempt.op_id = :opId AND attempt.result = 'started')`;

/**
 * Closes an attempt that is still `started`: the secret could not be compared. Like other attempts that were refused
 * unseen, equal ones share a row, here that of the first.
 */
export const ABANDON_ATTEMPT: readonly Statement[] = [
  defineStatement(`UPDATE security_event SET attempts = attempts + 1 WHERE merge_key = ${ABANDONED}`),
  defineStatement(`
    DELETE FROM security_event WHERE op_id = :opId AND result = 'started'
      AND EXISTS (SELECT 1 FROM security_event merged WHERE merged.merge_key = ${ABANDONED})`),
  defineStatement(`
    UPDATE security_event SET result = 'abandoned', merge_key = ${ABANDONED}
    WHERE op_id = :opId AND result = 'started'`),
];

/** SQL: the result of this operation is one of these. */
export function whenResult(...results: SecurityResult[]): string {
  return `EXISTS (SELECT 1 FROM security_event decided WHERE decided.op_id = :opId
    AND decided.result IN (${results.map((result) => `'${result}'`).join(", ")}))`;
}

/** SQL: the id of the user whose change was decided `ok`; otherwise null, which equals no id. */
export const CHANGED_USER = "(SELECT user_id FROM security_event WHERE op_id = :opId AND result = 'ok')";

/** For the batch's last statement: the result. */
export const READ_RESULT: Statement = defineStatement(
  `SELECT result FROM security_event WHERE op_id = :opId`,
);

/** Ends the changed user's logins that wait for a second factor. */
export const END_PARTIAL_LOGINS: Statement = defineStatement(
  `UPDATE partial_login SET ended_at = :now WHERE user_id = ${CHANGED_USER} AND ended_at IS NULL`,
);

/** Cancels the setups of second factors that meet the condition. `returning`: the columns to return. */
export function dropSetups(condition: string, returning?: string): Statement {
  return defineStatement(`
    UPDATE second_factor SET pending_email = NULL, pending_sealed_secret = NULL, pending_until = NULL
    WHERE ${condition} ${returning === undefined ? "" : `RETURNING ${returning}`}`);
}

/**
 * The effects of every change of a password, address, factor or recovery codes: earlier sudo and partial tokens
 * become void, and pending codes and links end. Links that undo a transfer stay valid.
 */
export const END_EARLIER_PROOFS: readonly Statement[] = [
  defineStatement(
    `UPDATE user_account SET security_version = security_version + 1 WHERE id = ${CHANGED_USER}`,
  ),
  END_PARTIAL_LOGINS,
  defineStatement(
    `UPDATE one_time_code SET ended_at = :now WHERE user_id = ${CHANGED_USER} AND ended_at IS NULL`,
  ),
  endPasswordLinks(`user_id = ${CHANGED_USER}`),
  // A setup that was begun before the change must be begun again with new proof.
  dropSetups(`user_id = ${CHANGED_USER}`),
];

/** Ends all sessions of the changed user but the acting one. `reason` is stored with each session. */
export function endOtherSessions(reason: SessionEnd): Statement {
  return defineStatement(`
    UPDATE session SET ended_at = :now, ended_reason = '${reason}', ended_op = :opId
    WHERE user_id = ${CHANGED_USER} AND ended_at IS NULL AND id <> :sessionId`);
}

/** Ends all sessions of the changed user. */
export function endAllSessions(reason: SessionEnd): Statement {
  return defineStatement(`
    UPDATE session SET ended_at = :now, ended_reason = '${reason}', ended_op = :opId
    WHERE user_id = ${CHANGED_USER} AND ended_at IS NULL`);
}

/** Queues the operation's notice for the changed user. `detail` is an SQL expression. Parameter: `:mailExpiresAt`. */
export function mailChangedUser(template: MessageTemplate, detail = "NULL"): Statement {
  return queueMail({
    template,
    language: "language",
    recipient: "email",
    detail,
    expiresAt: ":mailExpiresAt",
    source: `FROM user_account WHERE id = ${CHANGED_USER}`,
  });
}
