import { SECOND_MS } from "../core/clock.ts";
import { reservedEmail, securityEvent, undoLink, userAccount } from "../db/schema/identity.ts";
import {
  assigned,
  define,
  inserted,
  int,
  placeholdersOf,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
} from "../db/sql.ts";
import { probing, type Statement } from "../db/statement.ts";
import { dropFactors, type RemovableFactor } from "../identity/factor/factor_queries.ts";
import { CHANGED_USER, endAllSessions, mailChangedUser, READ_RESULT } from "../identity/security_queries.ts";
import { updateUser } from "../identity/user_queries.ts";
import { queueMail } from "../mail/queued_mail_queries.ts";
import { deleteKeysMadeBy } from "../role/key/made_key_queries.ts";
import { voidRolePasswords } from "../role/password/role_password_queries.ts";
import { SUSPECT_SECONDS } from "./lifetimes.ts";

/** The submitted link: a JSON list with the HMAC of its token under each key. */
const LINK = { macs: text };
const { macs } = placeholdersOf(LINK);
const { now, newMailId, mailExpiresAt } = placeholdersOf({ now: int, newMailId: text, mailExpiresAt: int });

/** The link is the submitted one. */
function isSubmitted({ mac }: typeof undoLink): SQL {
  return sql`${mac} IN (SELECT value FROM json_each(${macs}))`;
}

function isLive({ endedAt, expiresAt }: typeof undoLink): SQL {
  return sql`${endedAt} IS NULL AND ${expiresAt} > ${now}`;
}

interface LinkRow {
  readonly userId: number;
}

/** Reads the user of a live link. Run before `UNDO_TRANSFER`, which decides, so that invented links cause no write. */
export const FIND_UNDO_LINK = probing(
  rows<LinkRow>()({ ...LINK, now: int }, () =>
    sql`
  SELECT ${undoLink.userId} AS userId FROM ${undoLink}
  WHERE ${isSubmitted(undoLink)} AND ${isLive(undoLink)} LIMIT 1`),
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
const DECIDE = define({ ...LINK, opId: text, now: int, address: text }, ({ opId, address }) => {
  const { account, holder } = rowsOf({ account: userAccount, holder: userAccount });
  const { names, values } = inserted(securityEvent, {
    opId,
    at: now,
    event: sql`'email.undo'`,
    result: sql`'ok'`,
    actorId: account.id,
    userId: account.id,
    address,
  });
  return sql`
  INSERT INTO ${securityEvent} (${names})
  SELECT ${values}
  FROM ${undoLink} CROSS JOIN ${account} ON ${account.id} = ${undoLink.userId}
  WHERE ${isSubmitted(undoLink)}
    AND ${isLive(undoLink)}
    AND NOT EXISTS (SELECT 1 FROM ${holder} WHERE ${holder.email} = ${undoLink.email}) LIMIT 1`;
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
  define({ opId: text }, () =>
    sql`
    DELETE FROM ${reservedEmail}
    WHERE ${reservedEmail.email} = (SELECT ${userAccount.email} FROM ${userAccount} WHERE ${IS_CHANGED})`),
  define({ opId: text, now: int }, () =>
    sql`
    UPDATE ${undoLink} SET ${assigned(undoLink, { endedAt: now })}
    WHERE ${undoLink.userId} = ${CHANGED_USER} AND ${undoLink.endedAt} IS NULL`),
  ...dropFactors({ ...LINK, opId: text }, isSuspect),
  ...deleteKeysMadeBy({ ...LINK, opId: text }, SUSPECT),
  ...voidRolePasswords({ ...LINK, opId: text }, SUSPECT),
  endAllSessions("transfer_undone"),
  mailChangedUser("transfer_undone"),
  READ_RESULT,
];
