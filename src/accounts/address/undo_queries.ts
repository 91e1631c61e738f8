import { SECOND_MS } from "../../core/clock.ts";
import {
  and,
  compile,
  deleteFrom,
  eq,
  insertFrom,
  isNull,
  select,
  update,
  within,
} from "../../db/builder.ts";
import { reservedEmail, securityEvent, undoLink, userAccount } from "../../db/schema/identity.ts";
import { int, placeholdersOf, row, rowsOf, type SQL, sql, text } from "../../db/sql.ts";
import { probing, type Statement } from "../../db/statement.ts";
import { dropFactors, type RemovableFactor } from "../../identity/factor/factor_queries.ts";
import {
  CHANGED_USER,
  endAllSessions,
  mailChangedUser,
  READ_RESULT,
} from "../../identity/security_queries.ts";
import { updateUser } from "../../identity/user_queries.ts";
import { queueMail } from "../../mail/queued_mail_queries.ts";
import { deleteKeysMadeBy } from "../../key/made_key_queries.ts";
import { voidRolePasswords } from "../../role/password/role_password_queries.ts";
import { SUSPECT_SECONDS } from "./lifetimes.ts";

/** The submitted link: a JSON list with the HMAC of its token under each key. */
const LINK = { macs: text };
const { macs } = placeholdersOf(LINK);
const { now, newMailId, mailExpiresAt } = placeholdersOf({ now: int, newMailId: text, mailExpiresAt: int });

/** The link is the submitted one. */
function isSubmitted({ mac }: typeof undoLink): SQL {
  return within(mac, macs);
}

function isLive({ endedAt, expiresAt }: typeof undoLink): SQL {
  return sql`${endedAt} IS NULL AND ${expiresAt} > ${now}`;
}

/** Reads the user of a live link. Run before `UNDO_TRANSFER`, which decides, so that invented links cause no write. */
export const FIND_UNDO_LINK = probing(
  compile({ ...LINK, now: int }, () => {
    const isValid = and(isSubmitted(undoLink), isLive(undoLink));
    return select({ userId: undoLink.userId }).from(undoLink).where(isValid).limit(1);
  }),
);

const transfer = row(undoLink, "transfer");
/** The row of the link and its transfer. */
const OF_LINK = sql`FROM ${transfer} WHERE ${isSubmitted(transfer)}`;

/** The address to restore. */
const OLD_EMAIL = sql`(SELECT ${transfer.email} ${OF_LINK})`;

/** Start of the suspect time: an attacker may be in the account before the transfer begins. */
const SUSPECT_SINCE = sql`(SELECT coalesce(${transfer.begunAt}, ${transfer.createdAt})
    - ${SUSPECT_SECONDS * SECOND_MS} ${OF_LINK})`;

/**
 * The factor or set of recovery codes is suspect: it is too recent, or was activated in a session that made the
 * transfer.
 */
function isSuspect({ activatedAt, activatedBy }: RemovableFactor): SQL {
  return sql`(${activatedAt} >= ${SUSPECT_SINCE}
  OR EXISTS (SELECT 1 ${OF_LINK} AND ${activatedBy} IN (${transfer.begunBy}, ${transfer.completedBy})))`;
}

const SUSPECT = { user: CHANGED_USER, since: SUSPECT_SINCE };

/** The changed user's account, for statements that read no other. */
const IS_CHANGED = sql`${userAccount.id} = ${CHANGED_USER}`;

/** Inserts the event if the link is valid and its address is free. */
const DECIDE = compile({ ...LINK, opId: text, now: int, address: text }, ({ opId, address }) => {
  const { account, holder } = rowsOf({ account: userAccount, holder: userAccount });
  const isFree = sql`NOT EXISTS (SELECT 1 FROM ${holder} WHERE ${holder.email} = ${undoLink.email})`;
  const undone = select({
    opId,
    at: now,
    event: sql<string>`'email.undo'`,
    result: sql<string>`'ok'`,
    actorId: account.id,
    userId: account.id,
    address,
  }).from(undoLink).crossJoin(account)
    .where(and(eq(account.id, undoLink.userId), isSubmitted(undoLink), isLive(undoLink), isFree))
    .limit(1);
  return insertFrom(securityEvent, undone);
});

/**
 * Undoes a transfer: restores the old address, and removes sessions, pending codes and links, the password, and all
 * factors, recovery codes, keys and role passwords that may be an attacker's. Returns a row if the link is valid.
 */
export const UNDO_TRANSFER: readonly Statement[] = [
  DECIDE,
  queueMail({ opId: text, newMailId: text, mailExpiresAt: int }, {
    id: newMailId,
    template: "transfer_undone",
    language: userAccount.language,
    recipient: userAccount.email,
    expiresAt: mailExpiresAt,
    source: sql`FROM ${userAccount} WHERE ${IS_CHANGED}`,
  }),
  updateUser({ ...LINK, opId: text }, { email: OLD_EMAIL, passwordHash: sql`NULL` }, IS_CHANGED),
  compile({ opId: text }, () => {
    const restored = select({ email: userAccount.email }).from(userAccount).where(IS_CHANGED);
    return deleteFrom(reservedEmail).where(eq(reservedEmail.email, restored));
  }),
  compile({ opId: text, now: int }, () => {
    const isLeft = and(eq(undoLink.userId, CHANGED_USER), isNull(undoLink.endedAt));
    return update(undoLink, { endedAt: now }).where(isLeft);
  }),
  ...dropFactors({ ...LINK, opId: text }, isSuspect),
  ...deleteKeysMadeBy({ ...LINK, opId: text }, SUSPECT),
  ...voidRolePasswords({ ...LINK, opId: text }, SUSPECT),
  endAllSessions("transfer_undone"),
  mailChangedUser("transfer_undone"),
  READ_RESULT,
];
