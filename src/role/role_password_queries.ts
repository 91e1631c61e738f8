import { REVISION } from "../db/revisions.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import { sessionLives } from "../identity/security_queries.ts";
import { recordChange, whenEffect } from "./change/change_queries.ts";
import { holdsDirectly, holdsIndirectly, someAuthorizingRole } from "./guard_queries.ts";
import { ALL_RIGHTS, maskOf } from "./rights.ts";

/**
 * The greatest mask that a password of the role `current` may carry if this actor sets it, or null if they may not.
 * Direct roleManagement alone grants neither roleManagement nor a right that the role does not have on itself.
 */
const HIGHEST = `CASE
  WHEN ${someAuthorizingRole(holdsIndirectly("roleManagement", ":roleId"))} THEN ${ALL_RIGHTS}
  WHEN ${someAuthorizingRole(holdsDirectly("roleManagement", ":roleId"))}
    THEN current.self_rights & ~${maskOf("roleManagement")} END`;

const ACTING = `FROM session LEFT JOIN role current ON current.id = :roleId WHERE ${sessionLives("session")}`;

/** Returns a `HighestRow` while the session lives. It tells whether a password should be hashed at all. */
export const FIND_HIGHEST: Statement = defineStatement(`SELECT ${HIGHEST} AS highest ${ACTING}`);

const DECIDE: Statement = recordChange({
  kind: ":kind",
  ctes:
    `found AS MATERIALIZED (SELECT current.password_rights AS old_rights, ${HIGHEST} AS highest ${ACTING})`,
  decided: `SELECT old_rights, new_rights, CASE
      WHEN :refused OR highest IS NULL OR coalesce(new_rights, 0) & ~highest THEN 'denied'
      WHEN new_rights IS NULL AND old_rights IS NULL THEN 'noop'
      ELSE 'ok' END AS decision
    FROM (SELECT *, CASE :kind WHEN 'role.password_set' THEN coalesce(:rights, highest) END AS new_rights FROM found)`,
  values: { role_id: ":roleId", old_rights: "old_rights", new_rights: "new_rights" },
});

const WRITE: Statement = defineStatement(`
  UPDATE role SET password_hash = :passwordHash,
    password_rights = (SELECT new_rights FROM change_log WHERE ${whenEffect("write")})
  WHERE id = (SELECT role_id FROM change_log WHERE ${whenEffect("write")})`);

/**
 * Sets or removes a role's password. `:kind` is `role.password_set` or `role.password_removed`. `:rights` is null for
 * the default. `:refused` records a denial for which nothing was hashed. Returns a `DecisionRow`.
 */
export const SET_ROLE_PASSWORD: readonly Statement[] = [
  DECIDE,
  WRITE,
  defineStatement(`SELECT decision, cost, ${REVISION} FROM change_log WHERE op_id = :opId`),
];
