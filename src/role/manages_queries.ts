import { REVISION } from "../db/revisions.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import { memberLives, ONE_ROW, PRINCIPAL_LIVES } from "./principal_queries.ts";
import { nextId, recordChange, TAKE_RELATION_ID, whenEffect } from "./change/change_queries.ts";
import {
  CLEAR_RECTANGLE,
  costedVerdict,
  DROP_ROWS_BELOW_DELETED_ROLES,
  GROW_CLOSURE,
  RECOMPUTE_RECTANGLE,
} from "./closure/closure_queries.ts";
import { DELETED_RELATIONS, DELETED_ROLES, NOTE_DELETED_DEVICES } from "./cascade_queries.ts";
import { holds, holdsDirectly, holdsIndirectly, mayGive, someAuthorizingRole } from "./guard_queries.ts";
import { maskOf } from "./rights.ts";

const ROLE_MANAGEMENT = maskOf("roleManagement");

/**
 * Rule: one role holds direct or indirect roleManagement on the parent and indirect roleManagement on the child, through
 * a membership that may give the rights that are added.
 */
export function mayJoin(parent: string, child: string, added: string): string {
  return someAuthorizingRole(
    `${holds("roleManagement", parent)} AND ${holdsIndirectly("roleManagement", child)} AND ${
      mayGive(added)
    }`,
  );
}

/** SQL: the rights that `:rights` adds to the relation `existing`, which may be absent. */
export const ADDED_RIGHTS = ":rights & ~coalesce(existing.rights, 0)";

/**
 * Rule: direct or indirect roleManagement on the parent of relation `e`, or indirect roleManagement on its child. For a
 * relation made with the child's password, direct roleManagement on the child is enough, as long as the child is a root
 * or another relation enters it. Otherwise its own members would delete it, and roles below it.
 */
function mayTakeAway(e: string): string {
  const [parent, child] = [`${e}.parent_id`, `${e}.child_id`];
  const childStays =
    `(EXISTS (SELECT 1 FROM manages other WHERE other.child_id = ${child} AND other.id <> ${e}.id)
    OR EXISTS (SELECT 1 FROM role root WHERE root.id = ${child} AND root.is_root))`;
  return someAuthorizingRole(
    `${holds("roleManagement", parent)} OR ${holdsIndirectly("roleManagement", child)}
    OR (${e}.by_password AND ${holdsDirectly("roleManagement", child)} AND ${childStays})`,
  );
}

/** SQL: setting relation `e` to `:rights` leaves a child that is no root without an incoming roleManagement. */
export function takesLastManager(e: string): string {
  return `${e}.rights & ${ROLE_MANAGEMENT} AND NOT (:rights & ${ROLE_MANAGEMENT})
    AND NOT EXISTS (SELECT 1 FROM manages other WHERE other.child_id = ${e}.child_id
      AND other.rights & ${ROLE_MANAGEMENT} AND other.id <> ${e}.id)
    AND NOT EXISTS (SELECT 1 FROM role root WHERE root.id = ${e}.child_id AND root.is_root)`;
}

/**
 * Writes the change log row of a change of one relation. `verdict` selects parent_id, child_id, relation_id, old_rights
 * and verdict, and no row if the session has ended. `ownRow`: see `RecordedChange`. `details`: SQL, what the row tells
 * besides.
 */
export function decideRelation(
  kind: "manages.put" | "manages.update",
  verdict: string,
  { ownRow = "false", details }: { readonly ownRow?: string; readonly details?: string } = {},
): Statement {
  const relationId = kind === "manages.update"
    ? "relation_id"
    : `CASE WHEN relation_id IS NULL AND decision = 'ok' THEN ${nextId("relation")} ELSE relation_id END`;
  const costed = costedVerdict({
    parent: "parent_id",
    child: "child_id",
    isAllowed: "verdict = 'ok'",
    shrinks: "old_rights & ~:rights",
  });
  return recordChange({
    kind: `'${kind}'`,
    ctes: `verdict AS MATERIALIZED (${verdict}), ${costed}`,
    decided:
      `SELECT *, CASE WHEN verdict = 'ok' AND cost > :maxCost THEN 'too_large' ELSE verdict END AS decision
      FROM costed`,
    values: {
      parent_id: "parent_id",
      role_id: "child_id",
      relation_id: relationId,
      old_rights: "old_rights",
      new_rights: ":rights",
      cost: "cost",
      blocked_role_id: "CASE WHEN decision = 'unmanaged' THEN child_id END",
      ...(details === undefined ? {} : { details }),
    },
    effect: `CASE WHEN decision <> 'ok' THEN 'none' WHEN old_rights & ~:rights THEN 'shrink' ELSE 'grow' END`,
    ownRow,
  });
}

