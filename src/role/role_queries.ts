import { REVISION } from "../db/revisions.ts";
import { defineStatement, probing, type Statement } from "../db/statement.ts";
import {
  holds,
  holdsIndirectly,
  mayGive,
  ONE_ROW,
  PRINCIPAL_LIVES,
  rightsThroughRelations,
  someAuthorizingRole,
  someGivingRole,
  unlessMany,
  userRights,
} from "./guard_text.ts";
import {
  CHARGE_PREVIEW,
  type Previewable,
  previewable,
  type Run,
  TAKE_NODE_AND_RELATION_ID,
} from "./change/change_queries.ts";
import { nextId, NOBODY_ACTS, recordChange, whenEffect } from "./change/change_text.ts";
import { chargeChange } from "./change/charge_queries.ts";
import { ADD_LEAF_TO_CLOSURE } from "./closure/closure_queries.ts";
import { type CreatingBatch, type KeyParts, withAndWithoutKey } from "./change/idempotency_queries.ts";
import { isCostly } from "./price_text.ts";
import { forEachRight, maskOf, type RightName } from "./rights.ts";

/**
 * Decides the creation of a role below `:parentId`. It costs a closure row for each of the parent's ancestors, which
 * are counted only for an actor with the right: the time would tell others that the role exists. A repeated request
 * returns the role that the first one created, even if the actor has lost the right since.
 */
function decideCreate({ join, branches, ofFirst }: KeyParts): Statement {
  const isAllowed = `${holds("roleManagement", ":parentId")} AND ${mayGive(":rights")}`;
  const idOf = (sequence: "node" | "relation", first: string): string =>
    `CASE decision WHEN 'ok' THEN ${nextId(sequence)} WHEN 'noop' THEN ${first} END`;
  return recordChange({
    kind: "'role.create'",
    ctes: `verdict AS MATERIALIZED (
      SELECT CASE
        ${branches}
        WHEN ${NOBODY_ACTS} THEN 'denied'
        WHEN NOT (:rights & ${maskOf("roleManagement")}) THEN 'unmanaged'
        ELSE 'ok' END AS verdict, ${ofFirst("role_id")} AS role_id, ${ofFirst("relation_id")} AS relation_id,
        CASE WHEN EXISTS (SELECT 1 FROM acted)
          THEN 1 + (SELECT count(*) FROM role_closure WHERE descendant_id = :parentId) END AS cost
      FROM ${ONE_ROW} ${join} WHERE ${PRINCIPAL_LIVES})`,
    decided:
      `SELECT *, CASE WHEN verdict = 'ok' AND cost > :maxCost THEN 'too_large' ELSE verdict END AS ruling
      FROM verdict`,
    charged: { by: isAllowed, counts: "roles" },
    values: {
      parent_id: ":parentId",
      role_id: idOf("node", "role_id"),
      relation_id: idOf("relation", "relation_id"),
      new_rights: ":rights",
      cost: "cost",
      details: "json_object('name', :name, 'selfRights', :selfRights)",
    },
    effect: "CASE decision WHEN 'ok' THEN 'grow' ELSE 'none' END",
  });
}

const INSERT_ROLE: Statement = defineStatement(`
  INSERT INTO role (id, name, self_rights, counted_to, counted_for)
  SELECT role_id, :name, :selfRights, counted_to, counted_for FROM change_log WHERE ${whenEffect("grow")}`);

const INSERT_RELATION: Statement = defineStatement(`
  INSERT INTO manages (id, parent_id, child_id, rights)
  SELECT relation_id, parent_id, role_id, new_rights FROM change_log WHERE ${whenEffect("grow")}`);

/**
 * Reads back the role as this change made it, since others may have changed or deleted it before a lost response is
 * read again. A request repeated under its key has the same name and rights.
 */
function readRole(rights: string): Statement {
  return defineStatement(`
  SELECT decision, cost, ${REVISION}, relation_id AS relationId, role_id AS id, :name AS name, :selfRights AS selfRights,
    ${rights} AS userRights
  FROM change_log WHERE op_id = :opId`);
}

const READ_CHANGED = readRole(userRights("change_log.role_id"));
/** Of a role that nobody else has seen. */
const READ_CREATED = readRole(rightsThroughRelations("change_log.role_id"));

