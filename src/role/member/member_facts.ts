import { and, eq, gt, not, pick, select } from "../../db/builder.ts";
import { reservedEmail, userAccount } from "../../db/schema/identity.ts";
import { member } from "../../db/schema/role.ts";
import {
  derived,
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
import { ADMINISTRATION, authorizationOf, givingAuthorizationOf } from "../../changes/caller_facts.ts";
import { commandOf, type Undoing, type Undone, undoOf } from "../../changes/command.ts";
import { nested, one, onlyIf, whether } from "../../changes/facts.ts";
import { FEW_MEMBERSHIPS, HAS_FEW, someAuthorizingRole } from "../../graph/rules/guard_queries.ts";
import { holderLives, memberLives, PRINCIPAL } from "../../graph/rules/principal_queries.ts";
import { managesMembersOf } from "../../graph/rules/rule_queries.ts";
import { isLastKeeper } from "./keeper_queries.ts";
import { decideUndoOfAddition, decideUndoOfMemberChange } from "./member_deciders.ts";
import { PROVISIONS } from "./provision_queries.ts";
import { decideProvision, decidePutMember } from "./put_member.ts";
import { decideRemoveByAdministrator, decideRemoveMember } from "./remove_member.ts";

/** The changes of members as commands: their facts, read from the database. */

const PUT_ARGS = { roleId: int, email: text, rights: nullable(int), endsAt: nullable(int), setsEnd: int };
const REMOVE_ARGS = { roleId: int, relationId: int };
const { roleId, email, rights, endsAt, setsEnd, relationId } = placeholdersOf({
  ...PUT_ARGS,
  ...REMOVE_ARGS,
});
const { actorId, now } = placeholdersOf(PRINCIPAL);
const { invited, existing, ended, reserved } = rowsOf({
  invited: userAccount,
  existing: member,
  ended: member,
  reserved: reservedEmail,
});

const MANAGES_MEMBERS = someAuthorizingRole((acting) => managesMembersOf(acting, roleId));

const SUBJECT_ID = sql`${select({ id: invited.id }).from(invited).where(eq(invited.email, email))}`;

/** A list of no roles. */
const NO_ROLES = quoted(JSON.stringify(Array.from({ length: FEW_MEMBERSHIPS }, () => 0)));

/**
 * The subject is a member of a role whose members the caller manages, so that its list of access shows them. The first
 * few of their memberships count, and none for a caller with many. Where they have fewer, roles that do not exist are
 * judged in place of these, so that the time does not tell who has an account.
 */
function isListed(subjectId: Value): SQL {
  const [known, few] = [row(member, "known"), derived(member, "few", "roleId")];
  const isManaged = someAuthorizingRole((acting) => managesMembersOf(acting, few.roleId));
  // Not by AND: SQLite evaluates both sides of one whose result is a value.
  return sql`iif(${HAS_FEW}, EXISTS (SELECT 1 FROM (SELECT * FROM (SELECT ${known.roleId} FROM ${known}
      WHERE ${known.userId} = ${subjectId} AND ${memberLives(known)}
      ORDER BY ${known.roleId} LIMIT ${FEW_MEMBERSHIPS})
      UNION ALL SELECT value FROM json_each(${NO_ROLES}) LIMIT ${FEW_MEMBERSHIPS}) ${few} WHERE ${isManaged}), false)`;
}

const LIVING_SUBJECT = sql`SELECT 1 FROM ${existing} WHERE ${existing.userId} = ${SUBJECT_ID}
    AND ${existing.roleId} = ${roleId} AND ${memberLives(existing)}`;
/**
 * Whether the caller manages the members, and the subject is none. In this order: the right takes the same time whether
 * the subject is a member or not.
 */
const COULD_BE_FIRST = sql`iif(${MANAGES_MEMBERS}, NOT EXISTS (${LIVING_SUBJECT}), false)`;

const PUT_FACTS = {
  ...givingAuthorizationOf({ role: roleId }),
  subject: one(
    select({
      id: invited.id,
      member: nested(one(
        select(pick(existing, "id", "rights", "endsAt")).from(existing)
          .where(and(eq(existing.userId, invited.id), eq(existing.roleId, roleId), memberLives(existing))),
      )),
      endedId: sql<number | null>`${
        select({ id: ended.id }).from(ended)
          .where(and(eq(ended.userId, invited.id), eq(ended.roleId, roleId), not(memberLives(ended))))
      }`,
    }).from(invited).where(eq(invited.email, email)),
  ),
  keepsAlone: onlyIf(
    sql`iif(${MANAGES_MEMBERS}, ${rights} IS NOT NULL OR (${setsEnd} AND ${endsAt} IS NOT NULL), false)`,
    whether(sql`EXISTS (${LIVING_SUBJECT} AND ${isLastKeeper(existing)})`),
  ),
  isReserved: whether(
    select({ email: reserved.email }).from(reserved)
      .where(and(eq(reserved.email, email), gt(reserved.reservedUntil, now))),
  ),
};
const WITH_LISTED = { ...PUT_FACTS, isListed: onlyIf(COULD_BE_FIRST, whether(isListed(SUBJECT_ID))) };
const OF_KEY = { provisions: whether(PROVISIONS) };

const PUT_COMMAND = {
  declared: { ...PRINCIPAL, ...PUT_ARGS },
  target: ({ roleId, email }: { roleId: number; email: string }) => `member ${roleId} ${email}`,
};

/** By a user. */
export const PUT = commandOf({
  ...PUT_COMMAND,
  name: "put member",
  facts: WITH_LISTED,
  decide: decidePutMember,
});
/** By a key that provisions, and that does not invite. */
export const PROVISION = commandOf({
  ...PUT_COMMAND,
  name: "provision member",
  facts: { ...PUT_FACTS, ...OF_KEY },
  decide: decideProvision,
});
export const PROVISION_AND_INVITE = commandOf({
  ...PUT_COMMAND,
  name: "provision and invite member",
  facts: { ...WITH_LISTED, ...OF_KEY },
  decide: decideProvision,
});

const { removed } = rowsOf({ removed: member });
/** The membership that is named. To find out whether it keeps a root alone may take long, so only if `isAllowed`. */
const removedIf = (isAllowed: SQL) =>
  one(
    select({
      ...pick(removed, "id", "userId", "rights", "endsAt"),
      keepsAlone: nested(onlyIf(isAllowed, whether(isLastKeeper(removed)))),
    }).from(removed).where(
      and(
        eq(removed.id, relationId),
        eq(removed.roleId, roleId),
        gt(removed.userId, 0),
        holderLives(removed),
      ),
    ),
  );

const REMOVE_COMMAND = {
  declared: { ...PRINCIPAL, ...REMOVE_ARGS },
  target: ({ relationId }: { relationId: number }) => `member ${relationId}`,
};
export const REMOVE = commandOf({
  ...REMOVE_COMMAND,
  name: "remove member",
  facts: {
    ...authorizationOf({ role: roleId }),
    member: removedIf(sql`iif(${MANAGES_MEMBERS}, true, ${removed.userId} = ${actorId})`),
  },
  decide: decideRemoveMember,
});
export const REMOVE_AS_ADMINISTRATOR = commandOf({
  ...REMOVE_COMMAND,
  declared: { actorId: int, now: int, ...REMOVE_ARGS },
  name: "remove member by administrator",
  facts: { ...ADMINISTRATION, member: removedIf(sql`true`) },
  decide: decideRemoveByAdministrator,
});

export const undoOfAddition = (undone: Undone): Undoing<typeof REMOVE["facts"]> =>
  undoOf(REMOVE, undone, { name: "undo addition of member", decide: decideUndoOfAddition });

/** `undone` declares `subjectId` and `livingId`. An undo counts to no limit, so a list of access does not matter. */
export const undoOfMemberChange = (undone: Undone): Undoing<typeof PUT_FACTS> =>
  undoOf({ ...PUT_COMMAND, facts: PUT_FACTS }, undone, {
    name: "undo change of member",
    decide: decideUndoOfMemberChange,
  });
