import { defineStatement, type Statement } from "../db/statement.ts";
import { confirmForActor, decideForActor, whenResult } from "../identity/identity_text.ts";
import { ABANDON_ATTEMPT, FAIL_ATTEMPT } from "../identity/security_queries.ts";
import { THROTTLE_SCOPES } from "../throttle/limits.ts";
import { counterValue, countGuess, forgetCounters, takeBackWithWait } from "../throttle/throttle_text.ts";
import { CHANGE_PASSWORD } from "./set_password_queries.ts";

/**
 * The account's own password, submitted in a session, for a change or a step-up. Guesses of both count
 * together, per account.
 */

const SCOPE = THROTTLE_SCOPES.ownPassword;
const KEY = "CAST(:actorId AS TEXT)";
const NEXT_GUESS_AT = counterValue(SCOPE, KEY, "next_at");

/** Records an attempt before its password is checked, as if it had failed. Returns an `AttemptRow`. */
function begin(event: "password.change" | "password.prove"): readonly Statement[] {
  return [
    decideForActor({
      event,
      proof: "factor",
      verdict: `CASE WHEN ${NEXT_GUESS_AT} > :now THEN 'waiting' ELSE 'started' END`,
    }),
    countGuess(SCOPE, KEY, whenResult("started")),
    defineStatement(`
      SELECT decided.result, account.password_hash AS passwordHash, account.email, ${NEXT_GUESS_AT} AS nextAt
      FROM security_event decided CROSS JOIN user_account account ON account.id = decided.user_id
      WHERE decided.op_id = :opId`),
  ];
}

export const BEGIN_PASSWORD_CHANGE = begin("password.change");
export const BEGIN_PASSWORD_PROOF = begin("password.prove");

/** The password was wrong: the counter stays as it is. */
export const FAIL_OWN_PASSWORD: Statement = FAIL_ATTEMPT;

/** The password could not be checked: the attempt does not count, and its wait is cleared. */
export const ABANDON_OWN_PASSWORD: readonly Statement[] = [
  takeBackWithWait([{ scope: SCOPE, key: KEY }], whenResult("started")),
  ...ABANDON_ATTEMPT,
];

/**
 * The password was right, which only holds if the stored hash is still the one that was compared. Takes the
 * attempt back.
 */
const CONFIRM: readonly Statement[] = [
  confirmForActor({
    proof: "factor",
    verdict: "CASE WHEN account.password_hash = :comparedHash THEN 'ok' ELSE 'outdated' END",
  }),
  forgetCounters([{ scope: SCOPE, key: KEY }], whenResult("ok")),
];

/** Replaces the password. Returns a `ResultRow`. */
export const COMPLETE_PASSWORD_CHANGE: readonly Statement[] = [...CONFIRM, ...CHANGE_PASSWORD];

/** Confirms the password for a step-up. Returns a `ProofRow`. */
export const COMPLETE_PASSWORD_PROOF: readonly Statement[] = [
  ...CONFIRM,
  defineStatement(`
    SELECT decided.result, account.security_version AS securityVersion
    FROM security_event decided CROSS JOIN user_account account ON account.id = decided.user_id
    WHERE decided.op_id = :opId`),
];
