import { REVISION_COLUMN } from "../../db/revisions.ts";
import { userAccount } from "../../db/schema/identity.ts";
import { manages, member, memberHistory, role } from "../../db/schema/role.ts";
import {
  type Declared,
  int,
  nullable,
  placeholdersOf,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  type SQLiteTable,
  text,
  type Value,
} from "../../db/sql.ts";
import {
  actorAndMakerMeet,
  isOneVisible,
  seenOf,
  seesAsManager,
  someRoleOfUserAbove,
} from "../../graph/rules/guard_queries.ts";
import {
  holdsIndirectly,
  holdsSome,
  managesMembersOf,
  mayGive,
  mayGiveUntil,
} from "../../graph/rules/rule_queries.ts";
import { IS_CUT, LINEAGE_RELATIONS, lineageOf } from "../../graph/history/lineage_queries.ts";
import {
  AS_OF,
  beginsLater,
  memberLivedThen,
  MOMENT,
  MOMENT_COLUMNS,
  MOMENT_IS_KEPT,
  type MomentRow,
  selfRightsThen,
} from "../../graph/history/moment_queries.ts";
import { mayConnect } from "../../role/manages/manages_queries.ts";
import { PROVISIONS } from "../../role/member/provision_queries.ts";
import {
  ACTOR_IS_USER,
  holderLives,
  memberIsAwake,
  memberLives,
  needsNow,
  PRINCIPAL,
  PRINCIPAL_LIVES,
} from "../../graph/rules/principal_queries.ts";
import type { RightsMask } from "../../graph/rights.ts";

/**
 * Reads of an explanation. The first statement decides whether the actor may ask, and reads the lineage of the role.
 * The second reads what of its ways the actor sees, with names, and what they may widen.
 */

/** The asker: a principal, or the administrator, who may ask about and sees all of it. */
type Asker = "actor" | "administrator";

/**
 * The arguments of the question: the owner of `subjectEmail`, or without one the principal `subjectId`; and the role.
 */
const QUESTION = { subjectEmail: nullable(text), subjectId: nullable(int), roleId: int };
/** The arguments of the asker. */
const ASKER = { actor: PRINCIPAL, administrator: { now: PRINCIPAL.now } } as const;
const { subjectEmail, subjectId, roleId, actorId } = placeholdersOf({ ...QUESTION, ...PRINCIPAL });
/** A mask. */
const { right } = placeholdersOf({ right: int });

const SUBJECT = sql`(SELECT id FROM subject)`;
const IS_PERMITTED = sql`(SELECT is_permitted FROM requested)`;

/** The asker may ask and sees the role, if it exists. */
const IS_WALKED = sql`EXISTS (SELECT 1 FROM lineage)`;

/**
 * Returns the CTEs `subject(id)`, the principal, and `asked(is_permitted)`. Askers may ask about themselves, and about
 * others if they see the role as a manager.
 */
function subjectOf(asker: Asker): SQL {
  const isPermitted = asker === "administrator"
    ? sql`true`
    : sql`coalesce(subject.id = ${actorId}, false) OR ${seesAsManager(roleId)}`;
  return sql`subject(id) AS MATERIALIZED (SELECT CASE WHEN ${subjectEmail} IS NULL THEN ${subjectId}
      ELSE (SELECT ${userAccount.id} FROM ${userAccount} WHERE ${userAccount.email} = ${subjectEmail}) END),
  requested(is_permitted) AS MATERIALIZED (SELECT ${isPermitted} FROM subject)`;
}

function isOwn(asker: Asker): SQL {
  return asker === "administrator" ? sql`false` : sql`${SUBJECT} = ${actorId}`;
}

const LINEAGE_COLUMNS = sql`${REVISION_COLUMN}, ${IS_CUT} AS isCut, ${LINEAGE_RELATIONS} AS relations`;

/** Returns the WHERE clause, if the statement has one. */
function whileLives(asker: Asker): SQL {
  return asker === "administrator" ? sql`` : sql`WHERE ${PRINCIPAL_LIVES}`;
}

/**
 * Selects the subject's memberships in the roles of the lineage, as a JSON list of `Membership`. `further` are fields.
 */
function membershipsIn(
  held: SQLiteTable & Readonly<Record<"roleId" | "userId" | "rights" | "endsAt", Value>>,
  id: Value,
  lives: SQL,
  further: SQL,
): SQL {
  return sql`(SELECT json_group_array(json_object('id', ${id}, 'roleId', ${held.roleId}, 'rights', ${held.rights},
      'endsAt', ${held.endsAt}${further})) FROM lineage
    CROSS JOIN ${held} ON ${held.roleId} = lineage.role_id AND ${held.userId} = ${SUBJECT}
    WHERE lineage.relation_id IS NULL AND ${lives})`;
}

