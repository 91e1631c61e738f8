import { defineStatement, type Statement } from "../db/statement.ts";
import { maskOf } from "./rights.ts";

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
