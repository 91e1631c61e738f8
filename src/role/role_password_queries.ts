import { REVISION } from "../db/revisions.ts";
import { defineStatement, probing, type Statement } from "../db/statement.ts";
import {
  ACTOR_IS_USER,
  countRights,
  firstAuthorizingRole,
  holds,
  holdsDirectly,
  holdsIndirectly,
  LACKS_LASTING_PROOF,
  memberLives,
  ONE_ROW,
  PRINCIPAL_LIVES,
  someAuthorizingRole,
} from "./guard_text.ts";
import { recordChange, whenEffect } from "./change/change_text.ts";
import { chargeChange } from "./change/charge_queries.ts";
import { mailMaker } from "./made_notice_queries.ts";
import { maskOf } from "./rights.ts";

/**
 * SQL, about the authorizing membership: the greatest mask that a password of a role may carry if its holder sets it
 * now, or null if they may not. Direct roleManagement alone gives neither roleManagement nor a right that the role does
 * not have on itself. `role` is the alias of the role's row, which may be absent.
 */
function highestOf(role: string): string {
  return `CASE WHEN ${holdsIndirectly("roleManagement", `${role}.id`)} THEN acting.rights
    WHEN ${holdsDirectly("roleManagement", `${role}.id`)}
      THEN ${role}.self_rights & acting.rights & ~${maskOf("roleManagement")} END`;
}

/** SQL: the user may set a password that carries the rights. `user` and `rights` are SQL expressions. */
function maySet(role: string, rights: string, user: string): string {
  return someAuthorizingRole(`NOT ((${rights}) & ~(${highestOf(role)}))`, user);
}

/**
 * SQL: the role's password is not void: whoever set it could set one now. So a password ends with the rights of its
 * setter, and is no way back for somebody who was removed. `role` is the alias of the role's row.
 */
export function passwordWorks(role: string): string {
  return `(${role}.password_rights IS NOT NULL AND ${maySet(role, "0", `${role}.password_set_by`)})`;
}

/** SQL: it carries the rights, which whoever set it could still give, and that with one of their memberships. */
export function passwordCarries(role: string, rights: string): string {
  return `(NOT (${rights} & ~${role}.password_rights) AND ${
    maySet(role, rights, `${role}.password_set_by`)
  })`;
}

/** SQL: the greatest mask that the actor may give, or null. */
const HIGHEST = `(SELECT ${highestOf("current")} AS highest FROM member acting
  WHERE acting.user_id = :actorId AND ${memberLives("acting")} AND highest IS NOT NULL
  ORDER BY ${countRights("highest")} DESC, acting.id LIMIT 1)`;

/** SQL: the actor is a user who may set this password, or remove it if `:rights` is null. */
const MAY_SET = `(${ACTOR_IS_USER} AND ${maySet("current", "coalesce(:rights, 0)", ":actorId")})`;

const ACTING = `FROM ${ONE_ROW} LEFT JOIN role current ON current.id = :roleId WHERE ${PRINCIPAL_LIVES}`;

/** Returns a `MaySetRow` while the session lives. It tells whether a password should be hashed at all. */
export const MAY_SET_PASSWORD: Statement = defineStatement(
  `SELECT NOT ${LACKS_LASTING_PROOF} AND ${MAY_SET} AS maySet ${ACTING}`,
);

/** Returns a `RolePasswordRow` while the session lives. */
export const FIND_ROLE_PASSWORD: Statement = probing(defineStatement(`
  SELECT ${ACTOR_IS_USER} AND ${
  maySet("current", "0", ":actorId")
} AS maySee, current.password_hash IS NOT NULL AS isSet, current.password_rights AS rights,
    current.password_set_by AS setBy, current.password_set_at AS setAt,
    ${passwordWorks("current")} AS works, ${REVISION} ${ACTING}`));

/** The log names the role through which the password was set. */
const DECIDE: Statement = recordChange({
  kind: ":kind",
  ctes: `found AS MATERIALIZED (SELECT current.password_rights AS old_rights, ${MAY_SET} AS may_set,
    CASE :kind WHEN 'role.password_set' THEN coalesce(:rights, ${HIGHEST}) END AS new_rights ${ACTING})`,
  decided: `SELECT old_rights, new_rights, CASE
      WHEN ${LACKS_LASTING_PROOF} THEN 'proof_required'
      WHEN :refused OR NOT may_set THEN 'denied'
      WHEN new_rights IS NULL AND old_rights IS NULL THEN 'noop'
      ELSE 'ok' END AS ruling
    FROM found`,
  charged: { by: holds("roleManagement", ":roleId"), takesAway: "new_rights IS NULL" },
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
  ...mailMaker("role_password_set", { when: "made.kind = 'role.password_set'" }),
  chargeChange(),
  defineStatement(`SELECT decision, cost, ${REVISION} FROM change_log WHERE op_id = :opId`),
];

/** What the change log has in place of a session for what is taken back because a transfer was undone. */
export const UNDO_SESSION = "email.undo";

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
