import { changeLog, roleHistory } from "../../db/schema/role.ts";
import { rowsOf, type SQL, sql, type Value } from "../../db/sql.ts";
import { isVisible } from "./guard_queries.ts";

/** Which role stands for one that may be deleted. */

/** Maximum number of parents that are followed from a role, each deleted later than the one below it. */
const FOLLOWED_PARENTS = 50;

/**
 * Selects `on` as place.role_id and, if it is deleted, the parent in the row of its deletion, and so on up to a role
 * that exists. Where a condition on `place` holds, returns its role, or null. The history of a deleted role ends with
 * that row's revision.
 */
export function standingFor(on: Value, condition: (place: Value) => SQL): SQL {
  const { deletion, past } = rowsOf({ deletion: changeLog, past: roleHistory });
  return sql`(
    WITH RECURSIVE place(role_id) AS (
      SELECT ${on}
      UNION SELECT ${deletion.parentId} FROM place CROSS JOIN ${deletion} ON ${deletion.rev} = (
        SELECT max(${past.toRev}) FROM ${past} WHERE ${past.roleId} = place.role_id) LIMIT ${FOLLOWED_PARENTS})
    SELECT place.role_id FROM place WHERE ${condition(sql`place.role_id`)} LIMIT 1)`;
}

/** Whether the actor sees the role, or one that stands for it. Then they learn who acted through the role. */
export function seesStanding(on: Value): SQL {
  return sql`(${standingFor(on, isVisible)} IS NOT NULL)`;
}
