import { changeLog, roleHistory } from "../../db/schema/role.ts";
import { rowsOf, type SQL, sql, type Value } from "../../db/sql.ts";

/**
 * Which role stands for one that may be deleted: itself if it exists, otherwise the one that stands for the parent that
 * it was deleted from. Who sees that one learns who acted through the deleted role.
 */

/**
 * Maximum number of roles of one statement for which this is found: those that it asks about, and the deleted parents
 * above these, each only once.
 */
const FOLLOWED = 100_000;

/** Maximum number of deleted parents above a single role. */
const FOLLOWED_OF_ONE = 10_000;

/** Selects the parent in the row of the role's deletion, with whose revision its history ends. 0 if it exists. */
function deletedFrom(on: Value): SQL {
  const { deletion, past } = rowsOf({ deletion: changeLog, past: roleHistory });
  return sql`CAST(coalesce((SELECT ${deletion.parentId} FROM ${deletion} WHERE ${deletion.rev} = (
        SELECT max(${past.toRev}) FROM ${past} WHERE ${past.roleId} = ${on})), 0) AS INTEGER)`;
}

/**
 * CTEs that end with `standing`: for each role of `roles`, as a column `role_id` of a type, the role `place_id` that
 * stands for it. Follows each deleted parent once, from however many roles: up to those that exist, whose parent is 0,
 * and from 0 back down. No role has the id 0, but callers may ask for it.
 */
export function standingOf(roles: SQL): SQL {
  return sql`fallen(role_id, parent_id) AS MATERIALIZED (
      SELECT role_id, ${deletedFrom(sql`requested.role_id`)} FROM (${roles}) requested WHERE role_id <> 0
      UNION SELECT fallen.parent_id, ${deletedFrom(sql`fallen.parent_id`)} FROM fallen
        WHERE fallen.parent_id <> 0 LIMIT ${FOLLOWED}),
    standing(role_id, place_id) AS MATERIALIZED (
      SELECT 0, 0
      UNION SELECT fallen.role_id, iif(standing.role_id = 0, fallen.role_id, standing.place_id) FROM standing
        CROSS JOIN fallen ON fallen.parent_id = standing.role_id)`;
}

/** Selects the role that stands for `on`, if it meets the condition; for a statement about few roles. */
export function standingFor(on: Value, condition: (place: Value) => SQL): SQL {
  return sql`(WITH RECURSIVE place(role_id, parent_id) AS (
      SELECT ${on}, ${deletedFrom(on)}
      UNION SELECT place.parent_id, ${deletedFrom(sql`place.parent_id`)} FROM place
        WHERE place.parent_id <> 0 LIMIT ${FOLLOWED_OF_ONE})
    SELECT place.role_id FROM place
    WHERE CASE place.parent_id WHEN 0 THEN ${condition(sql`place.role_id`)} ELSE false END)`;
}
