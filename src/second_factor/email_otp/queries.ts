import { SECOND_MS } from "../../core/clock.ts";
import { defineStatement, probing, type Statement } from "../../db/statement.ts";
import {
  applyChallengeVerdict,
  ASKER,
  CHALLENGED,
  countFailure,
  decideGuess,
  GUESSER,
  IS_STRANGER,
  readGuess,
  startAnew,
} from "../../identity/factor/challenge_queries.ts";
import {
  activateFactor,
  activationVerdict,
  beginSetup,
  CODES_MADE,
  deactivateFactor,
  HAS_CHANGED,
  joinFactor,
  updateFactor,
} from "../../identity/factor/factor_queries.ts";
import {
  CODE_VERDICT,
  type CodePurpose,
  countGuess,
  endCodesOfOthers,
  joinCode,
  LIVE_CODES,
  replaceCode,
} from "../../identity/factor/one_time_code_queries.ts";
import { CHANGED_USER, decideForActor, recordEvent, whenResult } from "../../identity/identity_text.ts";
import type { EmailOtpParams } from "../../mail/message_content.ts";
import { queueMail } from "../../mail/mail_text.ts";
import {
  FACTOR_MAIL_MEMORY_SECONDS,
  FACTOR_MAIL_WAITS_SECONDS,
  FACTOR_MAIL_WINDOW_SECONDS,
  FACTOR_MAILS_PER_WINDOW,
  STRANGER_FACTOR_MAILS_PER_WINDOW,
} from "../../throttle/limits.ts";

const MEMORY_MS = FACTOR_MAIL_MEMORY_SECONDS * SECOND_MS;
const WINDOW_MS = FACTOR_MAIL_WINDOW_SECONDS * SECOND_MS;

const IN_WINDOW = (factor: string): string => `${factor}.mail_day_started_at > :now - ${WINDOW_MS}`;

/**
 * Sign-ins from unknown addresses are strangers: they may use a part of the day's mails, and the waits between their
 * mails are not those of the account's sessions and known addresses. So nobody who has the password alone makes the
 * owner wait.
 */

function nextMailAt(nextMail: string, isFull: string): string {
  return `max(coalesce(factor.${nextMail}, 0), CASE WHEN ${IN_WINDOW("factor")} AND ${isFull}
  THEN factor.mail_day_started_at + ${WINDOW_MS} ELSE 0 END)`;
}

const DAY_IS_FULL = `factor.mails_of_day >= ${FACTOR_MAILS_PER_WINDOW}`;
const DAY_OF_STRANGERS_IS_FULL =
  `(${DAY_IS_FULL} OR factor.stranger_mails_of_day >= ${STRANGER_FACTOR_MAILS_PER_WINDOW})`;

const OWN_NEXT_MAIL_AT = nextMailAt("next_mail_at", DAY_IS_FULL);
const STRANGER_NEXT_MAIL_AT = nextMailAt("stranger_next_mail_at", DAY_OF_STRANGERS_IS_FULL);

/** SQL: when the next code may be mailed to whoever asks, from the row joined as `factor`. */
const NEXT_MAIL_AT = `iif(${IS_STRANGER}, ${STRANGER_NEXT_MAIL_AT}, ${OWN_NEXT_MAIL_AT})`;

/** SQL: an address is set up and waits for its activation. */
const SETUP_LIVES = "coalesce(factor.pending_email IS NOT NULL AND factor.pending_until > :now, false)";

/** SQL: the number of consecutive mails, including this one; of strangers, those of the day. */
const MAILS = `CASE WHEN last_mail_at > :now - ${MEMORY_MS} THEN mails + 1 ELSE 1 END`;

const STRANGER_MAILS = `CASE WHEN ${IN_WINDOW("second_factor")} THEN stranger_mails_of_day + 1 ELSE 1 END`;

