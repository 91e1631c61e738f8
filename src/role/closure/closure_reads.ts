import { defineStatement, type Statement } from "../../db/statement.ts";
import { maskOf } from "../rights.ts";

/** How much there is to read, for showing progress. */
export const COUNT_ROWS: Statement = defineStatement(
  `SELECT (SELECT count(*) FROM manages) + (SELECT count(*) FROM role_closure) AS total`,
);

/** The roles after `:afterId` that nobody can manage: no root, and no relation with roleManagement enters them. */
export const UNMANAGED_ROLES_AFTER: Statement = defineStatement(`
  SELECT role.id FROM role
  WHERE role.id > :afterId AND NOT role.is_root AND NOT EXISTS (
    SELECT 1 FROM manages WHERE child_id = role.id AND rights & ${maskOf("roleManagement")})
  ORDER BY role.id LIMIT :limit`);

function lacks(table: string, column: string): string {
  return `NOT EXISTS (SELECT 1 FROM ${table} WHERE ${table}.id = ${column})`;
}

/** Rows that hang on something that is not there, and devices that nothing monitors: what foreign keys would refuse. */
export const LOOSE_ROWS: Statement = defineStatement(`
  SELECT what, id FROM (
    SELECT 'manages relation' AS what, id FROM manages WHERE ${lacks("role", "manages.parent_id")}
      OR ${lacks("role", "manages.child_id")}
    UNION ALL SELECT 'membership', id FROM member WHERE ${lacks("role", "member.role_id")}
      OR ${lacks("user_account", "member.user_id")}
    UNION ALL SELECT 'monitors relation', id FROM monitors WHERE ${lacks("role", "monitors.role_id")}
      OR ${lacks("device", "monitors.device_id")}
    UNION ALL SELECT 'device', id FROM device
      WHERE NOT EXISTS (SELECT 1 FROM monitors WHERE monitors.device_id = device.id))
  LIMIT :limit`);
