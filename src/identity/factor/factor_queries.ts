import { defineStatement, type Statement } from "../../db/statement.ts";
import { CHALLENGED, type FactorKind } from "./challenge_queries.ts";
import {
  CHANGED_USER,
  decideForActor,
  END_EARLIER_PROOFS,
  endOtherSessions,
  hasActiveFactor,
  mailChangedUser,
  READ_RESULT,
} from "../security_queries.ts";
import type { SecurityResult } from "../security_result.ts";

/** Activating, deactivating and listing factors: what is alike for all of them. */

/** A factor that is one by itself. Recovery codes stand in for one that is lost. */
export type MainFactor = Exclude<FactorKind, "recovery_code">;

/** SQL: the user has a set of recovery codes, whether or not any is left. */
function hasRecoveryCodes(user: string): string {
  return `EXISTS (SELECT 1 FROM second_factor code_set WHERE code_set.user_id = ${user}
    AND code_set.kind = 'recovery_code' AND code_set.activated_at IS NOT NULL)`;
}

/** SQL: the condition under which statements act on the changed user. */
export const HAS_CHANGED = `${CHANGED_USER} IS NOT NULL`;

/** `:recoveryHashes` is a JSON list of PHC strings of one salt. */
function insertCodes(condition: string): Statement {
  return defineStatement(`
    INSERT INTO recovery_code (user_id, position, hash)
    SELECT ${CHANGED_USER}, made.key, made.value FROM json_each(:recoveryHashes) made
    WHERE ${HAS_CHANGED} AND ${condition}`);
}

function stampCodes(activatedAt: string): Statement {
  return defineStatement(`
    INSERT INTO second_factor (user_id, kind, activated_at)
    SELECT ${CHANGED_USER}, 'recovery_code', :now WHERE ${HAS_CHANGED}
    ON CONFLICT (user_id, kind) DO UPDATE SET activated_at = ${activatedAt}`);
}

/** Puts a new set of recovery codes in place of any before. */
export const REPLACE_RECOVERY_CODES: readonly Statement[] = [
  defineStatement(`DELETE FROM recovery_code WHERE user_id = ${CHANGED_USER}`),
  insertCodes("true"),
  stampCodes(":now"),
];

/** Uses the changed user's code up that has `:matchedHash`. */
export const USE_RECOVERY_CODE: Statement = defineStatement(`
  UPDATE recovery_code SET used_at = :now
  WHERE user_id = ${CHANGED_USER} AND hash = :matchedHash AND used_at IS NULL`);

/** Where a setup keeps what the factor is made of, until its activation. */
const PENDING: Readonly<Record<MainFactor, string>> = {
  totp: "pending_sealed_secret",
  email_otp: "pending_email",
};

/** Begins a setup for the changed user, beside an active factor. `value` is an SQL expression. Names `:pendingUntil`. */
export function beginSetup(kind: MainFactor, value: string): Statement {
  const pending = PENDING[kind];
  return defineStatement(`
    INSERT INTO second_factor (user_id, kind, ${pending}, pending_until)
    SELECT ${CHANGED_USER}, '${kind}', ${value}, :pendingUntil WHERE ${HAS_CHANGED}
    ON CONFLICT (user_id, kind) DO UPDATE SET ${pending} = excluded.${pending},
      pending_until = excluded.pending_until`);
}

/** What a factor's own area writes into its row: the columns that no other kind has. */
export type FactorColumn =
  | "sealed_secret"
  | "last_step"
  | "mails"
  | "last_mail_at"
  | "next_mail_at"
  | "mails_of_day"
  | "mail_day_started_at";

/** Writes a factor's own columns. Values and condition are SQL expressions. */
export function updateFactor(
  kind: MainFactor,
  values: Readonly<Partial<Record<FactorColumn, string>>>,
  condition: string,
): Statement {
  const changes = Object.entries(values).map(([column, value]) => `${column} = ${value}`);
  return defineStatement(`
    UPDATE second_factor SET ${changes.join(", ")} WHERE kind = '${kind}' AND ${condition}`);
}

