import { REVISION_COLUMN } from "../../db/revisions.ts";
import { changeLog, manages, managesHistory } from "../../db/schema/role.ts";
import {
  bare,
  type Declared,
  define,
  inserted,
  int,
  placeholdersOf,
  quoted,
  row,
  type SQL,
  sql,
  takenOver,
  text,
  type Value,
} from "../../db/sql.ts";
import { onSteps, type Statement } from "../../db/statement.ts";
import {
  GIVEN,
  nextId,
  type Previewable,
  previewable,
  type RecordedChange,
  TAKE_RELATION_ID,
  undoes,
} from "../../changes/change_queries.ts";
import { chargeChange } from "../../changes/charge_queries.ts";
import {
  CHARGED_BY,
  type Command,
  DECIDED,
  recordCommand,
  said,
  type Undone,
} from "../../changes/command.ts";
import type { FactSet } from "../../changes/facts.ts";
import {
  MOVE,
  PUT,
  PUT_AS_ADMINISTRATOR,
  undoOfDeletion,
  undoOfMove,
  undoOfUpdate,
  UPDATE,
} from "./relation_facts.ts";
import {
  costedVerdict,
  GROW_CLOSURE,
  RECOMPUTE_MOVED,
  RECOMPUTE_RECTANGLE,
} from "../../graph/closure/closure_queries.ts";
import { actorAndMakerMeet } from "../../graph/rules/guard_queries.ts";
import { type Acting, holds, holdsIndirectly, mayGive } from "../../graph/rules/rule_queries.ts";
import { insertRelations } from "../../changes/insertion_queries.ts";
import { type Run, type Step, stepFor, whenStep } from "../../graph/step_queries.ts";

/** The arguments of changes: the pair or the relation, its new rights, and the relation that it replaces. */
const CHANGED = { parentId: int, childId: int, rights: int, maxCost: int };
const args = placeholdersOf(CHANGED);
const { opId } = placeholdersOf({ opId: text });

/**
 * Whether the authorizing role holds direct or indirect roleManagement on the parent and indirect roleManagement on the
 * child, through a membership that may give the added rights.
 */
export function connects(acting: Acting, parent: Value, child: Value, added: Value): SQL {
  const [ofParent, ofChild] = [
    holds(acting, "roleManagement", parent),
    holdsIndirectly(acting, "roleManagement", child),
  ];
  return sql`${ofParent} AND ${ofChild} AND ${mayGive(acting, added)}`;
}

/** Whether a role of the actor `connects` parent and child. `gives`: see `actorAndMakerMeet`. */
export function mayConnect(parent: Value, child: Value, added: Value, gives?: Value): SQL {
  return actorAndMakerMeet((acting) => connects(acting, parent, child, added), gives);
}

/** The id of a deleted relation that an undo makes again. */
const RESTORED = { restoredId: int };
const { restoredId } = placeholdersOf(RESTORED);

type Kind = "manages.put" | "manages.update" | "manages.move";

/** What the log says of a change of a relation besides. */
interface Further {
  /** Further details of the row. */
  readonly details?: SQL;
  /** An administrator's task is not charged. */
  readonly isFree?: boolean;
  /** The arguments of these. */
  readonly declared?: Declared;
}

const REPLACED = {
  columns: sql`, ${said("replacedId")} AS replaced_id, ${said("replacedParentId")} AS replaced_parent_id,
      ${said("replacedRights")} AS replaced_rights`,
  details: sql`CASE WHEN decision = 'ok' THEN json_object(
        'replacedParentId', replaced_parent_id, 'replacedRights', replaced_rights) END`,
  deletedRelationIds: sql`CASE WHEN decision = 'ok' THEN json_array(replaced_id) END`,
};

/**
 * Records what a command decided about a relation. An undo that makes a relation again gives it the id that it had,
 * `restoredId`.
 */
