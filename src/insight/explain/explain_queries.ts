import { REVISION } from "../../db/revisions.ts";
import { defineStatement, type Statement } from "../../db/statement.ts";
import {
  ACTOR_IS_USER,
  holdsIndirectly,
  holdsSome,
  isOneVisible,
  managesMembersOf,
  mayGive,
  mayGiveUntil,
  memberLives,
  PRINCIPAL_LIVES,
  seenOf,
  seesAsManager,
  someAuthorizingRole,
  someGivingRole,
  someRoleOfUserAbove,
} from "../../role/guard_text.ts";
import { IS_CUT, LINEAGE_RELATIONS, lineageOf } from "../../role/history/lineage_queries.ts";
import {
  memberLivedThen,
  MOMENT,
  MOMENT_COLUMNS,
  MOMENT_IS_KEPT,
  selfRightsThen,
} from "../../role/history/moment_queries.ts";
import { mayJoin } from "../../role/manages_text.ts";

/**
 * Reading what an explanation is made of. An explanation takes two statements: the first decides whether the actor may
 * ask, and reads the lineage of the role; the second, only for what the first one led to, what of it the actor sees, by
 * what name, and what they may widen.
 */

/** Who asks: a principal, or the administrator, who may ask everything and sees everything. */
type Asker = "actor" | "administrator";

/**
 * CTEs: `subject(id)`, the principal that is asked about: the owner of `:subjectEmail`, or without one `:subjectId`;
 * and `asked(is_permitted)`. Everybody may ask about themselves, and about others whoever sees as a manager of the
 * role.
 */
function subjectOf(asker: Asker): string {
  const isPermitted = asker === "administrator"
    ? "true"
    : `coalesce(subject.id = :actorId, false) OR ${seesAsManager(":roleId")}`;
  return `subject(id) AS MATERIALIZED (SELECT CASE WHEN :subjectEmail IS NULL THEN :subjectId
      ELSE (SELECT id FROM user_account WHERE email = :subjectEmail) END),
  asked(is_permitted) AS MATERIALIZED (SELECT ${isPermitted} FROM subject)`;
}

function isOwn(asker: Asker): string {
  return asker === "administrator" ? "false" : `${SUBJECT} = :actorId`;
}

const SUBJECT = "(SELECT id FROM subject)";
const IS_PERMITTED = "(SELECT is_permitted FROM asked)";

/** SQL: whoever asks may, and sees the role, if it exists. */
const IS_WALKED = "EXISTS (SELECT 1 FROM lineage)";

/** SQL: a JSON list of the subject's memberships in the roles of the lineage, as the fields of `Membership`. */
function membershipsIn(table: string, id: string, lives: string): string {
  return `(SELECT json_group_array(json_object('id', held.${id}, 'roleId', held.role_id, 'rights', held.rights,
      'endsAt', held.ends_at)) FROM lineage
    CROSS JOIN ${table} held ON held.role_id = lineage.role_id AND held.user_id = ${SUBJECT}
    WHERE lineage.relation_id IS NULL AND ${lives})`;
}

/**
 * SQL: the role, if whoever asks may and sees it now. Of a role that they do not see nothing is read: it takes the time
 * of one that does not exist.
 */
function walkedRole(asker: Asker): string {
  return asker === "administrator"
    ? "SELECT :roleId AS id"
    : `SELECT :roleId AS id WHERE ${IS_PERMITTED} AND ${isOneVisible(":roleId")}`;
}

/**
 * What decides about a right on `:roleId` now, as a `LineageRow`; `:right` is its mask. No row if the session has
 * ended.
 */
function readNow(asker: Asker): Statement {
  return defineStatement(`
  WITH RECURSIVE ${subjectOf(asker)}, ${lineageOf(walkedRole(asker), "now")}
  SELECT ${isOwn(asker)} AS isOwn, ${REVISION}, ${IS_CUT} AS isCut, ${LINEAGE_RELATIONS} AS relations,
    ${membershipsIn("member", "id", memberLives("held"))} AS memberships,
    CASE WHEN ${IS_WALKED} THEN ${
    someRoleOfUserAbove(SUBJECT, ":roleId", holdsSome(":right", ":right", ":roleId"))
  } END AS isAllowed,
    CASE WHEN ${IS_WALKED} THEN (SELECT self_rights FROM role WHERE id = :roleId) END AS selfRights
  ${asker === "actor" ? `WHERE ${PRINCIPAL_LIVES}` : ""}`);
}

