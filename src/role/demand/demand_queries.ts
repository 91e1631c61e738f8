import { REVISION_COLUMN } from "../../db/revisions.ts";
import { passkey, secondFactor, userAccount } from "../../db/schema/identity.ts";
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
import { hasMoved, type Previewable, previewable, recordChange } from "../../changes/change_queries.ts";
import { ADMINISTRATOR_SESSION } from "../bootstrap_queries.ts";
import { actedFor, chargeChange, type ChargedChange, IS_UNAUTHORIZED } from "../../changes/charge_queries.ts";
import { someAuthorizingRole } from "../../graph/rules/guard_queries.ts";
import {
  ACTOR_IS_USER,
  demandAsJson,
  holderLives,
  LACKS_SUDO,
  needsNow,
  ONE_ROW,
  PRINCIPAL,
  PRINCIPAL_LIVES,
  SESSION_MEETS,
} from "../../graph/rules/principal_queries.ts";
import {
  type Acting,
  holdsDirectly,
  holdsIndirectly,
  managesMembersOf,
} from "../../graph/rules/rule_queries.ts";
import { keepsRoot, metLately } from "../member/keeper_queries.ts";
import type { EffectRow } from "../../changes/preview/effect_rows.ts";
import { MOST_NAMED } from "../../changes/preview/people.ts";
import { type Run, whenStep } from "../../graph/step_queries.ts";

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

/** The member is on record for having met the demand, as the role has or plans it or a higher one. */
function hasMet(of: typeof member): SQL {
  return sql`(${needs} <= ${of.needs} AND ${of.metAt} IS NOT NULL)`;
}

/**
 * A member keeps the root who met the new demand lately and still has a factor for it. The actor's session meets it, as
 * an earlier branch makes sure.
 */
function hasAwakeKeeper(): SQL {
  const { keeper, factor, held } = rowsOf({ keeper: member, factor: secondFactor, held: passkey });
  return sql`EXISTS (SELECT 1 FROM ${keeper} WHERE ${keeper.roleId} = ${roleId} AND ${keepsRoot(keeper)}
        AND (${keeper.userId} = ${actorId} OR (${hasMet(keeper)} AND ${metLately(keeper)}
          AND (EXISTS (SELECT 1 FROM ${factor} WHERE ${factor.userId} = ${keeper.userId} AND ${factor.meets} >= ${needs})
            OR EXISTS (SELECT 1 FROM ${held} WHERE ${held.userId} = ${keeper.userId} AND ${held.meets} >= ${needs})))))`;
}

const IS_LOWER = sql`${needs} < old_needs`;
const CHARGED: ChargedChange = { by: setsDemand, takesAway: IS_LOWER };

/** The details in the log, from both demands as JSON. */
function asDetails(old: SQL, made: SQL): SQL {
  return sql`json_object('old', ${old}, 'new', ${made})`;
}

/**
 * Decides. The members, whose rows change, are counted only for an actor with the right. However many they have become,
 * a demand can be lowered.
 */
function decide(run: Run): Statement {
  const { current, counted } = rowsOf({ current: role, counted: member });
  const members = sql`(SELECT count(*) FROM (SELECT 1 FROM ${counted} WHERE ${counted.roleId} = ${roleId}
      LIMIT ${maxCost} + 1))`;
  const found = sql`found AS MATERIALIZED (
    SELECT ${current.isRoot}, ${current.needs} AS old_needs, ${current.needsFrom} AS old_from,
      ${demandAsJson(current)} AS old_demand, ${
    needsNow(current)
  } AS needs_now, CASE WHEN ${IS_UNAUTHORIZED} THEN NULL ELSE ${members} END AS cost
    FROM ${ONE_ROW} LEFT JOIN ${current} ON ${current.id} = ${roleId} WHERE ${PRINCIPAL_LIVES})`;
  const lacksProof = run === "preview" ? sql`` : sql`WHEN ${LACKS_SUDO} THEN 'proof_required'`;
  const needsBefore = sql`iif(${from} IS NULL, 0, needs_now)`;
  const declared: Declared = run === "preview" ? SET : { ...SET, sudoVersion: nullable(int) };
  return recordChange(declared, {
    kind: KIND,
    // The row of a preview is not charged.
    ctes: run === "preview" ? sql`${actedFor(CHARGED)}, ${found}` : found,
    ruled: sql`SELECT *, max(${needs}, needs_now) AS most_needed, CASE
      ${lacksProof}
      WHEN NOT ${ACTOR_IS_USER} OR ${IS_UNAUTHORIZED} THEN 'denied'
      WHEN ${SESSION_MEETS} < max(${needs}, needs_now) THEN 'needs_step_up'
      WHEN old_needs = ${needs} AND (old_from IS ${from} OR (needs_now = ${needs} AND ${from} IS NULL)) THEN 'noop'
      WHEN is_root AND ${needs} > 0 AND NOT ${hasAwakeKeeper()} THEN 'root_without_awake'
      WHEN cost > ${maxCost} AND NOT ${IS_LOWER} THEN 'too_large'
      ELSE 'ok' END AS ruling
    FROM found`,
    charged: CHARGED,
    values: {
      roleId,
      cost: sql`CASE decision WHEN 'needs_step_up' THEN most_needed ELSE cost END`,
      details: sql`CASE WHEN decision IN ('ok', 'noop') THEN ${
        asDetails(sql`json(old_demand)`, demandAsJson({ needs, needsBefore, needsFrom: from }))
      } END`,
    },
  }, run);
}