export function relationCommand<F extends FactSet>(
  command: Command<F>,
  kind: Kind,
  run: Run,
  { details, isFree = false, declared = {} }: Further = {},
): Statement {
  const isUndo = "isRead" in command.facts;
  const isMove = kind === "manages.move";
  const taken = isUndo && kind !== "manages.update" ? restoredId : nextId("relation", run);
  const costed = costedVerdict({
    isAllowed: sql`verdict = 'ok'`,
    shrinks: isMove ? sql`true` : sql`old_rights & ~${args.rights}`,
    replaces: isMove,
  });
  const change: RecordedChange = {
    kind: quoted(kind),
    ctes: sql`verdict AS MATERIALIZED (
  SELECT ${said("parentId")} AS parent_id, ${said("childId")} AS child_id, ${
      said("relationId")
    } AS relation_id,
    ${said("oldRights")} AS old_rights${isMove ? REPLACED.columns : sql``}, ${
      said("ruling")
    } AS verdict), ${costed}`,
    ruled:
      sql`SELECT *, CASE WHEN verdict = 'ok' AND cost > ${args.maxCost} THEN 'too_large' ELSE verdict END AS ruling
      FROM costed`,
    via: said("via"),
    ...(!isFree && { charged: { by: CHARGED_BY, takesAway: said("takesAway") } }),
    values: {
      parentId: sql`parent_id`,
      roleId: sql`child_id`,
      relationId: kind === "manages.update"
        ? sql`relation_id`
        : sql`CASE WHEN relation_id IS NULL AND decision = 'ok' THEN ${taken} ELSE relation_id END`,
      oldRights: sql`old_rights`,
      newRights: args.rights,
      cost: sql`cost`,
      blockedRoleId: sql`CASE WHEN decision = 'unmanaged' THEN child_id END`,
      ...(isMove && { details: REPLACED.details, deletedRelationIds: REPLACED.deletedRelationIds }),
      ...(details && { details }),
      ...(isUndo && { undoes }),
    },
    step: sql`CASE decision WHEN 'ok' THEN ${said("step")} ELSE 'none' END`,
  };
  return recordCommand(
    command,
    change,
    { rights: int, maxCost: int, ...(isUndo && { undoes: int }), ...declared },
    run,
  );
}

/** The relation of a change log row. */
const RELATION_IN_LOG = {
  id: changeLog.relationId,
  parentId: changeLog.parentId,
  childId: changeLog.roleId,
  rights: changeLog.newRights,
};
const RELATION_PAIR: SQL = bare(manages.parentId, manages.childId);

/** Writes the relation of this operation's change log row, if it has one of the steps. An update keeps `byPassword`. */
function writeRelation(steps: readonly Step[], byPassword?: SQL): Statement {
  const made = { ...RELATION_IN_LOG, ...GIVEN, ...(byPassword && { byPassword }) };
  return onSteps(
    steps,
    define({ opId: text, ...(byPassword && DECIDED) }, () =>
      insertRelations(
        made,
        sql`FROM ${changeLog} WHERE ${whenStep(...steps)}
  ON CONFLICT (${RELATION_PAIR}) DO UPDATE SET ${takenOver(manages.rights)}`,
      )),
  );
}

/** Writes a relation that was perhaps made by password. */
export const WRITE_RELATION_BY_PASSWORD: Statement = writeRelation(["grow", "shrink"], said("byPassword"));

/** The columns of the last statement of a relation's change: a `RelationRow`. */
export const RELATION_COLUMNS: SQL =
  sql`${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN}, ${changeLog.relationId} AS id,
      ${changeLog.parentId} AS parentRoleId, ${changeLog.roleId} AS childRoleId, ${changeLog.newRights} AS rights`;
/** The columns of a preview: a `PreviewedRelationRow`. */
export const PREVIEWED_COLUMNS: SQL = sql`${RELATION_COLUMNS}, ${changeLog.oldRights} AS oldRights,
      ${changeLog.details} ->> 'replacedParentId' AS replacedParentId`;

