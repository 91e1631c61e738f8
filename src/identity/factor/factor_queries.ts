import { defineStatement, type Statement } from "../../db/statement.ts";
import { CHALLENGED, type FactorKind } from "./challenge_queries.ts";
import { CHANGED_USER, decideForActor, hasActiveFactor, mailChangedUser } from "../identity_text.ts";
import { END_EARLIER_PROOFS, endOtherSessions, READ_RESULT } from "../security_queries.ts";
import type { SecurityResult } from "../security_result.ts";

/** Activating, deactivating and listing factors: the statements that all factors share. */

/** A factor in its own right. Recovery codes only stand in for a lost one. */
export type MainFactor = Exclude<FactorKind, "recovery_code">;

/** SQL: the user has a set of recovery codes, even if every code is used. */
function hasRecoveryCodes(user: string): string {
  return `EXISTS (SELECT 1 FROM second_factor code_set WHERE code_set.user_id = ${user}
    AND code_set.kind = 'recovery_code' AND code_set.activated_at IS NOT NULL)`;
}

/** SQL: the change was decided `ok`, so there is a changed user. */
export const HAS_CHANGED = `${CHANGED_USER} IS NOT NULL`;

/** `:recoveryHashes` is a JSON list of PHC strings that share one salt. */
function insertCodes(condition: string): Statement {
  return defineStatement(`
    INSERT INTO recovery_code (user_id, position, hash)
    SELECT ${CHANGED_USER}, made.key, made.value FROM json_each(:recoveryHashes) made
    WHERE ${HAS_CHANGED} AND ${condition}`);
}

/** Notes when and by which session the set was made. `condition`: also if there was a set before. */
function stampCodes(condition: string): Statement {
  return defineStatement(`
    INSERT INTO second_factor (user_id, kind, activated_at, activated_by)
    SELECT ${CHANGED_USER}, 'recovery_code', :now, :sessionId WHERE ${HAS_CHANGED}
    ON CONFLICT (user_id, kind) DO UPDATE SET activated_at = excluded.activated_at, activated_by = excluded.activated_by
    WHERE ${condition}`);
}

/** Replaces the changed user's recovery codes with a new set. */
export const REPLACE_RECOVERY_CODES: readonly Statement[] = [
  defineStatement(`DELETE FROM recovery_code WHERE user_id = ${CHANGED_USER}`),
  insertCodes("true"),
  stampCodes("true"),
];

/** Marks the changed user's code with `:matchedHash` as used. */
export const USE_RECOVERY_CODE: Statement = defineStatement(`
  UPDATE recovery_code SET used_at = :now
  WHERE user_id = ${CHANGED_USER} AND hash = :matchedHash AND used_at IS NULL`);

/** The column that holds a factor's secret or address during setup. */
const PENDING: Readonly<Record<MainFactor, string>> = {
  totp: "pending_sealed_secret",
  email_otp: "pending_email",
};

/**
 * Begins a setup for the changed user; an active factor stays active meanwhile. `value` is an SQL expression.
 * Parameter: `:pendingUntil`.
 */
export function beginSetup(kind: MainFactor, value: string): Statement {
  const pending = PENDING[kind];
  return defineStatement(`
    INSERT INTO second_factor (user_id, kind, ${pending}, pending_until)
    SELECT ${CHANGED_USER}, '${kind}', ${value}, :pendingUntil WHERE ${HAS_CHANGED}
    ON CONFLICT (user_id, kind) DO UPDATE SET ${pending} = excluded.${pending},
      pending_until = excluded.pending_until`);
}

/** The columns of `second_factor` that belong to one kind and are written by its own area. */
export type FactorColumn =
  | "sealed_secret"
  | "last_step"
  | "mails"
  | "last_mail_at"
  | "next_mail_at"
  | "mails_of_day"
  | "stranger_mails_of_day"
  | "stranger_next_mail_at"
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

/** The code is right, but the activation must bring the user's first recovery codes, and this batch has none. */
export const NEEDS_CODES = "needs_codes" satisfies SecurityResult;

