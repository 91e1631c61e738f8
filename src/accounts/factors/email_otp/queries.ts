import { SECOND_MS } from "../../../core/clock.ts";
import { isAhead } from "../../../db/ahead.ts";
import { oneTimeCode, secondFactor, securityEvent, userAccount } from "../../../db/schema/identity.ts";
import {
  type Declared,
  int,
  join,
  nullable,
  placeholdersOf,
  quoted,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../../../db/sql.ts";
import { probing, type Statement } from "../../../db/statement.ts";
import {
  applyChallengeVerdict,
  ASKER,
  CHALLENGE,
  CHALLENGED,
  countFailure,
  decideGuess,
  type Factor,
  GUESSER,
  IS_STRANGER,
  joinFactor,
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
  HAS_CHANGED,
  MADE_CODES,
  updateFactor,
} from "../../../identity/factor/factor_queries.ts";
import {
  type CodePurpose,
  codeVerdict,
  countGuess,
  endCodesOfOthers,
  joinCode,
  LIVE_CODES,
  replaceCode,
  SUBMITTED,
} from "../../../identity/factor/one_time_code_queries.ts";
import { CHANGED_USER, decideForActor, recordEvent, whenResult } from "../../../identity/security_queries.ts";
import type { SecurityResult } from "../../../identity/security_result.ts";
import type { EmailOtpParams } from "../../../mail/message_content.ts";
import { queueMail } from "../../../mail/queued_mail_queries.ts";
import {
  FACTOR_MAIL_MEMORY_SECONDS,
  FACTOR_MAIL_WAITS_SECONDS,
  FACTOR_MAIL_WINDOW_SECONDS,
  FACTOR_MAILS_PER_WINDOW,
  STRANGER_FACTOR_MAILS_PER_WINDOW,
} from "../../../throttle/limits.ts";

const MEMORY_MS = FACTOR_MAIL_MEMORY_SECONDS * SECOND_MS;
const WINDOW_MS = FACTOR_MAIL_WINDOW_SECONDS * SECOND_MS;
const LONGEST_WAIT_MS = Math.max(...FACTOR_MAIL_WAITS_SECONDS) * SECOND_MS;

const { now, sessionId } = placeholdersOf(CHALLENGE);
/** The mail. Brand and language are null unless the request names them. */
const MAIL = { brand: nullable(text), mailLanguage: nullable(text), sealedParams: text, codeExpiresAt: int };
const { brand, mailLanguage, sealedParams, codeExpiresAt } = placeholdersOf(MAIL);
const { opId, email, activationMac } = placeholdersOf({ opId: text, email: text, activationMac: text });
/** The argument of `IS_STRANGER`. */
const ASKING = { partialLoginId: nullable(text) };
/** The asker: the session or partial login of a code. */
const ASKED_BY = { ...ASKING, sessionId: nullable(text) };

/** The factor's mail day has begun and is not over. */
function isInWindow({ mailDayStartedAt }: Factor): SQL {
  return sql`(${mailDayStartedAt} > ${now} - ${WINDOW_MS} AND NOT ${isAhead(mailDayStartedAt, now)})`;
}

/**
 * Sign-ins from unknown addresses are strangers: they may use only part of the day's mails, and have waits of their
 * own. So an attacker with only the password does not make the owner wait.
 */

/** The next mail is allowed at `nextMailAt`, or if `isFull`, when the day is over. */
function whenFree(factor: Factor, nextMailAt: Value, isFull: SQL): SQL {
  return sql`max(coalesce(iif(${
    isAhead(nextMailAt, now, LONGEST_WAIT_MS)
  }, 0, ${nextMailAt}), 0), CASE WHEN ${isInWindow(factor)} AND ${isFull}
  THEN ${factor.mailDayStartedAt} + ${WINDOW_MS} ELSE 0 END)`;
}

function isDayFull({ mailsOfDay }: Factor): SQL {
  return sql`${mailsOfDay} >= ${FACTOR_MAILS_PER_WINDOW}`;
}

function isDayOfStrangersFull(factor: Factor): SQL {
  return sql`(${isDayFull(factor)} OR ${factor.strangerMailsOfDay} >= ${STRANGER_FACTOR_MAILS_PER_WINDOW})`;
}

/** Earliest time of the next mail for the account's sessions and known addresses. */
function ownNextMailAt(factor: Factor): SQL {
  return whenFree(factor, factor.nextMailAt, isDayFull(factor));
}

/** Earliest time of the next mail for the asker. */
function nextMailAt(factor: Factor): SQL {
  const ofStrangers = whenFree(factor, factor.strangerNextMailAt, isDayOfStrangersFull(factor));
  return sql`iif(${IS_STRANGER}, ${ofStrangers}, ${ownNextMailAt(factor)})`;
}

/** An address is set up and not yet activated. */
function setupLives({ pendingEmail, pendingUntil }: Factor): SQL {
  return sql`coalesce(${pendingEmail} IS NOT NULL AND ${pendingUntil} > ${now}, false)`;
}

const { mails, lastMailAt, mailsOfDay, mailDayStartedAt, strangerMailsOfDay } = secondFactor;
const IS_IN_WINDOW = isInWindow(secondFactor);

/** The number of consecutive mails, including this one; for strangers, those of the day. */
const MAILS = sql`CASE WHEN ${lastMailAt} > ${now} - ${MEMORY_MS} THEN ${mails} + 1 ELSE 1 END`;
const STRANGER_MAILS = sql`CASE WHEN ${IS_IN_WINDOW} THEN ${strangerMailsOfDay} + 1 ELSE 1 END`;

function waitAfter(count: SQL): SQL {
  const last = FACTOR_MAIL_WAITS_SECONDS.length;
  const steps = FACTOR_MAIL_WAITS_SECONDS.map((seconds, i) =>
    i + 1 === last
      ? sql`ELSE ${seconds * SECOND_MS}`
      : sql`WHEN ${count} <= ${i + 1} THEN ${seconds * SECOND_MS}`
  );
  return sql`CASE ${join(steps, " ")} END`;
}

/** The guesser's factor, if this operation sends a mail. */
const IS_MAILED = sql`${secondFactor.userId} = ${GUESSER} AND ${whenResult("ok", "activation")}`;

const DAY_OF_THIS_MAIL = {
  mailsOfDay: sql`CASE WHEN ${IS_IN_WINDOW} THEN ${mailsOfDay} + 1 ELSE 1 END`,
  mailDayStartedAt: sql`CASE WHEN ${IS_IN_WINDOW} THEN ${mailDayStartedAt} ELSE ${now} END`,
};

/** Mails of setups and challenges count together. */
function countOwnMail(declared: Declared, condition: SQL): Statement {
  const values = {
    ...DAY_OF_THIS_MAIL,
    mails: MAILS,
    lastMailAt: now,
    nextMailAt: sql`${now} + ${waitAfter(sql`(${MAILS})`)}`,
    strangerMailsOfDay: sql`CASE WHEN ${IS_IN_WINDOW} THEN ${strangerMailsOfDay} ELSE 0 END`,
  };
  return updateFactor(
    { ...declared, opId: text, now: int },
    "email_otp",
    values,
    sql`${IS_MAILED} AND ${condition}`,
  );
}

const COUNT_STRANGER_MAIL = updateFactor({ ...ASKING, opId: text, now: int }, "email_otp", {
  ...DAY_OF_THIS_MAIL,
  strangerMailsOfDay: STRANGER_MAILS,
  strangerNextMailAt: sql`${now} + ${waitAfter(sql`(${STRANGER_MAILS})`)}`,
}, sql`${IS_MAILED} AND ${IS_STRANGER}`);

/** Mails the code to the active address, or to that of the setup. */
function mailCode(
  result: "ok" | "activation",
  address: "email" | "pendingEmail",
  purpose: EmailOtpParams["purpose"],
): Statement {
  const { decided, account } = rowsOf({ decided: securityEvent, account: userAccount });
  const factor = row(secondFactor, "factor");
  return queueMail(MAIL, {
    template: "email_otp",
    language: sql`coalesce(${mailLanguage}, ${account.language})`,
    brand,
    recipient: factor[address],
    detail: quoted(purpose),
    sealedParams,
    expiresAt: codeExpiresAt,
    source: sql`FROM ${decided} CROSS JOIN ${account} ON ${account.id} = ${decided.userId}
      CROSS JOIN ${factor} ON ${factor.userId} = ${decided.userId} AND ${factor.kind} = 'email_otp'
      WHERE ${decided.opId} = ${opId} AND ${decided.result} = ${quoted(result)}`,
  });
}

export interface MailRow {
  readonly result: SecurityResult;
  readonly nextMailAt: number;
}

/** Returns a `MailRow`. */
function readMail(declared: Declared, nextMail: (factor: Factor) => SQL): Statement {
  return rows<MailRow>()({ ...declared, opId: text, now: int }, () => {
    const { decided, factor } = rowsOf({ decided: securityEvent, factor: secondFactor });
    return sql`
    SELECT ${decided.result}, ${nextMail(factor)} AS nextMailAt
    FROM ${decided} ${joinFactor(factor, "email_otp", decided.userId)}
    WHERE ${decided.opId} = ${opId}`;
  });
}

/** Ends all but `keep` of the user's live codes of other sessions and logins, if this operation has the result. */
function endCodes(
  declared: Declared,
  purpose: CodePurpose,
  { asker, keep, result }: { asker: Value; keep: number; result: "ok" | "activation" },
): Statement {
  return endCodesOfOthers({ ...declared, opId: text }, {
    purpose,
    user: GUESSER,
    asker,
    keep,
    condition: whenResult(result),
  });
}

/** Decides a setup, which has to wait for the time of the next mail. */
function decideSetup(): Statement {
  const factor = row(secondFactor, "factor");
  return decideForActor({}, {
    event: "email_otp.setup",
    proof: "fresh",
    verdict: () => sql`CASE WHEN ${ownNextMailAt(factor)} > ${now} THEN 'waiting' ELSE 'ok' END`,
    joins: ({ account }) => joinFactor(factor, "email_otp", account.id),
  });
}

/**
 * Sets `email` up and mails the activation code, unless the last mail is too recent. Activation codes mailed to
 * another address end. Returns a `MailRow`.
 */
export const SET_UP_EMAIL_OTP: readonly Statement[] = [
  decideSetup(),
  beginSetup({ email: text }, "email_otp", email),
  endCodes({ sessionId: text }, "email_otp.activation", { asker: sessionId, keep: 0, result: "ok" }),
  replaceCode({ opId: text, sessionId: text }, {
    purpose: "email_otp.activation",
    subject: sessionId,
    user: CHANGED_USER,
    condition: HAS_CHANGED,
  }),
  countOwnMail({}, sql`true`),
  mailCode("ok", "pendingEmail", "activation"),
  readMail({}, ownNextMailAt),
];

/** There is no address to mail to. In a session, that of a setup counts if none is active; not during a login. */
function hasNothingToMail(factor: Factor): SQL {
  return sql`${factor.activatedAt} IS NULL
    AND NOT (challenged.session_id IS NOT NULL AND ${setupLives(factor)})`;
}

/** Decides whether a code is mailed: for a sign-in, or for an activation if no address is active yet. */
function decideMail(): Statement {
  const factor = row(secondFactor, "factor");
  return recordEvent(
    CHALLENGE,
    "email_otp.challenge",
    sql`SELECT CASE WHEN ${hasNothingToMail(factor)} THEN 'uninitialized'
        WHEN ${nextMailAt(factor)} > ${now} THEN 'waiting'
        WHEN ${factor.activatedAt} IS NULL THEN 'activation' ELSE 'ok' END AS result,
      challenged.user_id, coalesce(challenged.session_id, challenged.partial_id) AS session_id
    FROM ${CHALLENGED} ${joinFactor(factor, "email_otp", sql`challenged.user_id`)}`,
  );
}

/**
 * Mails a code, or a new activation code if no address is active yet. It is bound to the asking session or login, and
 * ends with it. Returns a `MailRow`.
 */
export const SEND_EMAIL_OTP: readonly Statement[] = [
  decideMail(),
  endCodes(ASKED_BY, "email_otp.challenge", { asker: ASKER, keep: LIVE_CODES - 1, result: "ok" }),
  endCodes(ASKED_BY, "email_otp.activation", { asker: ASKER, keep: LIVE_CODES - 1, result: "activation" }),
  replaceCode({ ...ASKED_BY, opId: text }, {
    purpose: "email_otp.challenge",
    subject: ASKER,
    user: GUESSER,
    condition: whenResult("ok"),
  }),
  replaceCode({ ...ASKED_BY, opId: text, activationMac: text }, {
    purpose: "email_otp.activation",
    subject: ASKER,
    user: GUESSER,
    mac: activationMac,
    condition: whenResult("activation"),
  }),
  countOwnMail(ASKING, sql`NOT ${IS_STRANGER}`),
  COUNT_STRANGER_MAIL,
  mailCode("ok", "email", "sign_in"),
  mailCode("activation", "pendingEmail", "activation"),
  readMail(ASKING, nextMailAt),
];

/** Reads the earliest time of the next mail; no row if the session or login is over. */
export const FIND_NEXT_MAIL = probing(
  rows<MailRow>()(CHALLENGE, () => {
    const factor = row(secondFactor, "factor");
    return sql`
  SELECT CASE WHEN ${hasNothingToMail(factor)} THEN 'uninitialized' ELSE 'ok' END AS result,
    ${nextMailAt(factor)} AS nextMailAt
  FROM ${CHALLENGED} ${joinFactor(factor, "email_otp", sql`challenged.user_id`)}`;
  }),
);

/** Decides a guess at an activation code, which activates the address of the setup. */
function decideActivation(): Statement {
  const code = row(oneTimeCode, "code");
  return decideGuess({ ...SUBMITTED, ...MADE_CODES }, {
    kind: "email_otp",
    event: "email_otp.activate",
    obstacle: (factor) => sql`CASE WHEN NOT ${setupLives(factor)} THEN 'uninitialized' END`,
    verdict: () =>
      sql`CASE ${codeVerdict(code)}
  WHEN 'ok' THEN ${activationVerdict(sql`challenged.user_id`)} ELSE ${codeVerdict(code)} END`,
    joins: joinCode(code, "email_otp.activation", ASKER),
  });
}

/** Activates the address of the setup. Returns a `GuessRow` with `codesMade`. */
export const ACTIVATE_EMAIL_OTP: readonly Statement[] = [
  decideActivation(),
  countFailure("email_otp", "wrong"),
  countGuess(ASKED_BY, "email_otp.activation", ASKER, { consume: true }),
  ...activateFactor({}, "email_otp"),
  readGuess(MADE_CODES, "email_otp", codesMade),
];

/** Decides a guess at a code of the active address. */
function decideProof(): Statement {
  const code = row(oneTimeCode, "code");
  return decideGuess(SUBMITTED, {
    kind: "email_otp",
    event: "email_otp.authenticate",
    obstacle: ({ activatedAt }) => sql`CASE WHEN ${activatedAt} IS NULL THEN 'inactive' END`,
    verdict: () => codeVerdict(code),
    joins: joinCode(code, "email_otp.challenge", ASKER),
  });
}

/** Verifies a mailed code. Returns a `GuessRow`. */
export const PROVE_EMAIL_OTP: readonly Statement[] = [
  decideProof(),
  countFailure("email_otp", "wrong"),
  ...startAnew("email_otp"),
  countGuess(ASKED_BY, "email_otp.challenge", ASKER, { consume: true }),
  ...applyChallengeVerdict("email_otp"),
  readProof("email_otp"),
];

export const DEACTIVATE_EMAIL_OTP: readonly Statement[] = deactivateFactor("email_otp");
