import { recoveryCode, secondFactor, securityEvent } from "../../../db/schema/identity.ts";
import {
  assigned,
  define,
  nullable,
  placeholdersOf,
  quoted,
  row,
  rows,
  type SQL,
  sql,
  text,
} from "../../../db/sql.ts";
import { probing, type Statement } from "../../../db/statement.ts";
import {
  applyChallengeVerdict,
  CHALLENGE,
  CHALLENGED,
  countFailure,
  decideGuess,
  joinFactor,
  nextGuessOf,
  type NextGuessRow,
  readGuess,
  readProof,
  startAnew,
  takeFailureBack,
} from "../../../identity/factor/challenge_queries.ts";
import {
  MADE_CODES,
  NEEDS_CODES,
  REPLACE_RECOVERY_CODES,
  USE_RECOVERY_CODE,
} from "../../../identity/factor/factor_queries.ts";
import {
  ABANDON_ATTEMPT,
  CHANGED_USER,
  decideForActor,
  END_EARLIER_PROOFS,
  endOtherSessions,
  hasActiveFactor,
  mailChangedUser,
  READ_RESULT,
} from "../../../identity/security_queries.ts";

const { recoveryHashes } = placeholdersOf(MADE_CODES);

/** The hashes of the set, as a JSON list in the order of the codes. */
function hashesOf(decided: typeof securityEvent): SQL {
  const kept = row(recoveryCode, "kept");
  return sql`(SELECT json_group_array(stored.hash) FROM (SELECT ${kept.hash} FROM ${kept}
      WHERE ${kept.userId} = ${decided.userId} ORDER BY ${kept.position}) stored) AS hashes`;
}

/**
 * Records a guess as failed, before it is hashed, so that concurrent guesses cannot exceed the schedule. Returns a
 * `GuessRow` with `hashes`, the set as a JSON list.
 */
export const BEGIN_RECOVERY: readonly Statement[] = [
  decideGuess({}, {
    kind: "recovery_code",
    event: "recovery_code.authenticate",
    obstacle: ({ activatedAt }) => sql`CASE WHEN ${activatedAt} IS NULL THEN 'uninitialized' END`,
    verdict: () => sql`'started'`,
  }),
  countFailure("recovery_code", "started"),
  readGuess({}, "recovery_code", hashesOf),
];

/** Decides the recorded guess: `over` if the session or login has ended. */
const DECIDE = define(
  { ...CHALLENGE, opId: text, matchedHash: nullable(text) },
  ({ opId, actorId, matchedHash }) => {
    const stored = row(recoveryCode, "stored");
    const isRight = sql`EXISTS (SELECT 1 FROM ${stored}
        WHERE ${stored.userId} = ${actorId} AND ${stored.hash} = ${matchedHash} AND ${stored.usedAt} IS NULL)`;
    const result = sql`CASE WHEN NOT EXISTS (SELECT 1 FROM ${CHALLENGED}) THEN 'over'
      WHEN ${isRight} THEN 'ok' ELSE 'wrong' END`;
    return sql`
    UPDATE ${securityEvent} SET ${assigned(securityEvent, { result })}
    WHERE ${securityEvent.opId} = ${opId} AND ${securityEvent.result} = 'started'`;
  },
);

const unused = row(recoveryCode, "unused");
const UNUSED_CODES = sql`(SELECT CAST(count(*) AS TEXT) FROM ${unused}
      WHERE ${unused.userId} = ${CHANGED_USER} AND ${unused.usedAt} IS NULL)`;

/**
 * Decides the guess. `matchedHash`: the stored hash equal to the guess's, or null. Of two guesses with the same code,
 * only the first succeeds. Returns a `GuessRow`.
 */
export const PROVE_RECOVERY: readonly Statement[] = [
  DECIDE,
  USE_RECOVERY_CODE,
  ...startAnew("recovery_code"),
  ...applyChallengeVerdict("recovery_code"),
  mailChangedUser("recovery_code_used", UNUSED_CODES),
  readProof("recovery_code"),
];

/** Takes back a guess that could not be hashed. Clearing its wait is correct: the wait kept others from beginning. */
export const ABANDON_RECOVERY: readonly Statement[] = [
  takeFailureBack("recovery_code"),
  ...ABANDON_ATTEMPT,
];

/** Replaces the set. The last row has `result`: `needs_codes` if that is allowed but `recoveryHashes` is null. */
export const RESET_RECOVERY: readonly Statement[] = [
  decideForActor(MADE_CODES, {
    event: "recovery_code.reset",
    proof: "fresh",
    verdict: ({ account }) =>
      sql`CASE WHEN NOT ${hasActiveFactor(account.id)} THEN 'disabled'
      WHEN ${recoveryHashes} IS NULL THEN ${quoted(NEEDS_CODES)} ELSE 'ok' END`,
  }),
  ...REPLACE_RECOVERY_CODES,
  ...END_EARLIER_PROOFS,
  endOtherSessions("recovery_codes_reset"),
  mailChangedUser("recovery_codes_reset"),
  READ_RESULT,
];

/** Reads when the next guess is checked; no row if the session or login is over. */
export const FIND_NEXT_RECOVERY = probing(
  rows<NextGuessRow>()(CHALLENGE, () => {
    const factor = row(secondFactor, "factor");
    return sql`
  SELECT CASE WHEN ${factor.activatedAt} IS NULL THEN 'uninitialized' ELSE 'ok' END AS result,
    ${factor.failures}, ${nextGuessOf(factor)} AS nextGuessAt
  FROM ${CHALLENGED} ${joinFactor(factor, "recovery_code", sql`challenged.user_id`)}`;
  }),
);