/**
 * The same at a moment in the past, as a `PastLineageRow`. Nothing is walked for somebody who was a member of nothing.
 */
function readThen(asker: Asker): Statement {
  // One after the other, so that the time does not tell what somebody else was a member of.
  const starts = `SELECT :roleId AS id WHERE CASE WHEN ${MOMENT_IS_KEPT} AND EXISTS (${walkedRole(asker)})
    THEN EXISTS (SELECT 1 FROM member_history held WHERE held.user_id = ${SUBJECT} AND ${
    memberLivedThen("held")
  }) END`;
  return defineStatement(`
  WITH RECURSIVE ${MOMENT}, ${subjectOf(asker)}, ${lineageOf(starts, "then")}
  SELECT ${isOwn(asker)} AS isOwn, ${MOMENT_COLUMNS}, ${REVISION}, ${IS_CUT} AS isCut,
    ${LINEAGE_RELATIONS} AS relations,
    ${membershipsIn("member_history", "member_id", memberLivedThen("held"))} AS memberships,
    CASE WHEN ${IS_WALKED} THEN ${selfRightsThen(":roleId")} END AS selfRights
  ${asker === "actor" ? `WHERE ${PRINCIPAL_LIVES}` : ""}`);
}

export const READ_LINEAGE: Readonly<Record<Asker, { readonly now: Statement; readonly then: Statement }>> = {
  actor: { now: readNow("actor"), then: readThen("actor") },
  administrator: { now: readNow("administrator"), then: readThen("administrator") },
};

/** Rule of updating a relation: bits that are added need the full rule of creating it. `widened` is its row. */
const MAY_WIDEN_RELATION = mayJoin("widened.parent_id", "widened.child_id", ":right & ~widened.rights");

/** Rule of updating a role. `widened` is its row. */
const MAY_WIDEN_ROLE = someGivingRole(
  `${holdsIndirectly("roleManagement", "widened.id")} AND ${mayGive(":right & ~widened.self_rights")}`,
);

/** Rule of updating a membership. `widened` is its row. Nothing updates what a key may use. */
const MAY_WIDEN_MEMBER = `widened.user_id > 0 AND ${memberLives("widened")} AND ${ACTOR_IS_USER} AND ${
  someAuthorizingRole(
    `(${managesMembersOf("widened.role_id")}) AND ${
      mayGiveUntil("widened.rights | :right", "widened.ends_at")
    }`,
  )
}`;

/**
 * What the actor sees of an explanation, and may do about it, as a `ViewRow`. `:roleIds` are roles of its ways;
 * `:relationIds` the relations to widen, `:memberId` the membership to widen, in `:memberRoleId`, and `:right` the mask
 * that is to be added. JSON lists; null is none. No row if the session has ended.
 */
export const READ_VIEW: Statement = defineStatement(`
  WITH RECURSIVE ${seenOf("SELECT DISTINCT value FROM json_each(:roleIds)")}
  SELECT (SELECT json_group_array(json_array(role.id, role.name)) FROM seen
      CROSS JOIN role ON role.id = seen.role_id) AS roles,
    (SELECT json_group_array(widened.id) FROM json_each(:relationIds) lost
      CROSS JOIN manages widened ON widened.id = lost.value WHERE ${MAY_WIDEN_RELATION}) AS relationIds,
    EXISTS (SELECT 1 FROM role widened WHERE widened.id = :roleId AND ${MAY_WIDEN_ROLE}) AS mayWidenRole,
    EXISTS (SELECT 1 FROM member widened WHERE widened.id = :memberId AND ${MAY_WIDEN_MEMBER}) AS mayWidenMember,
    :memberRoleId IS NOT NULL AND ${seesAsManager(":memberRoleId")} AS seesMember, ${REVISION}
  WHERE ${PRINCIPAL_LIVES}`);

/** The names of `:roleIds`, for the administrator, as the column `roles` of a `ViewRow`. */
export const READ_NAMES: Statement = defineStatement(`
  SELECT (SELECT json_group_array(json_array(seen.id, seen.name)) FROM json_each(:roleIds) shown
    CROSS JOIN role seen ON seen.id = shown.value) AS roles`);
