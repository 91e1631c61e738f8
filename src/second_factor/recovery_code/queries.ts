import { defineStatement, probing, type Statement } from "../../db/statement.ts";
import {
  applyChallengeVerdict,
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
  decideForActor,
  hasActiveFactor,
  mailChangedUser,
} from "../../identity/identity_text.ts";
import {
  ABANDON_ATTEMPT,
  END_EARLIER_PROOFS,
  endOtherSessions,
  READ_RESULT,
} from "../../identity/security_queries.ts";

/**
 * Records a guess before it is hashed, and counts it as if it had failed, so that concurrent guesses cannot
 * exceed the schedule. Returns a `GuessRow` with `hashes`, the set as a JSON list.
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
 * Decides the guess. `:matchedHash` is the stored hash that equals the guess's, or null. Of two guesses with
 * the same code, only the first succeeds. Returns a `GuessRow`, with `over` if the session or login has ended
 * meanwhile.
 */
export const PROVE_RECOVERY: readonly Statement[] = [
  defineStatement(`
    UPDATE security_event SET result = CASE WHEN NOT EXISTS (SELECT 1 FROM ${CHALLENGED}) THEN 'over'
      WHEN EXISTS (SELECT 1 FROM recovery_code stored WHERE stored.user_id = :actorId AND stored.hash = :matchedHash
        AND stored.used_at IS NULL) THEN 'ok' ELSE 'wrong' END
    WHERE op_id = :opId AND result = 'started'`),
  USE_RECOVERY_CODE,
  ...startAnew("recovery_code"),
  ...applyChallengeVerdict("recovery_code"),
  mailChangedUser(
    "recovery_code_used",
    `(SELECT CAST(count(*) AS TEXT) FROM recovery_code unused
      WHERE unused.user_id = ${CHANGED_USER} AND unused.used_at IS NULL)`,
  ),
  readGuess("recovery_code"),
];

/**
 * The guess could not be hashed, so it does not count. Its wait kept others from beginning, so clearing it is
 * correct.
 */
export const ABANDON_RECOVERY: readonly Statement[] = [
  takeFailureBack("recovery_code"),
  ...ABANDON_ATTEMPT,
];

/** Replaces the set. `needs_codes` if that is allowed but `:recoveryHashes` is null. The last row has `result`. */
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

/** When the next guess is checked; no row if the session or login is over. */
export const FIND_NEXT_RECOVERY: Statement = probing(defineStatement(`
  SELECT CASE WHEN factor.activated_at IS NULL THEN 'uninitialized' ELSE 'ok' END AS result, factor.failures,
    factor.next_guess_at AS nextGuessAt
  FROM ${CHALLENGED} ${joinFactor("recovery_code", "challenged.user_id")}`));
