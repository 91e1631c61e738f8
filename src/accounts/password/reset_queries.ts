import { compile, insertFrom, ONE_ROW, select } from "../../db/builder.ts";
import { oneTimeCode, passwordLink, securityEvent, userAccount } from "../../db/schema/identity.ts";
import {
  define,
  inserted,
  int,
  nullable,
  placeholdersOf,
  quoted,
  row,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { CODE_SECONDS } from "../../identity/factor/one_time_code.ts";
import {
  codeLives,
  codeVerdict,
  countGuess,
  joinCode,
  replaceCode,
  SUBMITTED,
} from "../../identity/factor/one_time_code_queries.ts";
import { ADDRESS_IS_KNOWN } from "../../identity/known_address_queries.ts";
import { endPasswordLinks, insertPasswordLink } from "../../identity/password_link_queries.ts";
import { CHANGED_USER, whenResult } from "../../identity/security_queries.ts";
import { queueMail } from "../../mail/queued_mail_queries.ts";
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
} from "../../throttle/limits.ts";
import {
  type Budget,
  budgetsFreeAt,
  type Counter,
  counterValue,
  countInBudgets,
  countInNetworks,
  countInWindow,
  type CrowdedBudget,
  type NetworkBudget,
  networksFreeAt,
  withinBudgets,
} from "../../throttle/throttle_queries.ts";
import { LIVE_RESET_LINKS, RESET_CODE_GUESSES, RESET_CODE_GUESSES_PER_NETWORK } from "./lifetimes.ts";
import { RESET_PASSWORD } from "./set_password_queries.ts";

/**
 * Password resets. They do not reveal whether an address has an account: the same statements write the same rows,
 * with a null account and a mail without a recipient. Limits shared by strangers do not apply to clients known to the
 * account, so that an outsider cannot lock the owner out.
 */

/** The client: the key in throttles, and the bucket by which an account knows it. */
const CLIENT = { email: text, addressBucket: text };
/** Arguments of the limits: the keys of the pair and the account, and the client's networks. */
const LIMITED = { ...CLIENT, pairKey: text, accountKey: text, networks: text, now: int };
/** The mail. Brand and language are null unless the request names them. */
const MAIL = { brand: nullable(text), mailLanguage: nullable(text), sealedParams: text, expiresAt: int };
/** A guess: the subject of the code, and the client's largest network. */
const GUESS = { ...SUBMITTED, subject: text, network: text };

const { opId, now, address } = placeholdersOf({ opId: text, now: int, address: text });
const { email, pairKey, accountKey } = placeholdersOf(LIMITED);
const { brand, mailLanguage, sealedParams, expiresAt } = placeholdersOf(MAIL);
const { subject, network } = placeholdersOf(GUESS);

const PAIR_BUDGETS: readonly Budget[] = [
  { scope: THROTTLE_SCOPES.resetMailGap, key: pairKey, windowSeconds: RESET_MAIL_GAP_SECONDS, most: 1 },
  {
    scope: THROTTLE_SCOPES.resetMailHour,
    key: pairKey,
    windowSeconds: HOUR_SECONDS,
    most: RESET_MAILS_PER_HOUR,
  },
  {
    scope: THROTTLE_SCOPES.resetMailDay,
    key: pairKey,
    windowSeconds: DAY_SECONDS,
    most: RESET_MAILS_PER_DAY,
  },
];