function waitAfter(mails: string): string {
  const last = FACTOR_MAIL_WAITS_SECONDS.length;
  const steps = FACTOR_MAIL_WAITS_SECONDS.map((seconds, i) =>
    i + 1 === last ? `ELSE ${seconds * SECOND_MS}` : `WHEN ${mails} <= ${i + 1} THEN ${seconds * SECOND_MS}`
  );
  return `CASE ${steps.join(" ")} END`;
}

const SENDS = whenResult("ok", "activation");

const DAY_OF_THIS_MAIL = {
  mails_of_day: `CASE WHEN ${IN_WINDOW("second_factor")} THEN mails_of_day + 1 ELSE 1 END`,
  mail_day_started_at: `CASE WHEN ${IN_WINDOW("second_factor")} THEN mail_day_started_at ELSE :now END`,
};

/** Mails of setups and challenges count together. `condition` is SQL. */
function countOwnMail(condition: string): Statement {
  return updateFactor("email_otp", {
    ...DAY_OF_THIS_MAIL,
    mails: MAILS,
    last_mail_at: ":now",
    next_mail_at: `:now + ${waitAfter(`(${MAILS})`)}`,
    stranger_mails_of_day: `CASE WHEN ${IN_WINDOW("second_factor")} THEN stranger_mails_of_day ELSE 0 END`,
  }, `user_id = ${GUESSER} AND ${SENDS} AND ${condition}`);
}

const COUNT_STRANGER_MAIL: Statement = updateFactor("email_otp", {
  ...DAY_OF_THIS_MAIL,
  stranger_mails_of_day: STRANGER_MAILS,
  stranger_next_mail_at: `:now + ${waitAfter(`(${STRANGER_MAILS})`)}`,
}, `user_id = ${GUESSER} AND ${SENDS} AND ${IS_STRANGER}`);

/** Mails the code to the active address, or to the one being set up. */
function mailCode(
  result: "ok" | "activation",
  address: "email" | "pending_email",
  purpose: EmailOtpParams["purpose"],
): Statement {
  return queueMail({
    template: "email_otp",
    language: "coalesce(:mailLanguage, account.language)",
    brand: ":brand",
    recipient: `factor.${address}`,
    detail: `'${purpose}'`,
    sealedParams: ":sealedParams",
    expiresAt: ":codeExpiresAt",
    source: `FROM security_event decided CROSS JOIN user_account account ON account.id = decided.user_id
      CROSS JOIN second_factor factor ON factor.user_id = decided.user_id AND factor.kind = 'email_otp'
      WHERE decided.op_id = :opId AND decided.result = '${result}'`,
  });
}

/** Returns a `MailRow`. */
function readMail(nextMail: string): Statement {
  return defineStatement(`
    SELECT decided.result, ${nextMail} AS nextMailAt
    FROM security_event decided ${joinFactor("email_otp", "decided.user_id")}
    WHERE decided.op_id = :opId`);
}

/** Leaves the user `keep` live codes of other sessions and logins, if this operation's result is `result`. */
function endCodes(
  purpose: CodePurpose,
  { asker, keep, result }: { asker: string; keep: number; result: "ok" | "activation" },
): Statement {
  return endCodesOfOthers({ purpose, user: GUESSER, asker, keep, condition: whenResult(result) });
}

/**
 * Sets `:email` up and mails the activation code, unless the last mail is too recent. Activation codes that were mailed
 * to another address end. Returns a `MailRow`.
 */
export const SET_UP_EMAIL_OTP: readonly Statement[] = [
  decideForActor({
    event: "email_otp.setup",
    proof: "fresh",
    verdict: `CASE WHEN ${OWN_NEXT_MAIL_AT} > :now THEN 'waiting' ELSE 'ok' END`,
    joins: joinFactor("email_otp", "account.id"),
  }),
  beginSetup("email_otp", ":email"),
  endCodes("email_otp.activation", { asker: ":sessionId", keep: 0, result: "ok" }),
  replaceCode({
    purpose: "email_otp.activation",
    subject: ":sessionId",
    user: CHANGED_USER,
    condition: HAS_CHANGED,
  }),
  countOwnMail("true"),
  mailCode("ok", "pending_email", "activation"),
  readMail(OWN_NEXT_MAIL_AT),
];