/**
 * Selects the role, if the asker may ask and sees it now. For a hidden role, nothing is read: it takes the time of one
 * that does not exist.
 */
function walkedRole(asker: Asker): SQL {
  return asker === "administrator"
    ? sql`SELECT ${roleId} AS id`
    : sql`SELECT ${roleId} AS id WHERE ${IS_PERMITTED} AND ${isOneVisible(roleId)}`;
}

/** The same for a question about now. Callers who ask about themselves learn of their dormant memberships. */
function walkedNow(asker: Asker): SQL {
  const isReached = isOneVisible(roleId, SUBJECT);
  return asker === "administrator" ? walkedRole(asker) : sql`SELECT ${roleId} AS id
    WHERE ${IS_PERMITTED} AND (${isOneVisible(roleId)} OR (${isOwn(asker)} AND ${isReached}))`;
}

/** Whether a membership of the subject is dormant in the session of an actor who asks about themselves. */
function isDormant(asker: Asker, held: typeof member): SQL {
  return asker === "administrator"
    ? sql`false`
    : sql`(${isOwn(asker)} AND ${memberLives(held)} AND NOT ${memberIsAwake(held)})`;
}

/** The columns of both reads of a lineage. */
export interface LineageRow {
  /** Whether the actor asks about themselves; null for an unknown address. */
  readonly isOwn: 0 | 1 | null;
  readonly isCut: 0 | 1;
  /** JSON: a list of `LineageRelation`. */
  readonly relations: string;
  /** JSON: a list of `Membership`. */
  readonly memberships: string;
  /** Null for a role that does not exist. */
  readonly selfRights: RightsMask | null;
}

interface PresentRow extends LineageRow {
  /** Null unless the asker may ask. */
  readonly isAllowed: 0 | 1 | null;
  readonly revision: number | null;
}

interface PastRow extends LineageRow, MomentRow {}

/** Returns the read of what decides about the right now. No row if the session has ended. */
function readNow(asker: Asker) {
  const held = row(member, "held");
  const isAllowed = someRoleOfUserAbove(
    SUBJECT,
    roleId,
    (acting) => holdsSome(acting, right, right, roleId),
    (own) => sql`${holderLives(own)} AND NOT ${isDormant(asker, own)}`,
  );
  const demand = sql`, 'needs', ${needsNow(held)}, 'isDormant', ${isDormant(asker, held)}`;
  const declared: Declared = { ...ASKER[asker], ...QUESTION, right: int };
  return rows<PresentRow>()(declared, () =>
    sql`
  WITH RECURSIVE ${subjectOf(asker)}, ${lineageOf(walkedNow(asker), "now")}
  SELECT ${isOwn(asker)} AS isOwn, ${LINEAGE_COLUMNS},
    ${membershipsIn(held, held.id, holderLives(held), demand)} AS memberships,
    CASE WHEN ${IS_WALKED} THEN ${isAllowed} END AS isAllowed,
    CASE WHEN ${IS_WALKED} THEN (SELECT ${role.selfRights} FROM ${role} WHERE ${role.id} = ${roleId}) END AS selfRights
  ${whileLives(asker)}`);
}

/** Returns the read of what decided at a past moment. Nothing is walked for a subject without memberships then. */
function readThen(asker: Asker) {
  const held = row(memberHistory, "held");
  const wasMember = sql`EXISTS (SELECT 1 FROM ${held} WHERE ${held.userId} = ${SUBJECT}
      AND ${memberLivedThen(held)})`;
  // One after the other, so that the time does not tell the memberships of another subject.
  const starts = sql`SELECT ${roleId} AS id WHERE CASE WHEN ${MOMENT_IS_KEPT} AND EXISTS (${
    walkedRole(asker)
  })
    THEN ${wasMember} END`;
  const declared: Declared = { ...ASKER[asker], ...QUESTION, ...AS_OF };
  return rows<PastRow>()(declared, () =>
    sql`
  WITH RECURSIVE ${MOMENT}, ${subjectOf(asker)}, ${lineageOf(starts, "then")}
  SELECT ${isOwn(asker)} AS isOwn, ${MOMENT_COLUMNS}, ${LINEAGE_COLUMNS},
    (SELECT ${beginsLater(sql`walked.id`)} FROM (${walkedRole(asker)}) walked) AS roleFromMs,
    ${membershipsIn(held, held.memberId, memberLivedThen(held), sql``)} AS memberships,
    CASE WHEN ${IS_WALKED} THEN ${selfRightsThen(roleId)} END AS selfRights
  ${whileLives(asker)}`);
}

