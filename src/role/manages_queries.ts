import { REVISION } from "../db/revisions.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import {
  holds,
  holdsDirectly,
  holdsIndirectly,
  isOneVisible,
  mayGive,
  memberLives,
  ONE_ROW,
  PRINCIPAL_LIVES,
  someAuthorizingRole,
  someGivingRole,
} from "./guard_text.ts";
import {
  CHARGE_PREVIEW,
  MERGE_LATE_REFUSAL,
  nextId,
  type Previewable,
  previewable,
  recordChange,
  type Run,
  TAKE_RELATION_ID,
  whenEffect,
} from "./change/change_queries.ts";
import { chargeChange } from "./change/charge_queries.ts";
import {
  CLEAR_RECTANGLE,
  costedVerdict,
  DROP_ROWS_BELOW_DELETED_ROLES,
  GROW_CLOSURE,
  RECOMPUTE_MOVED,
  RECOMPUTE_RECTANGLE,
} from "./closure/closure_queries.ts";
import { DELETED_RELATIONS, DELETED_ROLES, NOTE_DELETED_DEVICES } from "./cascade_queries.ts";
import { maskOf } from "./rights.ts";

const ROLE_MANAGEMENT = maskOf("roleManagement");

/**
 * Rule: one role holds direct or indirect roleManagement on the parent and indirect roleManagement on the child,
 * through a membership that may give the rights that are added. `gives`: see `someGivingRole`.
 */
export function mayJoin(parent: string, child: string, added: string, gives?: string): string {
  return someGivingRole(
    `${holds("roleManagement", parent)} AND ${holdsIndirectly("roleManagement", child)} AND ${
      mayGive(added)
    }`,
    gives,
  );
}

/** SQL: the rights that `:rights` adds to the relation `existing`, which may be absent. */
export const ADDED_RIGHTS = ":rights & ~coalesce(existing.rights, 0)";
/** SQL: the relation `existing` is absent, or gets rights that it does not have. */
const GIVES = `existing.id IS NULL OR ${ADDED_RIGHTS}`;

/**
 * Rule: direct or indirect roleManagement on the parent of relation `e`, or indirect roleManagement on its child. For a
 * relation made with the child's password, direct roleManagement on the child is enough, as long as the child is a root
 * or another relation enters it. Otherwise its own members would delete it, and roles below it. A key's maker must have
 * that right, too: the key of a removed member could otherwise shut out those who removed them.
 */
function mayTakeAway(e: string): string {
  const [parent, child] = [`${e}.parent_id`, `${e}.child_id`];
  const childStays =
    `(EXISTS (SELECT 1 FROM manages other WHERE other.child_id = ${child} AND other.id <> ${e}.id)
    OR EXISTS (SELECT 1 FROM role root WHERE root.id = ${child} AND root.is_root))`;
  return `(${
    someAuthorizingRole(`${holds("roleManagement", parent)} OR ${holdsIndirectly("roleManagement", child)}`)
  } OR (${e}.by_password AND ${childStays} AND ${someGivingRole(holdsDirectly("roleManagement", child))}))`;
}

/** SQL: setting relation `e` to `:rights` leaves a child that is no root without an incoming roleManagement. */
export function takesLastManager(e: string): string {
  return `${e}.rights & ${ROLE_MANAGEMENT} AND NOT (:rights & ${ROLE_MANAGEMENT})
    AND NOT EXISTS (SELECT 1 FROM manages other WHERE other.child_id = ${e}.child_id
      AND other.rights & ${ROLE_MANAGEMENT} AND other.id <> ${e}.id)
    AND NOT EXISTS (SELECT 1 FROM role root WHERE root.id = ${e}.child_id AND root.is_root)`;
}

interface RelationDecision {
  readonly kind: "manages.put" | "manages.update" | "manages.move";
  /**
   * SQL: selects parent_id, child_id, relation_id, old_rights and verdict, and no row if the session has ended. Of a
   * move, also the relation that is replaced: replaced_id, replaced_parent_id and replaced_rights.
   */
  readonly verdict: string;
  readonly run?: Run | undefined;
  /** See `RecordedChange`. */
  readonly ownRow?: string;
  /** SQL: what the row tells besides. */
  readonly details?: string;
}

/**
 * SQL: what the row of a change tells of an existing relation from `:parentId`, or null if the change is refused and
 * the actor does not see that role: they may read the refusals of the child, and learn from none whether they guessed
 * right.
 */
function unlessHidden(value: string): string {
  return `CASE WHEN decision <> 'denied' OR ${isOneVisible(":parentId")} THEN ${value} END`;
}

