import { firstRoleName } from "../accounts/own/administrator_queries.ts";
import { passwordLink, securityEvent, userAccount } from "../db/schema/identity.ts";
import { outbox } from "../db/schema/mail.ts";
import { define, inserted, int, placeholdersOf, row, rows, sql, text } from "../db/sql.ts";
import { insertPasswordLink } from "../identity/password_link_queries.ts";
import { queueMail } from "../mail/queued_mail_queries.ts";

/** Invitations of people whom an import brought without a password. */

const INVITE = {
  opId: text,
  runId: text,
  now: int,
  userId: int,
  mailId: text,
  linkMac: text,
  linkExpiresAt: int,
  sealedParams: text,
  dueAt: int,
};
const { opId, runId, now, userId, mailId, linkMac, linkExpiresAt, sealedParams, dueAt } = placeholdersOf(
  INVITE,
);

const { invited, open, made } = {
  invited: row(userAccount, "invited"),
  open: row(passwordLink, "open"),
  made: row(passwordLink, "made"),
};
const IS_INVITED = sql`EXISTS (SELECT 1 FROM ${open} WHERE ${open.userId} = ${invited.id}
    AND ${open.purpose} = 'invitation' AND ${open.endedAt} IS NULL AND ${open.expiresAt} > ${now})`;

/** Makes a link if the account has a role, no password, and no link of an earlier invitation that is still good. */
const MAKE_LINK = insertPasswordLink({ userId: int, linkExpiresAt: int }, {
  purpose: "invitation",
  user: invited.id,
  expiresAt: linkExpiresAt,
  source: sql`FROM ${invited} WHERE ${invited.id} = ${userId} AND ${invited.passwordHash} IS NULL
    AND ${firstRoleName(invited)} IS NOT NULL AND NOT ${IS_INVITED}`,
});

const MADE =
  sql`FROM ${made} CROSS JOIN ${invited} ON ${invited.id} = ${made.userId} WHERE ${made.mac} = ${linkMac}`;

const QUEUE = queueMail(
  { mailId: text, linkMac: text, linkExpiresAt: int, sealedParams: text, dueAt: int, now: int },
  {
    id: mailId,
    template: "invitation",
    language: invited.language,
    recipient: invited.email,
    roleName: firstRoleName(invited),
    sealedParams,
    expiresAt: linkExpiresAt,
    dueAt,
    source: MADE,
  },
);

const RECORD = define({ opId: text, runId: text, now: int, linkMac: text }, () => {
  const { names, values } = inserted(securityEvent, {
    opId,
    at: now,
    event: sql`'operator.invited'`,
    result: sql`'ok'`,
    userId: invited.id,
    sessionId: sql`'import:' || ${runId}`,
  });
  return sql`
  INSERT INTO ${securityEvent} (${names}) SELECT ${values} ${MADE}`;
});

const COUNT = rows<{ readonly invited: number }>()({ linkMac: text }, () =>
  sql`
  SELECT count(*) AS invited ${MADE}`);

/** Invites one person, with a mail that is due at `dueAt`. The last statement says whether it did. */
export const INVITE_PERSON = [MAKE_LINK, QUEUE, RECORD, COUNT] as const;

/** When the last mail that waits is due, behind which the next one waits. No row if none waits. */
export const LAST_DUE = rows<{ readonly dueAt: number }>()({}, () => {
  const { nextAttemptAt, deliveredAt, droppedAt } = outbox;
  return sql`
  SELECT ${nextAttemptAt} AS dueAt FROM ${outbox}
  WHERE ${deliveredAt} IS NULL AND ${droppedAt} IS NULL AND ${nextAttemptAt} >= 0
  ORDER BY ${nextAttemptAt} DESC LIMIT 1`;
});