const OF_STRANGERS: CrowdedBudget = {
  scope: THROTTLE_SCOPES.resetMailOfStrangers,
  subject: accountKey,
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
const BY_STRANGER = sql`${whenResult("ok")} AND NOT ${ADDRESS_IS_KNOWN}`;

type ResetTemplate = "password_reset_link" | "password_reset_otp";

/** Records a request, unless a budget is used up. */
function recordRequest(template: ResetTemplate): Statement {
  return define({ ...LIMITED, opId: text, address: text }, () => {
    const requested = row(userAccount, "requested");
    const { names, values } = inserted(securityEvent, {
      opId,
      at: now,
      event: quoted(`${template}.request`),
      result: sql`'ok'`,
      userId: sql`(SELECT ${requested.id} FROM ${requested} WHERE ${requested.email} = ${email})`,
      address,
    });
    return sql`
    INSERT INTO ${securityEvent} (${names})
    SELECT ${values}
    WHERE ${withinBudgets(PAIR_BUDGETS)} AND (${ADDRESS_IS_KNOWN} OR ${STRANGERS_WAIT_UNTIL} <= ${now})`;
  });
}

/** Queues the mail, without a recipient if the address has no account. */
function mailReset(template: ResetTemplate): Statement {
  const { requested, account } = rowsOf({ requested: securityEvent, account: userAccount });
  return queueMail(MAIL, {
    template,
    language: sql`coalesce(${mailLanguage}, ${account.language}, 'en')`,
    brand,
    recipient: account.email,
    sealedParams,
    expiresAt,
    source: sql`FROM ${requested} LEFT JOIN ${account} ON ${account.id} = ${requested.userId}
        WHERE ${requested.opId} = ${opId}`,
  });
}

const READ_REQUEST = define({ ...LIMITED, opId: text }, () =>
  sql`
  SELECT ${whenResult("ok")} AS accepted,
    max(${budgetsFreeAt(PAIR_BUDGETS)}, iif(${ADDRESS_IS_KNOWN}, 0, ${STRANGERS_WAIT_UNTIL})) AS freeAt`);

/**
 * Returns the batch of a request for a reset mail; `make` creates its link or code. Writes nothing if a budget is
 * used up.
 */
function requestReset(template: ResetTemplate, make: readonly Statement[]): readonly Statement[] {
  return [
    recordRequest(template),
    ...countInBudgets({ opId: text, pairKey: text }, PAIR_BUDGETS, whenResult("ok")),
    countInNetworks({ ...CLIENT, opId: text, accountKey: text }, OF_STRANGERS, BY_STRANGER),
    countInNetworks({ ...CLIENT, opId: text }, OF_NETWORK, BY_STRANGER),
    ...make,
    mailReset(template),
    READ_REQUEST,
  ];
}

const live = row(passwordLink, "live");
/** The user's oldest live links, which must end to make room for another. */
const SURPLUS_LINKS = sql`SELECT ${live.id} FROM ${live}
    WHERE ${live.userId} = ${CHANGED_USER} AND ${live.purpose} = 'reset'
      AND ${live.endedAt} IS NULL AND ${live.expiresAt} > ${now}
    ORDER BY ${live.id} DESC LIMIT -1 OFFSET ${LIVE_RESET_LINKS - 1}`;

const requested = row(securityEvent, "requested");

/** Mails a link, and ends the oldest live one beyond the limit. Returns a `ResetRequestRow`. */
export const REQUEST_RESET_LINK = requestReset("password_reset_link", [
  endPasswordLinks({ opId: text }, sql`${passwordLink.id} IN (${SURPLUS_LINKS})`),
  insertPasswordLink({ opId: text, expiresAt: int }, {
    purpose: "reset",
    user: requested.userId,
    expiresAt,
    source: sql`FROM ${requested} WHERE ${requested.opId} = ${opId}`,
  }),
]);

/** Mails a code that replaces the previous one. Returns a `ResetRequestRow`. */
export const REQUEST_RESET_CODE = requestReset("password_reset_otp", [
  replaceCode({ opId: text, subject: text }, {
    purpose: "password_reset",
    subject,
    user: CHANGED_USER,
    guesses: RESET_CODE_GUESSES,
    condition: whenResult("ok"),
  }),
]);

const READ_GUESS = define({ opId: text }, () =>
  sql`
  SELECT ${securityEvent.result}, ${securityEvent.userId} AS userId FROM ${securityEvent}
  WHERE ${securityEvent.opId} = ${opId}`);

/** The verdict on a submitted code. A code for an address without an account is never right. */
function resetVerdict(code: typeof oneTimeCode): SQL {
  const owner = row(userAccount, "owner");
  return sql`CASE ${codeVerdict(code)} WHEN 'ok'
  THEN iif(EXISTS (SELECT 1 FROM ${owner} WHERE ${owner.id} = ${code.userId}), 'ok', 'wrong')
  ELSE ${codeVerdict(code)} END`;
}

/** The counter of one network's wrong guesses at a code, given by its HMAC. */
function guessesAt(mac: Value): Counter {
  return { scope: THROTTLE_SCOPES.resetCodeGuess, key: sql`${mac} || ' ' || ${network}` };
}

/** The code is live, and the client's network has guesses left. One network cannot use up all guesses. */
function mayGuess(code: typeof oneTimeCode): SQL {
  return sql`${codeLives(code)}
  AND ${counterValue(guessesAt(code.mac), "count")} < ${RESET_CODE_GUESSES_PER_NETWORK}`;
}

const guessed = row(oneTimeCode, "guessed");
const GUESSED_MAC = sql`(SELECT ${guessed.mac} FROM ${guessed}
    WHERE ${guessed.purpose} = 'password_reset' AND ${guessed.subject} = ${subject})`;

/** Counts a wrong guess of the client's network. */
const COUNT_NETWORK_GUESS = countInWindow(
  { opId: text, subject: text, network: text },
  { ...guessesAt(GUESSED_MAC), windowSeconds: CODE_SECONDS },
  whenResult("wrong"),
);

function decideCode(event: string, condition: (code: typeof oneTimeCode) => SQL): Statement {
  return compile({ ...GUESS, opId: text, now: int, address: text }, () => {
    const code = row(oneTimeCode, "code");
    const decided = select({
      opId,
      at: now,
      event: quoted(event),
      result: resetVerdict(code),
      userId: code.userId,
      address,
    }).from(sql`${ONE_ROW} ${joinCode(code, "password_reset", subject)}`).where(condition(code));
    return insertFrom(securityEvent, decided);
  });
}

/**
 * Checks a code without using it up; wrong guesses count. Returns a `CodeRow`; none, and writes nothing, if no code
 * is live or the client's network has no guess left.
 */
export const CHECK_RESET_CODE: readonly Statement[] = [
  decideCode("password_reset_otp.check", mayGuess),
  COUNT_NETWORK_GUESS,
  countGuess({ subject: text }, "password_reset", subject, { consume: false }),
  READ_GUESS,
];

/** Redeems a checked code; of concurrent requests, only one succeeds. Returns a row if the code was live. */
export const REDEEM_RESET_CODE: readonly Statement[] = [
  decideCode("password_reset_otp", (code) => sql`${mayGuess(code)} AND ${resetVerdict(code)} = 'ok'`),
  countGuess({ subject: text }, "password_reset", subject, { consume: true }),
  ...RESET_PASSWORD,
  READ_GUESS,
];