/** SQL: joining `:parentId` and `:childId` would close a cycle, or join a role to itself. */
export const WOULD_CLOSE_CYCLE = `(:parentId = :childId OR EXISTS (SELECT 1 FROM role_closure
      WHERE descendant_id = :parentId AND ancestor_id = :childId))`;

const DECIDE_PUT = decideRelation(
  "manages.put",
  `
  SELECT :parentId AS parent_id, :childId AS child_id, existing.id AS relation_id, existing.rights AS old_rights, CASE
    WHEN NOT ${mayJoin(":parentId", ":childId", ADDED_RIGHTS)} THEN 'denied'
    WHEN ${WOULD_CLOSE_CYCLE} THEN 'cycle'
    WHEN existing.rights = :rights THEN 'noop'
    WHEN ${takesLastManager("existing")} THEN 'unmanaged'
    ELSE 'ok' END AS verdict
  FROM ${ONE_ROW} LEFT JOIN manages existing ON existing.parent_id = :parentId AND existing.child_id = :childId
  WHERE ${PRINCIPAL_LIVES}`,
);

const DECIDE_UPDATE = decideRelation(
  "manages.update",
  `
  SELECT :parentId AS parent_id, existing.child_id, existing.id AS relation_id, existing.rights AS old_rights, CASE
    WHEN existing.id IS NULL THEN 'denied'
    WHEN NOT CASE WHEN :rights & ~existing.rights
      THEN ${mayJoin("existing.parent_id", "existing.child_id", ADDED_RIGHTS)}
      ELSE ${mayTakeAway("existing")} END THEN 'denied'
    WHEN existing.rights = :rights THEN 'noop'
    WHEN ${takesLastManager("existing")} THEN 'unmanaged'
    ELSE 'ok' END AS verdict
  FROM ${ONE_ROW} LEFT JOIN manages existing ON existing.id = :relationId AND existing.parent_id = :parentId
  WHERE ${PRINCIPAL_LIVES}`,
);

const WRITE_RELATION: Statement = defineStatement(`
  INSERT INTO manages (id, parent_id, child_id, rights)
  SELECT relation_id, parent_id, role_id, new_rights FROM change_log WHERE ${whenEffect("grow", "shrink")}
  ON CONFLICT (parent_id, child_id) DO UPDATE SET rights = excluded.rights`);

/** The last statement of a relation's change: a `RelationRow` for the change log row that meets the condition. */
export function readRelation(condition: string): Statement {
  return defineStatement(`
    SELECT change_log.decision, change_log.cost, ${REVISION}, change_log.relation_id AS id, change_log.parent_id AS parentRoleId,
      change_log.role_id AS childRoleId, change_log.new_rights AS rights
    FROM change_log WHERE ${condition}`);
}

const READ_RELATION = readRelation("change_log.op_id = :opId");

/** Creates or updates the relation of a pair of roles. The last statement returns a `RelationRow`. */
export const PUT_RELATION: readonly Statement[] = [
  DECIDE_PUT,
  TAKE_RELATION_ID,
  WRITE_RELATION,
  GROW_CLOSURE,
  RECOMPUTE_RECTANGLE,
  READ_RELATION,
];

/** Updates a relation by its id. The last statement returns a `RelationRow`. */
export const UPDATE_RELATION: readonly Statement[] = [
  DECIDE_UPDATE,
  WRITE_RELATION,
  GROW_CLOSURE,
  RECOMPUTE_RECTANGLE,
  READ_RELATION,
];