/** Creates a role with the relation that connects it to its parent. The last statement returns a `ChangedRoleRow`. */
export const CREATE_ROLE: CreatingBatch = withAndWithoutKey((key) => [
  decideCreate(key),
  TAKE_NODE_AND_RELATION_ID,
  INSERT_ROLE,
  INSERT_RELATION,
  ADD_LEAF_TO_CLOSURE,
  chargeChange(),
  ...key.keep,
  key.mayRepeat ? READ_CHANGED : READ_CREATED,
]);

/** SQL: the rights on itself that `:selfRights` adds to the role `current`. */
const ADDED_SELF_RIGHTS = ":selfRights & ~current.self_rights";

/**
 * Decides an update. Only indirect roleManagement counts, so that no role can raise its own self rights. A key changes
 * them as its maker could, in either direction: its own role's managers may need those rights to delete it.
 */
function decideUpdate(run: Run): Statement {
  return recordChange({
    kind: "'role.update'",
    decided: `SELECT current.self_rights AS old_self_rights, current.name AS old_name, CASE
      WHEN NOT ${
      someGivingRole(
        `${holdsIndirectly("roleManagement", ":roleId")} AND ${mayGive(ADDED_SELF_RIGHTS)}`,
        ":selfRights <> current.self_rights",
      )
    } THEN 'denied'
      WHEN current.name = :name AND current.self_rights = :selfRights THEN 'noop'
      ELSE 'ok' END AS ruling
    FROM ${ONE_ROW} LEFT JOIN role current ON current.id = :roleId WHERE ${PRINCIPAL_LIVES}`,
    charged: {
      by: holdsIndirectly("roleManagement", ":roleId"),
      takesAway: "old_name = :name AND NOT (:selfRights & ~old_self_rights)",
    },
    values: {
      role_id: ":roleId",
      old_rights: "old_self_rights",
      new_rights: ":selfRights",
      details: "json_object('name', :name, 'oldName', old_name)",
    },
  }, run);
}

const WRITE_ROLE: Statement = defineStatement(`
  UPDATE role SET name = :name, self_rights = :selfRights
  WHERE id = (SELECT role_id FROM change_log WHERE ${whenEffect("write")})`);

/** Updates a role's name and self rights. The last statement returns a `ChangedRoleRow`. */
export const UPDATE_ROLE: Previewable = previewable({
  make: [decideUpdate("real"), WRITE_ROLE, chargeChange(), READ_CHANGED],
  rehearse: [decideUpdate("dry"), CHARGE_PREVIEW, readRole(userRights("change_log.role_id", ":selfRights"))],
});

function probeRight(right: RightName): Statement {
  return probing(defineStatement(`
    SELECT ${unlessMany(someAuthorizingRole(holds(right, ":roleId")))} AS isHeld, ${REVISION}
    WHERE ${PRINCIPAL_LIVES}`));
}

/**
 * Whether the actor holds the right on `:roleId`, in one row. It is null for an actor with many memberships. No row if
 * the session has ended.
 */
export const PROBE_RIGHT: Readonly<Record<RightName, Statement>> = forEachRight(probeRight);

/** SQL: the actor's rights on each of `:roleIds`, as a JSON list in its order. */
const RIGHTS_ON_EACH = `(SELECT json_group_array(rights) FROM (
        SELECT coalesce(${userRights("asked.value")}, 0) AS rights FROM json_each(:roleIds) asked
        ORDER BY asked.key))`;

function checkRights(rights: string): Statement {
  return defineStatement(`
    SELECT ${rights} AS rights, ${REVISION}
    WHERE ${PRINCIPAL_LIVES}`);
}

/**
 * The actor's rights on each of `:roleIds` (a JSON list), as a JSON list in its order, or null if the list is too long
 * to be judged in one statement. No row if the session has ended.
 */
export const CHECK_RIGHTS: Statement = checkRights(
  `CASE WHEN ${isCostly(":roleIds")} THEN NULL ELSE ${RIGHTS_ON_EACH} END`,
);
/** The same for few roles. Null for an actor with many memberships. */
export const PROBE_RIGHTS: Statement = probing(checkRights(unlessMany(RIGHTS_ON_EACH)));

/** One row while the session lives. */
export const SESSION_LIVES: Statement = probing(defineStatement(
  `SELECT ${REVISION} WHERE ${PRINCIPAL_LIVES}`,
));