/** Writes the change log row of a change of one relation. */
export function decideRelation(
  { kind, verdict, run, ownRow = "false", details }: RelationDecision,
): Statement {
  const isMove = kind === "manages.move";
  const isUpdate = kind === "manages.update";
  const known = unlessHidden("relation_id");
  const relationId = isUpdate
    ? known
    : `CASE WHEN relation_id IS NULL AND decision = 'ok' THEN ${nextId("relation", run)} ELSE ${known} END`;
  const costed = costedVerdict({
    parent: "parent_id",
    child: "child_id",
    isAllowed: "verdict = 'ok'",
    ...(isMove
      ? { shrinks: "true", replacedParent: "replaced_parent_id" }
      : { shrinks: "old_rights & ~:rights" }),
  });
  return recordChange({
    kind: `'${kind}'`,
    ctes: `verdict AS MATERIALIZED (${verdict}), ${costed}`,
    decided:
      `SELECT *, CASE WHEN verdict = 'ok' AND cost > :maxCost THEN 'too_large' ELSE verdict END AS ruling
      FROM costed`,
    charged: {
      // A member who only manages the child can take rights away, which is free.
      by: holds("roleManagement", ":parentId"),
      takesAway: "old_rights IS NOT NULL AND NOT (:rights & ~old_rights)",
    },
    values: {
      parent_id: "parent_id",
      role_id: isUpdate ? unlessHidden("child_id") : "child_id",
      relation_id: relationId,
      old_rights: unlessHidden("old_rights"),
      new_rights: ":rights",
      cost: "cost",
      blocked_role_id: "CASE WHEN decision = 'unmanaged' THEN child_id END",
      ...(isMove ? { gone_relation_ids: "CASE WHEN decision = 'ok' THEN json_array(replaced_id) END" } : {}),
      ...(details === undefined ? {} : { details }),
    },
    effect: isMove
      ? "CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END"
      : `CASE WHEN decision <> 'ok' THEN 'none' WHEN old_rights & ~:rights THEN 'shrink' ELSE 'grow' END`,
    ownRow,
  }, run);
}

/** SQL: joining `:parentId` and `:childId` would close a cycle, or join a role to itself. */
export const WOULD_CLOSE_CYCLE = `(:parentId = :childId OR EXISTS (SELECT 1 FROM role_closure
      WHERE descendant_id = :parentId AND ancestor_id = :childId))`;

function decidePut(run: Run): Statement {
  return decideRelation({
    run,
    kind: "manages.put",
    verdict: `
  SELECT :parentId AS parent_id, :childId AS child_id, existing.id AS relation_id, existing.rights AS old_rights, CASE
    WHEN NOT ${mayJoin(":parentId", ":childId", ADDED_RIGHTS, GIVES)} THEN 'denied'
    WHEN ${WOULD_CLOSE_CYCLE} THEN 'cycle'
    WHEN existing.rights = :rights THEN 'noop'
    WHEN ${takesLastManager("existing")} THEN 'unmanaged'
    ELSE 'ok' END AS verdict
  FROM ${ONE_ROW} LEFT JOIN manages existing ON existing.parent_id = :parentId AND existing.child_id = :childId
  WHERE ${PRINCIPAL_LIVES}`,
  });
}