/**
 * Decides a deletion. Its cost is counted only for an actor with the right, because the time it takes would tell others
 * that the relation exists. The next statements find what else is deleted: a single statement would take ten times as
 * long to prepare.
 */
const DECIDE_DELETE: Statement = recordChange({
  kind: "CASE WHEN :dryRun THEN 'manages.delete.dry_run' ELSE 'manages.delete' END",
  ctes: `verdict AS MATERIALIZED (
    SELECT existing.id AS relation_id, existing.child_id, existing.rights,
      existing.id IS NOT NULL AND ${mayTakeAway("existing")} AS allowed
    FROM ${ONE_ROW} LEFT JOIN manages existing ON existing.id = :relationId AND existing.parent_id = :parentId
    WHERE ${PRINCIPAL_LIVES}),
  ${costedVerdict({ parent: ":parentId", child: "child_id", isAllowed: "allowed", shrinks: "true" })}`,
  decided: `SELECT *, CASE WHEN NOT allowed THEN 'denied' WHEN cost > :maxCost THEN 'too_large' ELSE 'ok' END
    AS decision FROM costed`,
  values: {
    parent_id: ":parentId",
    role_id: "child_id",
    relation_id: "relation_id",
    old_rights: "rights",
    cost: "CASE WHEN allowed THEN cost END",
  },
  effect: "CASE decision WHEN 'ok' THEN 'delete' ELSE 'none' END",
});

/** The roles that may be deleted: all of Desc*(C), if no other relation enters C and C is no root. */
const NOTE_ROLES_AT_STAKE: Statement = defineStatement(`
  UPDATE change_log SET gone_role_ids = CASE
    WHEN EXISTS (SELECT 1 FROM manages other WHERE other.child_id = change_log.role_id AND other.id <> :relationId)
      OR EXISTS (SELECT 1 FROM role root WHERE root.id = change_log.role_id AND root.is_root) THEN '[]'
    ELSE (SELECT json_group_array(below.id) FROM (
      SELECT change_log.role_id AS id
      UNION ALL SELECT descendant_id FROM role_closure WHERE ancestor_id = change_log.role_id) below) END
  WHERE ${whenEffect("delete")}`);

/** Keeps those of them that are reached from outside or from a root among them. */
const KEEP_STAYING_ROLES: Statement = defineStatement(`
  UPDATE change_log SET gone_role_ids = (
    WITH RECURSIVE staying(role_id) AS (
      SELECT child_id FROM manages WHERE child_id IN (SELECT value FROM json_each(${DELETED_ROLES}))
        AND parent_id NOT IN (SELECT value FROM json_each(${DELETED_ROLES})) AND id <> :relationId
      UNION
      SELECT root.id FROM json_each(${DELETED_ROLES}) deleted CROSS JOIN role root ON root.id = deleted.value AND root.is_root
      UNION
      SELECT onward.child_id FROM staying CROSS JOIN manages onward ON onward.parent_id = staying.role_id)
    SELECT json_group_array(value) FROM json_each(${DELETED_ROLES}) WHERE value NOT IN (SELECT role_id FROM staying))
  WHERE ${whenEffect("delete")} AND gone_role_ids <> '[]'`);

/**
 * The deleted relations: the requested one, and all manages relations from, memberships in and monitors relations of a
 * deleted role. The scan of monitors relations, like that of closure rows below these roles, stops at the cost bound.
 */
const NOTE_DELETED_RELATIONS: Statement = defineStatement(`
  UPDATE change_log SET
    gone_relation_ids = (SELECT json_group_array(id) FROM (
      SELECT change_log.relation_id AS id
      UNION ALL
      SELECT started.id FROM json_each(${DELETED_ROLES}) deleted CROSS JOIN manages started ON started.parent_id = deleted.value
      UNION ALL
      SELECT joined.id FROM json_each(${DELETED_ROLES}) deleted CROSS JOIN member joined ON joined.role_id = deleted.value
        WHERE joined.user_id > 0 AND ${memberLives("joined")}
      UNION ALL
      SELECT id FROM (SELECT watching.id FROM json_each(${DELETED_ROLES}) deleted
        CROSS JOIN monitors watching ON watching.role_id = deleted.value LIMIT :maxCost + 1))),
    cost = cost + (SELECT count(*) FROM (
      SELECT 1 FROM json_each(${DELETED_ROLES}) deleted CROSS JOIN role_closure below ON below.ancestor_id = deleted.value
      UNION ALL
      SELECT 1 FROM json_each(${DELETED_ROLES}) deleted CROSS JOIN monitors watching ON watching.role_id = deleted.value
      LIMIT :maxCost + 1))
  WHERE ${whenEffect("delete")}`);

