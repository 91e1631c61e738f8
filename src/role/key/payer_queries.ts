import { member, role, roleClosure, roleKey } from "../../db/schema/role.ts";
import { int, rows, rowsOf, sql } from "../../db/sql.ts";
import { probing } from "../../db/statement.ts";
import { FEW_MEMBERSHIPS } from "../guard/guard_queries.ts";
import { memberLives } from "../guard/principal_queries.ts";
import { ALL_RIGHTS, maskOf } from "../rights.ts";

/** Maximum number of scanned roles above a key's role, the lowest ids first. */
const SEARCHED_ROLES = 100;

/**
 * The payer of a key's requests: its maker's id as text, or `root` and the id of the key's role if that is a root, else
 * of the lowest root above that manages it. No row without the key. Scans at most two rows for each of
 * `FEW_MEMBERSHIPS` and three for each of `SEARCHED_ROLES`. Beyond these, a maker is missed, and then a root pays.
 */
export const PAYER_OF_KEY = probing(
  rows<{ readonly payer: string }>()({ keyId: int, now: int }, ({ keyId }) => {
    const { asking, first, path } = rowsOf({ asking: roleKey, first: member, path: roleClosure });
    const { making, root, own } = rowsOf({ making: member, root: role, own: role });
    const { itself, entering, upper } = rowsOf({ itself: roleKey, entering: roleKey, upper: roleClosure });
    const firstRoles = sql`SELECT ${first.roleId} FROM ${first}
        WHERE ${first.userId} = ${asking.createdBy} AND ${memberLives(first)} LIMIT ${FEW_MEMBERSHIPS}`;
    const isAboveIt = sql`EXISTS (SELECT 1 FROM ${path}
        WHERE ${path.descendantId} = ${asking.roleId} AND ${path.ancestorId} = few.role_id)`;
    const isMemberAbove = sql`EXISTS (SELECT 1 FROM above CROSS JOIN ${making}
        ON ${making.userId} = ${asking.createdBy}
        AND ${making.roleId} = above.role_id AND ${memberLives(making)})`;
    const rootAbove = sql`SELECT ${root.id} FROM above CROSS JOIN ${root}
      ON ${root.id} = above.role_id AND ${root.isRoot}
      WHERE above.rights & ${maskOf("roleManagement")} ORDER BY above.is_above, ${root.id} LIMIT 1`;
    return sql`
  WITH above(role_id, is_above, rights) AS MATERIALIZED (
    SELECT ${itself.roleId}, 0, ${ALL_RIGHTS} FROM ${itself} WHERE ${itself.id} = ${keyId}
    UNION ALL SELECT ${upper.ancestorId}, 1, ${upper.rights} FROM ${entering}
      CROSS JOIN ${upper} ON ${upper.descendantId} = ${entering.roleId} WHERE ${entering.id} = ${keyId}
    LIMIT ${SEARCHED_ROLES + 1})
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM (${firstRoles}) few WHERE ${isAboveIt}) OR ${isMemberAbove}
    THEN CAST(${asking.createdBy} AS TEXT)
    ELSE 'root ' || coalesce((${rootAbove}),
      (SELECT ${own.countedTo} FROM ${own} WHERE ${own.id} = ${asking.roleId}), ${asking.roleId}) END AS payer
  FROM ${asking} WHERE ${asking.id} = ${keyId}`;
  }),
);