const TAKE_OVER: Readonly<Record<MainFactor, string>> = {
  totp: "sealed_secret = pending_sealed_secret, last_step = :step",
  email_otp: "email = pending_email",
};

/** The result of an activation that is right and has to bring the first recovery codes, and brought none. */
export const NEEDS_CODES = "needs_codes" satisfies SecurityResult;

/** SQL: what an activation that is right comes to. `user` is an SQL expression. */
export function activationVerdict(user: string): string {
  const lacksCodes = `:recoveryHashes IS NULL AND NOT ${hasRecoveryCodes(user)}`;
  return `CASE WHEN ${lacksCodes} THEN '${NEEDS_CODES}' ELSE 'ok' END`;
}

/** What follows from an activation decided `ok`. The first one makes the recovery codes. */
export function activateFactor(kind: MainFactor): readonly Statement[] {
  return [
    defineStatement(`
      UPDATE second_factor SET ${TAKE_OVER[kind]}, activated_at = :now
      WHERE user_id = ${CHANGED_USER} AND kind = '${kind}'`),
    insertCodes(`NOT ${hasRecoveryCodes(CHANGED_USER)}`),
    stampCodes("coalesce(activated_at, :now)"),
    ...END_EARLIER_PROOFS,
    mailChangedUser("factor_activated", `'${kind}'`),
  ];
}

/** For the last statement of an activation: whether its own recovery codes are the user's. */
export const CODES_MADE = `, EXISTS (SELECT 1 FROM recovery_code first_code
  WHERE first_code.user_id = decided.user_id AND first_code.position = 0
    AND first_code.hash = json_extract(:recoveryHashes, '$[0]')) AS codesMade`;

/**
 * Takes a factor from the changed user. Its counters stay: whoever sets it up again goes on where he was. With the last
 * one the recovery codes go.
 */
export function dropFactor(kind: MainFactor): readonly Statement[] {
  return [
    defineStatement(`
      UPDATE second_factor SET activated_at = NULL, email = NULL, sealed_secret = NULL, last_step = NULL
      WHERE user_id = ${CHANGED_USER} AND kind = '${kind}'`),
    defineStatement(`
      UPDATE second_factor SET activated_at = NULL
      WHERE user_id = ${CHANGED_USER} AND kind = 'recovery_code' AND NOT ${hasActiveFactor(CHANGED_USER)}`),
    defineStatement(`
      DELETE FROM recovery_code WHERE user_id = ${CHANGED_USER} AND NOT ${hasActiveFactor(CHANGED_USER)}`),
    ...END_EARLIER_PROOFS,
  ];
}

/** SQL: joins a factor of the acting user as `factor`. */
export function joinFactor(kind: FactorKind, user: string): string {
  return `LEFT JOIN second_factor factor ON factor.user_id = ${user} AND factor.kind = '${kind}'`;
}

/** The batch of a deactivation; `inactive` where there is nothing to deactivate. Ends in a row with `result`. */
export function deactivateFactor(kind: MainFactor): readonly Statement[] {
  return [
    decideForActor({
      event: `${kind}.deactivate`,
      proof: "fresh",
      verdict: "CASE WHEN factor.activated_at IS NULL THEN 'inactive' ELSE 'ok' END",
      joins: joinFactor(kind, "account.id"),
    }),
    ...dropFactor(kind),
    endOtherSessions("factor_deactivated"),
    mailChangedUser("factor_deactivated", `'${kind}'`),
    READ_RESULT,
  ];
}

/**
 * The active factors of whoever is challenged: a row for each, with `kind` null if there is none; no row if session or
 * sign-in is over. `remaining` counts the recovery codes that are left.
 */
export const LIST_FACTORS: Statement = defineStatement(`
  SELECT factor.kind, factor.activated_at AS activatedAt, factor.email,
    (SELECT count(*) FROM recovery_code WHERE recovery_code.user_id = challenged.user_id
      AND recovery_code.used_at IS NULL) AS remaining
  FROM ${CHALLENGED} LEFT JOIN second_factor factor
    ON factor.user_id = challenged.user_id AND factor.activated_at IS NOT NULL`);