/** Reads of what decides about a right, by asker and time. */
export const READ_LINEAGE = {
  actor: { now: readNow("actor"), then: readThen("actor") },
  administrator: { now: readNow("administrator"), then: readThen("administrator") },
} as const;

/** Whether the actor may update a relation so. Added bits need the full rule of creating it. */
function mayWidenRelation(widened: typeof manages): SQL {
  return mayConnect(widened.parentId, widened.childId, sql`${right} & ~${widened.rights}`);
}

/** Whether the actor may update the role so. */
function mayWidenRole(widened: typeof role): SQL {
  return actorAndMakerMeet((acting) =>
    sql`${holdsIndirectly(acting, "roleManagement", widened.id)}
      AND ${mayGive(acting, sql`${right} & ~${widened.selfRights}`)}`
  );
}

/** Whether the actor may update the membership so: a user or a key that provisions. The rights of a key cannot be updated. */
function mayWidenMember(widened: typeof member): SQL {
  const mayUpdate = actorAndMakerMeet((acting) =>
    sql`${managesMembersOf(acting, widened.roleId)}
      AND ${mayGiveUntil(acting, sql`${widened.rights} | ${right}`, widened.endsAt)}`
  );
  return sql`${widened.userId} > 0 AND ${
    memberLives(widened)
  } AND (${ACTOR_IS_USER} OR ${PROVISIONS}) AND ${mayUpdate}`;
}

interface NamesRow {
  /** JSON: [id, name] of the roles. */
  readonly roles: string;
}

/** `roles` are those that the actor sees. */
interface ViewRow extends NamesRow {
  /** JSON: ids of the relations that the actor may widen. */
  readonly relationIds: string;
  readonly mayWidenRole: 0 | 1;
  readonly mayWidenMember: 0 | 1;
  readonly seesMember: 0 | 1;
}

/**
 * What the actor sees and may do: `roleIds` (JSON) are the roles of the ways, `ownIds` those that may be named for a
 * dormant membership of the actor; `relationIds` (JSON) the relations to
 * widen, `roleId` the role and `memberId` the membership (in `memberRoleId`), or null; `right` the mask to add. No row
 * if the session has ended.
 */
export const READ_VIEW = rows<ViewRow>()({
  ...PRINCIPAL,
  roleIds: text,
  ownIds: text,
  relationIds: text,
  roleId: nullable(int),
  memberId: nullable(int),
  memberRoleId: nullable(int),
  right: int,
}, ({ roleIds, ownIds, relationIds, memberId, memberRoleId }) => {
  const { relation, self, membership, own } = rowsOf({
    relation: manages,
    self: role,
    membership: member,
    own: member,
  });
  // Callers who ask about themselves know of their dormant memberships, too.
  const dormant = sql`SELECT ${own.roleId} FROM ${own} WHERE ${own.userId} = ${actorId} AND ${own.needs} > 0
        AND ${memberLives(own)} AND ${own.roleId} IN (SELECT value FROM json_each(${ownIds}))`;
  return sql`
  WITH RECURSIVE ${seenOf(sql`SELECT DISTINCT value FROM json_each(${roleIds})`)}
  SELECT (SELECT json_group_array(json_array(${role.id}, ${role.name})) FROM (
        SELECT role_id FROM seen UNION ${dormant}) seen
      CROSS JOIN ${role} ON ${role.id} = seen.role_id) AS roles,
    (SELECT json_group_array(${relation.id}) FROM json_each(${relationIds}) lost
      CROSS JOIN ${relation} ON ${relation.id} = lost.value WHERE ${
    mayWidenRelation(relation)
  }) AS relationIds,
    EXISTS (SELECT 1 FROM ${self} WHERE ${self.id} = ${roleId} AND ${mayWidenRole(self)}) AS mayWidenRole,
    EXISTS (SELECT 1 FROM ${membership} WHERE ${membership.id} = ${memberId}
      AND ${mayWidenMember(membership)}) AS mayWidenMember,
    ${memberRoleId} IS NOT NULL AND ${seesAsManager(memberRoleId)} AS seesMember, ${REVISION_COLUMN}
  WHERE ${PRINCIPAL_LIVES}`;
});

/** The names of `roleIds`, for the administrator. */
export const READ_NAMES = rows<NamesRow>()({ roleIds: text }, ({ roleIds }) =>
  sql`
  SELECT (SELECT json_group_array(json_array(${role.id}, ${role.name})) FROM json_each(${roleIds}) shown
    CROSS JOIN ${role} ON ${role.id} = shown.value) AS roles`);
