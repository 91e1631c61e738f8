import { SECOND_MS } from "../../core/clock.ts";
import { defineStatement, type Statement } from "../../db/statement.ts";
import { queueMail } from "../../mail/mail_text.ts";
import { GUESS_LOCK_FAILURES } from "../../throttle/limits.ts";
import { guessWait } from "../../throttle/throttle_text.ts";
import { endSurplusSessions, recordEvent, rememberAddress, whenResult } from "../identity_text.ts";
import { REFRESH_IDLE_SECONDS, SESSION_SECONDS } from "../lifetimes.ts";
import { ACTING_SESSION_LIVES } from "../session_life_queries.ts";
import type { SecurityResult } from "../security_result.ts";

/**
 * Proof of a second factor, either in a session, to step up, or in a login, to complete it. Guesses count alike
 * in both. A factor supplies its verdict on the code. The rest is here: the guess schedule, the limit of wrong
 * codes per login, and the effects of success.
 */

export type FactorKind = "totp" | "email_otp" | "recovery_code";

/** Wrong codes after which a login ends. */
const PARTIAL_LOGIN_FAILURES = 5;

/**
 * SQL: one row, `challenged` (user_id, session_id, partial_id), or none if the session or login is over.
 * Parameters: `:sessionId` or `:partialLoginId`, the other null; `:actorId`, `:now`.
 */
export const CHALLENGED = `(
  SELECT acting.user_id, acting.id AS session_id, NULL AS partial_id FROM session acting
    WHERE ${ACTING_SESSION_LIVES}
  UNION ALL
  SELECT pending.user_id, NULL, pending.id FROM partial_login pending
    CROSS JOIN user_account account ON account.id = pending.user_id
    WHERE pending.id = :partialLoginId AND pending.user_id = :actorId AND pending.ended_at IS NULL
      AND pending.expires_at > :now AND account.security_version = pending.security_version) challenged`;

/** SQL: the id of the session or partial login that acts. */
export const ASKER = "coalesce(:sessionId, :partialLoginId)";

/** SQL: the acting partial login came from an address that is unknown to the account. A session is never a stranger. */
export const IS_STRANGER = `EXISTS (SELECT 1 FROM partial_login stranger
  WHERE stranger.id = :partialLoginId AND NOT stranger.from_known_address)`;

/** SQL: the guess schedule of the row joined as `factor` allows no guess now. */
const FACTOR_WAITS = `(factor.failures >= ${GUESS_LOCK_FAILURES} OR factor.next_guess_at > :now)`;

export interface FactorDecision {
  readonly kind: FactorKind;
  /** Name of the event in the security log. */
  readonly event: string;
  /** SQL: a result for which the code is not checked (`inactive`, …), or null. May use `factor`. */
  readonly obstacle: string;
  /**
   * SQL: `ok`, `wrong`, or another result, which does not count as a guess. May use `factor` and what `joins`
   * adds.
   */
  readonly verdict: string;
  readonly joins?: string;
}

/** Decides a guess: inserts one event row for the challenged user. No row: the token is void. */
export function decideGuess({ kind, event, obstacle, verdict, joins = "" }: FactorDecision): Statement {
  return recordEvent(
    event,
    `SELECT coalesce(${obstacle}, CASE WHEN ${FACTOR_WAITS} THEN 'waiting' ELSE ${verdict} END) AS result,
      challenged.user_id, coalesce(challenged.session_id, challenged.partial_id) AS session_id
    FROM ${CHALLENGED}
    LEFT JOIN second_factor factor ON factor.user_id = challenged.user_id AND factor.kind = '${kind}' ${joins}`,
  );
}

/** SQL: the user of this operation, whatever its result. */
export const GUESSER = "(SELECT user_id FROM security_event WHERE op_id = :opId)";

/** Advances the guess schedule by one failure if this operation's result is `result`. */
export function countFailure(kind: FactorKind, result: SecurityResult): Statement {
  return defineStatement(`
    UPDATE second_factor SET failures = failures + 1, next_guess_at = :now + ${guessWait("(failures + 1)")}
    WHERE user_id = ${GUESSER} AND kind = '${kind}' AND ${whenResult(result)}`);
}

