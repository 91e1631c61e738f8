import { REVISION_COLUMN } from "../db/revisions.ts";
import { changeLog, role, roleClosure } from "../db/schema/role.ts";
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
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import { onSteps, type Statement } from "../db/statement.ts";
import {
  GIVEN,
  nextId,
  type Previewable,
  previewable,
  type RecordedChange,
  takeNodesAndRelations,
  undoes,
} from "../changes/change_queries.ts";
import { chargeChange } from "../changes/charge_queries.ts";
import { CHARGED_BY, type Command, recordCommand, said, type Undone } from "../changes/command.ts";
import type { FactSet } from "../changes/facts.ts";
import { type CreatingBatch, type KeyParts, withAndWithoutKey } from "../changes/idempotency_queries.ts";
import { ADD_LEAF_TO_CLOSURE } from "../graph/closure/closure_queries.ts";
import {
  externalColumns,
  externalRootOf,
  isOtherExternalId,
  SPELLINGS,
  withDetails,
} from "./external_id_queries.ts";
import {
  holdsUnlessMany,
  rightsThroughRelations,
  unlessMany,
  userRights,
} from "../graph/rules/guard_queries.ts";
import { isCostly } from "../graph/rules/price_queries.ts";
import { LIVING, PRINCIPAL, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";
import { CREATE, CREATE_ONCE, undoOfUpdate, UPDATE } from "./role_facts.ts";
import { insertRelations } from "../changes/insertion_queries.ts";
import { type Run, stepFor, whenStep } from "../graph/step_queries.ts";

const ROLE = { name: text, selfRights: int, externalId: nullable(text) };
/** `setsExternalId`: whether the request names an external id, or none. Otherwise, the present one stays. */
const SETTING = { ...ROLE, setsExternalId: int };
const args = placeholdersOf({
  ...SETTING,
  ...SPELLINGS,
  parentId: int,
  roleId: int,
  rights: int,
  maxCost: int,
});
const { opId } = placeholdersOf({ opId: text });

/**
 * Records what a command decided about a new role. It costs a closure row per ancestor of the parent, counted only for a
 * caller with the right: the time would tell others that the role exists.
 */
function creationCommand({ mayRepeat }: KeyParts): Statement {
  const above = row(roleClosure, "above");
  const idOf = (sequence: "node" | "relation", ofFirst: string): SQL =>
    sql`CASE decision WHEN 'ok' THEN ${nextId(sequence)} WHEN 'noop' THEN ${said(ofFirst)} END`;
  const change: RecordedChange = {
    kind: sql`'role.create'`,
    ctes: sql`verdict AS MATERIALIZED (SELECT ${said("ruling")} AS verdict, CASE WHEN ${
      said("charged")
    } IS NOT NULL
      THEN 1 + (SELECT count(*) FROM ${above} WHERE ${above.descendantId} = ${args.parentId}) END AS cost)`,
    ruled: sql`SELECT *, CASE WHEN verdict IN ('ok', 'external_id_taken') AND cost > ${args.maxCost}
      THEN 'too_large' ELSE verdict END AS ruling FROM verdict`,
    via: said("via"),
    charged: { by: CHARGED_BY, counts: "roles" },
    values: {
      parentId: args.parentId,
      roleId: idOf("node", "roleId"),
      relationId: idOf("relation", "relationId"),
      newRights: args.rights,
      cost: sql`cost`,
      details: withDetails(
        sql`json_object('name', ${args.name}, 'selfRights', ${args.selfRights}, 'demand', json(
        CASE WHEN decision IN ('ok', 'noop') THEN ${said("demand")} END))`,
        sql`json_object('externalId', ${args.externalId})`,
      ),
    },
    step: sql`CASE decision WHEN 'ok' THEN ${said("step")} ELSE 'none' END`,
  };
  const declared = { ...ROLE, parentId: int, rights: int, maxCost: int };
  return mayRepeat ? recordCommand(CREATE_ONCE, change, declared) : recordCommand(CREATE, change, declared);
}

const INSERT_ROLE = onSteps(
  ["grow"],
  define({ ...ROLE, opId: text }, ({ name, selfRights, externalId }) => {
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
    CROSS JOIN ${upper} ON ${upper.id} = ${changeLog.parentId} WHERE ${whenStep("grow")}`;
  }),
);

const INSERT_RELATION = stepFor(["grow"], () => {
  const { relationId: id, parentId, roleId: childId, newRights: rights } = changeLog;
  return insertRelations(
    { id, parentId, childId, rights, ...GIVEN },
    sql`FROM ${changeLog} WHERE ${whenStep("grow")}`,
  );
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
  creationCommand(key),
  takeNodesAndRelations(),
  INSERT_ROLE,
  INSERT_RELATION,
  ...ADD_LEAF_TO_CLOSURE,
  chargeChange(),
  ...key.keep,
  key.mayRepeat ? READ_CREATED_BEFORE : READ_CREATED,
]);

/** Records what a command decided about an update. */
function updateCommand<F extends FactSet>(command: Command<F>, run: Run): Statement {
  const isUndo = "isRead" in command.facts;
  return recordCommand(
    command,
    {
      kind: sql`'role.update'`,
      ruled: sql`SELECT ${said("ruling")} AS ruling`,
      via: said("via"),
      charged: { by: CHARGED_BY, takesAway: said("takesAway") },
      values: {
        roleId: args.roleId,
        oldRights: said("oldRights"),
        newRights: args.selfRights,
        details: withDetails(
          sql`json_object('name', ${args.name}, 'oldName', ${said("oldName")})`,
          sql`iif(${
            said("changesExternalId")
          }, json_object('externalId', ${args.externalId}, 'oldExternalId', ${said("oldExternalId")}), '{}')`,
        ),
        ...(isUndo && { undoes }),
      },
    },
    { ...ROLE, roleId: int, ...(isUndo && { undoes: int }) },
    run,
  );
}

/** An external id that stays keeps its root. */
const WRITING = { ...SETTING, ...SPELLINGS, opId: text };
const WRITE_ROLE = onSteps(
  ["write"],
  define(WRITING, ({ name, selfRights, externalId, setsExternalId }) => {
    const updated = sql`SELECT ${changeLog.roleId} FROM ${changeLog} WHERE ${whenStep("write")}`;
    const given = externalColumns(externalId, externalRootOf(role.id));
    const stays = sql`NOT ${setsExternalId} OR NOT ${isOtherExternalId(role.externalId)}`;
    const external = {
      externalId: sql`iif(${stays}, ${role.externalId}, ${given.externalId})`,
      externalRoot: sql`iif(${stays}, ${role.externalRoot}, ${given.externalRoot})`,
    };
    return sql`
  UPDATE ${role} SET ${assigned(role, { name, selfRights, ...external })}
  WHERE ${role.id} = (${updated})`;
  }),
);

function updateBatches<F extends FactSet>(command: Command<F>): Previewable {
  return previewable({
    make: [
      updateCommand(command, "change"),
      WRITE_ROLE,
      chargeChange(),
      readUpdated(userRights(changeLog.roleId)),
    ],
    preview: [
      updateCommand(command, "preview"),
      readUpdated(userRights(changeLog.roleId, args.selfRights)),
    ],
  });
}

/** Updates a role's name, self rights and external id. The last statement returns a `ChangedRoleRow`. */
export const UPDATE_ROLE: Previewable = updateBatches(UPDATE);

/** Gives a role its former ones. */
export function undoRoleUpdateBatches(undone: Undone): Previewable {
  return updateBatches(undoOfUpdate(undone));
}

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
        SELECT coalesce(${userRights(sql`requested.value`)}, 0) AS rights FROM json_each(${roleIds}) requested
        ORDER BY requested.key))`;

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
