import { REVISION } from "../db/revisions.ts";
import { defineStatement, probing, type Statement } from "../db/statement.ts";
import { sessionLives } from "../identity/security_queries.ts";
import { recordChange, whenEffect } from "./change/change_queries.ts";
import {
  firstAuthorizingRole,
  holdsDirectly,
  holdsIndirectly,
  someAuthorizingRole,
} from "./guard_queries.ts";
import { ALL_RIGHTS, maskOf } from "./rights.ts";

/**
 * The greatest mask that a password of a role may carry if this user sets it now, or null if they may not. Direct
 * roleManagement alone grants neither roleManagement nor a right that the role does not have on itself. `role` is the
 * alias of the role's row, which may be absent; `user` is an SQL expression.
 */
function highestPasswordRights(role: string, user: string): string {
  return `CASE
  WHEN ${someAuthorizingRole(holdsIndirectly("roleManagement", `${role}.id`), user)} THEN ${ALL_RIGHTS}
  WHEN ${someAuthorizingRole(holdsDirectly("roleManagement", `${role}.id`), user)}
    THEN ${role}.self_rights & ~${maskOf("roleManagement")} END`;
}

/**
 * The mask that the password of a role carries now, or null if it is void or there is none: what it was set with, as far
 * as whoever set it could still give it, through any role of theirs. So a password ends with the rights of its setter,
 * and is no way back for somebody who was removed. `role` is the alias of the role's row.
 */
export function passwordRightsNow(role: string): string {
  return `(${role}.password_rights & ${highestPasswordRights(role, `${role}.password_set_by`)})`;
}

const HIGHEST = highestPasswordRights("current", ":actorId");

const ACTING = `FROM session LEFT JOIN role current ON current.id = :roleId WHERE ${sessionLives("session")}`;

/** Returns a `HighestRow` while the session lives. It tells whether a password should be hashed at all. */
export const FIND_HIGHEST: Statement = defineStatement(`SELECT ${HIGHEST} AS highest ${ACTING}`);

/** Returns a `RolePasswordRow` while the session lives. */
export const FIND_ROLE_PASSWORD: Statement = probing(defineStatement(`
  SELECT ${HIGHEST} IS NOT NULL AS maySee, current.password_hash IS NOT NULL AS isSet, current.password_rights AS rights,
    current.password_set_by AS setBy, current.password_set_at AS setAt,
    ${passwordRightsNow("current")} IS NOT NULL AS works, ${REVISION} ${ACTING}`));

/** The log names the role through which the password was set. */
const DECIDE: Statement = recordChange({
  kind: ":kind",
  ctes:
    `found AS MATERIALIZED (SELECT current.password_rights AS old_rights, ${HIGHEST} AS highest ${ACTING})`,
  decided: `SELECT old_rights, new_rights, CASE
      WHEN :refused OR highest IS NULL OR coalesce(new_rights, 0) & ~highest THEN 'denied'
      WHEN new_rights IS NULL AND old_rights IS NULL THEN 'noop'
      ELSE 'ok' END AS decision
    FROM (SELECT *, CASE :kind WHEN 'role.password_set' THEN coalesce(:rights, highest) END AS new_rights FROM found)`,
  values: {
    parent_id: `CASE decision WHEN 'ok'
      THEN coalesce(${firstAuthorizingRole(holdsIndirectly("roleManagement", ":roleId"))}, :roleId) END`,
    role_id: ":roleId",
    old_rights: "old_rights",
    new_rights: "new_rights",
  },
});

const WRITE: Statement = defineStatement(`
  UPDATE role SET password_hash = :passwordHash, (password_rights, password_set_by, password_set_at) = (
    SELECT new_rights, CASE WHEN new_rights IS NOT NULL THEN actor_id END, CASE WHEN new_rights IS NOT NULL THEN at END
    FROM change_log WHERE ${whenEffect("write")})
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

/** What the change log has in place of a session for passwords that were voided because a transfer was undone. */
const UNDO_SESSION = "email.undo";

/**
 * Voids the passwords that a user set at or after a time, and records that. `user` and `since` are SQL expressions.
 * Parameters: `:opId`, `:now`.
 */
export function voidRolePasswords({ user, since }: { user: string; since: string }): readonly Statement[] {
  const which = `password_set_by = ${user} AND password_set_at >= ${since}`;
  return [
    defineStatement(`
      INSERT INTO change_log (op_id, at, actor_id, session_id, kind, subject_id, decision, effect, details)
      SELECT :opId, :now, ${user}, '${UNDO_SESSION}', 'role.password_voided', ${user}, 'ok', 'write',
        (SELECT json_object('roleIds', json_group_array(id)) FROM role WHERE ${which})
      WHERE EXISTS (SELECT 1 FROM role WHERE ${which})`),
    defineStatement(`UPDATE role SET password_set_by = NULL WHERE ${which}`),
  ];
}
