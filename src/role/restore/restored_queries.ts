import { userAccount } from "../../db/schema/identity.ts";
import {
  changeLog,
  managesHistory,
  member,
  memberHistory,
  OPEN_REVISION,
  roleClosure,
  roleHistory,
} from "../../db/schema/role.ts";
import {
  type Declared,
  int,
  placeholdersOf,
  row,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../../db/sql.ts";
import { HISTORY_FROM } from "../../graph/history/moment_queries.ts";
import { memberIsAwake, PRINCIPAL } from "../../graph/rules/principal_queries.ts";
import { mayGive, unionOfMasks } from "../../graph/rules/rule_queries.ts";
import { ALL_RIGHTS, type RightsMask } from "../../graph/rights.ts";
import { hasStep } from "../../graph/step_queries.ts";

/**
 * What a deletion took, as history closed it at the revision of the deletion: the relation P -> C, the roles that only it
 * connected to the graph, and the relations among these. All paths into them lead over P -> C, so the rights that a role A
 * above gets on a restored role X are those of A on P, of P -> C, and of C on X together.
 */

/** The deletion: its revision, and P, C, and the id and rights of P -> C, as its change log row has them. */
export const RESTORED = { undoes: int, parentId: int, relationId: int, rights: int };
const { undoes, parentId, relationId, rights } = placeholdersOf(RESTORED);
const { actorId, now } = placeholdersOf(PRINCIPAL);

/** A list of the deletion's row, for `json_each`. */
export function listOf(list: "deletedRoleIds" | "deletedRelationIds" | "deletedDeviceIds"): SQL {
  const undone = row(changeLog, "undone");
  return sql`(SELECT ${undone[list]} FROM ${undone} WHERE ${undone.rev} = ${undoes})`;
}

/** The members of the deletion's list that are rows of a history, which ended with the deletion. */
export function pastRelations(past: typeof managesHistory): SQL {
  return sql`json_each(${listOf("deletedRelationIds")}) listed
      CROSS JOIN ${past} ON ${past.relationId} = listed.value AND ${past.toRev} = ${undoes}`;
}

export function pastMembers(past: typeof memberHistory): SQL {
  return sql`json_each(${listOf("deletedRelationIds")}) listed
      CROSS JOIN ${past} ON ${past.memberId} = listed.value AND ${past.toRev} = ${undoes}`;
}

/** The change log row of this operation restores a deletion, and nothing has refused that. */
export function isRestoring(): SQL {
  const restoring = row(changeLog, "restoring");
  return sql`EXISTS (SELECT 1 FROM ${restoring} WHERE ${hasStep(restoring, "restore")})`;
}

/** Whether a role is among the restored ones. */
export function isRestored(roleId: Value): SQL {
  return sql`${roleId} IN (SELECT value FROM json_each(${listOf("deletedRoleIds")}))`;
}

/**
 * Returns the CTE `walk(descendant_id, ancestor_id, rights)`: the paths among the restored roles, each role with itself
 * included, with the rights that each lets through. It starts only if `starts` holds, and stops after `most` rows. The
 * ids are cast because SQLite makes no index over untyped values.
 */
export function walkOf(starts: SQL, most?: SQL): SQL {
  const inside = row(managesHistory, "inside");
  return sql`walk(descendant_id, ancestor_id, rights) AS (
    SELECT CAST(value AS INTEGER), CAST(value AS INTEGER), ${ALL_RIGHTS} FROM json_each(${
    listOf("deletedRoleIds")
  }) WHERE ${starts}
    UNION
    SELECT walk.descendant_id, ${inside.parentId}, walk.rights & ${inside.rights}
    FROM walk CROSS JOIN ${inside} ON ${inside.childId} = walk.ancestor_id AND ${inside.toRev} = ${undoes}
      AND ${inside.relationId} <> ${relationId}
    ${most === undefined ? sql`` : sql`LIMIT ${most}`})`;
}

/** Who restores: an actor, as far as they could make it now, or an administrator, who may make everything. */
export type Restorer = "actor" | "administrator";

/** Returns the arguments that a statement takes for the restorer. */
export function declaredBy(by: Restorer): Declared {
  return by === "actor" ? { actorId: int, sessionId: text, parentId: int } : {};
}

/** Whether a candidate meets a rule; an administrator meets all. */
export function someCandidate(by: Restorer, meets: SQL): SQL {
  return by === "administrator" ? sql`true` : sql`EXISTS (SELECT 1 FROM candidate WHERE ${meets})`;
}

/**
 * Returns CTEs: `reach(role_id, rights)`, the rights that P -> C and the paths below it let through to each restored role,
 * if `starts` holds; and `candidate`, the actor's memberships of P and of the roles above it, of which alone one can
 * authorize anything on restored roles, with the rights on P.
 */
export function reachAndCandidates(childId: Value, by: Restorer, starts: SQL = isRestoring()): SQL {
  const inside = row(managesHistory, "inside_link");
  const reach = sql`link(parent_id, child_id, rights) AS MATERIALIZED (
    SELECT ${inside.parentId}, ${inside.childId}, ${inside.rights} FROM ${pastRelations(inside)}
    WHERE ${starts} AND ${inside.relationId} <> ${relationId} AND ${isRestored(inside.childId)}),
  reached(role_id, rights) AS (
    SELECT CAST(${childId} AS INTEGER), ${ALL_RIGHTS} WHERE ${starts}
    UNION
    SELECT link.child_id, reached.rights & link.rights
    FROM reached CROSS JOIN link ON link.parent_id = reached.role_id),
  reach(role_id, rights) AS MATERIALIZED (
    SELECT role_id, ${unionOfMasks(sql`rights`)} & ${rights} FROM reached GROUP BY role_id)`;
  if (by === "administrator") return reach;
  const { own, many } = rowsOf({ own: member, many: member });
  const above = row(roleClosure, "above");
  return sql`${reach},
  candidate(role_id, rights, ends_at, upper_rights) AS MATERIALIZED (
    SELECT ${own.roleId}, ${own.rights}, ${own.endsAt}, ${ALL_RIGHTS} FROM ${own}
    WHERE ${own.userId} = ${actorId} AND ${own.roleId} = ${parentId} AND ${memberIsAwake(own)}
    UNION ALL
    SELECT ${many.roleId}, ${many.rights}, ${many.endsAt}, ${above.rights} FROM ${above}
      CROSS JOIN ${many} ON ${many.userId} = ${actorId} AND ${many.roleId} = ${above.ancestorId}
    WHERE ${above.descendantId} = ${parentId} AND ${memberIsAwake(many)})`;
}

/** The rights of a candidate on the restored role of a row of `reach`. */
const CANDIDATE_RIGHTS: SQL = sql`(candidate.upper_rights & reach.rights & candidate.rights)`;

/** Whether a candidate holds one of the rights on the restored role of a row of `reach`. */
export function candidateHolds(mask: RightsMask): SQL {
  return sql`${CANDIDATE_RIGHTS} & ${mask}`;
}

/** Whether a candidate may give the rights. */
export function candidateMayGive(given: Value): SQL {
  return mayGive({ rights: sql`candidate.rights` }, given);
}

/** The role, and those above it. */
export function atAndAbove(on: Value): SQL {
  const above = row(roleClosure, "above");
  return sql`SELECT ${on} AS role_id
      UNION ALL SELECT ${above.ancestorId} FROM ${above} WHERE ${above.descendantId} = ${on}`;
}

/**
 * Whether a membership of the user in one of these roles has ended since the revision, or `access.end` has ended their
 * access there: then no undo brings them back. A membership that was made again under its id has not ended.
 */
export function hasLostAccess(user: Value, roles: SQL, since: Value): SQL {
  const { barring, ended, later, over, undone } = rowsOf({
    barring: changeLog,
    ended: memberHistory,
    later: memberHistory,
    over: member,
    undone: changeLog,
  });
  const places = sql`(${roles}) place`;
  const isKept = sql`EXISTS (SELECT 1 FROM ${later} WHERE ${later.memberId} = ${ended.memberId}
      AND ${later.toRev} > ${ended.toRev})`;
  const endedAfter = sql`(SELECT ${undone.at} FROM ${undone} WHERE ${undone.rev} = ${since})`;
  return sql`(EXISTS (SELECT 1 FROM ${places} CROSS JOIN ${ended}
      ON ${ended.roleId} = place.role_id AND ${ended.userId} = ${user} AND ${ended.toRev} > ${since}
      WHERE ${ended.toRev} < ${OPEN_REVISION} AND NOT ${isKept})
    OR EXISTS (SELECT 1 FROM ${places} CROSS JOIN ${over}
      ON ${over.userId} = ${user} AND ${over.roleId} = place.role_id
      WHERE ${over.endsAt} <= ${now} AND ${over.endsAt} > ${endedAfter})
    OR EXISTS (SELECT 1 FROM ${places} CROSS JOIN ${barring}
      ON ${barring.subjectId} = ${user} AND ${barring.roleId} = place.role_id
      WHERE ${barring.kind} = 'access.end' AND ${barring.decision} = 'ok' AND ${barring.rev} > ${since}))`;
}

/** Whether `access.end` has ended the membership of the user in a deleted role since the revision. */
export function wasEndedInTrash(user: Value, deletedRole: Value, since: Value): SQL {
  const ending = row(changeLog, "ending");
  return sql`EXISTS (SELECT 1 FROM ${ending} WHERE ${ending.subjectId} = ${user} AND ${ending.roleId} = ${deletedRole}
      AND ${ending.kind} = 'access.end' AND ${ending.decision} = 'ok' AND ${ending.rev} > ${since})`;
}

/** Whether a membership of a person was deleted with its role, and the undo of that may bring it back. */
export function liesInTrash(memberId: Value, user: Value, deletedRole: Value): SQL {
  const { lying, last, deletion, account } = rowsOf({
    lying: memberHistory,
    last: roleHistory,
    deletion: changeLog,
    account: userAccount,
  });
  return sql`EXISTS (SELECT 1 FROM ${lying} CROSS JOIN ${deletion} ON ${deletion.rev} = ${lying.toRev}
      AND ${deletion.kind} = 'manages.delete'
      WHERE ${lying.memberId} = ${memberId} AND ${lying.toRev} < ${OPEN_REVISION}
        AND ${lying.toRev} = (SELECT max(${last.toRev}) FROM ${last} WHERE ${last.roleId} = ${deletedRole})
        AND ${lying.toRev} > coalesce(${HISTORY_FROM}, 0) AND (${lying.endsAt} IS NULL OR ${lying.endsAt} > ${now})
        AND EXISTS (SELECT 1 FROM ${account} WHERE ${account.id} = ${user})
        AND NOT ${wasEndedInTrash(user, deletedRole, lying.toRev)})`;
}
