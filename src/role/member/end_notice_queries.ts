import { userAccount } from "../../db/schema/identity.ts";
import { changeLog, member, memberHistory, role, roleKey } from "../../db/schema/role.ts";
import { assigned, define, int, placeholdersOf, row, rowsOf, type SQL, sql, text } from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { neverOpened } from "../../identity/user_queries.ts";
import { queueMail } from "../../mail/queued_mail_queries.ts";
import { DAY_MS } from "../../core/clock.ts";
import { someRoleOfUserAbove } from "../../graph/rules/guard_queries.ts";
import { managesMembersOf } from "../../graph/rules/rule_queries.ts";

/** Mails about memberships and keys that end in about a week. */

/** Maximum number of memberships and keys per batch, so that other writes get their turn. */
export const NOTICE_BATCH = 500;

/** Who was given less than this needs no notice: the end was known from the beginning. */
const SHORTEST_MS = 14 * DAY_MS;

const NOTICE = { day: text, now: int, dueBefore: int, mailExpiresAt: int };
const { day, now, dueBefore, mailExpiresAt } = placeholdersOf(NOTICE);

const due = row(member, "due");
/** The next batch of rows whose end is near, and was not told. The last condition is that of their index. */
const DUE = sql`SELECT ${due.id} FROM ${due}
    WHERE ${due.endsAt} > ${now} AND ${due.endsAt} < ${dueBefore} AND ${due.endsAt} IS NOT NULL
      AND (${due.toldEnd} IS NULL OR ${due.endsAt} >= ${due.toldEnd} + 604800000)
    ORDER BY ${due.endsAt}, ${due.id} LIMIT ${NOTICE_BATCH}`;

/** When the row was first given, in milliseconds; 0 if the log no longer has that. */
function givenAt(ending: typeof member): SQL {
  const { first, made } = rowsOf({ first: memberHistory, made: changeLog });
  return sql`coalesce((SELECT ${made.at} FROM ${first} CROSS JOIN ${made} ON ${made.rev} = ${first.fromRev}
      WHERE ${first.memberId} = ${ending.id} ORDER BY ${first.toRev} LIMIT 1), 0)`;
}

/** Whether the end is to be told. */
function isTold(ending: typeof member): SQL {
  return sql`${ending.endsAt} >= ${givenAt(ending)} + ${SHORTEST_MS}`;
}

const { ending, listed } = rowsOf({ ending: member, listed: member });
const person = row(userAccount, "person");
const { key, listedKey } = rowsOf({ key: roleKey, listedKey: roleKey });

/**
 * The mail of a person and day, of either kind and whatever the batch, so that no one can cause more of them. The time
 * of the account makes it unique among deployments, which may share a mail provider.
 */
const ID = sql`'end.' || ${day} || '.' || ${person.id} || '.' || ${person.createdAt}`;

/** Selects the address of who gave a membership, while they manage the members of its role, and so can extend it. */
function helpfulGiver({ givenBy, roleId }: typeof member): SQL {
  const giver = row(userAccount, "giver");
  const managesIt = someRoleOfUserAbove(giver.id, roleId, (acting) => managesMembersOf(acting, roleId));
  return sql`(SELECT ${giver.email} FROM ${giver} WHERE ${giver.id} = ${givenBy} AND ${managesIt})`;
}

/**
 * Tells each person of their memberships that end: one mail names the first, and how many there are besides. Who has
 * never opened their account gets none.
 */
const TELL_MEMBERS = queueMail(NOTICE, {
  id: ID,
  isOnce: true,
  template: "membership_ends",
  language: person.language,
  recipient: person.email,
  roleName: role.name,
  actorEmail: helpfulGiver(ending),
  detail: sql`json_object('endsAt', first.ends_at, 'others', first.count - 1)`,
  expiresAt: mailExpiresAt,
  source: sql`FROM (SELECT min(${listed.endsAt}) AS ends_at, ${listed.id} AS id, count(*) AS count
      FROM (${DUE}) batch CROSS JOIN ${listed} ON ${listed.id} = batch.id
      WHERE ${listed.userId} > 0 AND ${isTold(listed)} GROUP BY ${listed.userId}) first
    CROSS JOIN ${ending} ON ${ending.id} = first.id
    CROSS JOIN ${role} ON ${role.id} = ${ending.roleId}
    CROSS JOIN ${person} ON ${person.id} = ${ending.userId}
  WHERE NOT ${neverOpened(person)}`,
});

/** The same for the makers of keys, but for those who have a mail of this day. */
const TELL_MAKERS = queueMail(NOTICE, {
  id: ID,
  isOnce: true,
  template: "key_ends",
  language: person.language,
  recipient: person.email,
  roleName: role.name,
  detail: sql`json_object('endsAt', first.ends_at, 'others', first.count - 1, 'name', ${key.name})`,
  expiresAt: mailExpiresAt,
  source: sql`FROM (SELECT min(${listed.endsAt}) AS ends_at, ${listed.id} AS id, count(*) AS count
      FROM (${DUE}) batch CROSS JOIN ${listed} ON ${listed.id} = batch.id
        CROSS JOIN ${listedKey} ON ${listedKey.id} = ${listed.id}
      WHERE ${listedKey.createdBy} IS NOT NULL AND ${isTold(listed)} GROUP BY ${listedKey.createdBy}) first
    CROSS JOIN ${key} ON ${key.id} = first.id
    CROSS JOIN ${role} ON ${role.id} = ${key.roleId}
    CROSS JOIN ${person} ON ${person.id} = ${key.createdBy}
  WHERE true`,
});

const MARK_TOLD = define({ now: int, dueBefore: int }, () =>
  sql`
  UPDATE ${member} SET ${assigned(member, { toldEnd: member.endsAt })} WHERE ${member.id} IN (${DUE})
  RETURNING 1 AS told`);

/**
 * Mails about the next batch of ends, and marks them, also those of people who have a mail of this day: in one
 * transaction, so that each is told at most once, however many instances run this. The last statement returns a row
 * for each.
 */
export const TELL_ENDS: readonly Statement[] = [TELL_MEMBERS, TELL_MAKERS, MARK_TOLD];
