import { compile, eq, insertFrom, select } from "../../db/builder.ts";
import {
  oneTimeCode,
  reservedEmail,
  securityEvent,
  undoLink,
  userAccount,
} from "../../db/schema/identity.ts";
import { excluded, int, nullable, placeholdersOf, row, rowsOf, type SQL, sql, text } from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import {
  codeVerdict,
  countGuess,
  joinCode,
  replaceCode,
  subjectOf,
  SUBMITTED,
} from "../../identity/factor/one_time_code_queries.ts";
import {
  CHANGED_USER,
  decideForActor,
  END_EARLIER_PROOFS,
  endOtherSessions,
  mailChangedUser,
  READ_RESULT,
  whenResult,
} from "../../identity/security_queries.ts";
import { updateUser } from "../../identity/user_queries.ts";
import { queueMail } from "../../mail/queued_mail_queries.ts";
import {
  HOUR_SECONDS,
  THROTTLE_SCOPES,
  TRANSFER_MAIL_GAP_SECONDS,
  TRANSFER_MAILS_PER_HOUR,
} from "../../throttle/limits.ts";
import {
  type Budget,
  budgetsFreeAt,
  countInBudgets,
  withinBudgets,
} from "../../throttle/throttle_queries.ts";

/** The mail to the new address. Brand and language are null unless the request names them. */
const MAIL = {
  email: text,
  brand: nullable(text),
  mailLanguage: nullable(text),
  sealedParams: text,
  codeExpiresAt: int,
};
/** The undo link, and its mail to the old address. */
const UNDO = { undoMac: text, undoMailId: text, undoExpiresAt: int };

const { opId, now, actorId, sessionId } = placeholdersOf({
  opId: text,
  now: int,
  actorId: int,
  sessionId: text,
});
const { email, brand, mailLanguage, sealedParams, codeExpiresAt } = placeholdersOf(MAIL);
const { undoMac, undoMailId, undoExpiresAt } = placeholdersOf(UNDO);

const ACTOR_KEY = subjectOf(actorId);
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

/** The account's last transfer can still be undone. */
function isUndoable(account: typeof userAccount): SQL {
  const link = row(undoLink, "link");
  return sql`EXISTS (SELECT 1 FROM ${link} WHERE ${link.userId} = ${account.id}
  AND ${link.endedAt} IS NULL AND ${link.expiresAt} > ${now})`;
}

/** The changed user's account, for statements that read no other. */
const IS_CHANGED = sql`${userAccount.id} = ${CHANGED_USER}`;

/** Mails a code to the new address, even if it belongs to another account. Returns an `InitiatedRow`. */
export const INITIATE_TRANSFER: readonly Statement[] = [
  decideForActor({}, {
    event: "email.initiate",
    proof: "fresh",
    verdict: ({ account }) =>
      sql`CASE WHEN ${isUndoable(account)} THEN 'too_soon'
  WHEN ${withinBudgets(BUDGETS)} THEN 'ok' ELSE 'too_many' END`,
  }),
  ...countInBudgets({ opId: text, actorId: int }, BUDGETS, whenResult("ok")),
  replaceCode({ opId: text, email: text, sessionId: text }, {
    purpose: "email_transfer",
    subject: subjectOf(CHANGED_USER),
    user: CHANGED_USER,
    email,
    session: sessionId,
    condition: whenResult("ok"),
  }),
  queueMail(MAIL, {
    template: "email_transfer_otp",
    language: sql`coalesce(${mailLanguage}, ${userAccount.language})`,
    brand,
    recipient: email,
    sealedParams,
    expiresAt: codeExpiresAt,
    source: sql`FROM ${userAccount} WHERE ${IS_CHANGED}`,
  }),
  compile(
    { opId: text, actorId: int, now: int },
    () =>
      select({ result: securityEvent.result, freeAt: budgetsFreeAt(BUDGETS) })
        .from(securityEvent).where(eq(securityEvent.opId, opId)),
  ),
];

/** Another account has the new address or may get it back. Only revealed to users who receive mail there. */
function isTaken(code: typeof oneTimeCode): SQL {
  const { holder, reserved } = rowsOf({ holder: userAccount, reserved: reservedEmail });
  return sql`(EXISTS (SELECT 1 FROM ${holder} WHERE ${holder.email} = ${code.email})
  OR EXISTS (SELECT 1 FROM ${reserved}
    WHERE ${reserved.email} = ${code.email} AND ${reserved.reservedUntil} > ${now}))`;
}

/** Decides on the submitted code of a transfer. */
function decideTransfer(): Statement {
  const code = row(oneTimeCode, "code");
  return decideForActor(SUBMITTED, {
    event: "email.transfer",
    proof: "any",
    joins: ({ account }) => joinCode(code, "email_transfer", subjectOf(account.id)),
    verdict: () =>
      sql`CASE ${codeVerdict(code)} WHEN 'ok' THEN iif(${isTaken(code)}, 'in_use', 'ok')
  ELSE ${codeVerdict(code)} END`,
  });
}

const RESERVE_OLD_EMAIL = compile({ opId: text, undoExpiresAt: int }, () => {
  const { id: userId, email } = userAccount;
  const old = select({ email, userId, reservedUntil: undoExpiresAt }).from(userAccount).where(IS_CHANGED);
  return insertFrom(reservedEmail, old).onConflictDoUpdate([reservedEmail.email], {
    userId: excluded(reservedEmail.userId),
    reservedUntil: excluded(reservedEmail.reservedUntil),
  });
});

const INSERT_UNDO_LINK = compile(
  { opId: text, now: int, sessionId: text, undoMac: text, undoExpiresAt: int },
  () => {
    const { account, code } = rowsOf({ account: userAccount, code: oneTimeCode });
    const link = select({
      mac: undoMac,
      userId: account.id,
      email: account.email,
      begunAt: code.createdAt,
      begunBy: code.sessionId,
      completedBy: sessionId,
      createdAt: now,
      expiresAt: undoExpiresAt,
    }).from(sql`${account} ${joinCode(code, "email_transfer", subjectOf(account.id))}`)
      .where(eq(account.id, CHANGED_USER));
    return insertFrom(undoLink, link);
  },
);

const mailed = row(oneTimeCode, "mailed");
/** The new address, which received the changed account's code. */
const NEW_EMAIL = sql`(SELECT ${mailed.email} FROM ${mailed}
  WHERE ${mailed.purpose} = 'email_transfer' AND ${mailed.subject} = ${subjectOf(CHANGED_USER)})`;

/**
 * Moves the account to the address that received the code. Reserves the old address, and mails it the undo link.
 * Returns a `ResultRow`.
 */
export const COMPLETE_TRANSFER: readonly Statement[] = [
  decideTransfer(),
  countGuess({ actorId: int }, "email_transfer", ACTOR_KEY, { consume: true }),
  RESERVE_OLD_EMAIL,
  INSERT_UNDO_LINK,
  queueMail({ opId: text, undoMailId: text, sealedParams: text, undoExpiresAt: int }, {
    id: undoMailId,
    template: "email_transferred_old",
    language: userAccount.language,
    recipient: userAccount.email,
    sealedParams,
    expiresAt: undoExpiresAt,
    source: sql`FROM ${userAccount} WHERE ${IS_CHANGED}`,
  }),
  updateUser({ opId: text }, { email: NEW_EMAIL }, IS_CHANGED),
  ...END_EARLIER_PROOFS,
  endOtherSessions("email_transferred"),
  mailChangedUser("email_transferred"),
  READ_RESULT,
];