/** Returns the last statement of a change, which reads columns of this operation's change log row. */
export function readBack(columns: SQL): Statement {
  return define({ opId: text }, () =>
    sql`
    SELECT ${columns} FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);
}

const READ_RELATION = readBack(RELATION_COLUMNS);

/**
 * Writes a deleted relation again as it was, with its giver. `restored` is the change that deleted it, or the one that
 * replaced it, whose next row is about the deletion.
 */
function restoreRelation(...steps: Step[]): Statement {
  const past = row(managesHistory, "past");
  const { parentId, childId, byPassword, givenBy, givenVia } = past;
  const { relationId: id, newRights: rights } = changeLog;
  const made = { id, parentId, childId, rights, byPassword, givenBy, givenVia };
  return stepFor(steps, () =>
    insertRelations(
      made,
      sql`FROM ${changeLog} CROSS JOIN ${past} ON ${past.relationId} = ${changeLog.relationId}
      AND ${past.toRev} IN (${changeLog.undoes}, ${changeLog.undoes} + 1)
  WHERE ${whenStep(...steps)}`,
    ));
}

const GROW_OR_RECOMPUTE: readonly Statement[] = [
  ...GROW_CLOSURE,
  ...RECOMPUTE_RECTANGLE,
  chargeChange(),
  READ_RELATION,
];
const WRITE_AND_READ: readonly Statement[] = [writeRelation(["grow", "shrink"]), ...GROW_OR_RECOMPUTE];

const READ_PREVIEWED = readBack(PREVIEWED_COLUMNS);

/** Creates or updates the relation of a pair of roles. The last statement returns a `RelationRow`. */
export const PUT_RELATION: Previewable = previewable({
  make: [relationCommand(PUT, "manages.put", "change"), TAKE_RELATION_ID, ...WRITE_AND_READ],
  preview: [relationCommand(PUT, "manages.put", "preview"), READ_PREVIEWED],
});

/** The same for an administrator's task, if both roles exist. It is not charged. */
export const PUT_RELATION_AS_ADMINISTRATOR: readonly Statement[] = [
  relationCommand(PUT_AS_ADMINISTRATOR, "manages.put", "change", { isFree: true }),
  TAKE_RELATION_ID,
  writeRelation(["grow", "shrink"]),
  ...GROW_CLOSURE,
  ...RECOMPUTE_RECTANGLE,
  READ_RELATION,
];

/** Makes a deleted relation again, under its id. */
export function undoDeletionBatches(undone: Undone): Previewable {
  const command = undoOfDeletion(undone);
  return previewable({
    make: [
      relationCommand(command, "manages.put", "change", { declared: RESTORED }),
      restoreRelation("grow"),
      ...GROW_OR_RECOMPUTE,
    ],
    preview: [relationCommand(command, "manages.put", "preview", { declared: RESTORED }), READ_PREVIEWED],
  });
}

function updateBatches<F extends FactSet>(command: Command<F>): Previewable {
  return previewable({
    make: [relationCommand(command, "manages.update", "change"), ...WRITE_AND_READ],
    preview: [relationCommand(command, "manages.update", "preview"), READ_PREVIEWED],
  });
}

/** Updates a relation by its id. The last statement returns a `RelationRow`. */
export const UPDATE_RELATION: Previewable = updateBatches(UPDATE);

/** Gives a relation its former rights. */
export function undoUpdateBatches(undone: Undone): Previewable {
  return updateBatches(undoOfUpdate(undone));
}

/** Writes a second row about the former parent, for its managers to read. */
const LOG_REPLACED = stepFor(["write"], () => {
  const { details, deletedRelationIds } = changeLog;
  const { names, values } = inserted(changeLog, {
    opId: sql`${changeLog.opId} || ' replaced'`,
    at: changeLog.at,
    actorId: changeLog.actorId,
    viaRoleId: changeLog.viaRoleId,
    sessionId: changeLog.sessionId,
    kind: sql`'manages.delete'`,
    parentId: sql`${details} ->> 'replacedParentId'`,
    roleId: changeLog.roleId,
    relationId: sql`${deletedRelationIds} ->> 0`,
    oldRights: sql`${details} ->> 'replacedRights'`,
    decision: changeLog.decision,
    step: sql`'none'`,
    deletedRoleIds: sql`'[]'`,
    deletedRelationIds,
  });
  return sql`INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM ${changeLog} WHERE ${
    whenStep("write")
  }`;
});

const DELETE_REPLACED = stepFor(["write"], () => {
  const replaced = sql`SELECT ${changeLog.deletedRelationIds} ->> 0 FROM ${changeLog} WHERE ${
    whenStep("write")
  }`;
  return sql`
      DELETE FROM ${manages} WHERE ${manages.id} = (${replaced})`;
});

function moveBatches<F extends FactSet>(
  command: Command<F>,
  /** Write the new relation. */
  write: readonly Statement[],
  declared: Declared = {},
): Previewable {
  return previewable({
    make: [
      relationCommand(command, "manages.move", "change", { declared }),
      LOG_REPLACED,
      ...write,
      DELETE_REPLACED,
      ...RECOMPUTE_MOVED,
      chargeChange(),
      READ_RELATION,
    ],
    preview: [relationCommand(command, "manages.move", "preview", { declared }), READ_PREVIEWED],
  });
}

/**
 * Creates or updates a relation, and deletes another one into the same role. The last statement returns a
 * `RelationRow`.
 */
export const MOVE_RELATION: Previewable = moveBatches(MOVE, [TAKE_RELATION_ID, writeRelation(["write"])]);

/** Makes the relation again that a move replaced, under its id, and deletes the one that replaced it. */
export function undoMoveBatches(undone: Undone): Previewable {
  return moveBatches(undoOfMove(undone), [restoreRelation("write")], RESTORED);
}
