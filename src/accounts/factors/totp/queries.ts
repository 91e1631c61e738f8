import { isAhead } from "../../../db/ahead.ts";
import { secondFactor, securityEvent, userAccount } from "../../../db/schema/identity.ts";
import {
  define,
  int,
  nullable,
  placeholdersOf,
  row,
  rows,
  rowsOf,
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
  type Factor,
  joinFactor,
  nextGuessOf,
  type NextGuessRow,
  readGuess,
  readProof,
  startAnew,
} from "../../../identity/factor/challenge_queries.ts";
import {
  activateFactor,
  activationVerdict,
  beginSetup,
  codesMade,
  deactivateFactor,
  MADE_CODES,
  updateFactor,
} from "../../../identity/factor/factor_queries.ts";
import { CHANGED_USER, decideForActor } from "../../../identity/security_queries.ts";
import { STEP_MS } from "./rules.ts";

const { now } = placeholdersOf(CHALLENGE);
/** The sealed secret that was compared, and the step of the code, or null if it is wrong. */
const COMPARED = { comparedSecret: nullable(text), step: nullable(int) };
const { comparedSecret, step } = placeholdersOf(COMPARED);
const { sealedSecret, resealedSecret } = placeholdersOf({ sealedSecret: text, resealedSecret: text });

/** A secret is set up and not yet activated. */
function setupLives({ pendingSealedSecret, pendingUntil }: Factor): SQL {
  return sql`coalesce(${pendingSealedSecret} IS NOT NULL AND ${pendingUntil} > ${now}, false)`;
}

const READ_SETUP = define({ opId: text }, ({ opId }) => {
  const { decided, account } = rowsOf({ decided: securityEvent, account: userAccount });
  return sql`
  SELECT ${decided.result}, ${account.email} FROM ${decided}
  CROSS JOIN ${account} ON ${account.id} = ${decided.userId} WHERE ${decided.opId} = ${opId}`;
});

/** Stores a new secret. An active one stays active. The last row has `result` and the account's `email`. */
export const SET_UP_TOTP: readonly Statement[] = [
  decideForActor({}, { event: "totp.setup", proof: "fresh", verdict: () => sql`'ok'` }),
  beginSetup({ sealedSecret: text }, "totp", sealedSecret),
  READ_SETUP,
];

export interface SecretRow {
  readonly sealedSecret: string | null;
  readonly pendingSecret: string | null;
}

/** Reads the sealed secrets, which are compared outside the database; no row if the session or login is over. */
export const FIND_TOTP = probing(
  rows<SecretRow>()(CHALLENGE, () => {
    const factor = row(secondFactor, "factor");
    const pending = sql`CASE WHEN ${setupLives(factor)} THEN ${factor.pendingSealedSecret} END`;
    return sql`
  SELECT ${factor.sealedSecret} AS sealedSecret, ${pending} AS pendingSecret
  FROM ${CHALLENGED} ${joinFactor(factor, "totp", sql`challenged.user_id`)}`;
  }),
);

/** A last step that is further ahead locks nothing. Within it, codes of a clock set back stay used up. */
const STEPS_AHEAD = 10;

/** The code's step is after the last accepted one, unless that was accepted while a clock was ahead. */
function isNewStep({ lastStep }: Factor): SQL {
  const acceptedAt = sql`${lastStep} * ${STEP_MS}`;
  return sql`(${step} > ifnull(${lastStep}, -1) OR ${isAhead(acceptedAt, now, STEPS_AHEAD * STEP_MS)})`;
}

/** Activates the secret of the setup, and uses up the step. Returns a `GuessRow` with `codesMade`. */
export const ACTIVATE_TOTP: readonly Statement[] = [
  decideGuess({ ...COMPARED, ...MADE_CODES }, {
    kind: "totp",
    event: "totp.activate",
    obstacle: (factor) =>
      sql`CASE WHEN NOT ${setupLives(factor)} THEN 'uninitialized'
      WHEN ${factor.pendingSealedSecret} IS NOT ${comparedSecret} THEN 'outdated' END`,
    verdict: () =>
      sql`CASE WHEN ${step} IS NULL THEN 'wrong' ELSE ${activationVerdict(sql`challenged.user_id`)} END`,
  }),
  countFailure("totp", "wrong"),
  ...activateFactor({ step: nullable(int) }, "totp", { lastStep: step }),
  readGuess(MADE_CODES, "totp", codesMade),
];

/**
 * Verifies a code. Its step must be after the last accepted one, so of equal guesses only the first succeeds (RFC
 * 6238, 5.2). A right code stores `resealedSecret` (sealed with a newer key) unless null. Returns a `GuessRow`.
 */
export const PROVE_TOTP: readonly Statement[] = [
  decideGuess(COMPARED, {
    kind: "totp",
    event: "totp.authenticate",
    obstacle: (factor) =>
      sql`CASE
      WHEN ${factor.activatedAt} IS NULL
        THEN CASE WHEN ${setupLives(factor)} THEN 'inactive' ELSE 'uninitialized' END
      WHEN ${factor.sealedSecret} IS NOT ${comparedSecret} THEN 'outdated' END`,
    verdict: (factor) =>
      sql`CASE WHEN ${step} IS NOT NULL AND ${isNewStep(factor)} THEN 'ok' ELSE 'wrong' END`,
  }),
  updateFactor(
    { opId: text, step: nullable(int), resealedSecret: nullable(text) },
    "totp",
    { lastStep: step, sealedSecret: sql`coalesce(${resealedSecret}, ${secondFactor.sealedSecret})` },
    sql`${secondFactor.userId} = ${CHANGED_USER}`,
  ),
  countFailure("totp", "wrong"),
  ...startAnew("totp"),
  ...applyChallengeVerdict("totp"),
  readProof("totp"),
];

/**
 * Reads when the next guess is checked. During a login, a setup does not count. No row if the session or login is
 * over.
 */
export const FIND_NEXT_TOTP = probing(
  rows<NextGuessRow>()(CHALLENGE, () => {
    const factor = row(secondFactor, "factor");
    const isSetUp = sql`(challenged.session_id IS NOT NULL AND ${setupLives(factor)})`;
    return sql`
  SELECT CASE WHEN ${factor.activatedAt} IS NULL AND NOT ${isSetUp} THEN 'uninitialized' ELSE 'ok' END AS result,
    ${factor.failures}, ${nextGuessOf(factor)} AS nextGuessAt
  FROM ${CHALLENGED} ${joinFactor(factor, "totp", sql`challenged.user_id`)}`;
  }),
);

export const DEACTIVATE_TOTP: readonly Statement[] = deactivateFactor("totp");