/** Triggers copy the demand to the role's memberships. */
const WRITE = define({ opId: text, needs: int, from: nullable(int), now: int }, () => {
  const needsBefore = sql`iif(${from} IS NULL, 0, ${needsNow(role)})`;
  return sql`
  UPDATE ${role} SET ${assigned(role, { needs, needsBefore, needsFrom: from })}
  WHERE ${role.id} = (SELECT ${changeLog.roleId} FROM ${changeLog} WHERE ${whenStep("write")})`;
});

const DECIDED = sql`${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN},
    ${changeLog.details} -> 'old' AS oldDemand, ${changeLog.details} -> 'new' AS newDemand,
    CASE ${changeLog.decision} WHEN 'needs_step_up' THEN ${changeLog.cost} END AS needs`;

const READ = define({ opId: text }, ({ opId }) =>
  sql`
  SELECT ${DECIDED} FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);

/**
 * The members who are not on record for having met the new demand while they acted by the membership, but for the actor.
 * For a demand above that which the role has or plans, no member is: otherwise previews of each would tell who has which
 * factor. Null for an actor who does not read the role's members.
 */
function unmet(): SQL {
  const { unproven, person, counted } = rowsOf({ unproven: member, person: userAccount, counted: member });
  const isUnmet = (of: typeof member): SQL =>
    sql`${of.roleId} = ${roleId} AND ${of.userId} > 0 AND ${of.userId} <> ${actorId}
        AND ${holderLives(of)} AND ${needs} > 0 AND NOT ${hasMet(of)}`;
  return sql`CASE WHEN ${changeLog.decision} IN ('ok', 'noop')
      AND ${someAuthorizingRole((acting) => managesMembersOf(acting, roleId))}
    THEN json_object('count', (SELECT count(*) FROM ${counted} WHERE ${isUnmet(counted)}),
      'named', (SELECT json_group_array(email) FROM (
        SELECT ${person.email} FROM ${unproven} CROSS JOIN ${person} ON ${person.id} = ${unproven.userId}
        WHERE ${
    isUnmet(unproven)
  } AND ${needs} <= ${unproven.needs} ORDER BY ${unproven.id} LIMIT ${MOST_NAMED}))) END`;
}

const READ_PREVIEWED = define({ ...PRINCIPAL, opId: text, roleId: int, needs: int }, ({ opId }) =>
  sql`
  SELECT ${DECIDED}, ${unmet()} AS unmet FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);

/** Sets or lifts a role's demand. Returns a `DemandRow`. */
export const SET_DEMAND: Previewable = previewable({
  make: [decide("change"), WRITE, chargeChange(), READ],
  preview: [decide("preview"), READ_PREVIEWED],
});

/** The effect on rights: none, since memberships count as awake in it. */
export const NO_EFFECT_ON_RIGHTS = rows<EffectRow>()(
  { ...PRINCIPAL, sinceRevision: int, sinceTime: int },
  () =>
    sql`
  SELECT ${REVISION_COLUMN}, ${hasMoved()} AS moved, '[]' AS pairs, '[]' AS watched, '[]' AS holders, '[]' AS unmanaged,
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

/** Lifts the demand of a role as the administrator, and records it. Returns a `DemandRow`, if there was a demand. */
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
      step: sql`'write'`,
      details: asDetails(demandAsJson(demanding), sql`json_array(0, 0, NULL)`),
    });
    return sql`
  INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM ${demanding}
  WHERE ${demanding.id} = ${roleId} AND ${demanding.needs} > 0`;
  }),
  define({ opId: text }, () =>
    sql`
  UPDATE ${role} SET ${assigned(role, { needs: 0, needsBefore: 0, needsFrom: sql`NULL` })}
  WHERE ${role.id} = (SELECT ${changeLog.roleId} FROM ${changeLog} WHERE ${whenStep("write")})`),
  READ,
];
