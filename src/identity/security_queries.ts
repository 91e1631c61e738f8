import { FRESH_SIGN_IN_SECONDS } from "../core/errors.ts";
import { SECOND_MS } from "../core/clock.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import type { MessageTemplate } from "../mail/message_content.ts";
import { queueMail } from "../mail/queued_mail_queries.ts";
import { endPasswordLinks } from "./password_link_queries.ts";
import type { SecurityResult, SessionEnd } from "./security_result.ts";

/**
 * The parts of a security write that are alike whatever changes. The batch's first statement writes the security event
 * of `:opId`, whose result is the decision; all the others act on its result.
 */

/** Fails if this operation is on record already; see `writeOnce`. */
export const REFUSE_REPEATED_EVENT: Statement = defineStatement(`
  INSERT INTO security_event (op_id, at, event, result)
  SELECT op_id, at, event, result FROM security_event WHERE op_id = :opId`);

/** The same for a batch that decides an attempt on record: fails if it was decided already. */
export const REFUSE_REPEATED_VERDICT: Statement = defineStatement(`
  INSERT INTO security_event (op_id, at, event, result)
  SELECT op_id, at, event, result FROM security_event WHERE op_id = :opId AND result <> 'started'`);

/** SQL: the session is live, and it is the actor's. Parameters: `:sessionId`, `:actorId`, `:now`. */
export function sessionLives(session: string): string {
  return `${session}.id = :sessionId AND ${session}.user_id = :actorId
    AND ${session}.ended_at IS NULL AND ${session}.idle_until > :now`;
}

/** SQL: the user has an active second factor. Recovery codes stand in for one and are none themselves. */
export function hasActiveFactor(user: string): string {
  return `EXISTS (SELECT 1 FROM second_factor active_factor WHERE active_factor.user_id = ${user}
    AND active_factor.kind IN ('totp', 'email_otp') AND active_factor.activated_at IS NOT NULL)`;
}

/** What an operation wants besides a live session. */
export type Proof =
  /** Nothing. */
  | "none"
  /** Nothing, but a sudo token is taken, too, as long as it is current. */
  | "any"
  /** A sudo token; without a second factor an access token will do, if the password sign-in is recent. */
  | "fresh"
  /** A sudo token; without a second factor an access token of any age will do. */
  | "factor";

/** SQL: the actor of `acting` lacks the proof. Parameters: `:sudoVersion` (null for an access token), `:now`. */
function lacksProof(proof: "fresh" | "factor"): string {
  const stale = `acting.authenticated_at <= :now - ${FRESH_SIGN_IN_SECONDS * SECOND_MS}`;
  const unproven = proof === "fresh"
    ? `(${hasActiveFactor("acting.user_id")} OR ${stale})`
    : hasActiveFactor("acting.user_id");
  return `(:sudoVersion IS NULL AND ${unproven})`;
}

/** SQL: the verdict, unless proof is missing. */
function provenVerdict(proof: Proof, verdict: string): string {
  return proof === "none" || proof === "any"
    ? verdict
    : `CASE WHEN ${lacksProof(proof)} THEN 'proof_required' ELSE ${verdict} END`;
}

/** SQL: the actor's live session as `acting` and his account, while his sudo token, if any, is current. */
function actingAccount(proof: Proof, joins: string): string {
  const current = proof === "none"
    ? ""
    : "AND (:sudoVersion IS NULL OR account.security_version = :sudoVersion)";
  return `session acting CROSS JOIN user_account account ON account.id = acting.user_id ${joins}
    WHERE ${sessionLives("acting")} ${current}`;
}

export interface ActorDecision {
  /** Name of the event in the log: `area.verb`. */
  readonly event: string;
  readonly proof: Proof;
  /** SQL: the result, `'ok'` for a change that is made. May use `acting` (session) and `account` (user_account). */
  readonly verdict: string;
  /** SQL: further joins that the verdict uses. */
  readonly joins?: string;
}

/**
 * Decides a change of the actor's own account: one event row while his session lives (and his sudo token is of the
 * account's current count of changes), with `proof_required` where proof is missing. No row at all: the token is void.
 * Parameters besides the verdict's: `:opId`, `:now`, `:actorId`, `:sessionId`, `:address`, and `:sudoVersion` with proof.
 */
export function decideForActor({ event, proof, verdict, joins = "" }: ActorDecision): Statement {
  const result = provenVerdict(proof, verdict);
  return defineStatement(`
    INSERT INTO security_event (op_id, at, event, result, actor_id, user_id, session_id, address)
    SELECT :opId, :now, '${event}', ${result}, acting.user_id, acting.user_id, acting.id, :address
    FROM ${actingAccount(proof, joins)}`);
}

/**
 * Decides again what `decideForActor` left as `started`, after a secret was compared in between: every condition is
 * repeated. `void` where the token has become so meanwhile.
 */
export function confirmForActor({ proof, verdict, joins = "" }: Omit<ActorDecision, "event">): Statement {
  return defineStatement(`
    UPDATE security_event SET result = coalesce((
      SELECT ${provenVerdict(proof, verdict)} FROM ${actingAccount(proof, joins)}), 'void')
    WHERE op_id = :opId AND result = 'started'`);
}

/** Closes an attempt that is still `started`: the secret was wrong, or could not be compared. */
export function closeAttempt(result: "wrong" | "abandoned"): Statement {
  return defineStatement(
    `UPDATE security_event SET result = '${result}' WHERE op_id = :opId AND result = 'started'`,
  );
}

/** SQL: the result of this operation is one of these. */
export function whenResult(...results: SecurityResult[]): string {
  return `EXISTS (SELECT 1 FROM security_event decided WHERE decided.op_id = :opId
    AND decided.result IN (${results.map((result) => `'${result}'`).join(", ")}))`;
}

/** SQL: the id of the user whose change was decided `ok`; null otherwise, which equals no id. */
export const CHANGED_USER = "(SELECT user_id FROM security_event WHERE op_id = :opId AND result = 'ok')";

/** The result, for the batch's last statement. */
export const READ_RESULT: Statement = defineStatement(
  `SELECT result FROM security_event WHERE op_id = :opId`,
);

/** Ends the changed user's sign-ins that wait for their second factor. */
export const END_PARTIAL_LOGINS: Statement = defineStatement(
  `UPDATE partial_login SET ended_at = :now WHERE user_id = ${CHANGED_USER} AND ended_at IS NULL`,
);

/** Drops the setups of second factors that meet the condition. `returning`: the columns to return of each. */
export function dropSetups(condition: string, returning?: string): Statement {
  return defineStatement(`
    UPDATE second_factor SET pending_email = NULL, pending_sealed_secret = NULL, pending_until = NULL
    WHERE ${condition} ${returning === undefined ? "" : `RETURNING ${returning}`}`);
}

/**
 * What a change of password, address, factors or codes always does: earlier sudo and partial tokens die, pending codes
 * and links end. Undo links never do.
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
  // A setup that was begun with proof from before the change is begun anew with proof from after it.
  dropSetups(`user_id = ${CHANGED_USER}`),
];

/** Ends all sessions of the changed user but the acting one. `reason` goes into the session's row. */
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

/** Queues the operation's one notice for the changed user. `detail` is an SQL expression. Names `:mailExpiresAt`. */
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
