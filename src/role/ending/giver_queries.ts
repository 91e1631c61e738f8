import { changeLog, role, roleHistory } from "../../db/schema/role.ts";
import { rowsOf, type SQL, sql, type Value } from "../../db/sql.ts";
import { isVisible } from "../guard/guard_queries.ts";

/**
 * Whether the actor sees the role through which a principal acted. Only then do they learn the principal's address: so
 * an organisation knows its own people, and a customer does not collect the addresses of the staff. Those who see the
 * parent that a deleted role was deleted from count as seeing it. Its history ends with the revision of its deletion.
 */
export function seesActingRole(via: Value): SQL {
  const { existing, deletion, past } = rowsOf({ existing: role, deletion: changeLog, past: roleHistory });
  return sql`EXISTS (SELECT 1 FROM (SELECT CASE
      WHEN EXISTS (SELECT 1 FROM ${existing} WHERE ${existing.id} = ${via}) THEN ${via}
      ELSE (SELECT ${deletion.parentId} FROM ${deletion} WHERE ${deletion.rev} = (
        SELECT max(${past.toRev}) FROM ${past} WHERE ${past.roleId} = ${via})) END AS role_id) place
    WHERE ${isVisible(sql`place.role_id`)})`;
}
