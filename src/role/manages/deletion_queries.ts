import { REVISION_COLUMN } from "../../db/revisions.ts";
import { monitors } from "../../db/schema/telemetry.ts";
import { changeLog, manages, member, role, roleClosure, roleKey } from "../../db/schema/role.ts";
import {
  assigned,
  bare,
  define,
  int,
  placeholdersOf,
  row,
  rowsOf,
  type SQL,
  sql,
  type SQLiteColumn,
  type SQLiteTable,
  text,
  type Value,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { type Previewable, previewable, undoes } from "../../changes/change_queries.ts";
import { chargeChange, COUNT_TO_ACTED } from "../../changes/charge_queries.ts";
import { type Command, recordCommand, said, type Undone } from "../../changes/command.ts";
import type { FactSet } from "../../changes/facts.ts";
import {
  CLEAR_RECTANGLE,
  costedVerdict,
  DROP_ROWS_BELOW_DELETED_ROLES,
  RECOMPUTE_RECTANGLE,
} from "../../graph/closure/closure_queries.ts";
import {
  DELETED_RELATIONS,
  DELETED_ROLES,
  NAMED_COLUMN,
  nameRoles,
  NOTE_DELETED_DEVICES,
  refuseDeletion,
} from "../../graph/closure/cascade_queries.ts";
import { holderLives, memberLives } from "../../graph/rules/principal_queries.ts";
import { maskOf } from "../../graph/rights.ts";
import { readBack } from "./manages_queries.ts";
import { DELETE, DELETE_AS_ADMINISTRATOR, undoOfMaking } from "./relation_facts.ts";
import { type Run, whenStep } from "../../graph/step_queries.ts";

const ROLE_MANAGEMENT = maskOf("roleManagement");

/** The arguments of a deletion. */
const DELETION = { parentId: int, relationId: int, maxCost: int };
const args = placeholdersOf(DELETION);

/** Whether the role stays without the relation: it is a root, or another relation enters it. */
function staysWithout(relationId: Value, roleId: Value): SQL {
  const other = row(manages, "other");
  return sql`(EXISTS (SELECT 1 FROM ${other} WHERE ${other.childId} = ${roleId} AND ${other.id} <> ${relationId})
    OR ${isRoot(roleId)})`;
}

function isRoot(on: Value): SQL {
  const root = row(role, "root");
  return sql`EXISTS (SELECT 1 FROM ${root} WHERE ${root.id} = ${on} AND ${root.isRoot})`;
}

/**
 * Records what a command decided about a deletion. The next statements find what else is deleted, since a single
 * statement takes ten times as long to prepare.
 */
function deletionCommand<F extends FactSet>(command: Command<F>, run: Run): Statement {
  const isUndo = "isRead" in command.facts;
  const costed = costedVerdict({ isAllowed: sql`verdict = 'ok'`, shrinks: sql`true` });
  return recordCommand(
    command,
    {
      kind: sql`'manages.delete'`,
      ctes: sql`verdict AS MATERIALIZED (
    SELECT ${args.parentId} AS parent_id, ${said("childId")} AS child_id, ${said("ruling")} AS verdict),
  ${costed}`,
      ruled:
        sql`SELECT *, CASE WHEN verdict = 'ok' AND cost > ${args.maxCost} THEN 'too_large' ELSE verdict END AS ruling
      FROM costed`,
      via: said("via"),
      values: {
        parentId: args.parentId,
        roleId: sql`child_id`,
        relationId: said("relationId"),
        oldRights: said("oldRights"),
        cost: sql`cost`,
        ...(isUndo && { undoes }),
      },
      step: sql`CASE decision WHEN 'ok' THEN ${said("step")} ELSE 'none' END`,
      // The next statements list what would be deleted.
      previewStep: said("step"),
    },
    { parentId: int, maxCost: int, ...(isUndo && { undoes: int }) },
    run,
  );
}

/** Sets a column of this deletion's row, unless it has been refused since. */
function noteDeletion(column: SQLiteColumn, value: SQL, further?: SQL): SQL {
  const isDeletion = whenStep("delete");
  return sql`
  UPDATE ${changeLog} SET ${bare(column)} = ${value}
  WHERE ${further === undefined ? isDeletion : sql`${isDeletion} AND ${further}`}`;
}

/** The roles that may be deleted: all of Desc*(C), if no other relation enters C and C is no root. */
const NOTE_ROLES_AT_STAKE = define({ opId: text, relationId: int }, () => {
  const below = row(roleClosure, "below");
  const child = changeLog.roleId;
  const stays = staysWithout(args.relationId, child);
  return noteDeletion(
    changeLog.deletedRoleIds,
    sql`CASE WHEN ${stays} THEN '[]' ELSE (SELECT json_group_array(at_stake.id) FROM (
      SELECT ${child} AS id
      UNION ALL SELECT ${below.descendantId} FROM ${below} WHERE ${below.ancestorId} = ${child}) at_stake) END`,
  );
});

/** Selects the ids in a list of the deletion's row. */
function idsIn(list: SQL): SQL {
  return sql`(SELECT value FROM json_each(${list}))`;
}

/** Keeps the roles at stake that are reached from outside or from a root among them. */
const KEEP_STAYING_ROLES = define({ opId: text, relationId: int }, () => {
  const { entering, onward, root } = rowsOf({ entering: manages, onward: manages, root: role });
  const isEnteredFromOutside = sql`${entering.childId} IN ${idsIn(DELETED_ROLES)}
        AND ${entering.parentId} NOT IN ${idsIn(DELETED_ROLES)} AND ${entering.id} <> ${args.relationId}`;
  return noteDeletion(
    changeLog.deletedRoleIds,
    sql`(
    WITH RECURSIVE staying(role_id) AS (
      SELECT ${entering.childId} FROM ${entering} WHERE ${isEnteredFromOutside}
      UNION
      SELECT ${root.id} FROM json_each(${DELETED_ROLES}) deleted
        CROSS JOIN ${root} ON ${root.id} = deleted.value AND ${root.isRoot}
      UNION
      SELECT ${onward.childId} FROM staying CROSS JOIN ${onward} ON ${onward.parentId} = staying.role_id)
    SELECT json_group_array(value) FROM json_each(${DELETED_ROLES}) WHERE value NOT IN (SELECT role_id FROM staying))`,
    sql`${changeLog.deletedRoleIds} <> '[]'`,
  );
});

/** The cost of deleting a role besides its closure rows, and of deleting a membership, key or device. */
const COST_PER_ROLE = 8;
const COST_PER_ROW = 4;

/** Selects a row for each row of the table that is in a deleted role. */
function rowsInDeletedRoles(of: SQLiteTable, roleId: SQLiteColumn): SQL {
  return sql`SELECT 1 FROM json_each(${DELETED_ROLES}) deleted CROSS JOIN ${of} ON ${roleId} = deleted.value`;
}

/** Adds the cost of what is deleted with the roles. The scans stop at the cost bound. */
const NOTE_DELETION_COST = define({ opId: text, maxCost: int }, () => {
  const { joined, watching } = rowsOf({ joined: member, watching: monitors });
  const below = row(roleClosure, "below");
  // Memberships and keys, ended ones too, and monitors relations.
  const rows = sql`${rowsInDeletedRoles(joined, joined.roleId)}
    UNION ALL ${rowsInDeletedRoles(watching, watching.roleId)} LIMIT ${args.maxCost} / ${COST_PER_ROW} + 1`;
  const closureRows = rowsInDeletedRoles(below, below.ancestorId);
  return noteDeletion(
    changeLog.cost,
    sql`${changeLog.cost} + ${COST_PER_ROLE} * json_array_length(${changeLog.deletedRoleIds})
      + ${COST_PER_ROW} * (SELECT count(*) FROM (${rows}))
      + (SELECT count(*) FROM (${closureRows} LIMIT +${args.maxCost} + 1))`,
  );
});

/** Refuses a deletion that costs too much, before the next statement lists what is deleted with it. */
const REFUSE_LARGE_DELETION = define({ opId: text, maxCost: int }, () =>
  sql`
  UPDATE ${changeLog} SET ${assigned(changeLog, { decision: sql`'too_large'`, step: sql`'none'` })}
  WHERE ${whenStep("delete")} AND ${changeLog.cost} > ${args.maxCost}`);

/**
 * Lists the deleted relations: the requested one, and all manages relations from, memberships in and monitors relations
 * of a deleted role. The bound on the cost also bounds their number.
 */
const NOTE_DELETED_RELATIONS = define({ opId: text, now: int }, () => {
  const { started, joined, watching } = rowsOf({ started: manages, joined: member, watching: monitors });
  return noteDeletion(
    changeLog.deletedRelationIds,
    sql`(SELECT json_group_array(id) FROM (
      SELECT ${changeLog.relationId} AS id
      UNION ALL
      SELECT ${started.id} FROM json_each(${DELETED_ROLES}) deleted
        CROSS JOIN ${started} ON ${started.parentId} = deleted.value
      UNION ALL
      SELECT ${joined.id} FROM json_each(${DELETED_ROLES}) deleted
        CROSS JOIN ${joined} ON ${joined.roleId} = deleted.value
        WHERE ${joined.userId} > 0 AND ${holderLives(joined)}
      UNION ALL
      SELECT ${watching.id} FROM json_each(${DELETED_ROLES}) deleted
        CROSS JOIN ${watching} ON ${watching.roleId} = deleted.value))`,
  );
});

/** Notes the roles that stay but would lose their last incoming relation with roleManagement, if any. */
const NOTE_BLOCKED_ROLES = define({ opId: text }, () => {
  const { taken, kept } = rowsOf({ taken: manages, kept: manages });
  const blocked = sql`blocked.role_ids`;
  return noteDeletion(
    changeLog.details,
    sql`(
    SELECT json_object('roles', ${nameRoles(blocked)}) FROM (
      SELECT json_group_array(lost.child_id) AS role_ids FROM (
        SELECT DISTINCT ${taken.childId} FROM json_each(${DELETED_RELATIONS}) deleted
          CROSS JOIN ${taken} ON ${taken.id} = deleted.value WHERE ${taken.rights} & ${ROLE_MANAGEMENT}) lost
      WHERE NOT ${isRoot(sql`lost.child_id`)}
        AND lost.child_id NOT IN ${idsIn(DELETED_ROLES)}
        AND NOT EXISTS (SELECT 1 FROM ${kept} WHERE ${kept.childId} = lost.child_id
          AND ${kept.rights} & ${ROLE_MANAGEMENT} AND ${kept.id} NOT IN ${idsIn(DELETED_RELATIONS)})) blocked
    WHERE ${blocked} <> '[]')`,
  );
});

const DELETE_RELATIONS = define(
  { opId: text },
  () => sql`DELETE FROM ${manages} WHERE ${manages.id} IN ${idsIn(DELETED_RELATIONS)}`,
);
const DELETE_MEMBERS = define(
  { opId: text },
  () => sql`DELETE FROM ${member} WHERE ${member.roleId} IN ${idsIn(DELETED_ROLES)}`,
);
const DELETE_KEYS = define(
  { opId: text },
  () => sql`DELETE FROM ${roleKey} WHERE ${roleKey.roleId} IN ${idsIn(DELETED_ROLES)}`,
);
const DELETE_ROLES = define(
  { opId: text },
  () => sql`DELETE FROM ${role} WHERE ${role.id} IN ${idsIn(DELETED_ROLES)}`,
);

/** The last statement of a deletion: a `DeletionRow`. */
export const READ_DELETION: Statement = readBack(
  sql`${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN},
    ${changeLog.roleId} AS childRoleId, ${changeLog.deletedRoleIds} AS deletedRoleIds,
    ${changeLog.deletedDeviceIds} AS deletedDeviceIds, ${changeLog.deletedRelationIds} AS deletedRelationIds,
    ${NAMED_COLUMN}`,
);

/** The role has a password, or a member or key lives in it, whom a deletion would also take. */
function isUsed(roles: Value): SQL {
  const { joined, owned } = rowsOf({ joined: member, owned: role });
  return sql`(EXISTS (SELECT 1 FROM json_each(${roles}) made
      CROSS JOIN ${joined} ON ${joined.roleId} = made.value AND ${memberLives(joined)})
    OR EXISTS (SELECT 1 FROM json_each(${roles}) made
      CROSS JOIN ${owned} ON ${owned.id} = made.value AND ${owned.passwordHash} IS NOT NULL))`;
}

/** Refuses to undo the making of a relation, and of the roles `madeRoles` with it, if that takes anything else. */
const REFUSE_MORE_THAN_MADE = define({ opId: text, now: int, madeRoles: text }, ({ madeRoles }) => {
  const { deletedRoleIds, deletedRelationIds, deletedDeviceIds, relationId } = changeLog;
  return sql`
  UPDATE ${changeLog} SET ${assigned(changeLog, { decision: sql`'changed_since'`, step: sql`'none'` })}
  WHERE ${whenStep("delete")} AND (${deletedRoleIds} <> ${madeRoles} OR ${deletedDeviceIds} <> '[]'
    OR ${deletedRelationIds} <> json_array(${relationId}) OR ${isUsed(madeRoles)})`;
});

/** Notes what goes with the relation, within the bound on the cost. */
const NOTE_DELETION: readonly Statement[] = [
  NOTE_ROLES_AT_STAKE,
  KEEP_STAYING_ROLES,
  NOTE_DELETION_COST,
  REFUSE_LARGE_DELETION,
  NOTE_DELETED_RELATIONS,
  NOTE_DELETED_DEVICES,
  NOTE_BLOCKED_ROLES,
];
const IS_BLOCKED = sql`${changeLog.details} IS NOT NULL`;

function decideDeletion<F extends FactSet>(command: Command<F>, run: Run): readonly Statement[] {
  return [
    deletionCommand(command, run),
    ...NOTE_DELETION,
    ...("isRead" in command.facts ? [REFUSE_MORE_THAN_MADE] : []),
    refuseDeletion(run, IS_BLOCKED),
  ];
}

const DELETE_ALL: readonly Statement[] = [
  DELETE_RELATIONS,
  ...CLEAR_RECTANGLE,
  ...RECOMPUTE_RECTANGLE,
  ...DROP_ROWS_BELOW_DELETED_ROLES,
  DELETE_MEMBERS,
  DELETE_KEYS,
  DELETE_ROLES,
];

/**
 * Deletes a relation and the roles that only it connected to the graph, with their relations and members, and lists the
 * devices to delete. To be followed by the statements of other areas (`ManagesDeps.cascades`) and `READ_DELETION`.
 */
export const DELETE_RELATION: readonly Statement[] = [
  ...decideDeletion(DELETE, "change"),
  COUNT_TO_ACTED,
  ...DELETE_ALL,
  chargeChange(),
];

/** Refuses a deletion that would take a device, or a role that it does not name in the JSON list `mayDelete`. */
const REFUSE_MORE_THAN_NAMED = define({ opId: text, mayDelete: text }, ({ mayDelete }) => {
  const { deletedRoleIds, deletedDeviceIds } = changeLog;
  return sql`
  UPDATE ${changeLog} SET ${assigned(changeLog, { decision: sql`'would_delete'`, step: sql`'none'` })}
  WHERE ${
    whenStep("delete")
  } AND (${deletedRoleIds} NOT IN ('[]', ${mayDelete}) OR ${deletedDeviceIds} <> '[]')`;
});

/**
 * Deletes a relation for an administrator's task, and the role that it enters if `mayDelete` lists that, but no other
 * role and no device. The last statement returns a `DecisionRow`.
 */
export const DELETE_RELATION_AS_ADMINISTRATOR: readonly Statement[] = [
  deletionCommand(DELETE_AS_ADMINISTRATOR, "change"),
  ...NOTE_DELETION,
  REFUSE_MORE_THAN_NAMED,
  refuseDeletion("change", IS_BLOCKED),
  ...DELETE_ALL,
];

/** The preview of a deletion. The last statement returns a `DeletionRow`. */
export const PREVIEW_DELETION: readonly Statement[] = [...decideDeletion(DELETE, "preview"), READ_DELETION];

/**
 * Deletes a relation that a change made, and the roles that it made with it, but nothing else. The last statement
 * returns a `DeletionRow`.
 */
export function undoMakingBatches(undone: Undone): Previewable {
  const command = undoOfMaking(undone);
  return previewable({
    make: [
      ...decideDeletion(command, "change"),
      COUNT_TO_ACTED,
      ...DELETE_ALL,
      chargeChange(),
      READ_DELETION,
    ],
    preview: [...decideDeletion(command, "preview"), READ_DELETION],
  });
}
