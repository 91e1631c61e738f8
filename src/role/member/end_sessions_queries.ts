import { CHANGE, recordChange } from "../../changes/change_queries.ts";
import { chargeChange } from "../../changes/charge_queries.ts";
import { REVISION_COLUMN } from "../../db/revisions.ts";
import { partialLogin, session } from "../../db/schema/identity.ts";
import { changeLog, member } from "../../db/schema/role.ts";
import { define, int, placeholdersOf, row, type SQL, sql, text } from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import {
  firstAuthorizingRole,
  isManagedAlone,
  someAuthorizingRole,
} from "../../graph/rules/guard_queries.ts";
import { ACTOR_IS_USER, holderLives, ONE_ROW, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";
import { type Acting, managesMembersOf } from "../../graph/rules/rule_queries.ts";
import { whenStep } from "../../graph/step_queries.ts";
import { isLastKeeper } from "./keeper_queries.ts";
import { endSessionsOf } from "../../identity/session_queries.ts";

/**
 * Ending the sessions of a member. It is charged like a change that adds, so a caller cannot repeat it without end. A
 * manager cannot sign out the last member who keeps a root role, as they cannot remove that member.
 */

const END = { roleId: int, memberId: int };
const { roleId, memberId } = placeholdersOf(END);
const { opId, now, actorId } = placeholdersOf(CHANGE);

function managesMembers(acting: Acting): SQL {
  return managesMembersOf(acting, roleId);
}

function decideEnd(): Statement {
  const { existing, open, pending, kept } = {
    existing: row(member, "existing"),
    open: row(session, "open"),
    pending: row(partialLogin, "pending"),
    kept: row(member, "kept"),
  };
  return recordChange(END, {
    kind: sql`'member.sign_out'`,
    ruled: sql`SELECT ${existing.id} AS relation_id, ${existing.userId} AS subject_id, CASE
      WHEN NOT (${ACTOR_IS_USER} AND ${someAuthorizingRole(managesMembers)}) THEN 'denied'
      WHEN ${existing.id} IS NULL OR NOT ${isManagedAlone(existing.userId)} THEN 'denied'
      WHEN ${existing.userId} <> ${actorId} AND EXISTS (SELECT 1 FROM ${kept}
        WHERE ${kept.userId} = ${existing.userId} AND ${isLastKeeper(kept)}) THEN 'root_without_member'
      WHEN NOT EXISTS (SELECT 1 FROM ${open} WHERE ${open.userId} = ${existing.userId}
        AND ${open.endedAt} IS NULL AND ${open.idleUntil} > ${now}
        UNION ALL SELECT 1 FROM ${pending} WHERE ${pending.userId} = ${existing.userId}
        AND ${pending.endedAt} IS NULL AND ${pending.expiresAt} > ${now}) THEN 'noop'
      ELSE 'ok' END AS ruling
    FROM ${ONE_ROW} LEFT JOIN ${existing} ON ${existing.id} = ${memberId} AND ${existing.roleId} = ${roleId}
        AND ${existing.userId} > 0 AND ${holderLives(existing)}
    WHERE ${PRINCIPAL_LIVES}`,
    charged: { by: managesMembers },
    via: firstAuthorizingRole(managesMembers),
    values: { roleId, relationId: sql`relation_id`, subjectId: sql`subject_id` },
  });
}

/**
 * Ends the sessions of a member whom the actor manages alone. The last statement returns an `EndedRow`, with the number
 * of the sessions that it ended.
 */
export const END_MEMBER_SESSIONS: readonly Statement[] = [
  decideEnd(),
  ...endSessionsOf(
    { opId: text },
    sql`SELECT ${changeLog.subjectId} AS user_id, ${changeLog.actorId} AS acting_id
    FROM ${changeLog} WHERE ${whenStep("write")}`,
  ),
  chargeChange(),
  define({ opId: text, now: int }, () =>
    sql`
  SELECT ${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN},
    (SELECT count(*) FROM ${session}
      WHERE ${session.userId} = ${changeLog.subjectId} AND ${session.endedOp} = ${opId}
        AND ${session.idleUntil} > ${now}) AS ended
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`),
];
