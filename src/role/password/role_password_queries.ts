import { REVISION_COLUMN } from "../../db/revisions.ts";
import { changeLog, member, role } from "../../db/schema/role.ts";
import {
  assigned,
  bare,
  type Declared,
  define,
  inserted,
  int,
  nullable,
  placeholdersOf,
  quoted,
  row,
  rows,
  type SQL,
  sql,
  text,
  type Value,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { recordChange, refuseRepeated } from "../../changes/change_queries.ts";
import { chargeChange } from "../../changes/charge_queries.ts";
import { firstAuthorizingRole, someAuthorizingRole } from "../../graph/rules/guard_queries.ts";
import {
  type Acting,
  countRights,
  holds,
  holdsDirectly,
  holdsIndirectly,
} from "../../graph/rules/rule_queries.ts";
import { mailMaker } from "../made_notice_queries.ts";
import {
  ACTOR_IS_USER,
  LACKS_LASTING_PROOF,
  memberIsAwake,
  ONE_ROW,
  PRINCIPAL,
  PRINCIPAL_LIVES,
} from "../../graph/rules/principal_queries.ts";
import { maskOf } from "../../graph/rights.ts";
import { whenStep } from "../../graph/step_queries.ts";

/** A role, which may be absent. */
type Role = Readonly<Record<"id" | "selfRights" | "passwordRights" | "passwordSetBy", Value>>;

const { actorId } = placeholdersOf(PRINCIPAL);
const SET = { roleId: int, rights: nullable(int), sudoVersion: nullable(int) };
const args = placeholdersOf(SET);

/**
 * Returns the greatest mask that a password may carry if the holder of the membership sets it now, or null if they may
 * not. Direct roleManagement alone gives neither roleManagement nor a right that the role lacks on itself.
 */
function highestOf(acting: Acting, of: Role): SQL {
  const own = sql`${of.selfRights} & ${acting.rights} & ~${maskOf("roleManagement")}`;
  return sql`CASE WHEN ${holdsIndirectly(acting, "roleManagement", of.id)} THEN ${acting.rights}
    WHEN ${holdsDirectly(acting, "roleManagement", of.id)} THEN ${own} END`;
}

/** Whether the actor, or another user, may set a password that carries the rights. */
function maySet(of: Role, rights: Value, other?: Value): SQL {
  return someAuthorizingRole((acting) => setsWith(acting, of, rights), other);
}

function setsWith(acting: Acting, of: Role, rights: Value): SQL {
  return sql`NOT ((${rights}) & ~(${highestOf(acting, of)}))`;
}

/**
 * Whether the role's password is not void: its setter could set one now. So a password ends with the rights of its
 * setter, and is no way back for a removed member.
 */
export function passwordWorks(of: Role): SQL {
  return sql`(${of.passwordRights} IS NOT NULL AND ${maySet(of, 0, of.passwordSetBy)})`;
}

/** Whether the password carries the rights, and its setter could still give them, with one membership. */
export function passwordCarries(of: Role, rights: Value): SQL {
  return sql`(NOT (${rights} & ~${of.passwordRights}) AND ${maySet(of, rights, of.passwordSetBy)})`;
}

/** Selects the greatest mask that the actor may give, or null. */
function highestForActor(of: Role): SQL {
  const acting = row(member, "acting");
  return sql`(SELECT ${highestOf(acting, of)} AS highest FROM ${acting}
  WHERE ${acting.userId} = ${actorId} AND ${memberIsAwake(acting)} AND highest IS NOT NULL
  ORDER BY ${countRights(sql`highest`)} DESC, ${acting.id} LIMIT 1)`;
}

const current = row(role, "current");
const { selfRights, passwordRights, passwordSetBy } = current;
/** The requested role. It keeps its id if it does not exist, so that a hidden role takes as long as an unknown one. */
const REQUESTED: Role = { id: args.roleId, selfRights, passwordRights, passwordSetBy };
const ASKED_RIGHTS = sql`coalesce(${args.rights}, 0)`;
/** The actor is a user who may set this password, or remove it if its rights are null. */
const MAY_SET = sql`(${ACTOR_IS_USER} AND ${maySet(REQUESTED, ASKED_RIGHTS)})`;
const FROM_CURRENT = sql`FROM ${ONE_ROW} LEFT JOIN ${current} ON ${current.id} = ${args.roleId}
  WHERE ${PRINCIPAL_LIVES}`;

interface MaySetRow {
  readonly maySet: 0 | 1;
}

/** Whether a password should be hashed at all. No row if the session has ended. */
export const MAY_SET_PASSWORD = rows<MaySetRow>()(
  { ...PRINCIPAL, ...SET },
  () => sql`SELECT NOT ${LACKS_LASTING_PROOF} AND ${MAY_SET} AS maySet ${FROM_CURRENT}`,
);

interface RolePasswordRow {
  readonly maySee: 0 | 1;
  readonly isSet: 0 | 1;
  readonly rights: number | null;
  readonly setBy: number | null;
  readonly setAt: number | null;
  readonly works: 0 | 1;
}

/**
 * State of a role's password. No row if the session has ended. Judges the password's setter, who may have many
 * memberships, only for an actor who may see the state.
 */
export const FIND_ROLE_PASSWORD = rows<RolePasswordRow>()({ ...PRINCIPAL, roleId: int }, () => {
  const shown = row(role, "shown");
  const maySee = sql`${ACTOR_IS_USER} AND ${maySet(REQUESTED, 0)}`;
  return sql`
  WITH seen(may_see) AS MATERIALIZED (SELECT ${maySee} ${FROM_CURRENT})
  SELECT seen.may_see AS maySee, ${shown.passwordHash} IS NOT NULL AS isSet,
    ${shown.passwordRights} AS rights, ${shown.passwordSetBy} AS setBy, ${shown.passwordSetAt} AS setAt,
    ${passwordWorks(shown)} AS works, ${REVISION_COLUMN}
  FROM seen LEFT JOIN ${shown} ON seen.may_see AND ${shown.id} = ${args.roleId}`;
});

const { kind, refused } = placeholdersOf({ kind: text, refused: int });
const THROUGH = firstAuthorizingRole((acting) => holdsIndirectly(acting, "roleManagement", args.roleId));

/** The log names the role through which the password was set. */
const DECIDE: Statement = recordChange({ ...SET, kind: text, refused: int }, {
  kind: sql`${kind}`,
  ctes: sql`found AS MATERIALIZED (SELECT ${current.passwordRights} AS old_rights, ${MAY_SET} AS may_set,
    ${firstAuthorizingRole((acting) => setsWith(acting, REQUESTED, ASKED_RIGHTS))} AS oldest_role_id,
    CASE ${kind} WHEN 'role.password_set' THEN coalesce(${args.rights}, ${highestForActor(REQUESTED)}) END
      AS new_rights ${FROM_CURRENT})`,
  ruled: sql`SELECT old_rights, new_rights, oldest_role_id, CASE
      WHEN ${LACKS_LASTING_PROOF} THEN 'proof_required'
      WHEN ${refused} OR NOT may_set THEN 'denied'
      WHEN new_rights IS NULL AND old_rights IS NULL THEN 'noop'
      ELSE 'ok' END AS ruling
    FROM found`,
  via: sql`oldest_role_id`,
  charged: {
    by: (acting) => holds(acting, "roleManagement", args.roleId),
    takesAway: sql`new_rights IS NULL`,
  },
  values: {
    parentId: sql`CASE decision WHEN 'ok' THEN coalesce(${THROUGH}, ${args.roleId}) END`,
    roleId: args.roleId,
    oldRights: sql`old_rights`,
    newRights: sql`new_rights`,
  },
});

const WRITE = define({ opId: text, passwordHash: nullable(text) }, ({ passwordHash }) => {
  const log = changeLog;
  const isSet = sql`${log.newRights} IS NOT NULL`;
  const set = sql`SELECT ${log.newRights}, CASE WHEN ${isSet} THEN ${log.actorId} END,
      CASE WHEN ${isSet} THEN ${log.at} END, CASE WHEN ${isSet} THEN ${log.viaRoleId} END FROM ${log} WHERE ${
    whenStep("write")
  }`;
  return sql`
  UPDATE ${role} SET ${assigned(role, { passwordHash })},
    (${bare(role.passwordRights, role.passwordSetBy, role.passwordSetAt, role.passwordSetVia)}) = (${set})
  WHERE ${role.id} = (SELECT ${log.roleId} FROM ${log} WHERE ${whenStep("write")})`;
});

/**
 * Sets or removes a role's password, by kind `role.password_set` or `role.password_removed`. Null rights are the
 * default. `refused` records a denial, before which nothing is hashed. Returns a `DecisionRow`.
 */
export const SET_ROLE_PASSWORD: readonly Statement[] = [
  DECIDE,
  WRITE,
  ...mailMaker("role_password_set", { when: (made) => sql`${made.kind} = 'role.password_set'` }),
  chargeChange(),
  define({ opId: text }, ({ opId }) =>
    sql`
    SELECT ${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN} FROM ${changeLog}
    WHERE ${changeLog.opId} = ${opId}`),
];

/** The session id in the change log for what an undone transfer of an address takes back. */
export const UNDO_SESSION = "email.undo";

/**
 * Voids the passwords that a user set at or after a time, and records it. `declared` are the arguments of `user` and
 * `since`.
 */
export function voidRolePasswords(
  declared: Declared,
  { user, since }: { readonly user: Value; readonly since: Value },
): readonly Statement[] {
  const which = sql`${role.passwordSetBy} = ${user} AND ${role.passwordSetAt} >= ${since}`;
  return [
    define({ opId: text, now: int, ...declared }, ({ opId, now }) => {
      const { names, values } = inserted(changeLog, {
        opId,
        at: now,
        actorId: user,
        sessionId: quoted(UNDO_SESSION),
        kind: sql`'role.password_voided'`,
        subjectId: user,
        decision: sql`'ok'`,
        step: sql`'write'`,
        details:
          sql`(SELECT json_object('roleIds', json_group_array(${role.id})) FROM ${role} WHERE ${which})`,
      });
      return sql`
      INSERT INTO ${changeLog} (${names})
      SELECT ${values}
      WHERE EXISTS (SELECT 1 FROM ${role} WHERE ${which})`;
    }),
    define(
      declared,
      () => sql`UPDATE ${role} SET ${assigned(role, { passwordSetBy: sql`NULL` })} WHERE ${which}`,
    ),
  ];
}

/** Fails if the attempt `attemptId` is settled: the row of its decision has its operation id. */
export const REFUSE_SETTLED_ATTEMPT: Statement = define(
  { attemptId: text },
  ({ attemptId }) => refuseRepeated(sql`${changeLog.opId} = ${attemptId} AND ${changeLog.step} <> 'compare'`),
);