/** Undoes the failure that `countFailure` counted for this operation's `started`, and the wait that it set. */
export function takeFailureBack(kind: FactorKind): Statement {
  return defineStatement(`
    UPDATE second_factor SET failures = failures - 1, next_guess_at = 0
    WHERE user_id = ${GUESSER} AND kind = '${kind}' AND failures > 0 AND ${whenResult("started")}`);
}

/** Resets the guess schedule of the factors that meet the condition. */
export function endGuessWaits(condition: string): Statement {
  return defineStatement(`UPDATE second_factor SET failures = 0, next_guess_at = 0 WHERE ${condition}`);
}

/**
 * A success resets the factor's guess schedule, and that of any other factor that is locked. The growing waits
 * between mailed codes start over, but a running wait is not shortened.
 */
export function startAnew(kind: FactorKind): readonly Statement[] {
  return [
    endGuessWaits(`user_id = ${GUESSER} AND ${whenResult("ok")}
      AND (kind = '${kind}' OR failures >= ${GUESS_LOCK_FAILURES})`),
    defineStatement(`
      UPDATE second_factor SET mails = 0
      WHERE user_id = ${GUESSER} AND kind = 'email_otp' AND ${whenResult("ok")}`),
  ];
}

const WAS_WRONG = whenResult("wrong");

/**
 * The effects of the verdict on a login. It counts its failures and ends at the fifth. It also ends by its success, which
 * opens a session of assurance level 2. The user gets a mail at the login's fifth failure and at the factor's fifth in a
 * row, because whoever knows the password can begin another login after four. Parameters: `:newSessionId`,
 * `:familyHash`, `:addressBucket`, and those of `CHALLENGED`.
 */
export function applyChallengeVerdict(kind: FactorKind): readonly Statement[] {
  return [
    defineStatement(`
      INSERT INTO session (id, user_id, family_hash, created_at, authenticated_at, assurance_level, idle_until,
        expires_at, last_token_at, client)
      SELECT :newSessionId, user_id, :familyHash, :now, authenticated_at, 2,
        :now + ${REFRESH_IDLE_SECONDS * SECOND_MS}, :now + ${SESSION_SECONDS * SECOND_MS}, :now, client
      FROM partial_login WHERE id = :partialLoginId AND ${whenResult("ok")}`),
    endSurplusSessions({
      id: ":newSessionId",
      user: "(SELECT user_id FROM partial_login WHERE id = :partialLoginId)",
      condition: whenResult("ok"),
    }),
    rememberAddress("user_id", `FROM partial_login WHERE id = :partialLoginId AND ${whenResult("ok")}`),
    defineStatement(`
      UPDATE partial_login SET failures = failures + ${WAS_WRONG}, ended_at = CASE
        WHEN ${whenResult("ok")} OR failures + 1 >= ${PARTIAL_LOGIN_FAILURES} THEN :now END
      WHERE id = :partialLoginId AND ${whenResult("ok", "wrong")}`),
    queueMail({
      template: "second_factor_failures",
      language: "account.language",
      recipient: "account.email",
      expiresAt: ":mailExpiresAt",
      source: `FROM partial_login pending CROSS JOIN user_account account ON account.id = pending.user_id
        CROSS JOIN second_factor factor ON factor.user_id = pending.user_id AND factor.kind = '${kind}'
        WHERE pending.id = :partialLoginId AND ${PARTIAL_LOGIN_FAILURES} IN (pending.failures, factor.failures)
          AND ${WAS_WRONG}`,
    }),
  ];
}

/**
 * The last statement of a guess. Returns a `GuessRow` with the columns of `more`, which may use `factor` and
 * `decided`, the event.
 */
export function readGuess(kind: FactorKind, more = ""): Statement {
  return defineStatement(`
    SELECT decided.result, account.security_version AS securityVersion, pending.authenticated_at AS authenticatedAt,
      factor.failures, factor.next_guess_at AS nextGuessAt ${more}
    FROM security_event decided CROSS JOIN user_account account ON account.id = decided.user_id
    LEFT JOIN second_factor factor ON factor.user_id = decided.user_id AND factor.kind = '${kind}'
    LEFT JOIN partial_login pending ON pending.id = :partialLoginId
    WHERE decided.op_id = :opId`);
}
