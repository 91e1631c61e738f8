import { userAccount } from "../db/schema/identity.ts";
import { changeLog, member, memberHistory } from "../db/schema/role.ts";
import { int, nullable, placeholdersOf, row, rowsOf, type SQL, sql } from "../db/sql.ts";
import { neverOpened } from "../identity/user_queries.ts";
import { someRoleAbove } from "../graph/rules/guard_queries.ts";
import { managesMembersOf } from "../graph/rules/rule_queries.ts";
import { memberIsAwake, memberLives } from "../graph/rules/principal_queries.ts";
import { pageByList, pageByRole, pageByValues, reachPage, type RoleOwnedRows } from "./role_owned_queries.ts";
import { inList, LIST, PAGE } from "../graph/paging/page_queries.ts";

const { actorId, afterId } = placeholdersOf(PAGE);

const MEMBER_LISTS = {
  ids: LIST,
  roleIds: LIST,
  userIds: LIST,
  emails: LIST,
  memberExternalIds: LIST,
  waiting: nullable(int),
  endsBefore: nullable(int),
};
const ofMembers = placeholdersOf(MEMBER_LISTS);

function inEmails({ userId }: typeof member): SQL {
  const named = row(userAccount, "named");
  return sql`(${ofMembers.emails} IS NULL OR EXISTS (SELECT 1 FROM ${named} WHERE ${named.id} = ${userId}
    AND ${named.email} IN (SELECT value FROM json_each(${ofMembers.emails}))))`;
}

/**
 * Whether the membership tells the external id of its user: an import made it, or it is the actor's. One that a caller
 * made does not: a caller who knows an address may add it to a role, and would learn whether it is that of an account.
 */
function tellsExternalId({ userId, givenBy }: typeof member): SQL {
  return sql`(${givenBy} IS NULL OR ${userId} = ${actorId})`;
}

function hasExternalId(own: typeof member): SQL {
  const identified = row(userAccount, "identified");
  const list = ofMembers.memberExternalIds;
  return sql`(${list} IS NULL OR ${tellsExternalId(own)} AND EXISTS (
    SELECT 1 FROM ${identified} WHERE ${identified.id} = ${own.userId}
      AND ${identified.externalId} IN (SELECT value FROM json_each(${list}))))`;
}

const person = row(userAccount, "person");

/** When the member was added, in milliseconds, as the history tells; null if the log no longer has that. */
function addedAt(own: typeof member): SQL {
  const { first, added } = rowsOf({ first: memberHistory, added: changeLog });
  return sql`(SELECT ${added.at} FROM ${first} CROSS JOIN ${added} ON ${added.rev} = ${first.fromRev}
    WHERE ${first.memberId} = ${own.id} ORDER BY ${first.toRev} LIMIT 1)`;
}

/** Whether the member has never opened their account: then the invitation waits. No such user is a caller. */
const WAITS = neverOpened(person);

const MEMBERS: RoleOwnedRows<typeof member, typeof MEMBER_LISTS> = {
  table: member,
  declared: MEMBER_LISTS,
  roleOf: ({ roleId }) => roleId,
  readable: (on) => someRoleAbove(on, (acting) => managesMembersOf(acting, on)),
  isOwn: (own) => sql`(${own.userId} = ${actorId} AND ${memberIsAwake(own)})`,
  isOwnOnPage: (own) =>
    sql`${own.userId} = ${actorId} AND ${own.id} > ${afterId}
    AND ${memberIsAwake(own)} AND ${inList(own.id, ofMembers.ids)} AND ${
      inList(own.userId, ofMembers.userIds)
    } AND ${inEmails(own)} AND ${hasExternalId(own)}`,
  filter: (candidate) =>
    sql`${candidate.userId} > 0 AND ${memberLives(candidate)} AND ${inList(candidate.id, ofMembers.ids)}
    AND ${inList(candidate.roleId, ofMembers.roleIds)} AND ${inList(candidate.userId, ofMembers.userIds)}
    AND ${inEmails(candidate)} AND ${hasExternalId(candidate)}`,
  columns: (own) => ({
    id: own.id,
    roleId: own.roleId,
    userId: own.userId,
    userEmail: person.email,
    externalId: sql`CASE WHEN ${tellsExternalId(own)} THEN ${person.externalId} END`,
    rights: own.rights,
    endsAt: own.endsAt,
    needs: own.needs,
    lastMetAt: own.metAt,
    waits: WAITS,
    waitingSince: sql`CASE WHEN ${WAITS} THEN ${addedAt(own)} END`,
  }),
  joins: ({ userId }) => sql`CROSS JOIN ${person} ON ${person.id} = ${userId}`,
  isKept: ({ endsAt }) =>
    sql`(${ofMembers.waiting} IS NULL OR ${WAITS} = ${ofMembers.waiting})
    AND (${ofMembers.endsBefore} IS NULL OR ${endsAt} < ${ofMembers.endsBefore})`,
};

/** Joins the memberships of the account with an address. */
function ofAddress(candidate: typeof member): SQL {
  const named = row(userAccount, "named");
  return sql`${named} ON ${named.email} = requested.value
  CROSS JOIN ${candidate} ON ${candidate.userId} = ${named.id}`;
}

/** Joins the memberships of the account with an external id. */
function ofExternalId(candidate: typeof member): SQL {
  const identified = row(userAccount, "identified");
  return sql`${identified} ON ${identified.externalId} = requested.value
  CROSS JOIN ${candidate} ON ${candidate.userId} = ${identified.id}`;
}

/** Pages of memberships: the actor's own, and those of roles whose members they manage. Their rows are `MemberRow`s. */
export const MEMBER_PAGES = {
  id: pageByList(MEMBERS, "ids", ({ id }) => id),
  user: pageByList(MEMBERS, "userIds", ({ userId }) => userId),
  email: pageByValues(MEMBERS, "emails", ofAddress),
  externalId: pageByValues(MEMBERS, "memberExternalIds", ofExternalId),
  role: pageByRole(MEMBERS, "roleIds"),
  none: reachPage(MEMBERS),
} as const;
