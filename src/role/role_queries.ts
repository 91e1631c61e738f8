import { REVISION_COLUMN } from "../db/revisions.ts";
import { changeLog, manages, role, roleClosure } from "../db/schema/role.ts";
import {
  assigned,
  type Declared,
  define,
  inserted,
  int,
  nullable,
  placeholdersOf,
  probe,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import {
  GIVEN,
  nextId,
  type Previewable,
  previewable,
  recordChange,
  type Run,
  takeNodesAndRelations,
  type Undoing,
  whenEffect,
} from "./change/change_queries.ts";
import { chargeChange, IS_UNAUTHORIZED } from "./change/charge_queries.ts";
import { type CreatingBatch, type KeyParts, withAndWithoutKey } from "./change/idempotency_queries.ts";
import { ADD_LEAF_TO_CLOSURE } from "./closure/closure_queries.ts";
import {
  externalColumns,
  externalRootOf,
  GIVEN_SPELLINGS,
  isExternalIdTaken,
  isOtherExternalId,
  SPELLINGS,
  withDetails,
} from "./external_id_queries.ts";
import {
  actorAndMakerMeet,
  firstAuthorizingRole,
  holdsUnlessMany,
  rightsThroughRelations,
  unlessMany,
  userRights,
} from "./guard/guard_queries.ts";
import { type Acting, holds, holdsIndirectly, mayGive } from "./guard/rule_queries.ts";
import { isCostly } from "./guard/price_queries.ts";
import { demandAsJson, LIVING, ONE_ROW, PRINCIPAL, PRINCIPAL_LIVES } from "./guard/principal_queries.ts";
import { maskOf } from "./rights.ts";

const ROLE = { name: text, selfRights: int, externalId: nullable(text) };
const CREATE = { ...ROLE, ...SPELLINGS, parentId: int, rights: int, maxCost: int };
/** `setsExternalId`: whether the request names an external id, or none. Otherwise, the present one stays. */
const SETTING = { ...ROLE, setsExternalId: int };
const UPDATE = { ...SETTING, ...SPELLINGS, roleId: int };
const args = placeholdersOf({ ...CREATE, ...UPDATE });
const { opId } = placeholdersOf({ opId: text });

/**
 * Decides the creation of a role below `parentId`. It costs a closure row per ancestor of the parent, counted only for
 * an actor with the right: the time would tell others that the role exists. A retry returns the role that the first
 * request created, even if the actor has lost the right since.
 */
function decideCreate({ declared, join, branches, ofFirst }: KeyParts): Statement {
  const { above, upper, namesake } = rowsOf({ above: roleClosure, upper: role, namesake: role });
  const isTaken = isExternalIdTaken(namesake, GIVEN_SPELLINGS, externalRootOf(args.parentId));
  const idOf = (sequence: "node" | "relation", ofRepeated: SQL): SQL =>
    sql`CASE decision WHEN 'ok' THEN ${nextId(sequence)} WHEN 'noop' THEN ${ofRepeated} END`;
  const demand = sql`(SELECT ${demandAsJson(upper)} FROM ${upper} WHERE ${upper.id} = ${args.parentId})`;
  return recordChange({ ...CREATE, ...declared }, {
    kind: sql`'role.create'`,
    ctes: sql`verdict AS MATERIALIZED (
      SELECT CASE
        ${branches}
        WHEN ${IS_UNAUTHORIZED} THEN 'denied'
        WHEN NOT (${args.rights} & ${maskOf("roleManagement")}) THEN 'unmanaged'
        ELSE 'ok' END AS verdict, ${ofFirst("roleId")} AS role_id, ${ofFirst("relationId")} AS relation_id,
        ${ofFirst("details")} AS first_details,
        CASE WHEN EXISTS (SELECT 1 FROM acted)
          THEN 1 + (SELECT count(*) FROM ${above} WHERE ${above.descendantId} = ${args.parentId}) END AS cost
      FROM ${ONE_ROW} ${join} WHERE ${PRINCIPAL_LIVES})`,
    ruled: sql`SELECT *, CASE WHEN verdict <> 'ok' THEN verdict WHEN cost > ${args.maxCost} THEN 'too_large'
        WHEN ${isTaken} THEN 'external_id_taken' ELSE verdict END AS ruling
      FROM verdict`,
    charged: {
      by: (acting) =>
        sql`${holds(acting, "roleManagement", args.parentId)} AND ${mayGive(acting, args.rights)}`,
      counts: "roles",
    },
    values: {
      parentId: args.parentId,
      roleId: idOf("node", sql`role_id`),
      relationId: idOf("relation", sql`relation_id`),
      newRights: args.rights,
      cost: sql`cost`,
      details: withDetails(
        sql`json_object('name', ${args.name}, 'selfRights', ${args.selfRights}, 'demand', json(
        CASE decision WHEN 'ok' THEN ${demand} WHEN 'noop' THEN first_details -> 'demand' END))`,
        sql`json_object('externalId', ${args.externalId})`,
      ),
    },
    effect: sql`CASE decision WHEN 'ok' THEN 'grow' ELSE 'none' END`,
  });
}

const INSERT_ROLE = define({ ...ROLE, opId: text }, ({ name, selfRights, externalId }) => {
  const { roleId: id, countedTo, countedFor } = changeLog;
  const upper = row(role, "upper");
  const { needs, needsBefore, needsFrom } = upper;
  const demand = { needs, needsBefore, needsFrom };
  const external = externalColumns(externalId, externalRootOf(changeLog.parentId));
  const { names, values } = inserted(role, {
    id,
    name,
    selfRights,
    ...demand,
    countedTo,
    countedFor,
    ...external,
  });
  return sql`
  INSERT INTO ${role} (${names}) SELECT ${values} FROM ${changeLog}
    CROSS JOIN ${upper} ON ${upper.id} = ${changeLog.parentId} WHERE ${whenEffect("grow")}`;
});

const INSERT_RELATION = define({ opId: text }, () => {
  const { relationId: id, parentId, roleId: childId, newRights: rights } = changeLog;
  const { names, values } = inserted(manages, { id, parentId, childId, rights, ...GIVEN });
  return sql`
  INSERT INTO ${manages} (${names}) SELECT ${values} FROM ${changeLog} WHERE ${whenEffect("grow")}`;
});

/**
 * Reads back the role as this change made it, since other changes may precede the second read after a lost response. A
 * retry under its key has the same name, rights and external id.
 */
function readRole(
  rights: Value,
  { declared = ROLE, externalId = args.externalId, further = sql`` }: {
    readonly declared?: Declared;
    readonly externalId?: Value;
    readonly further?: SQL;
  } = {},
): Statement {
  return define(
    { ...declared, opId: text, actorId: int, sessionId: text, now: int },
    () =>
      sql`
  SELECT ${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN}, ${changeLog.relationId} AS relationId,
    ${changeLog.roleId} AS id, ${args.name} AS name, ${args.selfRights} AS selfRights, ${externalId} AS externalId,
    ${rights} AS userRights${further}
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`,
  );
}

const changed = row(role, "changed");
const presentExternalId =
  sql`SELECT ${changed.externalId} FROM ${changed} WHERE ${changed.id} = ${changeLog.roleId}`;
/** Reads back an updated role, whose external id the request may not name. */
function readUpdated(rights: Value): Statement {
  const sets = sql`${args.setsExternalId} AND ${isOtherExternalId(sql`(${presentExternalId})`)}`;
  const externalId = sql`iif(${sets}, ${args.externalId}, (${presentExternalId}))`;
  return readRole(rights, { declared: { ...SETTING, ...SPELLINGS }, externalId });
}

/** What the new role demanded at first: a `DemandList` as JSON. */
const DEMAND = { further: sql`, ${changeLog.details} ->> 'demand' AS demand` };
/** Reads back a new role, which has no direct members yet. */
const READ_CREATED = readRole(rightsThroughRelations(changeLog.roleId), DEMAND);
const READ_CREATED_BEFORE = readRole(userRights(changeLog.roleId), DEMAND);

/** Creates a role with the relation that connects it to its parent. The last statement returns a `ChangedRoleRow`. */
export const CREATE_ROLE: CreatingBatch = withAndWithoutKey((key) => [
  decideCreate(key),
  takeNodesAndRelations(),
  INSERT_ROLE,
  INSERT_RELATION,
  ...ADD_LEAF_TO_CLOSURE,
  chargeChange(),
  ...key.keep,
  key.mayRepeat ? READ_CREATED_BEFORE : READ_CREATED,
]);

/**
 * Decides an update. Only indirect roleManagement counts, so that no role can raise its own self rights. A key changes
 * self rights only if its maker could, in either direction: managers of the key's role may need them to delete it.
 */
function decideUpdate(run: Run, undoing?: Undoing): Statement {
  const { current, namesake } = rowsOf({ current: role, namesake: role });
  const changes = sql`(${args.setsExternalId} AND ${isOtherExternalId(current.externalId)})`;
  const isTaken = isExternalIdTaken(namesake, GIVEN_SPELLINGS, externalRootOf(args.roleId));
  const updates = (acting: Acting, selfRights: Value): SQL =>
    sql`${holdsIndirectly(acting, "roleManagement", args.roleId)}
      AND ${mayGive(acting, sql`${args.selfRights} & ~${selfRights}`)}`;
  const mayUpdate = actorAndMakerMeet(
    (acting) => updates(acting, current.selfRights),
    sql`${args.selfRights} <> ${current.selfRights}`,
  );
  return recordChange(UPDATE, {
    kind: sql`'role.update'`,
    ruled: sql`SELECT ${current.selfRights} AS old_self_rights, ${current.name} AS old_name,
      ${current.externalId} AS old_external_id, ${changes} AS changes_external_id, CASE
      WHEN NOT ${mayUpdate} THEN 'denied'
      WHEN ${current.name} = ${args.name} AND ${current.selfRights} = ${args.selfRights} AND NOT ${changes} THEN 'noop'
      WHEN ${changes} AND ${isTaken} THEN 'external_id_taken'
      ELSE 'ok' END AS ruling
    FROM ${ONE_ROW} LEFT JOIN ${current} ON ${current.id} = ${args.roleId} WHERE ${PRINCIPAL_LIVES}`,
    via: firstAuthorizingRole((acting) => updates(acting, sql`old_self_rights`)),
    charged: {
      by: (acting) => holdsIndirectly(acting, "roleManagement", args.roleId),
      takesAway: sql`old_name = ${args.name} AND NOT (${args.selfRights} & ~old_self_rights)
        AND (NOT changes_external_id OR ${args.externalId} IS NULL)`,
    },
    values: {
      roleId: args.roleId,
      oldRights: sql`old_self_rights`,
      newRights: args.selfRights,
      details: withDetails(
        sql`json_object('name', ${args.name}, 'oldName', old_name)`,
        sql`iif(changes_external_id, json_object('externalId', ${args.externalId}, 'oldExternalId', old_external_id), '{}')`,
      ),
    },
    undoing,
  }, run);
}

/** An external id that stays keeps its root. */
const WRITING = { ...SETTING, ...SPELLINGS, opId: text };
const WRITE_ROLE = define(WRITING, ({ name, selfRights, externalId, setsExternalId }) => {
  const updated = sql`SELECT ${changeLog.roleId} FROM ${changeLog} WHERE ${whenEffect("write")}`;
  const given = externalColumns(externalId, externalRootOf(role.id));
  const stays = sql`NOT ${setsExternalId} OR NOT ${isOtherExternalId(role.externalId)}`;
  const external = {
    externalId: sql`iif(${stays}, ${role.externalId}, ${given.externalId})`,
    externalRoot: sql`iif(${stays}, ${role.externalRoot}, ${given.externalRoot})`,
  };
  return sql`
  UPDATE ${role} SET ${assigned(role, { name, selfRights, ...external })}
  WHERE ${role.id} = (${updated})`;
});

/** Returns the batches that update a role's name and self rights. Their last statement returns a `ChangedRoleRow`. */
export function updateRoleBatches(undoing?: Undoing): Previewable {
  return previewable({
    make: [
      decideUpdate("change", undoing),
      WRITE_ROLE,
      chargeChange(),
      readUpdated(userRights(changeLog.roleId)),
    ],
    preview: [
      decideUpdate("preview", undoing),
      readUpdated(userRights(changeLog.roleId, args.selfRights)),
    ],
  });
}

export const UPDATE_ROLE: Previewable = updateRoleBatches();

interface ProbedRightRow {
  /** Null for an actor with many memberships. */
  readonly isHeld: 0 | 1 | null;
}

function probeRight({ from, where, meets }: typeof LIVING["user" | "key"]) {
  return probe<ProbedRightRow>()({ ...PRINCIPAL, roleId: int, mask: int }, ({ roleId, mask }) => ({
    columns: sql`${holdsUnlessMany(mask, roleId, meets)} AS isHeld, ${REVISION_COLUMN}`,
    from,
    where,
  }));
}

/** Whether the actor, a user or a key, holds the right `mask` on `roleId`. No row if the session or key has ended. */
export const PROBE_RIGHT = { user: probeRight(LIVING.user), key: probeRight(LIVING.key) } as const;

interface RightsRow {
  /** JSON: a list of masks. */
  readonly rights: string | null;
}

const ROLES = { ...PRINCIPAL, roleIds: text };
const { roleIds } = placeholdersOf(ROLES);
/** The actor's rights on each of `roleIds` (a JSON list), as a JSON list in its order. */
const RIGHTS_ON_EACH = sql`(SELECT json_group_array(rights) FROM (
        SELECT coalesce(${userRights(sql`asked.value`)}, 0) AS rights FROM json_each(${roleIds}) asked
        ORDER BY asked.key))`;

function rightsColumns(rights: SQL): SQL {
  return sql`${rights} AS rights, ${REVISION_COLUMN}`;
}

/**
 * The actor's rights on each of `roleIds`, or null if the list is too long to be judged in one statement. No row if the
 * session has ended.
 */
export const CHECK_RIGHTS = rows<RightsRow>()(ROLES, () => {
  const rights = sql`CASE WHEN ${isCostly(roleIds)} THEN NULL ELSE ${RIGHTS_ON_EACH} END`;
  return sql`SELECT ${rightsColumns(rights)} WHERE ${PRINCIPAL_LIVES}`;
});
/** The same for few roles. Null for an actor with many memberships. */
export const PROBE_RIGHTS = probe<RightsRow>()(
  ROLES,
  () => ({ columns: rightsColumns(unlessMany(RIGHTS_ON_EACH)), where: PRINCIPAL_LIVES }),
);

/** One row while the session lives. */
export const SESSION_LIVES = probe<object>()(
  PRINCIPAL,
  () => ({ columns: REVISION_COLUMN, where: PRINCIPAL_LIVES }),
);
