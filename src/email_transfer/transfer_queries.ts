import { defineStatement, type Statement } from "../db/statement.ts";
import {
  CODE_VERDICT,
  countGuess,
  joinCode,
  replaceCode,
  subjectOf,
} from "../identity/factor/one_time_code_queries.ts";
import {
  CHANGED_USER,
  decideForActor,
  mailChangedUser,
  updateUser,
  whenResult,
} from "../identity/identity_text.ts";
import { END_EARLIER_PROOFS, endOtherSessions, READ_RESULT } from "../identity/security_queries.ts";
import { queueMail } from "../mail/mail_text.ts";
import {
  HOUR_SECONDS,
  THROTTLE_SCOPES,
  TRANSFER_MAIL_GAP_SECONDS,
  TRANSFER_MAILS_PER_HOUR,
} from "../throttle/limits.ts";
import { type Budget, budgetsFreeAt, countInBudgets, withinBudgets } from "../throttle/throttle_text.ts";

const ACTOR_KEY = "CAST(:actorId AS TEXT)";
const BUDGETS: readonly Budget[] = [
  {
    scope: THROTTLE_SCOPES.transferMailGap,
    key: ACTOR_KEY,
    windowSeconds: TRANSFER_MAIL_GAP_SECONDS,
    most: 1,
  },
  {
    scope: THROTTLE_SCOPES.transferMailHour,
    key: ACTOR_KEY,
    windowSeconds: HOUR_SECONDS,
    most: TRANSFER_MAILS_PER_HOUR,
  },
];

/** SQL: the account's last transfer can still be undone. */
const UNDOABLE = `EXISTS (SELECT 1 FROM undo_link WHERE undo_link.user_id = account.id
  AND undo_link.ended_at IS NULL AND undo_link.expires_at > :now)`;

const TRANSFER_VERDICT = `CASE WHEN ${UNDOABLE} THEN 'too_soon'
  WHEN ${withinBudgets(BUDGETS)} THEN 'ok' ELSE 'too_many' END`;

/** Mails a code to the new address, even if it belongs to another account. Returns an `InitiatedRow`. */
export const INITIATE_TRANSFER: readonly Statement[] = [
  decideForActor({
    event: "email.initiate",
    proof: "fresh",
    verdict: TRANSFER_VERDICT,
  }),
  ...countInBudgets(BUDGETS, whenResult("ok")),
  replaceCode({
    purpose: "email_transfer",
    subject: subjectOf(CHANGED_USER),
    user: CHANGED_USER,
    email: ":email",
    session: ":sessionId",
    condition: whenResult("ok"),
  }),
  queueMail({
    template: "email_transfer_otp",
    language: "coalesce(:mailLanguage, language)",
    brand: ":brand",
    recipient: ":email",
    sealedParams: ":sealedParams",
    expiresAt: ":codeExpiresAt",
    source: `FROM user_account WHERE id = ${CHANGED_USER}`,
  }),
  defineStatement(`
    SELECT result, ${budgetsFreeAt(BUDGETS)} AS freeAt FROM security_event WHERE op_id = :opId`),
];

/** SQL: another account has the new address or may get it back. Revealed only to users who receive mail to it. */
const TAKEN = `(EXISTS (SELECT 1 FROM user_account holder WHERE holder.email = code.email)
  OR EXISTS (SELECT 1 FROM reserved_email reserved WHERE reserved.email = code.email AND reserved.reserved_until > :now))`;

/** SQL: the new address, to which the changed account's code was mailed. */
const NEW_EMAIL = `(SELECT email FROM one_time_code
  WHERE purpose = 'email_transfer' AND subject = ${subjectOf(CHANGED_USER)})`;

/**
 * Moves the account to the address that the code was mailed to. The old address is reserved and is mailed a notice with
 * the undo link. Returns a `ResultRow`.
 */
export const COMPLETE_TRANSFER: readonly Statement[] = [
  decideForActor({
    event: "email.transfer",
    proof: "any",
    joins: joinCode("email_transfer", subjectOf("account.id")),
    verdict: `CASE ${CODE_VERDICT} WHEN 'ok' THEN iif(${TAKEN}, 'in_use', 'ok') ELSE ${CODE_VERDICT} END`,
  }),
  countGuess("email_transfer", ACTOR_KEY, { consume: true }),
  defineStatement(`
    INSERT INTO reserved_email (email, user_id, reserved_until)
    SELECT email, id, :undoExpiresAt FROM user_account WHERE id = ${CHANGED_USER}
    ON CONFLICT (email) DO UPDATE SET user_id = excluded.user_id, reserved_until = excluded.reserved_until`),
  defineStatement(`
    INSERT INTO undo_link (mac, user_id, email, begun_at, begun_by, completed_by, created_at, expires_at)
    SELECT :undoMac, account.id, account.email, code.created_at, code.session_id, :sessionId, :now, :undoExpiresAt
    FROM user_account account ${joinCode("email_transfer", subjectOf("account.id"))}
    WHERE account.id = ${CHANGED_USER}`),
  queueMail({
    id: ":undoMailId",
    template: "email_transferred_old",
    language: "language",
    recipient: "email",
    sealedParams: ":sealedParams",
    expiresAt: ":undoExpiresAt",
    source: `FROM user_account WHERE id = ${CHANGED_USER}`,
  }),
  updateUser({ email: NEW_EMAIL }, `id = ${CHANGED_USER}`),
  ...END_EARLIER_PROOFS,
  endOtherSessions("email_transferred"),
  mailChangedUser("email_transferred"),
  READ_RESULT,
];
