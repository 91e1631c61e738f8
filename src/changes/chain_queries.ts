import { changeLog, member, role, roleClosure } from "../db/schema/role.ts";
import { row, rowsOf, type SQL, sql, type Value } from "../db/sql.ts";
import { maskOf } from "../graph/rights.ts";

/**
 * The chain of a membership (`member.chain`): who brought whom, down from a root. Whom an actor brings through a
 * membership of a root begins a branch of that root, `rootId:userId`. Whom another one brings has their chain and one
 * more id. A key has the chain of its maker, and so has whom it brings, with one more id: keys of a root's members
 * begin no branches.
 */

/** Returns the top branch of a chain: its first element. */
export function topOf(chain: Value): SQL {
  return sql`substr(${chain}, 1, instr(${chain} || '/', '/') - 1)`;
}

/** Returns the id of the root at which a branch began, as text. */
export function rootOf(branch: Value): SQL {
  return sql`substr(${branch}, 1, instr(${branch}, ':') - 1)`;
}

/** At most this many ids are in a chain. Whom the last one brings has the same chain. */
export const LONGEST_CHAIN = 6;

const { above, root, itself } = rowsOf({ above: roleClosure, root: role, itself: role });

/** The lowest root above a role that manages it. Roots above without roleManagement do not count. Null for most roots. */
export function rootAbove(roleId: Value): SQL {
  return sql`(
      SELECT ${above.ancestorId} FROM ${above}
        CROSS JOIN ${root} ON ${root.id} = ${above.ancestorId} AND ${root.isRoot}
      WHERE ${above.descendantId} = ${roleId} AND ${above.rights} & ${maskOf("roleManagement")}
      ORDER BY ${above.ancestorId} LIMIT 1)`;
}

/** The branch that a user or key begins whom an administrator or an import makes a member of a role. */
export function begunAt(roleId: Value, userId: Value): SQL {
  const ownRoot =
    sql`(SELECT ${itself.id} FROM ${itself} WHERE ${itself.id} = ${roleId} AND ${itself.isRoot})`;
  return sql`coalesce(${ownRoot}, ${rootAbove(roleId)}, ${roleId}) || ':' || ${userId}`;
}

const giving = row(member, "giving");
/** Selects from the membership through which the actor of a change log row acted. */
function ofGiver(value: Value): SQL {
  const isGiver = sql`${giving.userId} = ${changeLog.actorId} AND ${giving.roleId} = ${changeLog.viaRoleId}`;
  return sql`(SELECT ${value} FROM ${giving} WHERE ${isGiver})`;
}

/** The chain of a key that the change makes: its maker's, or for an administrator a branch of its own. */
export const CHAIN_OF_KEY: SQL = sql`iif(${changeLog.viaRoleId} IS NULL,
    ${begunAt(changeLog.roleId, changeLog.subjectId)}, ${ofGiver(giving.chain)})`;

const links = sql`1 + length(${giving.chain}) - length(replace(${giving.chain}, '/', ''))`;
/** The chain of the user whom the change of a log row brings. A charge without a branch is that of a root's member. */
export const CHAIN_OF_BROUGHT: SQL =
  sql`CASE WHEN ${changeLog.actorId} > 0 AND ${changeLog.countedFor} IS NULL
    THEN ${changeLog.countedTo} || ':' || ${changeLog.subjectId}
    ELSE ${
    ofGiver(
      sql`${giving.chain} || iif(${links} < ${LONGEST_CHAIN}, '/' || ${changeLog.subjectId}, '')`,
    )
  } END`;