function decideUpdate(run: Run): Statement {
  return decideRelation({
    run,
    kind: "manages.update",
    verdict: `
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
  });
}

/**
 * Replaces a relation from another parent. Whoever may join the child may also delete the relations that enter it, and
 * knows them. A repeated move, which has nothing left to replace, is a noop.
 */
function decideMove(run: Run): Statement {
  return decideRelation({
    run,
    kind: "manages.move",
    verdict: `
  SELECT :parentId AS parent_id, :childId AS child_id, existing.id AS relation_id, existing.rights AS old_rights,
    replaced.id AS replaced_id, replaced.parent_id AS replaced_parent_id, replaced.rights AS replaced_rights, CASE
    WHEN NOT ${mayJoin(":parentId", ":childId", ADDED_RIGHTS, GIVES)} THEN 'denied'
    WHEN replaced.id IS NULL THEN
      CASE WHEN existing.rights = :rights AND existing.id <> :replaces THEN 'noop' ELSE 'denied' END
    WHEN ${WOULD_CLOSE_CYCLE} THEN 'cycle'
    WHEN NOT (:rights & ${ROLE_MANAGEMENT})
      AND NOT EXISTS (SELECT 1 FROM manages other WHERE other.child_id = :childId
        AND other.rights & ${ROLE_MANAGEMENT} AND other.id NOT IN (replaced.id, coalesce(existing.id, replaced.id)))
      AND NOT EXISTS (SELECT 1 FROM role root WHERE root.id = :childId AND root.is_root) THEN 'unmanaged'
    ELSE 'ok' END AS verdict
  FROM ${ONE_ROW} LEFT JOIN manages existing ON existing.parent_id = :parentId AND existing.child_id = :childId
    LEFT JOIN manages replaced ON replaced.id = :replaces AND replaced.child_id = :childId
      AND replaced.parent_id <> :parentId
  WHERE ${PRINCIPAL_LIVES}`,
    details:
      "CASE WHEN decision = 'ok' THEN json_object('replacedParentId', replaced_parent_id, 'replacedRights', replaced_rights) END",
  });
}

const WRITE_RELATION: Statement = defineStatement(`
  INSERT INTO manages (id, parent_id, child_id, rights)
  SELECT relation_id, parent_id, role_id, new_rights FROM change_log WHERE ${whenEffect("grow", "shrink")}
  ON CONFLICT (parent_id, child_id) DO UPDATE SET rights = excluded.rights`);

/** The last statement of a relation's change: a `RelationRow` for the change log row that meets the condition. */
export function readRelation(condition: string, further = ""): Statement {
  return defineStatement(`
    SELECT change_log.decision, change_log.cost, ${REVISION}, change_log.relation_id AS id, change_log.parent_id AS parentRoleId,
      change_log.role_id AS childRoleId, change_log.new_rights AS rights${further}
    FROM change_log WHERE ${condition}`);
}

/** The last statement of a relation's dry run: a `PreviewedRelationRow`. */
export function readPreviewedRelation(condition: string): Statement {
  return readRelation(
    condition,
    `, change_log.old_rights AS oldRights, change_log.details ->> 'replacedParentId' AS replacedParentId`,
  );
}

const READ_RELATION = readRelation("change_log.op_id = :opId");

const WRITE_AND_READ: readonly Statement[] = [
  WRITE_RELATION,
  GROW_CLOSURE,
  RECOMPUTE_RECTANGLE,
  chargeChange(),
  READ_RELATION,
];

const REHEARSED: readonly Statement[] = [
  CHARGE_PREVIEW,
  readPreviewedRelation("change_log.op_id = :opId"),
];

/** Creates or updates the relation of a pair of roles. The last statement returns a `RelationRow`. */
export const PUT_RELATION: Previewable = previewable({
  make: [decidePut("real"), TAKE_RELATION_ID, ...WRITE_AND_READ],
  rehearse: [decidePut("dry"), ...REHEARSED],
});

/** Updates a relation by its id. The last statement returns a `RelationRow`. */
export const UPDATE_RELATION: Previewable = previewable({
  make: [decideUpdate("real"), ...WRITE_AND_READ],
  rehearse: [decideUpdate("dry"), ...REHEARSED],
});

/** A second row, about the parent that the role is taken from: its managers read what concerns it. */
const LOG_REPLACED: Statement = defineStatement(`
  INSERT INTO change_log (op_id, at, actor_id, session_id, kind, parent_id, role_id, relation_id, old_rights, decision,
    effect, gone_role_ids, gone_relation_ids)
  SELECT op_id || ' replaced', at, actor_id, session_id, 'manages.delete', details ->> 'replacedParentId', role_id,
    gone_relation_ids ->> 0, details ->> 'replacedRights', decision, 'none', '[]', gone_relation_ids
  FROM change_log WHERE ${whenEffect("write")}`);

/**
 * Creates or updates a relation, and deletes another one into the same role. The last statement returns a
 * `RelationRow`.
 */
export const MOVE_RELATION: Previewable = previewable({
  make: [
    decideMove("real"),
    LOG_REPLACED,
    TAKE_RELATION_ID,
    defineStatement(`
      INSERT INTO manages (id, parent_id, child_id, rights)
      SELECT relation_id, parent_id, role_id, new_rights FROM change_log WHERE ${whenEffect("write")}
      ON CONFLICT (parent_id, child_id) DO UPDATE SET rights = excluded.rights`),
    defineStatement(`
      DELETE FROM manages WHERE id = (SELECT gone_relation_ids ->> 0 FROM change_log WHERE ${
      whenEffect("write")
    })`),
    ...RECOMPUTE_MOVED,
    chargeChange(),
    READ_RELATION,
  ],
  rehearse: [decideMove("dry"), ...REHEARSED],
});

/**
 * Decides a deletion. Its cost is counted only for an actor with the right, because the time it takes would tell others
 * that the relation exists. The next statements find what else is deleted: a single statement would take ten times as
 * long to prepare.
 */
function decideDelete(run: Run): Statement {
  return recordChange({
    kind: "'manages.delete'",
    ctes: `verdict AS MATERIALIZED (
    SELECT existing.id AS relation_id, existing.child_id, existing.rights,
      existing.id IS NOT NULL AND ${mayTakeAway("existing")} AS allowed
    FROM ${ONE_ROW} LEFT JOIN manages existing ON existing.id = :relationId AND existing.parent_id = :parentId
    WHERE ${PRINCIPAL_LIVES}),
  ${costedVerdict({ parent: ":parentId", child: "child_id", isAllowed: "allowed", shrinks: "true" })}`,
    decided:
      `SELECT *, CASE WHEN NOT allowed THEN 'denied' WHEN cost > :maxCost THEN 'too_large' ELSE 'ok' END
    AS ruling FROM costed`,
    values: {
      parent_id: ":parentId",
      role_id: unlessHidden("child_id"),
      relation_id: unlessHidden("relation_id"),
      old_rights: unlessHidden("rights"),
      cost: "CASE WHEN allowed THEN cost END",
    },
    effect: "CASE decision WHEN 'ok' THEN 'delete' ELSE 'none' END",
    // The next statements list what would be deleted.
    dryEffect: "'delete'",
  }, run);
}

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

/** The cost of deleting a role besides its closure rows, and of deleting a membership, key or device. */
const COST_PER_ROLE = 8;
const COST_PER_ROW = 4;

/** SQL: up to this many rows cost more than the change may. */
const MOST_ROWS = `:maxCost / ${COST_PER_ROW} + 1`;

/**
 * SQL: the memberships and keys in deleted roles, ended ones too, and their monitors relations, up to the cost bound.
 */
const ROWS_OF_DELETED_ROLES = `(SELECT 1 FROM json_each(${DELETED_ROLES}) deleted
      CROSS JOIN member joined ON joined.role_id = deleted.value
    UNION ALL SELECT 1 FROM json_each(${DELETED_ROLES}) deleted
      CROSS JOIN monitors watching ON watching.role_id = deleted.value LIMIT ${MOST_ROWS})`;

/** Adds what goes with the deleted roles to the cost. The scans stop at the cost bound. */
const NOTE_DELETION_COST: Statement = defineStatement(`
  UPDATE change_log SET cost = cost + ${COST_PER_ROLE} * json_array_length(gone_role_ids)
      + ${COST_PER_ROW} * (SELECT count(*) FROM ${ROWS_OF_DELETED_ROLES})
      + (SELECT count(*) FROM (SELECT 1 FROM json_each(${DELETED_ROLES}) deleted
        CROSS JOIN role_closure below ON below.ancestor_id = deleted.value LIMIT +:maxCost + 1))
  WHERE ${whenEffect("delete")}`);

/** Refuses a deletion that costs too much, before anything that goes with it is listed. */
const REFUSE_LARGE_DELETION: Statement = defineStatement(`
  UPDATE change_log SET decision = 'too_large', effect = 'none' WHERE ${
  whenEffect("delete")
} AND cost > :maxCost`);

/**
 * The deleted relations: the requested one, and all manages relations from, memberships in and monitors relations of a
 * deleted role. The cost, which is within its bound, counts them.
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
      SELECT watching.id FROM json_each(${DELETED_ROLES}) deleted
        CROSS JOIN monitors watching ON watching.role_id = deleted.value))
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
function noteDeleteVerdict(run: Run): Statement {
  const isRefused = run === "dry" ? "true" : "blocked_role_id IS NOT NULL";
  return defineStatement(`
  UPDATE change_log SET
    decision = CASE WHEN blocked_role_id IS NOT NULL THEN 'unmanaged' ELSE decision END,
    effect = CASE WHEN ${isRefused} THEN 'none' ELSE effect END
  WHERE ${whenEffect("delete")}`);
}

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
  SELECT decision, cost, ${REVISION}, role_id AS childRoleId, gone_role_ids AS deletedRoleIds,
    gone_device_ids AS deletedDeviceIds, gone_relation_ids AS deletedRelationIds
  FROM change_log WHERE op_id = :opId`);

function decideDeletion(run: Run): readonly Statement[] {
  return [
    decideDelete(run),
    NOTE_ROLES_AT_STAKE,
    KEEP_STAYING_ROLES,
    NOTE_DELETION_COST,
    REFUSE_LARGE_DELETION,
    NOTE_DELETED_RELATIONS,
    NOTE_DELETED_DEVICES,
    NOTE_BLOCKED_ROLE,
    noteDeleteVerdict(run),
  ];
}

/**
 * Deletes a relation and the roles that only it connected to the graph, with their relations and members, and lists the
 * devices to delete. To be followed by the statements of other areas (`ManagesDeps.cascades`) and `READ_DELETION`.
 */
export const DELETE_RELATION: readonly Statement[] = [
  ...decideDeletion("real"),
  MERGE_LATE_REFUSAL,
  DELETE_RELATIONS,
  CLEAR_RECTANGLE,
  RECOMPUTE_RECTANGLE,
  DROP_ROWS_BELOW_DELETED_ROLES,
  DELETE_MEMBERS,
  DELETE_KEYS,
  DELETE_ROLES,
];

/** The dry run of a deletion. The last statement returns a `DeletionRow`. */
export const REHEARSE_DELETION: readonly Statement[] = [
  ...decideDeletion("dry"),
  CHARGE_PREVIEW,
  READ_DELETION,
];
