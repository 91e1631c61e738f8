import { defineStatement, type Statement } from "../../db/statement.ts";
import {
  APPLY_CHALLENGE_VERDICT,
  CHALLENGED,
  countFailure,
  decideGuess,
  readGuess,
  startAnew,
  takeFailureBack,
} from "../../identity/factor/challenge_queries.ts";
import {
  joinFactor,
  NEEDS_CODES,
  REPLACE_RECOVERY_CODES,
  USE_RECOVERY_CODE,
} from "../../identity/factor/factor_queries.ts";
import {
  CHANGED_USER,
  closeAttempt,
  decideForActor,
  END_EARLIER_PROOFS,
  endOtherSessions,
  hasActiveFactor,
  mailChangedUser,
  READ_RESULT,
} from "../../identity/security_queries.ts";

/**
 * Begins a guess before it is hashed, and counts it as if it had failed: of many at once no more are hashed than the
 * schedule allows. Ends in a `GuessRow` with `hashes`, the set as a JSON list.
 */
export const BEGIN_RECOVERY: readonly Statement[] = [
  decideGuess({
    kind: "recovery_code",
    event: "recovery_code.authenticate",
    obstacle: "CASE WHEN factor.activated_at IS NULL THEN 'uninitialized' END",
    verdict: "'started'",
  }),
  countFailure("recovery_code", "started"),
  readGuess(
    "recovery_code",
    `, (SELECT json_group_array(stored.hash) FROM (SELECT hash FROM recovery_code
      WHERE recovery_code.user_id = decided.user_id ORDER BY position) stored) AS hashes`,
  ),
];

/**
 * Decides the guess: `:matchedHash` is the stored hash that the code's equals, or null. Of two with one code the first
 * uses it. Ends in a `GuessRow`; `over` where session or sign-in has ended meanwhile.
 */
export const PROVE_RECOVERY: readonly Statement[] = [
  defineStatement(`
    UPDATE security_event SET result = CASE WHEN NOT EXISTS (SELECT 1 FROM ${CHALLENGED}) THEN 'over'
      WHEN EXISTS (SELECT 1 FROM recovery_code stored WHERE stored.user_id = :actorId AND stored.hash = :matchedHash
        AND stored.used_at IS NULL) THEN 'ok' ELSE 'wrong' END
    WHERE op_id = :opId AND result = 'started'`),
  USE_RECOVERY_CODE,
  ...startAnew("recovery_code"),
  ...APPLY_CHALLENGE_VERDICT,
  mailChangedUser(
    "recovery_code_used",
    `(SELECT CAST(count(*) AS TEXT) FROM recovery_code unused
      WHERE unused.user_id = ${CHANGED_USER} AND unused.used_at IS NULL)`,
  ),
  readGuess("recovery_code"),
];

/** The guess could not be hashed: it counts for nothing. The wait that it set kept others from beginning. */
export const ABANDON_RECOVERY: readonly Statement[] = [
  takeFailureBack("recovery_code"),
  closeAttempt("abandoned"),
];

/** Replaces the set. `needs_codes` where it may be and `:recoveryHashes` is null. Ends in a row with `result`. */
export const RESET_RECOVERY: readonly Statement[] = [
  decideForActor({
    event: "recovery_code.reset",
    proof: "fresh",
    verdict: `CASE WHEN NOT ${hasActiveFactor("account.id")} THEN 'disabled'
      WHEN :recoveryHashes IS NULL THEN '${NEEDS_CODES}' ELSE 'ok' END`,
  }),
  ...REPLACE_RECOVERY_CODES,
  ...END_EARLIER_PROOFS,
  endOtherSessions("recovery_codes_reset"),
  mailChangedUser("recovery_codes_reset"),
  READ_RESULT,
];

/** When the next guess is looked at; no row if session or sign-in is over. */
export const FIND_NEXT_RECOVERY: Statement = defineStatement(`
  SELECT CASE WHEN factor.activated_at IS NULL THEN 'uninitialized' ELSE 'ok' END AS result, factor.failures,
    factor.next_guess_at AS nextGuessAt
  FROM ${CHALLENGED} ${joinFactor("recovery_code", "challenged.user_id")}`);
