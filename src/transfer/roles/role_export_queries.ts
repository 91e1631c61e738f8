import { manages, role, roleClosure } from "../../db/schema/role.ts";
import { columns, int, placeholdersOf, row, rows, type SQL, sql } from "../../db/sql.ts";
import type { RowOf } from "../../db/statement.ts";

const PAGE = { afterId: int, limit: int };
const BELOW = { underId: int };
const { afterId, limit, underId } = placeholdersOf({ ...PAGE, ...BELOW });

const ROLE = columns(role, "id", "externalId", "name", "selfRights", "isRoot");

export interface ExportedRoleRow extends RowOf<typeof ROLE> {
  /** The exported relations that enter the role, as JSON [[id, rights]]. */
  readonly parents: string;
  /** The number of other relations that enter it. */
  readonly leftOut: number;
}

function parents(condition: SQL): SQL {
  return sql`(SELECT json_group_array(json_array(parent_id, rights)) FROM (
    SELECT ${manages.parentId}, ${manages.rights} FROM ${manages}
    WHERE ${manages.childId} = ${role.id} AND ${condition} ORDER BY ${manages.parentId}))`;
}

/** The page of roles after `afterId` with all relations that enter them. */
export const EXPORT_ROLES = rows<ExportedRoleRow>()(PAGE, () =>
  sql`
  SELECT ${ROLE}, ${parents(sql`true`)} AS parents, 0 AS leftOut
  FROM ${role} WHERE ${role.id} > ${afterId} ORDER BY ${role.id} LIMIT +${limit}`);

const inside = row(roleClosure, "inside");
const STARTS_INSIDE = sql`(${manages.parentId} = ${underId} OR EXISTS (SELECT 1 FROM ${inside}
    WHERE ${inside.descendantId} = ${manages.parentId} AND ${inside.ancestorId} = ${underId}))`;

/** The page of roles below `underId`, with the relations that start there or below and the number of others. */
export const EXPORT_ROLES_BELOW = rows<ExportedRoleRow>()({ ...PAGE, ...BELOW }, () =>
  sql`
  SELECT ${ROLE}, ${parents(STARTS_INSIDE)} AS parents,
    (SELECT count(*) FROM ${manages} WHERE ${manages.childId} = ${role.id} AND NOT ${STARTS_INSIDE}) AS leftOut
  FROM ${roleClosure} JOIN ${role} ON ${role.id} = ${roleClosure.descendantId}
  WHERE ${roleClosure.ancestorId} = ${underId} AND ${roleClosure.descendantId} > ${afterId}
  ORDER BY ${roleClosure.descendantId} LIMIT +${limit}`);

export const COUNT_ROLES = rows<{ readonly total: number }>()(
  {},
  () => sql`SELECT count(*) AS total FROM ${role}`,
);

/** The number of roles below the role `underId`. No row if that does not exist. */
export const COUNT_ROLES_BELOW = rows<{ readonly total: number }>()(
  BELOW,
  () =>
    sql`
  SELECT (SELECT count(*) FROM ${roleClosure} WHERE ${roleClosure.ancestorId} = ${underId}) AS total
  FROM ${role} WHERE ${role.id} = ${underId}`,
);