/** A role that stays but would lose its last incoming relation with roleManagement, if any. */
const NOTE_BLOCKED_ROLE: Statement = defineStatement(`
  UPDATE change_log SET blocked_role_id = (
    SELECT lost.child_id FROM (SELECT DISTINCT taken.child_id FROM json_each(${DELETED_RELATIONS}) deleted
        CROSS JOIN manages taken ON taken.id = deleted.value WHERE taken.rights & ${ROLE_MANAGEMENT}) lost
    WHERE NOT EXISTS (SELECT 1 FROM role root WHERE root.id = lost.child_id AND root.is_root)
      AND lost.child_id NOT IN (SELECT value FROM json_each(${DELETED_ROLES}))
      AND NOT EXISTS (SELECT 1 FROM manages kept WHERE kept.child_id = lost.child_id
        AND kept.rights & ${ROLE_MANAGEMENT} AND kept.id NOT IN (SELECT value FROM json_each(${DELETED_RELATIONS})))
    LIMIT 1)
  WHERE ${whenEffect("delete")}`);

/** Records the verdict. A dry run stops here in any case: no later statement acts on its row. */
const NOTE_DELETE_VERDICT: Statement = defineStatement(`
  UPDATE change_log SET
    decision = CASE WHEN blocked_role_id IS NOT NULL THEN 'unmanaged' WHEN cost > :maxCost THEN 'too_large'
      ELSE decision END,
    effect = CASE WHEN blocked_role_id IS NOT NULL OR cost > :maxCost OR :dryRun THEN 'none' ELSE effect END
  WHERE ${whenEffect("delete")}`);

const DELETE_RELATIONS: Statement = defineStatement(
  `DELETE FROM manages WHERE id IN (SELECT value FROM json_each(${DELETED_RELATIONS}))`,
);
const DELETE_MEMBERS: Statement = defineStatement(
  `DELETE FROM member WHERE role_id IN (SELECT value FROM json_each(${DELETED_ROLES}))`,
);
const DELETE_KEYS: Statement = defineStatement(
  `DELETE FROM role_key WHERE role_id IN (SELECT value FROM json_each(${DELETED_ROLES}))`,
);
const DELETE_ROLES: Statement = defineStatement(
  `DELETE FROM role WHERE id IN (SELECT value FROM json_each(${DELETED_ROLES}))`,
);

/** The last statement of a deletion: a `DeletionRow`. */
export const READ_DELETION: Statement = defineStatement(`
  SELECT decision, cost, ${REVISION}, gone_role_ids AS deletedRoleIds, gone_device_ids AS deletedDeviceIds,
    gone_relation_ids AS deletedRelationIds
  FROM change_log WHERE op_id = :opId`);

/**
 * Deletes a relation and the roles that only it connected to the graph, with their relations and members, and lists the
 * devices to delete. To be followed by the statements of other areas (`ManagesDeps.cascades`) and `READ_DELETION`.
 */
export const DELETE_RELATION: readonly Statement[] = [
  DECIDE_DELETE,
  NOTE_ROLES_AT_STAKE,
  KEEP_STAYING_ROLES,
  NOTE_DELETED_RELATIONS,
  NOTE_DELETED_DEVICES,
  NOTE_BLOCKED_ROLE,
  NOTE_DELETE_VERDICT,
  DELETE_RELATIONS,
  CLEAR_RECTANGLE,
  RECOMPUTE_RECTANGLE,
  DROP_ROWS_BELOW_DELETED_ROLES,
  DELETE_MEMBERS,
  DELETE_KEYS,
  DELETE_ROLES,
];
