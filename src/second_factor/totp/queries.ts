import { defineStatement, probing, type Statement } from "../../db/statement.ts";
import {
  applyChallengeVerdict,
  CHALLENGED,
  countFailure,
  decideGuess,
  readGuess,
  startAnew,
} from "../../identity/factor/challenge_queries.ts";
import {
  activateFactor,
  activationVerdict,
  beginSetup,
  CODES_MADE,
  deactivateFactor,
  joinFactor,
  updateFactor,
} from "../../identity/factor/factor_queries.ts";
import { CHANGED_USER, decideForActor } from "../../identity/identity_text.ts";

/** SQL: a secret is set up and waits for its activation. */
const SETUP_LIVES =
  "coalesce(factor.pending_sealed_secret IS NOT NULL AND factor.pending_until > :now, false)";

/** Stores a new secret; an active one stays active. The last row has `result` and the account's `email`. */
export const SET_UP_TOTP: readonly Statement[] = [
  decideForActor({ event: "totp.setup", proof: "fresh", verdict: "'ok'" }),
  beginSetup("totp", ":sealedSecret"),
  defineStatement(`
    SELECT decided.result, account.email FROM security_event decided
    CROSS JOIN user_account account ON account.id = decided.user_id WHERE decided.op_id = :opId`),
];

/** The sealed secrets, which are opened and compared outside the database; no row if the session or login is over. */
export const FIND_TOTP: Statement = probing(defineStatement(`
  SELECT factor.sealed_secret AS sealedSecret, CASE WHEN ${SETUP_LIVES} THEN factor.pending_sealed_secret END AS pendingSecret
  FROM ${CHALLENGED} ${joinFactor("totp", "challenged.user_id")}`));

/**
 * Activates the secret that is being set up. `:comparedSecret` is the sealed secret that the code was compared
 * with, `:step` the code's step, or null if it is wrong; the step is used up. Returns a `GuessRow` with
 * `codesMade`.
 */
export const ACTIVATE_TOTP: readonly Statement[] = [
  decideGuess({
    kind: "totp",
    event: "totp.activate",
    obstacle: `CASE WHEN NOT ${SETUP_LIVES} THEN 'uninitialized'
      WHEN factor.pending_sealed_secret IS NOT :comparedSecret THEN 'outdated' END`,
    verdict: `CASE WHEN :step IS NULL THEN 'wrong' ELSE ${activationVerdict("challenged.user_id")} END`,
  }),
  countFailure("totp", "wrong"),
  ...activateFactor("totp"),
  readGuess("totp", CODES_MADE),
];

/**
 * Verifies a code of `:step`, which is null if the code matches no step. A step at or before the last accepted
 * one is wrong, and of two guesses with the same step only the first is accepted (RFC 6238, section 5.2).
 * `:resealedSecret` is the secret sealed with a newer key, or null; it replaces the stored one if the code is
 * right. Returns a `GuessRow`.
 */
export const PROVE_TOTP: readonly Statement[] = [
  decideGuess({
    kind: "totp",
    event: "totp.authenticate",
    obstacle: `CASE
      WHEN factor.activated_at IS NULL THEN CASE WHEN ${SETUP_LIVES} THEN 'inactive' ELSE 'uninitialized' END
      WHEN factor.sealed_secret IS NOT :comparedSecret THEN 'outdated' END`,
    verdict: "CASE WHEN :step > coalesce(factor.last_step, -1) THEN 'ok' ELSE 'wrong' END",
  }),
  updateFactor(
    "totp",
    { last_step: ":step", sealed_secret: "coalesce(:resealedSecret, sealed_secret)" },
    `user_id = ${CHANGED_USER}`,
  ),
  countFailure("totp", "wrong"),
  ...startAnew("totp"),
  ...applyChallengeVerdict("totp"),
  readGuess("totp"),
];

/** When the next guess is checked. During a login, a setup does not count. No row if the session or login is over. */
export const FIND_NEXT_TOTP: Statement = probing(defineStatement(`
  SELECT CASE WHEN factor.activated_at IS NULL AND NOT (challenged.session_id IS NOT NULL AND ${SETUP_LIVES})
      THEN 'uninitialized' ELSE 'ok' END AS result, factor.failures, factor.next_guess_at AS nextGuessAt
  FROM ${CHALLENGED} ${joinFactor("totp", "challenged.user_id")}`));

export const DEACTIVATE_TOTP: readonly Statement[] = deactivateFactor("totp");
