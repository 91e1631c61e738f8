import { role, roleClosure } from "../db/schema/role.ts";
import { rowsOf, type SQL, sql, type Value } from "../db/sql.ts";

/** Most characters of an external id. */
export const MAX_EXTERNAL_ID_LENGTH = 128;

/**
 * Selects the root below which the external ids of a role, or of a device of it, are unique: the oldest root among the
 * role and those above it. It is stored with the id, and stays when the role gets below another root. So a conflict
 * tells only of roles below the same root.
 */
export function externalRootOf(roleId: Value): SQL {
  const { root, path, self } = rowsOf({ root: role, path: roleClosure, self: role });
  return sql`(SELECT min(id) FROM (
    SELECT ${self.id} FROM ${self} WHERE ${self.id} = ${roleId} AND ${self.isRoot}
    UNION ALL SELECT ${root.id} FROM ${path} CROSS JOIN ${root} ON ${root.id} = ${path.ancestorId} AND ${root.isRoot}
    WHERE ${path.descendantId} = ${roleId}))`;
}