/**
 * SQL: no address to mail to. Without an active address, one that is being set up counts, but only in a
 * session, not during a login.
 */
const NOTHING_TO_MAIL =
  `factor.activated_at IS NULL AND NOT (challenged.session_id IS NOT NULL AND ${SETUP_LIVES})`;

/**
 * Mails a code, or a new activation code if no address is active yet. It belongs to the session or login that asks, and
 * ends with it, because a code is only compared for a live one. Returns a `MailRow`.
 */
export const SEND_EMAIL_OTP: readonly Statement[] = [
  recordEvent(
    "email_otp.challenge",
    `SELECT CASE WHEN ${NOTHING_TO_MAIL} THEN 'uninitialized' WHEN ${NEXT_MAIL_AT} > :now THEN 'waiting'
        WHEN factor.activated_at IS NULL THEN 'activation' ELSE 'ok' END AS result,
      challenged.user_id, coalesce(challenged.session_id, challenged.partial_id) AS session_id
    FROM ${CHALLENGED} ${joinFactor("email_otp", "challenged.user_id")}`,
  ),
  endCodes("email_otp.challenge", { asker: ASKER, keep: LIVE_CODES - 1, result: "ok" }),
  endCodes("email_otp.activation", { asker: ASKER, keep: LIVE_CODES - 1, result: "activation" }),
  replaceCode({ purpose: "email_otp.challenge", subject: ASKER, user: GUESSER, condition: whenResult("ok") }),
  replaceCode({
    purpose: "email_otp.activation",
    subject: ASKER,
    user: GUESSER,
    mac: ":activationMac",
    condition: whenResult("activation"),
  }),
  countOwnMail(`NOT ${IS_STRANGER}`),
  COUNT_STRANGER_MAIL,
  mailCode("ok", "email", "sign_in"),
  mailCode("activation", "pending_email", "activation"),
  readMail(NEXT_MAIL_AT),
];

/** When the next code may be mailed; no row if the session or login is over. */
export const FIND_NEXT_MAIL: Statement = probing(defineStatement(`
  SELECT CASE WHEN ${NOTHING_TO_MAIL} THEN 'uninitialized' ELSE 'ok' END AS result, ${NEXT_MAIL_AT} AS nextMailAt
  FROM ${CHALLENGED} ${joinFactor("email_otp", "challenged.user_id")}`));

const ACTIVATION_VERDICT = `CASE ${CODE_VERDICT}
  WHEN 'ok' THEN ${activationVerdict("challenged.user_id")} ELSE ${CODE_VERDICT} END`;

/** Activates the address that is being set up. Returns a `GuessRow` with `codesMade`. */
export const ACTIVATE_EMAIL_OTP: readonly Statement[] = [
  decideGuess({
    kind: "email_otp",
    event: "email_otp.activate",
    obstacle: `CASE WHEN NOT ${SETUP_LIVES} THEN 'uninitialized' END`,
    verdict: ACTIVATION_VERDICT,
    joins: joinCode("email_otp.activation", ASKER),
  }),
  countFailure("email_otp", "wrong"),
  countGuess("email_otp.activation", ASKER, { consume: true }),
  ...activateFactor("email_otp"),
  readGuess("email_otp", CODES_MADE),
];

/** Verifies a mailed code. Returns a `GuessRow`. */
export const PROVE_EMAIL_OTP: readonly Statement[] = [
  decideGuess({
    kind: "email_otp",
    event: "email_otp.authenticate",
    obstacle: "CASE WHEN factor.activated_at IS NULL THEN 'inactive' END",
    verdict: CODE_VERDICT,
    joins: joinCode("email_otp.challenge", ASKER),
  }),
  countFailure("email_otp", "wrong"),
  ...startAnew("email_otp"),
  countGuess("email_otp.challenge", ASKER, { consume: true }),
  ...applyChallengeVerdict("email_otp"),
  readGuess("email_otp"),
];

export const DEACTIVATE_EMAIL_OTP: readonly Statement[] = deactivateFactor("email_otp");
