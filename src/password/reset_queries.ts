import { defineStatement, type Statement } from "../db/statement.ts";
import { CODE_SECONDS } from "../identity/factor/one_time_code.ts";
import {
  CODE_LIVES,
  CODE_VERDICT,
  countGuess,
  joinCode,
  replaceCode,
} from "../identity/factor/one_time_code_queries.ts";
import {
  ADDRESS_IS_KNOWN,
  CHANGED_USER,
  endPasswordLinks,
  insertPasswordLink,
  whenResult,
} from "../identity/identity_text.ts";
import { queueMail } from "../mail/mail_text.ts";
import {
  DAY_SECONDS,
  HOUR_SECONDS,
  RESET_MAIL_GAP_SECONDS,
  RESET_MAILS_CROWDED,
  RESET_MAILS_OVERALL,
  RESET_MAILS_PER_CLIENT_AND_HOUR,
  RESET_MAILS_PER_DAY,
  RESET_MAILS_PER_HOUR,
  THROTTLE_SCOPES,
} from "../throttle/limits.ts";
import {
  type Budget,
  budgetsFreeAt,
  counterValue,
  countInBudgets,
  countInNetworks,
  countInWindow,
  type CrowdedBudget,
  type NetworkBudget,
  networksFreeAt,
  withinBudgets,
} from "../throttle/throttle_text.ts";
import { LIVE_RESET_LINKS, RESET_CODE_GUESSES, RESET_CODE_GUESSES_PER_NETWORK } from "./lifetimes.ts";
import { RESET_PASSWORD } from "./set_password_queries.ts";

/**
 * Password resets. Nothing reveals whether an address has an account: the same statements run and write the
 * same rows, in which the account is null and the mail has no recipient. The limits that strangers share do not
 * apply to a client that the account knows, so that an outsider cannot lock the owner out.
 */

const PAIR_BUDGETS: readonly Budget[] = [
  { scope: THROTTLE_SCOPES.resetMailGap, key: ":pairKey", windowSeconds: RESET_MAIL_GAP_SECONDS, most: 1 },
  {
    scope: THROTTLE_SCOPES.resetMailHour,
    key: ":pairKey",
    windowSeconds: HOUR_SECONDS,
    most: RESET_MAILS_PER_HOUR,
  },
  {
    scope: THROTTLE_SCOPES.resetMailDay,
    key: ":pairKey",
    windowSeconds: DAY_SECONDS,
    most: RESET_MAILS_PER_DAY,
  },
];

const OF_STRANGERS: CrowdedBudget = {
  scope: THROTTLE_SCOPES.resetMailOfStrangers,
  subject: ":accountKey",
  windowSeconds: DAY_SECONDS,
  most: RESET_MAILS_PER_DAY,
  crowded: RESET_MAILS_CROWDED,
  overall: RESET_MAILS_OVERALL,
};
const OF_NETWORK: NetworkBudget = {
  scope: THROTTLE_SCOPES.resetMailOfNetwork,
  windowSeconds: HOUR_SECONDS,
  most: RESET_MAILS_PER_CLIENT_AND_HOUR,
};
const STRANGERS_WAIT_UNTIL = networksFreeAt([OF_STRANGERS, OF_NETWORK]);
const BY_STRANGER = `${whenResult("ok")} AND NOT ${ADDRESS_IS_KNOWN}`;

/**
 * The batch of a request for a reset mail, around the statements that make its link or code. If a budget is
 * used up, nothing is written.
 */
function requestReset(
  template: "password_reset_link" | "password_reset_otp",
  make: readonly Statement[],
): readonly Statement[] {
  return [
    defineStatement(`
      INSERT INTO security_event (op_id, at, event, result, user_id, address)
      SELECT :opId, :now, '${template}.request', 'ok', (SELECT id FROM user_account WHERE email = :email), :address
      WHERE ${withinBudgets(PAIR_BUDGETS)} AND (${ADDRESS_IS_KNOWN} OR ${STRANGERS_WAIT_UNTIL} <= :now)`),
    ...countInBudgets(PAIR_BUDGETS, whenResult("ok")),
    countInNetworks(OF_STRANGERS, BY_STRANGER),
    countInNetworks(OF_NETWORK, BY_STRANGER),
    ...make,
    queueMail({
      template,
      language: "coalesce(:mailLanguage, account.language, 'en')",
      brand: ":brand",
      recipient: "account.email",
      sealedParams: ":sealedParams",
      expiresAt: ":expiresAt",
      source: `FROM security_event requested LEFT JOIN user_account account ON account.id = requested.user_id
        WHERE requested.op_id = :opId`,
    }),
    defineStatement(`
      SELECT ${whenResult("ok")} AS accepted,
        max(${budgetsFreeAt(PAIR_BUDGETS)}, iif(${ADDRESS_IS_KNOWN}, 0, ${STRANGERS_WAIT_UNTIL})) AS freeAt`),
  ];
}

