import { REVISION_COLUMN } from "../../db/revisions.ts";
import { userAccount } from "../../db/schema/identity.ts";
import { changeLog, member, role } from "../../db/schema/role.ts";
import {
  assigned,
  type Declared,
  define,
  inserted,
  int,
  nullable,
  placeholdersOf,
  quoted,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import {
  CHARGE_PREVIEW,
  hasMoved,
  type Previewable,
  previewable,
  recordChange,
  type Run,
  whenEffect,
} from "../change/change_queries.ts";
import { ADMINISTRATOR_SESSION } from "../bootstrap_queries.ts";
import { actedFor, chargeChange, type ChargedChange, IS_UNAUTHORIZED } from "../change/charge_queries.ts";
import { someAuthorizingRole } from "../guard/guard_queries.ts";
import {
  ACTOR_IS_USER,
  LACKS_SUDO,
  lastMetAt,
  memberLives,
  needsNow,
  ONE_ROW,
  PRINCIPAL,
  PRINCIPAL_LIVES,
  SESSION_MEETS,
} from "../guard/principal_queries.ts";
import { type Acting, holdsDirectly, holdsIndirectly, managesMembersOf } from "../guard/rule_queries.ts";
import { keepsRoot } from "../member/member_queries.ts";
import type { EffectRow } from "../preview/effect.ts";
import { MOST_NAMED } from "../preview/people.ts";

/** A role's demand for a second factor of its members. */

const KIND = sql`'role.authentication_policy'`;

const SET = { roleId: int, needs: int, from: nullable(int), maxCost: int };
const { roleId, needs, from, maxCost } = placeholdersOf(SET);
const { actorId, now } = placeholdersOf(PRINCIPAL);

/** Whether the membership may set the demand: by indirect roleManagement, for a root also by direct. */
function setsDemand(acting: Acting): SQL {
  const root = row(role, "root");
  const isRoot = sql`EXISTS (SELECT 1 FROM ${root} WHERE ${root.id} = ${roleId} AND ${root.isRoot})`;
  return sql`(${holdsIndirectly(acting, "roleManagement", roleId)}
    OR (${holdsDirectly(acting, "roleManagement", roleId)} AND ${isRoot}))`;
}

/** A member keeps the root who has met the new demand. The actor's session meets it, as an earlier branch makes sure. */
function hasAwakeKeeper(): SQL {
  const keeper = row(member, "keeper");
  return sql`EXISTS (SELECT 1 FROM ${keeper} WHERE ${keeper.roleId} = ${roleId} AND ${keepsRoot(keeper)}
        AND (${keeper.userId} = ${actorId} OR ${lastMetAt(keeper, needs)} IS NOT NULL))`;
}

const CHARGED: ChargedChange = { by: setsDemand, takesAway: sql`${needs} < old_needs` };

/** Decides. The members, whose rows change, are counted only for an actor with the right. */
function decide(run: Run): Statement {
  const { current, counted } = rowsOf({ current: role, counted: member });
  const members = sql`(SELECT count(*) FROM (SELECT 1 FROM ${counted} WHERE ${counted.roleId} = ${roleId}
      LIMIT ${maxCost} + 1))`;
  const found = sql`found AS MATERIALIZED (
    SELECT ${current.isRoot}, ${current.needs} AS old_needs, ${current.needsFrom} AS old_from,
      ${needsNow(current)} AS needs_now, CASE WHEN ${IS_UNAUTHORIZED} THEN NULL ELSE ${members} END AS cost
    FROM ${ONE_ROW} LEFT JOIN ${current} ON ${current.id} = ${roleId} WHERE ${PRINCIPAL_LIVES})`;
  const lacksProof = run === "preview" ? sql`` : sql`WHEN ${LACKS_SUDO} THEN 'proof_required'`;
  const declared: Declared = run === "preview" ? SET : { ...SET, sudoVersion: nullable(int) };
  return recordChange(declared, {
    kind: KIND,
    // The row of a preview is not charged.
    ctes: run === "preview" ? sql`${actedFor(CHARGED)}, ${found}` : found,
    ruled: sql`SELECT *, max(${needs}, needs_now, old_needs) AS most_needed, CASE
      ${lacksProof}
      WHEN NOT ${ACTOR_IS_USER} OR ${IS_UNAUTHORIZED} THEN 'denied'
      WHEN ${SESSION_MEETS} < max(${needs}, needs_now, old_needs) THEN 'needs_step_up'
      WHEN old_needs = ${needs} AND (old_from IS ${from} OR (needs_now = ${needs} AND ${from} IS NULL)) THEN 'noop'
      WHEN is_root AND ${needs} > 0 AND NOT ${hasAwakeKeeper()} THEN 'root_without_awake'
      WHEN cost > ${maxCost} THEN 'too_large'
      ELSE 'ok' END AS ruling
    FROM found`,
    charged: CHARGED,
    values: {
      roleId,
      cost: sql`CASE decision WHEN 'needs_step_up' THEN most_needed ELSE cost END`,
      details:
        sql`CASE WHEN decision IN ('ok', 'noop') THEN json_object('needs', ${needs}, 'from', ${from}, 'oldNeeds', needs_now) END`,
    },
  }, run);
}

/** Triggers copy the demand to the role's memberships. */
const WRITE = define({ opId: text, needs: int, from: nullable(int), now: int }, () => {
  const before = sql`CASE WHEN ${from} IS NULL THEN 0 ELSE ${needsNow(role)} END`;
  return sql`
  UPDATE ${role} SET ${assigned(role, { needs, needsBefore: before, needsFrom: from })}
  WHERE ${role.id} = (SELECT ${changeLog.roleId} FROM ${changeLog} WHERE ${whenEffect("write")})`;
});

const DECIDED = sql`${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN},
    ${changeLog.details} ->> 'oldNeeds' AS oldNeeds, 
    CASE ${changeLog.decision} WHEN 'needs_step_up' THEN ${changeLog.cost} END AS needs`;

const READ = define({ opId: text }, ({ opId }) =>
  sql`
  SELECT ${DECIDED} FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);

/**
 * The members for whom no session is on record that met the new demand while it acted by the membership, but for the
 * actor. Null for an actor who does not read the role's members.
 */
function unmet(): SQL {
  const { unproven, person, counted } = rowsOf({ unproven: member, person: userAccount, counted: member });
  const isUnmet = (of: typeof member): SQL =>
    sql`${of.roleId} = ${roleId} AND ${of.userId} > 0 AND ${of.userId} <> ${actorId}
        AND ${memberLives(of)} AND ${needs} > 0 AND ${lastMetAt(of, needs)} IS NULL`;
  return sql`CASE WHEN ${changeLog.decision} = 'ok'
      AND ${someAuthorizingRole((acting) => managesMembersOf(acting, roleId))}
    THEN json_object('count', (SELECT count(*) FROM ${counted} WHERE ${isUnmet(counted)}),
      'named', (SELECT json_group_array(email) FROM (
        SELECT ${person.email} FROM ${unproven} CROSS JOIN ${person} ON ${person.id} = ${unproven.userId}
        WHERE ${isUnmet(unproven)} ORDER BY ${unproven.id} LIMIT ${MOST_NAMED}))) END`;
}

const READ_PREVIEWED = define({ ...PRINCIPAL, opId: text, roleId: int, needs: int }, ({ opId }) =>
  sql`
  SELECT ${DECIDED}, ${unmet()} AS unmet FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);

/** Sets or lifts a role's demand. Returns a `DemandRow`. */
export const SET_DEMAND: Previewable = previewable({
  make: [decide("change"), WRITE, chargeChange(), READ],
  preview: [decide("preview"), CHARGE_PREVIEW, READ_PREVIEWED],
});

/** The effect on rights: none, since memberships count as awake in it. */
export const NO_EFFECT_ON_RIGHTS = rows<EffectRow>()(
  { ...PRINCIPAL, sinceRevision: int, sinceTime: int },
  () =>
    sql`
  SELECT ${REVISION_COLUMN}, ${hasMoved()} AS moved, '[]' AS pairs, '[]' AS holders, '[]' AS unmanaged,
    false AS truncated
  WHERE ${PRINCIPAL_LIVES}`,
);

interface FoundDemandRow {
  readonly maySee: 0 | 1;
  readonly needs: number | null;
  readonly needsBefore: number | null;
  readonly needsFrom: number | null;
}

/** A role's demand, for those who may set it and those who manage its members. No row if the session has ended. */
export const FIND_DEMAND = rows<FoundDemandRow>()({ ...PRINCIPAL, roleId: int }, () => {
  const shown = row(role, "shown");
  const maySee = someAuthorizingRole((acting) =>
    sql`${setsDemand(acting)} OR ${managesMembersOf(acting, roleId)}`
  );
  return sql`
  WITH seen(may_see) AS MATERIALIZED (SELECT ${maySee} WHERE ${PRINCIPAL_LIVES})
  SELECT seen.may_see AS maySee, ${shown.needs} AS needs, ${shown.needsBefore} AS needsBefore,
    ${shown.needsFrom} AS needsFrom, ${REVISION_COLUMN}
  FROM seen LEFT JOIN ${shown} ON seen.may_see AND ${shown.id} = ${roleId}`;
});

/** Lifts the demand of a role as the administrator, and records it. The row, if there was one, returns `oldNeeds`. */
export const CLEAR_DEMAND: readonly Statement[] = [
  define({ opId: text, now: int, roleId: int }, ({ opId }) => {
    const demanding = row(role, "demanding");
    const { names, values } = inserted(changeLog, {
      opId,
      at: now,
      actorId: 0,
      sessionId: quoted(ADMINISTRATOR_SESSION),
      kind: KIND,
      roleId,
      decision: sql`'ok'`,
      effect: sql`'write'`,
      details: sql`json_object('needs', 0, 'from', NULL, 'oldNeeds', ${needsNow(demanding)})`,
    });
    return sql`
  INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM ${demanding}
  WHERE ${demanding.id} = ${roleId} AND ${demanding.needs} > 0`;
  }),
  define({ opId: text }, () =>
    sql`
  UPDATE ${role} SET ${assigned(role, { needs: 0, needsBefore: 0, needsFrom: sql`NULL` })}
  WHERE ${role.id} = (SELECT ${changeLog.roleId} FROM ${changeLog} WHERE ${whenEffect("write")})`),
  READ,
];
