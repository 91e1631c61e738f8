import { defineStatement, type Statement } from "../db/statement.ts";
import { endGuessWaits } from "../identity/factor/challenge_queries.ts";
import { dropFactors, HAS_CHANGED, joinFactor, type MainFactor } from "../identity/factor/factor_queries.ts";
import {
  CHANGED_USER,
  endPasswordLinks,
  insertPasswordLink,
  mailChangedUser,
} from "../identity/identity_text.ts";
import { END_PARTIAL_LOGINS, endAllSessions, READ_RESULT } from "../identity/security_queries.ts";
import type { AdministratorActionParams } from "../mail/message_content.ts";
import { queueMail } from "../mail/mail_text.ts";
import { memberLives } from "../role/guard_text.ts";
import { THROTTLE_SCOPES } from "../throttle/limits.ts";
import { forgetCounters, forgetPairs } from "../throttle/throttle_text.ts";

/**
 * Actions of the administrator for users who cannot help themselves. Each batch starts with its event, which has no
 * actor, and mails the owner. Parameters: `:email`, `:opId`, `:now`, `:mailExpiresAt`. The last statement returns no
 * row if there is no such account.
 */

/** The name of an action in the mail about it. */
type ActionDetail = AdministratorActionParams["action"];

/** Inserts the event of an action. `verdict` is SQL and may use `account` and the tables of `joins`. */
function decide(detail: ActionDetail, verdict = "'ok'", joins = ""): Statement {
  return defineStatement(`
    INSERT INTO security_event (op_id, at, event, result, user_id)
    SELECT :opId, :now, 'operator.${detail}', ${verdict}, account.id
    FROM user_account account ${joins} WHERE account.email = :email`);
}

/** Mails the owner, and returns the result. */
function conclude(detail: ActionDetail): readonly Statement[] {
  return [mailChangedUser("operator_action", `'${detail}'`), READ_RESULT];
}

function disableFactor(kind: MainFactor): readonly Statement[] {
  return [
    decide(
      "factor_disabled",
      "CASE WHEN factor.activated_at IS NULL THEN 'inactive' ELSE 'ok' END",
      joinFactor(kind, "account.id"),
    ),
    ...dropFactors(`kind = '${kind}'`),
    // Its waits would delay the activation of a new factor.
    endGuessWaits(`user_id = ${CHANGED_USER} AND kind = '${kind}'`),
    endAllSessions("operator"),
    ...conclude("factor_disabled"),
  ];
}

/** Disables a second factor, with the consequences of every change of factors. `inactive` if there is none. */
export const DISABLE_FACTOR: Readonly<Record<MainFactor, readonly Statement[]>> = {
  totp: disableFactor("totp"),
  email_otp: disableFactor("email_otp"),
};

/**
 * Ends the waits after wrong second factors and passwords. `:accountKey` is the key that counts passwords for the
 * account. Followed by a space and a client address or network, it counts them for that pair.
 */
export const UNLOCK: readonly Statement[] = [
  decide("unlocked"),
  endGuessWaits(`user_id = ${CHANGED_USER}`),
  forgetPairs({ scope: THROTTLE_SCOPES.password, key: ":accountKey" }, HAS_CHANGED),
  forgetPairs({ scope: THROTTLE_SCOPES.passwordOfStrangers, key: ":accountKey" }, HAS_CHANGED),
  forgetCounters([{ scope: THROTTLE_SCOPES.passwordOfStrangers, key: ":accountKey" }], HAS_CHANGED),
  forgetCounters([{ scope: THROTTLE_SCOPES.ownPassword, key: `CAST(${CHANGED_USER} AS TEXT)` }], HAS_CHANGED),
  ...conclude("unlocked"),
];

function endSessions(detail: ActionDetail): readonly Statement[] {
  return [decide(detail), endAllSessions("operator"), END_PARTIAL_LOGINS, ...conclude(detail)];
}

/** Ends all sessions, and all sign-ins that wait for a second factor. */
export const END_SESSIONS = endSessions("sessions_ended");

/** The same, run before the keys that the user made are deleted. */
export const END_SESSIONS_BEFORE_KEYS = endSessions("sessions_and_keys_ended");

/** The event of `endAllSessions`, which concerns no single account. */
export const RECORD_ALL_ENDED: readonly Statement[] = [
  defineStatement(`
    INSERT INTO security_event (op_id, at, event, result) VALUES (:opId, :now, 'operator.all_sessions_ended', 'ok')`),
  READ_RESULT,
];

const FIRST_ROLE_NAME = `(SELECT role.name FROM member CROSS JOIN role ON role.id = member.role_id
  WHERE member.user_id = account.id AND ${memberLives("member")} ORDER BY member.role_id LIMIT 1)`;

/**
 * Sends the invitation again, with a new link that replaces earlier ones. `has_password` if the account is in use,
 * `no_role` if it is not a member of any role.
 */
export const RESEND_INVITATION: readonly Statement[] = [
  decide(
    "invitation_resent",
    `CASE WHEN account.password_hash IS NOT NULL THEN 'has_password'
      WHEN ${FIRST_ROLE_NAME} IS NULL THEN 'no_role' ELSE 'ok' END`,
  ),
  endPasswordLinks(`user_id = ${CHANGED_USER} AND purpose = 'invitation'`),
  insertPasswordLink({
    purpose: "invitation",
    user: "id",
    expiresAt: ":linkExpiresAt",
    source: `FROM user_account WHERE id = ${CHANGED_USER}`,
  }),
  queueMail({
    id: ":mailId",
    template: "invitation",
    language: "account.language",
    recipient: "account.email",
    roleName: FIRST_ROLE_NAME,
    sealedParams: ":sealedParams",
    expiresAt: ":linkExpiresAt",
    source: `FROM user_account account WHERE account.id = ${CHANGED_USER}`,
  }),
  ...conclude("invitation_resent"),
];