/** SQL: the result of an activation whose code is right. `user` is an SQL expression. */
export function activationVerdict(user: string): string {
  const lacksCodes = `:recoveryHashes IS NULL AND NOT ${hasRecoveryCodes(user)}`;
  return `CASE WHEN ${lacksCodes} THEN '${NEEDS_CODES}' ELSE 'ok' END`;
}

/** The effects of an activation decided `ok`. A first factor also gets its recovery codes stored. */
export function activateFactor(kind: MainFactor): readonly Statement[] {
  return [
    defineStatement(`
      UPDATE second_factor SET ${TAKE_OVER[kind]}, activated_at = :now, activated_by = :sessionId
      WHERE user_id = ${CHANGED_USER} AND kind = '${kind}'`),
    insertCodes(`NOT ${hasRecoveryCodes(CHANGED_USER)}`),
    stampCodes("activated_at IS NULL"),
    ...END_EARLIER_PROOFS,
    mailChangedUser("factor_activated", `'${kind}'`),
  ];
}

/** For the last statement of an activation: whether the user's recovery codes are those of this batch. */
export const CODES_MADE = `, EXISTS (SELECT 1 FROM recovery_code first_code
  WHERE first_code.user_id = decided.user_id AND first_code.position = 0
    AND first_code.hash = json_extract(:recoveryHashes, '$[0]')) AS codesMade`;

/**
 * Removes from the changed user the factors and the recovery codes that meet the condition (SQL, on a row of
 * `second_factor`), and the codes also if no factor is left. The counters stay, so that setting a factor up again does
 * not reset the guess schedule.
 */
export function dropFactors(condition: string): readonly Statement[] {
  const deactivate = "activated_at = NULL, activated_by = NULL";
  return [
    defineStatement(`
      UPDATE second_factor SET ${deactivate}, email = NULL, sealed_secret = NULL, last_step = NULL
      WHERE user_id = ${CHANGED_USER} AND ${condition}`),
    defineStatement(`
      UPDATE second_factor SET ${deactivate}
      WHERE user_id = ${CHANGED_USER} AND kind = 'recovery_code' AND NOT ${hasActiveFactor(CHANGED_USER)}`),
    defineStatement(
      `DELETE FROM recovery_code WHERE user_id = ${CHANGED_USER} AND NOT ${hasRecoveryCodes(CHANGED_USER)}`,
    ),
    ...END_EARLIER_PROOFS,
  ];
}

/** SQL: joins the user's factor as `factor`. */
export function joinFactor(kind: FactorKind, user: string): string {
  return `LEFT JOIN second_factor factor ON factor.user_id = ${user} AND factor.kind = '${kind}'`;
}

/** The batch of a deactivation; `inactive` if the factor is not active. Its last row has `result`. */
export function deactivateFactor(kind: MainFactor): readonly Statement[] {
  return [
    decideForActor({
      event: `${kind}.deactivate`,
      proof: "fresh",
      verdict: "CASE WHEN factor.activated_at IS NULL THEN 'inactive' ELSE 'ok' END",
      joins: joinFactor(kind, "account.id"),
    }),
    ...dropFactors(`kind = '${kind}'`),
    endOtherSessions("factor_deactivated"),
    mailChangedUser("factor_deactivated", `'${kind}'`),
    READ_RESULT,
  ];
}

/**
 * The active factors of the challenged user, one row each: one row with `kind` null if there are none, no row
 * if the session or login is over. `remaining` counts the unused recovery codes.
 */
export const LIST_FACTORS: Statement = defineStatement(`
  SELECT factor.kind, factor.activated_at AS activatedAt, factor.email,
    (SELECT count(*) FROM recovery_code WHERE recovery_code.user_id = challenged.user_id
      AND recovery_code.used_at IS NULL) AS remaining
  FROM ${CHALLENGED} LEFT JOIN second_factor factor
    ON factor.user_id = challenged.user_id AND factor.activated_at IS NOT NULL`);