/** Mails a link, and ends the oldest live one if there would be too many. Returns a `ResetRequestRow`. */
export const REQUEST_RESET_LINK = requestReset("password_reset_link", [
  endPasswordLinks(`id IN (
    SELECT live.id FROM password_link live WHERE live.user_id = ${CHANGED_USER} AND live.purpose = 'reset'
      AND live.ended_at IS NULL AND live.expires_at > :now
    ORDER BY live.id DESC LIMIT -1 OFFSET ${LIVE_RESET_LINKS - 1})`),
  insertPasswordLink({
    purpose: "reset",
    user: "requested.user_id",
    expiresAt: ":expiresAt",
    source: "FROM security_event requested WHERE requested.op_id = :opId",
  }),
]);

/** Mails a code that replaces the previous one. Returns a `ResetRequestRow`. */
export const REQUEST_RESET_CODE = requestReset("password_reset_otp", [
  replaceCode({
    purpose: "password_reset",
    subject: ":subject",
    user: CHANGED_USER,
    guesses: RESET_CODE_GUESSES,
    condition: whenResult("ok"),
  }),
]);

const READ_GUESS: Statement = defineStatement(
  `SELECT result, user_id AS userId FROM security_event WHERE op_id = :opId`,
);

/** SQL: the verdict on a submitted code. A code for an address without an account is never right. */
const RESET_VERDICT = `CASE ${CODE_VERDICT} WHEN 'ok'
  THEN iif(EXISTS (SELECT 1 FROM user_account owner WHERE owner.id = code.user_id), 'ok', 'wrong')
  ELSE ${CODE_VERDICT} END`;

/** SQL: what counts the wrong guesses at one code from one network. `mac` is an SQL expression: the code's. */
function guessesKey(mac: string): string {
  return `${mac} || ' ' || :network`;
}

const GUESSES = THROTTLE_SCOPES.resetCodeGuess;

/** SQL: the code is valid, and the client's network has guesses left. The guesses of strangers leave some for others. */
const MAY_GUESS = `${CODE_LIVES}
  AND ${counterValue(GUESSES, guessesKey("code.mac"), "count")} < ${RESET_CODE_GUESSES_PER_NETWORK}`;

/** Counts a wrong guess of the client's network. */
const COUNT_NETWORK_GUESS = countInWindow(
  GUESSES,
  guessesKey("(SELECT mac FROM one_time_code WHERE purpose = 'password_reset' AND subject = :subject)"),
  CODE_SECONDS,
  whenResult("wrong"),
);

function decideCode(event: string, condition: string): Statement {
  return defineStatement(`
    INSERT INTO security_event (op_id, at, event, result, user_id, address)
    SELECT :opId, :now, '${event}', ${RESET_VERDICT}, code.user_id, :address
    FROM (SELECT 1) ${joinCode("password_reset", ":subject")} WHERE ${condition}`);
}

/**
 * Checks a code without using it up; a wrong guess counts. Returns a `CodeRow`, or none if there is no live code or
 * the client's network has no guess left, so that such guesses leave no rows.
 */
export const CHECK_RESET_CODE: readonly Statement[] = [
  decideCode("password_reset_otp.check", MAY_GUESS),
  COUNT_NETWORK_GUESS,
  countGuess("password_reset", ":subject", { consume: false }),
  READ_GUESS,
];

/**
 * Redeems a code that has just been checked: of several concurrent requests, only one finds it live. Returns a
 * row if it was.
 */
export const REDEEM_RESET_CODE: readonly Statement[] = [
  decideCode("password_reset_otp", `${MAY_GUESS} AND ${RESET_VERDICT} = 'ok'`),
  countGuess("password_reset", ":subject", { consume: true }),
  ...RESET_PASSWORD,
  READ_GUESS,
];
