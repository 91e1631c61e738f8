import { defineStatement, type Statement } from "../db/statement.ts";
import { closeAttempt, confirmForActor, decideForActor, whenResult } from "../identity/security_queries.ts";
import { THROTTLE_SCOPES } from "../throttle/limits.ts";
import { counterValue, countGuess, forgetCounters, takeBackWithWait } from "../throttle/throttle_queries.ts";
import { CHANGE_PASSWORD } from "./set_password_queries.ts";

/** A password shown in a session, to change it or to prove oneself anew. The guesses of both count alike, per account. */

const SCOPE = THROTTLE_SCOPES.ownPassword;
const KEY = "CAST(:actorId AS TEXT)";
const NEXT_GUESS_AT = counterValue(SCOPE, KEY, "next_at");

/** Records an attempt before its password is looked at, as if it had failed. Ends in an `AttemptRow`. */
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

/** The password was wrong: the counter stands as it is. */
export const FAIL_OWN_PASSWORD: Statement = closeAttempt("wrong");

/** The password could not be looked at: the attempt counts for nothing, and the wait that it set is none. */
export const ABANDON_OWN_PASSWORD: readonly Statement[] = [
  takeBackWithWait([{ scope: SCOPE, key: KEY }], whenResult("started")),
  closeAttempt("abandoned"),
];

/** The password was right: that holds only if the hash is still the one that was compared. Gives the attempt back. */
const CONFIRM: readonly Statement[] = [
  confirmForActor({
    proof: "factor",
    verdict: "CASE WHEN account.password_hash = :comparedHash THEN 'ok' ELSE 'outdated' END",
  }),
  forgetCounters([{ scope: SCOPE, key: KEY }], whenResult("ok")),
];

/** Replaces the password. Ends in a `ResultRow`. */
export const COMPLETE_PASSWORD_CHANGE: readonly Statement[] = [...CONFIRM, ...CHANGE_PASSWORD];

/** Ends in a `ProofRow`. */
export const COMPLETE_PASSWORD_PROOF: readonly Statement[] = [
  ...CONFIRM,
  defineStatement(`
    SELECT decided.result, account.security_version AS securityVersion
    FROM security_event decided CROSS JOIN user_account account ON account.id = decided.user_id
    WHERE decided.op_id = :opId`),
];
