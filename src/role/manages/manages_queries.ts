import { REVISION_COLUMN } from "../../db/revisions.ts";
import { changeLog, manages, managesHistory, role, roleClosure } from "../../db/schema/role.ts";
import {
  bare,
  define,
  inserted,
  int,
  placeholdersOf,
  quoted,
  row,
  rowsOf,
  type SQL,
  sql,
  takenOver,
  text,
  type Value,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import {
  GIVEN,
  nextId,
  type Previewable,
  previewable,
  recordChange,
  type RecordedChange,
  type Run,
  TAKE_RELATION_ID,
  type Undoing,
  whenEffect,
} from "../change/change_queries.ts";
import { chargeChange, type ChargedChange, OLDEST_ACTED } from "../change/charge_queries.ts";
import {
  costedVerdict,
  GROW_CLOSURE,
  RECOMPUTE_MOVED,
  RECOMPUTE_RECTANGLE,
} from "../closure/closure_queries.ts";
import {
  actorAndMakerMeet,
  firstAuthorizingRole,
  isOneVisible,
  someAuthorizingRole,
} from "../guard/guard_queries.ts";
import { type Acting, holds, holdsDirectly, holdsIndirectly, mayGive } from "../guard/rule_queries.ts";
import { ONE_ROW, PRINCIPAL_LIVES } from "../guard/principal_queries.ts";
import type { LoggedEffect } from "../change/decision.ts";
import { maskOf } from "../rights.ts";

const ROLE_MANAGEMENT = maskOf("roleManagement");
/** The arguments of changes: the pair or the relation, its new rights, and the relation that it replaces. */
const PUT = { parentId: int, childId: int, rights: int, maxCost: int };
const UPDATE = { parentId: int, relationId: int, rights: int, maxCost: int };
const MOVE = { ...PUT, replaces: int };
const args = placeholdersOf({ ...MOVE, ...UPDATE });
const { opId } = placeholdersOf({ opId: text });

/** Columns of a relation that may be absent. */
type Relation = Pick<typeof manages, "id" | "parentId" | "childId" | "rights" | "byPassword">;

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

/** Returns the rights that the change adds to those of a relation, which may be absent. */
export function addedTo(rights: Value): SQL {
  return sql`${args.rights} & ~coalesce(${rights}, 0)`;
}

/** Whether the relation is absent, or gets rights that it does not have. */
function givesTo(existing: Relation): SQL {
  return sql`(${existing.id} IS NULL OR ${addedTo(existing.rights)})`;
}

/** Whether the role stays without the relation: it is a root, or another relation enters it. */
export function staysWithout(relationId: Value, roleId: Value): SQL {
  const other = row(manages, "other");
  return sql`(EXISTS (SELECT 1 FROM ${other} WHERE ${other.childId} = ${roleId} AND ${other.id} <> ${relationId})
    OR ${isRoot(roleId)})`;
}

export function isRoot(on: Value): SQL {
  const root = row(role, "root");
  return sql`EXISTS (SELECT 1 FROM ${root} WHERE ${root.id} = ${on} AND ${root.isRoot})`;
}

/**
 * Whether the actor has direct or indirect roleManagement on the relation's parent, or indirect on its child. Direct on
 * the child is enough if the relation was made by password and the child stays; otherwise its members could delete it.
 * Then a key's maker needs that right, too: a removed member's key could shut out the role's managers.
 */
export function mayTakeAway(relation: Relation): SQL {
  const { parentId: parent, childId: child, byPassword } = relation;
  const managesIt = someAuthorizingRole((acting) => takesAway(acting, parent, child));
  const managesItself = actorAndMakerMeet((acting) => holdsDirectly(acting, "roleManagement", child));
  return sql`(${managesIt}
    OR (${byPassword} AND ${staysWithout(relation.id, child)} AND ${managesItself}))`;
}

function takesAway(acting: Acting, parent: Value, child: Value): SQL {
  return sql`(${holds(acting, "roleManagement", parent)} OR ${
    holdsIndirectly(acting, "roleManagement", child)
  })`;
}

/** Selects the oldest role by which the actor may take the relation of a verdict away, which is allowed. */
export const OLDEST_TAKING_AWAY: SQL = firstAuthorizingRole((acting) =>
  sql`${takesAway(acting, sql`parent_id`, sql`child_id`)}
    OR (by_password AND ${holdsDirectly(acting, "roleManagement", sql`child_id`)})`
);

/** Whether the change of the relation leaves a child that is no root without an incoming roleManagement. */
export function takesLastManager(relation: Relation): SQL {
  const other = row(manages, "other");
  return sql`${relation.rights} & ${ROLE_MANAGEMENT} AND NOT (${args.rights} & ${ROLE_MANAGEMENT})
    AND NOT EXISTS (SELECT 1 FROM ${other} WHERE ${other.childId} = ${relation.childId}
      AND ${other.rights} & ${ROLE_MANAGEMENT} AND ${other.id} <> ${relation.id})
    AND NOT ${isRoot(relation.childId)}`;
}

interface RelationDecision {
  readonly kind: "manages.put" | "manages.update" | "manages.move";
  /**
   * Selects parent_id, child_id, relation_id, old_rights and verdict, and no row if the session has ended. Of a move,
   * also the relation that is replaced: replaced_id, replaced_parent_id and replaced_rights.
   */
  readonly verdict: SQL;
  readonly run: Run;
  /** See `ChargedChange`. Absent for an administrator's task. */
  readonly by?: ChargedChange["by"];
  /** See `RecordedChange`. */
  readonly ownRow?: SQL;
  /** Further details of the row. */
  readonly details?: SQL;
  /** See `RecordedChange`. */
  readonly via?: SQL;
  readonly undoing?: Undoing | undefined;
}

/** The id of a deleted relation that an undo makes again. */
const RESTORED = { restoredId: int };
const { restoredId } = placeholdersOf(RESTORED);

/**
 * Returns `value`, which is about an existing relation; null if the change is refused and the actor does not see the
 * parent. They may read the refusals of the child, and must not learn from them whether a guess was right.
 */
export function unlessHidden(value: SQL): SQL {
  return sql`CASE WHEN decision <> 'denied' OR ${isOneVisible(args.parentId)} THEN ${value} END`;
}

/** Returns the change log row of a change of one relation. */
export function relationDecision(
  { kind, verdict, run, by, ownRow = sql`false`, details, via, undoing }: RelationDecision,
): RecordedChange {
  const isMove = kind === "manages.move";
  const isUpdate = kind === "manages.update";
  const [child, relation] = [sql`child_id`, sql`relation_id`];
  const known = unlessHidden(relation);
  const taken = undoing === undefined || isUpdate ? nextId("relation", run) : restoredId;
  const isMade = sql`relation_id IS NULL AND decision = 'ok'`;
  const takesRights = sql`old_rights & ~${args.rights}`;
  const costed = costedVerdict({
    isAllowed: sql`verdict = 'ok'`,
    shrinks: isMove ? sql`true` : takesRights,
    replaces: isMove,
  });
  return {
    kind: quoted(kind),
    ctes: sql`verdict AS MATERIALIZED (${verdict}), ${costed}`,
    ruled:
      sql`SELECT *, CASE WHEN verdict = 'ok' AND cost > ${args.maxCost} THEN 'too_large' ELSE verdict END AS ruling
      FROM costed`,
    ...(via && { via }),
    charged: by && {
      by,
      takesAway: sql`old_rights IS NOT NULL AND NOT (${args.rights} & ~old_rights)`,
    },
    values: {
      parentId: sql`parent_id`,
      roleId: isUpdate ? unlessHidden(child) : child,
      relationId: isUpdate ? known : sql`CASE WHEN ${isMade} THEN ${taken} ELSE ${known} END`,
      oldRights: unlessHidden(sql`old_rights`),
      newRights: args.rights,
      cost: sql`cost`,
      blockedRoleId: sql`CASE WHEN decision = 'unmanaged' THEN child_id END`,
      ...(isMove && { deletedRelationIds: sql`CASE WHEN decision = 'ok' THEN json_array(replaced_id) END` }),
      ...(details && { details }),
    },
    // A change that takes some rights and adds others shrinks: it recomputes the rectangle, which finds both.
    effect: isMove
      ? sql`CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END`
      : sql`CASE WHEN decision <> 'ok' THEN 'none' WHEN ${takesRights} THEN 'shrink' ELSE 'grow' END`,
    ownRow,
    undoing,
  };
}

const path = row(roleClosure, "path");
/** Joining the parent and the child would close a cycle, or join a role to itself. */
export const WOULD_CLOSE_CYCLE: SQL = sql`(${args.parentId} = ${args.childId} OR EXISTS (SELECT 1 FROM ${path}
      WHERE ${path.descendantId} = ${args.parentId} AND ${path.ancestorId} = ${args.childId}))`;

const former = row(manages, "former");
/** The rights of the requested pair's relation, or null. */
export const FORMER_RIGHTS: SQL = sql`(SELECT ${former.rights} FROM ${former}
      WHERE ${former.parentId} = ${args.parentId} AND ${former.childId} = ${args.childId})`;

/** Whether the membership may connect the requested pair. */
function connectsPair(acting: Acting): SQL {
  return connects(acting, args.parentId, args.childId, addedTo(FORMER_RIGHTS));
}

/** Narrowing by the pair takes the rights that making it takes. By its id, less is enough (`decideUpdate`). */
function decidePut(run: Run, undoing?: Undoing): Statement {
  const existing = row(manages, "existing");
  const verdict = sql`
  SELECT ${args.parentId} AS parent_id, ${args.childId} AS child_id, ${existing.id} AS relation_id,
    ${existing.rights} AS old_rights, CASE
    WHEN NOT ${
    mayConnect(args.parentId, args.childId, addedTo(existing.rights), givesTo(existing))
  } THEN 'denied'
    WHEN ${WOULD_CLOSE_CYCLE} THEN 'cycle'
    WHEN ${existing.rights} = ${args.rights} THEN 'noop'
    WHEN ${takesLastManager(existing)} THEN 'unmanaged'
    ELSE 'ok' END AS verdict
  FROM ${ONE_ROW} LEFT JOIN ${existing}
    ON ${existing.parentId} = ${args.parentId} AND ${existing.childId} = ${args.childId}
  WHERE ${PRINCIPAL_LIVES}`;
  return recordChange(
    { ...PUT, ...(undoing && RESTORED) },
    relationDecision({ kind: "manages.put", verdict, run, by: connectsPair, undoing }),
    run,
  );
}

function decidePutAsAdministrator(): Statement {
  const { existing, parent, child } = rowsOf({ existing: manages, parent: role, child: role });
  const verdict = sql`
  SELECT ${args.parentId} AS parent_id, ${args.childId} AS child_id, ${existing.id} AS relation_id,
    ${existing.rights} AS old_rights, CASE
    WHEN ${WOULD_CLOSE_CYCLE} THEN 'cycle'
    WHEN ${existing.rights} = ${args.rights} THEN 'noop'
    WHEN ${takesLastManager(existing)} THEN 'unmanaged'
    ELSE 'ok' END AS verdict
  FROM ${parent} CROSS JOIN ${child} ON ${child.id} = ${args.childId}
    LEFT JOIN ${existing} ON ${existing.parentId} = ${parent.id} AND ${existing.childId} = ${child.id}
  WHERE ${parent.id} = ${args.parentId}`;
  return recordChange(PUT, relationDecision({ kind: "manages.put", verdict, run: "change" }));
}

function decideUpdate(run: Run, undoing?: Undoing): Statement {
  const existing = row(manages, "existing");
  const mayWiden = mayConnect(existing.parentId, existing.childId, addedTo(existing.rights));
  const verdict = sql`
  SELECT ${args.parentId} AS parent_id, ${existing.childId}, ${existing.id} AS relation_id,
    ${existing.rights} AS old_rights, ${existing.byPassword}, CASE
    WHEN ${existing.id} IS NULL THEN 'denied'
    WHEN NOT CASE WHEN ${args.rights} & ~${existing.rights} THEN ${mayWiden}
      ELSE ${mayTakeAway(existing)} END THEN 'denied'
    WHEN ${existing.rights} = ${args.rights} THEN 'noop'
    WHEN ${takesLastManager(existing)} THEN 'unmanaged'
    ELSE 'ok' END AS verdict
  FROM ${ONE_ROW} LEFT JOIN ${existing}
    ON ${existing.id} = ${args.relationId} AND ${existing.parentId} = ${args.parentId}
  WHERE ${PRINCIPAL_LIVES}`;
  const { child, wide } = rowsOf({ child: manages, wide: manages });
  const isAsked = (relation: Relation): SQL =>
    sql`${relation.id} = ${args.relationId} AND ${relation.parentId} = ${args.parentId}`;
  const added = sql`(SELECT ${addedTo(wide.rights)} FROM ${wide} WHERE ${isAsked(wide)})`;
  const childId = sql`(SELECT ${child.childId} FROM ${child} WHERE ${isAsked(child)})`;
  // A member who only manages the child can take rights away, which is free.
  const by = (acting: Acting): SQL =>
    sql`iif(${added}, ${connects(acting, args.parentId, childId, added)}, ${
      holds(acting, "roleManagement", args.parentId)
    })`;
  const via = sql`iif(${args.rights} & ~old_rights, ${OLDEST_ACTED}, ${OLDEST_TAKING_AWAY})`;
  return recordChange(
    UPDATE,
    relationDecision({ kind: "manages.update", verdict, run, by, via, undoing }),
    run,
  );
}

/**
 * Replaces a relation from another parent. An actor who may join the child may also delete the relations that enter it,
 * and knows them. A repeated move, which has nothing left to replace, is a noop.
 */
function decideMove(run: Run, undoing?: Undoing): Statement {
  const { existing, replaced, other } = rowsOf({ existing: manages, replaced: manages, other: manages });
  const isManagedOtherwise = sql`EXISTS (SELECT 1 FROM ${other} WHERE ${other.childId} = ${args.childId}
        AND ${other.rights} & ${ROLE_MANAGEMENT}
        AND ${other.id} NOT IN (${replaced.id}, coalesce(${existing.id}, ${replaced.id})))`;
  const verdict = sql`
  SELECT ${args.parentId} AS parent_id, ${args.childId} AS child_id, ${existing.id} AS relation_id,
    ${existing.rights} AS old_rights, ${replaced.id} AS replaced_id,
    ${replaced.parentId} AS replaced_parent_id, ${replaced.rights} AS replaced_rights, CASE
    WHEN NOT ${
    mayConnect(args.parentId, args.childId, addedTo(existing.rights), givesTo(existing))
  } THEN 'denied'
    WHEN ${replaced.id} IS NULL THEN
      CASE WHEN ${existing.rights} = ${args.rights} AND ${existing.id} <> ${args.replaces} THEN 'noop' ELSE 'denied' END
    WHEN ${WOULD_CLOSE_CYCLE} THEN 'cycle'
    WHEN NOT (${args.rights} & ${ROLE_MANAGEMENT}) AND NOT ${isManagedOtherwise}
      AND NOT ${isRoot(args.childId)} THEN 'unmanaged'
    ELSE 'ok' END AS verdict
  FROM ${ONE_ROW} LEFT JOIN ${existing}
      ON ${existing.parentId} = ${args.parentId} AND ${existing.childId} = ${args.childId}
    LEFT JOIN ${replaced} ON ${replaced.id} = ${args.replaces} AND ${replaced.childId} = ${args.childId}
      AND ${replaced.parentId} <> ${args.parentId}
  WHERE ${PRINCIPAL_LIVES}`;
  const details = sql`CASE WHEN decision = 'ok' THEN json_object(
        'replacedParentId', replaced_parent_id, 'replacedRights', replaced_rights) END`;
  return recordChange(
    { ...MOVE, ...(undoing && RESTORED) },
    relationDecision({ kind: "manages.move", verdict, run, by: connectsPair, details, undoing }),
    run,
  );
}

/** The relation of a change log row. */
export const RELATION_IN_LOG = {
  id: changeLog.relationId,
  parentId: changeLog.parentId,
  childId: changeLog.roleId,
  rights: changeLog.newRights,
};
export const RELATION_PAIR: SQL = bare(manages.parentId, manages.childId);

/** Writes the relation of this operation's change log row, if it has one of the effects. */
function writeRelation(...effects: LoggedEffect[]): Statement {
  const { names, values } = inserted(manages, { ...RELATION_IN_LOG, ...GIVEN });
  return define({ opId: text }, () =>
    sql`
  INSERT INTO ${manages} (${names}) SELECT ${values} FROM ${changeLog} WHERE ${whenEffect(...effects)}
  ON CONFLICT (${RELATION_PAIR}) DO UPDATE SET ${takenOver(manages.rights)}`);
}

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
function restoreRelation(...effects: LoggedEffect[]): Statement {
  const past = row(managesHistory, "past");
  const { parentId, childId, byPassword, givenBy, givenVia } = past;
  const { relationId: id, newRights: rights } = changeLog;
  const { names, values } = inserted(manages, {
    id,
    parentId,
    childId,
    rights,
    byPassword,
    givenBy,
    givenVia,
  });
  return define({ opId: text }, () =>
    sql`
  INSERT INTO ${manages} (${names}) SELECT ${values} FROM ${changeLog}
    CROSS JOIN ${past} ON ${past.relationId} = ${changeLog.relationId}
      AND ${past.toRev} IN (${changeLog.undoes}, ${changeLog.undoes} + 1)
  WHERE ${whenEffect(...effects)}`);
}

const GROW_OR_RECOMPUTE: readonly Statement[] = [
  ...GROW_CLOSURE,
  ...RECOMPUTE_RECTANGLE,
  chargeChange(),
  READ_RELATION,
];
const WRITE_AND_READ: readonly Statement[] = [writeRelation("grow", "shrink"), ...GROW_OR_RECOMPUTE];

const READ_PREVIEWED = readBack(PREVIEWED_COLUMNS);

/** Creates or updates the relation of a pair of roles. The last statement returns a `RelationRow`. */
export const PUT_RELATION: Previewable = previewable({
  make: [decidePut("change"), TAKE_RELATION_ID, ...WRITE_AND_READ],
  preview: [decidePut("preview"), READ_PREVIEWED],
});

/** The same for an administrator's task, if both roles exist. It is not charged. */
export const PUT_RELATION_AS_ADMINISTRATOR: readonly Statement[] = [
  decidePutAsAdministrator(),
  TAKE_RELATION_ID,
  writeRelation("grow", "shrink"),
  ...GROW_CLOSURE,
  ...RECOMPUTE_RECTANGLE,
  READ_RELATION,
];

/** Makes a deleted relation again, under its id. */
export function undoDeletionBatches(undoing: Undoing): Previewable {
  return previewable({
    make: [decidePut("change", undoing), restoreRelation("grow"), ...GROW_OR_RECOMPUTE],
    preview: [decidePut("preview", undoing), READ_PREVIEWED],
  });
}

/** Returns the batches that update a relation by its id. Their last statement returns a `RelationRow`. */
export function updateRelationBatches(undoing?: Undoing): Previewable {
  return previewable({
    make: [decideUpdate("change", undoing), ...WRITE_AND_READ],
    preview: [decideUpdate("preview", undoing), READ_PREVIEWED],
  });
}

export const UPDATE_RELATION: Previewable = updateRelationBatches();

/** Writes a second row about the former parent, for its managers to read. */
const LOG_REPLACED = define({ opId: text }, () => {
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
    effect: sql`'none'`,
    deletedRoleIds: sql`'[]'`,
    deletedRelationIds,
  });
  return sql`INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM ${changeLog} WHERE ${
    whenEffect("write")
  }`;
});

const DELETE_REPLACED = define({ opId: text }, () => {
  const replaced = sql`SELECT ${changeLog.deletedRelationIds} ->> 0 FROM ${changeLog} WHERE ${
    whenEffect("write")
  }`;
  return sql`
      DELETE FROM ${manages} WHERE ${manages.id} = (${replaced})`;
});

/** Returns the batches of a move, of which `write` are the statements that write the new relation. */
function moveBatches(write: readonly Statement[], undoing?: Undoing): Previewable {
  return previewable({
    make: [
      decideMove("change", undoing),
      LOG_REPLACED,
      ...write,
      DELETE_REPLACED,
      ...RECOMPUTE_MOVED,
      chargeChange(),
      READ_RELATION,
    ],
    preview: [decideMove("preview", undoing), READ_PREVIEWED],
  });
}

/**
 * Creates or updates a relation, and deletes another one into the same role. The last statement returns a
 * `RelationRow`.
 */
export const MOVE_RELATION: Previewable = moveBatches([TAKE_RELATION_ID, writeRelation("write")]);

/** Makes the relation again that a move replaced, under its id, and deletes the one that replaced it. */
export function undoMoveBatches(undoing: Undoing): Previewable {
  return moveBatches([restoreRelation("write")], undoing);
}
