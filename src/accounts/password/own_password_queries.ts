import { and, compile, eq, select } from "../../db/builder.ts";
import { securityEvent, userAccount } from "../../db/schema/identity.ts";
import { int, placeholdersOf, rowsOf, sql, text } from "../../db/sql.ts";
import type { RowOf, Statement } from "../../db/statement.ts";
import {
  ABANDON_ATTEMPT,
  confirmForActor,
  decideForActor,
  whenResult,
} from "../../identity/security_queries.ts";
import { THROTTLE_SCOPES } from "../../throttle/limits.ts";
import {
  countGuess,
  forgetCounters,
  nextGuessAt,
  takeBackWithWait,
} from "../../throttle/throttle_queries.ts";
import { CHANGE_PASSWORD } from "./set_password_queries.ts";

/** Checks of the actor's own password, for a change or a step-up. Guesses of both count together, per account. */

/** Arguments of a guess that is counted by the result of this operation. */
const GUESS = { opId: text, actorId: int };
const { opId, actorId } = placeholdersOf(GUESS);
const { now, comparedHash } = placeholdersOf({ now: int, comparedHash: text });

const GUESSES = { scope: THROTTLE_SCOPES.ownPassword, key: sql`CAST(${actorId} AS TEXT)` };
const NEXT_GUESS_AT = nextGuessAt(GUESSES);

const { decided, account } = rowsOf({ decided: securityEvent, account: userAccount });
/** Of a decided attempt and its account. */
const IS_ATTEMPT = and(eq(account.id, decided.userId), eq(decided.opId, opId));

const READ_ATTEMPT = compile({ ...GUESS, now: int }, () => {
  const { passwordHash, email } = account;
  return select({ result: decided.result, passwordHash, email, nextAt: NEXT_GUESS_AT })
    .from(decided).crossJoin(account).where(IS_ATTEMPT);
});
export type AttemptRow = RowOf<typeof READ_ATTEMPT>;

/** Records an attempt as failed, before its password is checked. Returns an `AttemptRow`. */
function begin(event: "password.change" | "password.prove"): readonly Statement[] {
  return [
    decideForActor({}, {
      event,
      proof: "factor",
      verdict: () => sql`CASE WHEN ${NEXT_GUESS_AT} > ${now} THEN 'waiting' ELSE 'started' END`,
    }),
    countGuess(GUESS, GUESSES, whenResult("started")),
    READ_ATTEMPT,
  ];
}

export const BEGIN_PASSWORD_CHANGE = begin("password.change");
export const BEGIN_PASSWORD_PROOF = begin("password.prove");

/** Takes back an attempt whose password could not be checked, and clears its wait. */
export const ABANDON_OWN_PASSWORD: readonly Statement[] = [
  takeBackWithWait(GUESS, [GUESSES], whenResult("started")),
  ...ABANDON_ATTEMPT,
];

/** Confirms a right password, if the stored hash is still the compared one, and takes back the count. */
const CONFIRM: readonly Statement[] = [
  confirmForActor({ comparedHash: text }, {
    proof: "factor",
    verdict: ({ account }) =>
      sql`CASE WHEN ${account.passwordHash} = ${comparedHash} THEN 'ok' ELSE 'outdated' END`,
  }),
  forgetCounters(GUESS, [GUESSES], whenResult("ok")),
];

/** Replaces the password. Returns a `ResultRow`. */
export const COMPLETE_PASSWORD_CHANGE: readonly Statement[] = [...CONFIRM, ...CHANGE_PASSWORD];

/** Reads the result of a proof. Returns a `ProofRow`. */
export const READ_PROOF = compile(
  { opId: text },
  () =>
    select({ result: decided.result, securityVersion: account.securityVersion })
      .from(decided).crossJoin(account).where(IS_ATTEMPT),
);
export type ProofRow = RowOf<typeof READ_PROOF>;

/** Confirms the password for a step-up. Returns a `ProofRow`. */
export const COMPLETE_PASSWORD_PROOF: readonly Statement[] = [...CONFIRM, READ_PROOF];
