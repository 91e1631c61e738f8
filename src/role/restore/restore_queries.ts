import { REVISION_COLUMN } from "../../db/revisions.ts";
import { userAccount } from "../../db/schema/identity.ts";
import {
  changeLog,
  managesHistory,
  memberHistory,
  role,
  roleClosure,
  roleHistory,
} from "../../db/schema/role.ts";
import { deletedMonitors, monitors } from "../../db/schema/telemetry.ts";
import {
  assigned,
  bare,
  define,
  excluded,
  inserted,
  int,
  placeholdersOf,
  quoted,
  row,
  rowsOf,
  type SQL,
  sql,
  text,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { type Previewable, previewable, recordChange, type Undoing } from "../../changes/change_queries.ts";
import {
  actedFor,
  CHARGE,
  type ChargedChange,
  charging,
  IS_UNAUTHORIZED,
} from "../../changes/charge_queries.ts";
import { BYTES_PER_RESTORED } from "../../changes/store_limits.ts";
import { growing, grownRows, noteRows } from "../../graph/closure/closure_queries.ts";
import { returningColumns } from "../external_id_queries.ts";
import { HISTORY_FROM } from "../../graph/history/moment_queries.ts";
import {
  holds,
  holdsIndirectly,
  mayGive,
  mayGiveUntil,
  unionOfMasks,
} from "../../graph/rules/rule_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";
import { ADMINISTRATOR_SESSION } from "../bootstrap_queries.ts";
import { readBack } from "../manages/manages_queries.ts";
import { ALL_RIGHTS, maskOf } from "../../graph/rights.ts";
import {
  atAndAbove,
  candidateHolds,
  candidateMayGive,
  declaredBy,
  hasLostAccess,
  isRestored,
  isRestoring,
  listOf,
  pastMembers,
  pastRelations,
  reachAndCandidates,
  RESTORED,
  type Restorer,
  someCandidate,
  walkOf,
  wasEndedInTrash,
} from "./restored_queries.ts";
import { insertMemberships, insertRelations } from "../../changes/insertion_queries.ts";
import { type Run, whenStep } from "../../graph/step_queries.ts";

/**
 * Restores what a deletion took. The first statement decides and bounds the work, the next one lists which relations to
 * roles that survived, and which memberships, the actor could make now. The others write. Those of other areas
 * (`restoreBatches`) list and write devices between them.
 */

const DECIDE = { ...RESTORED, childId: int, maxCost: int };
const { undoes, parentId, childId, relationId, rights, maxCost } = placeholdersOf(DECIDE);
const { opId } = placeholdersOf({ opId: text });

const { now } = placeholdersOf(PRINCIPAL);
const ROLE_MANAGEMENT = maskOf("roleManagement");
/** Any of these through relations lets a role manage the members of another one. */
const MANAGES_MEMBERS = maskOf("userManagement") | ROLE_MANAGEMENT;

/** The cost of restoring a role besides its closure rows, and of a relation, membership or device. */
const COST_PER_ROLE = 8;
const COST_PER_ROW = 4;

/**
 * CTEs that end with `costed`: the verdict with the cost. A cost is counted only for an actor with the right, and the
 * paths among the restored roles only while the rest is within the bound, as the deletion was: `walk` stops at it.
 * Counting them is itself work, so it is refused and charged like a preview, whether or not the restore is too large.
 */
function costedRestore(isAllowed: SQL): SQL {
  const { above, below } = rowsOf({ above: roleClosure, below: roleClosure });
  const { inside, outward, named } = rowsOf({
    inside: managesHistory,
    outward: managesHistory,
    named: roleHistory,
  });
  const undone = row(changeLog, "undone_cost");
  const roles = listOf("deletedRoleIds");
  const { lost, watching } = rowsOf({ lost: deletedMonitors, watching: monitors });
  const inMost = sql`(SELECT max(entering) FROM (SELECT count(*) AS entering FROM json_each(${roles}) entered
      CROSS JOIN ${inside} ON ${inside.childId} = entered.value AND ${inside.toRev} = ${undoes} GROUP BY entered.value))`;
  const gate = sql`(SELECT max(base, deletion_cost) <= ${maxCost} FROM sized)`;
  const mostSteps = sql`(SELECT CASE WHEN ${gate} THEN ${maxCost} / ${inMost} + 1 ELSE 0 END)`;
  // Whether a relation or a device's other relations authorize what returns is asked once for each of the actor's roles.
  const watchers = sql`(SELECT count(*) FROM (SELECT 1 FROM ${lost}
      CROSS JOIN ${watching} ON ${watching.deviceId} = ${lost.deviceId}
      WHERE ${lost.rev} = ${undoes} LIMIT +${maxCost}))`;
  // Only relations that the actor could make: others neither return, nor may their roles' growth stop the restore.
  const outwardRows = sql`SELECT 1 FROM outside UNION ALL SELECT 1 FROM outside
      CROSS JOIN ${outward} ON ${outward.relationId} = outside.id AND ${outward.toRev} = ${undoes}
      CROSS JOIN ${below} ON ${below.ancestorId} = ${outward.childId} LIMIT +${maxCost}`;
  return sql`verdict AS MATERIALIZED (
    SELECT CASE
      WHEN ${IS_UNAUTHORIZED} THEN 'denied'
      WHEN (SELECT count(${named.name}) FROM json_each(${roles}) listed CROSS JOIN ${named}
        ON ${named.roleId} = listed.value AND ${named.toRev} = ${undoes}) < json_array_length(${roles})
        THEN 'cannot_undo'
      ELSE 'ok' END AS verdict WHERE ${PRINCIPAL_LIVES}),
  counted AS MATERIALIZED (
    SELECT verdict, CASE WHEN ${isAllowed} THEN json_array_length(${roles}) END AS role_count,
      CASE WHEN ${isAllowed} THEN json_array_length(${listOf("deletedRelationIds")}) END AS row_count,
      CASE WHEN ${isAllowed} THEN 1 + (SELECT count(*) FROM ${above} WHERE ${above.descendantId} = ${parentId}) END AS up_size
    FROM verdict),
  sized AS MATERIALIZED (
    SELECT *, up_size * (role_count + row_count) + ${COST_PER_ROLE} * role_count + ${COST_PER_ROW} * row_count AS base,
      coalesce((SELECT ${undone.cost} FROM ${undone} WHERE ${undone.rev} = ${undoes}), 0) AS deletion_cost
    FROM counted),
  ${reachAndCandidates(childId, "actor", gate)},
  outside(id) AS MATERIALIZED (${outwardRelations("actor")}),
  ${walkOf(gate, mostSteps)},
  walked(steps, most_above) AS MATERIALIZED (
    SELECT sum(above), max(above) FROM (SELECT count(*) AS above FROM walk GROUP BY descendant_id)),
  costed AS MATERIALIZED (
    SELECT sized.*, CASE WHEN NOT ${gate} THEN max(base, deletion_cost)
      ELSE base + steps * ${inMost} + up_size * ${watchers} + (up_size + most_above) * (SELECT count(*) FROM (${outwardRows})) END AS cost
    FROM sized CROSS JOIN walked)`;
}

function decideRestore(run: Run, undoing: Undoing): Statement {
  const back = row(roleHistory, "back");
  const charged: ChargedChange = {
    by: (acting) => sql`${holds(acting, "roleManagement", parentId)} AND ${mayGive(acting, rights)}`,
    counts: "roles",
    amount: sql`role_count`,
  };
  const costed = costedRestore(sql`verdict = 'ok'`);
  return recordChange(DECIDE, {
    kind: sql`'manages.restore'`,
    // The row of a preview is not charged.
    ctes: run === "preview" ? sql`${actedFor(charged)}, ${costed}` : costed,
    ruled:
      sql`SELECT *, CASE WHEN verdict = 'ok' AND cost > ${maxCost} THEN 'too_large' ELSE verdict END AS ruling,
      (SELECT max(${back.toRev}) FROM ${back} WHERE ${back.roleId} = ${childId}) AS last_rev
      FROM costed`,
    charged,
    values: {
      parentId,
      roleId: childId,
      relationId,
      newRights: rights,
      cost: sql`cost`,
    },
    step: sql`CASE decision WHEN 'ok' THEN 'restore' ELSE 'none' END`,
    // The next statements list what would be restored.
    previewStep: sql`'restore'`,
    undoing,
  }, run);
}

/**
 * Selects the ids of the relations from restored roles to roles that survived and that the actor could make now. Such a
 * role cannot be above a restored one, unless it has been joined above P since.
 */
function outwardRelations(by: Restorer): SQL {
  const outward = row(managesHistory, "outward");
  const survivor = row(role, "survivor");
  const path = row(roleClosure, "path");
  const isAbove = sql`(${outward.childId} = ${parentId} OR EXISTS (SELECT 1 FROM ${path}
        WHERE ${path.descendantId} = ${parentId} AND ${path.ancestorId} = ${outward.childId}))`;
  const candidate = { roleId: sql`candidate.role_id`, rights: sql`candidate.rights` };
  const meets = sql`${candidateHolds(ROLE_MANAGEMENT)} AND ${candidateMayGive(outward.rights)}
          AND ${holdsIndirectly(candidate, "roleManagement", outward.childId)}`;
  return sql`SELECT ${outward.relationId} AS id FROM ${pastRelations(outward)}
      CROSS JOIN ${survivor} ON ${survivor.id} = ${outward.childId}
      CROSS JOIN reach ON reach.role_id = ${outward.parentId}
      WHERE NOT (${isRestored(outward.childId)}) AND NOT ${isAbove}
        AND ${someCandidate(by, meets)}`;
}

/** Selects the ids of the memberships that the actor could make now, and that have not ended since, nor in the trash. */
function returningMembers(by: Restorer): SQL {
  const past = row(memberHistory, "past");
  const account = row(userAccount, "account");
  const acting = { roleId: 0, rights: sql`candidate.rights`, endsAt: sql`candidate.ends_at` };
  const meets = sql`${candidateHolds(MANAGES_MEMBERS)} AND ${mayGiveUntil(acting, past.rights, past.endsAt)}`;
  return sql`SELECT ${past.memberId} AS id FROM ${pastMembers(past)}
      CROSS JOIN ${account} ON ${account.id} = ${past.userId}
      CROSS JOIN reach ON reach.role_id = ${past.roleId}
      WHERE (${past.endsAt} IS NULL OR ${past.endsAt} > ${now})
        AND ${someCandidate(by, meets)} AND ${past.userId} NOT IN (SELECT user_id FROM barred)
        AND NOT ${wasEndedInTrash(past.userId, past.roleId, undoes)}`;
}

/** Lists in `details` the relations and memberships that return, and counts what was restored and what was left out. */
function noteRestored(by: Restorer): Statement {
  return define(
    { ...RESTORED, childId: int, opId: text, now: int, ...declaredBy(by) },
    () => listRestored(by),
  );
}

function listRestored(by: Restorer): SQL {
  const { past, joined } = rowsOf({ past: managesHistory, joined: memberHistory });
  const requested = row(memberHistory, "requested");
  return sql`
  WITH RECURSIVE ${reachAndCandidates(childId, by)},
  barred(user_id) AS MATERIALIZED (
    SELECT person.user_id FROM (SELECT DISTINCT ${requested.userId} FROM ${pastMembers(requested)}) person
    WHERE ${hasLostAccess(sql`person.user_id`, atAndAbove(parentId), undoes)}),
  outside(ids) AS MATERIALIZED (SELECT json_group_array(id) FROM (${outwardRelations(by)})),
  returning_member(ids) AS MATERIALIZED (SELECT json_group_array(id) FROM (${returningMembers(by)})),
  total(relations, inner_relations, members) AS MATERIALIZED (
    SELECT (SELECT count(*) FROM ${pastRelations(past)}),
      (SELECT count(*) FROM ${pastRelations(past)} WHERE ${isRestored(past.childId)}),
      (SELECT count(*) FROM ${pastMembers(joined)}))
  UPDATE ${changeLog} SET ${bare(changeLog.details)} = (
    SELECT json_object('relationIds', json(outside.ids), 'memberIds', json(returning_member.ids),
      'restored', json_object('roles', json_array_length(${listOf("deletedRoleIds")}),
        'relations', inner_relations + json_array_length(outside.ids), 'members', json_array_length(returning_member.ids)),
      'leftOut', json_object('roles', 0,
        'relations', relations - inner_relations - json_array_length(outside.ids),
        'members', members - json_array_length(returning_member.ids)))
    FROM outside CROSS JOIN returning_member CROSS JOIN total)
  WHERE ${whenStep("restore")}`;
}

/** The ids that a list of this operation's details names. */
export function detailList(
  name: "relationIds" | "memberIds" | "monitorsIds" | "shortened" | "deviceIds",
): SQL {
  const restoring = row(changeLog, "restoring");
  const path = {
    relationIds: sql`'relationIds'`,
    memberIds: sql`'memberIds'`,
    monitorsIds: sql`'monitorsIds'`,
    shortened: sql`'shortened'`,
    deviceIds: sql`'deviceIds'`,
  };
  return sql`(SELECT ${restoring.details} -> ${path[name]} FROM ${restoring}
      WHERE ${restoring.opId} = ${opId} AND ${restoring.step} = 'restore')`;
}

const INSERT_ROLES = define({ opId: text, undoes: int }, () => {
  const past = row(roleHistory, "past");
  const { countedTo, countedFor } = changeLog;
  const { names, values } = inserted(role, {
    id: past.roleId,
    name: past.name,
    selfRights: past.selfRights,
    needs: past.needs,
    needsBefore: past.needsBefore,
    needsFrom: past.needsFrom,
    countedTo,
    countedFor,
    ...returningColumns(past, row(role, "namesake")),
  });
  return sql`
  INSERT INTO ${role} (${names}) SELECT ${values}
  FROM ${changeLog} CROSS JOIN json_each(${listOf("deletedRoleIds")}) listed
    CROSS JOIN ${past} ON ${past.roleId} = listed.value AND ${past.toRev} = ${undoes}
  WHERE ${whenStep("restore")}`;
});

/** Inserts the relations among the restored roles, the one to them, and those to roles that survived. */
const INSERT_RELATIONS = define({ opId: text, undoes: int }, () => {
  const past = row(managesHistory, "past");
  const { relationId: id, parentId, childId, rights, byPassword, givenBy, givenVia } = past;
  return insertRelations(
    { id, parentId, childId, rights, byPassword, givenBy, givenVia },
    sql`FROM ${pastRelations(past)}
  WHERE ${isRestoring()} AND (${isRestored(past.childId)}
    OR ${past.relationId} IN (SELECT value FROM json_each(${detailList("relationIds")})))`,
  );
});

const CLOSURE_COLUMNS = bare(roleClosure.descendantId, roleClosure.ancestorId, roleClosure.rights);

/** Inserts the closure among the restored roles. */
const CLOSE_INSIDE = define({ opId: text, undoes: int, relationId: int }, () =>
  sql`
  WITH RECURSIVE ${walkOf(isRestoring())}
  INSERT INTO ${roleClosure} (${CLOSURE_COLUMNS})
  SELECT descendant_id, ancestor_id, ${unionOfMasks(sql`rights`)} FROM walk
  WHERE descendant_id <> ancestor_id GROUP BY descendant_id, ancestor_id`);

const { ofParent, ofChild, ofRights } = rowsOf({
  ofParent: changeLog,
  ofChild: changeLog,
  ofRights: changeLog,
});
const isThis = (log: typeof changeLog): SQL => sql`${log.opId} = ${opId} AND ${log.step} = 'restore'`;
const [P, C, P_TO_C] = [
  sql`(SELECT ${ofParent.parentId} FROM ${ofParent} WHERE ${isThis(ofParent)})`,
  sql`(SELECT ${ofChild.roleId} FROM ${ofChild} WHERE ${isThis(ofChild)})`,
  sql`(SELECT ${ofRights.newRights} FROM ${ofRights} WHERE ${isThis(ofRights)})`,
];

/** Joins the restored roles to those above them. */
const CLOSE_ABOVE = define({ opId: text }, () =>
  sql`
  WITH ${
    growing({
      parent: P,
      child: C,
      rights: P_TO_C,
      parentRow: (further) => sql`SELECT ${P}, ${further} WHERE ${isRestoring()}`,
      childRow: (further) => sql`SELECT ${C}, ${further} WHERE ${isRestoring()}`,
    })
  }
  INSERT INTO ${roleClosure} (${CLOSURE_COLUMNS})
  ${grownRows(P_TO_C)}`);

const UNITED = sql`${roleClosure.rights} | ${excluded(roleClosure.rights)}`;

/** Joins roles that survived to those above the restored ones. No path passes two of these relations. */
const CLOSE_BELOW = define({ opId: text, undoes: int }, () => {
  const outward = row(managesHistory, "outward");
  const { above, below } = rowsOf({ above: roleClosure, below: roleClosure });
  return sql`
  WITH entry(id, parent_id, child_id, rights) AS MATERIALIZED (
    SELECT ${outward.relationId}, ${outward.parentId}, ${outward.childId}, ${outward.rights}
    FROM json_each(${detailList("relationIds")}) listed CROSS JOIN ${outward}
      ON ${outward.relationId} = listed.value AND ${outward.toRev} = ${undoes}),
  up(entry_id, role_id, rights) AS MATERIALIZED (
    SELECT id, parent_id, rights FROM entry
    UNION ALL SELECT entry.id, ${above.ancestorId}, ${above.rights} & entry.rights
    FROM entry CROSS JOIN ${above} ON ${above.descendantId} = entry.parent_id),
  down(entry_id, role_id, rights) AS MATERIALIZED (
    SELECT id, child_id, ${ALL_RIGHTS} FROM entry
    UNION ALL SELECT entry.id, ${below.descendantId}, ${below.rights}
    FROM entry CROSS JOIN ${below} ON ${below.ancestorId} = entry.child_id)
  INSERT INTO ${roleClosure} (${CLOSURE_COLUMNS})
  SELECT down.role_id, up.role_id, ${unionOfMasks(sql`up.rights & down.rights`)}
  FROM up CROSS JOIN down ON down.entry_id = up.entry_id
  WHERE true GROUP BY down.role_id, up.role_id
  ON CONFLICT (${bare(roleClosure.descendantId, roleClosure.ancestorId)}) DO UPDATE SET ${
    assigned(roleClosure, { rights: UNITED })
  } WHERE (${UNITED}) <> ${roleClosure.rights}`;
});

const INSERT_MEMBERS = define({ opId: text, undoes: int }, () => {
  const past = row(memberHistory, "past");
  const { memberId: id, roleId, userId, rights, endsAt, givenBy, givenVia, chain } = past;
  return insertMemberships(
    { id, roleId, userId, rights, endsAt, givenBy, givenVia, chain },
    sql`FROM json_each(${detailList("memberIds")}) listed
    CROSS JOIN ${past} ON ${past.memberId} = listed.value AND ${past.toRev} = ${undoes}`,
  );
});

/** The last statement: a `RestoreRow`. */
const READ_RESTORED = readBack(
  sql`${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN}, ${changeLog.details}`,
);

const CHARGE_RESTORED = define(CHARGE, () =>
  charging(sql`${BYTES_PER_RESTORED} * (
        SELECT sum(back.value) FROM ${changeLog} CROSS JOIN json_each(${changeLog.details}, '$.restored') back
        WHERE ${whenStep("restore")})`));

/** Ends the preview: no later statement acts on its row. */
const END_PREVIEW = define({ opId: text }, () =>
  sql`
  UPDATE ${changeLog} SET ${assigned(changeLog, { step: sql`'none'` })} WHERE ${whenStep("restore")}`);

/** The statements of another area that restore what belongs to its tables. */
export interface FurtherRestore {
  /** Adds to the details of the row what returns, and what is left out. */
  readonly note: (by: Restorer) => Statement;
  readonly write: readonly Statement[];
}

function writeRestored({ write }: FurtherRestore): readonly Statement[] {
  return [
    INSERT_ROLES,
    INSERT_RELATIONS,
    CLOSE_INSIDE,
    noteRows("+", "restore"),
    CLOSE_ABOVE,
    noteRows("+", "restore"),
    CLOSE_BELOW,
    noteRows("+", "restore"),
    INSERT_MEMBERS,
    ...write,
  ];
}

/** Restores a deletion. The last statement returns a `RestoreRow`. */
export function restoreBatches(undoing: Undoing, further: FurtherRestore): Previewable {
  const note = [noteRestored("actor"), further.note("actor")];
  return previewable({
    make: [
      decideRestore("change", undoing),
      ...note,
      ...writeRestored(further),
      CHARGE_RESTORED,
      READ_RESTORED,
    ],
    preview: [
      decideRestore("preview", undoing),
      ...note,
      END_PREVIEW,
      READ_RESTORED,
    ],
    changesDevices: true,
  });
}

/** Records the restoration by an administrator, if P still exists, and none of the roles does. */
const RECORD_RESTORE = define(
  { opId: text, now: int, undoes: int, parentId: int, childId: int, relationId: int, rights: int },
  () => {
    const { upper, back, named } = rowsOf({ upper: role, back: roleHistory, named: roleHistory });
    const { names, values } = inserted(changeLog, {
      opId,
      at: now,
      actorId: 0,
      sessionId: quoted(ADMINISTRATOR_SESSION),
      kind: sql`'manages.restore'`,
      parentId,
      roleId: childId,
      relationId,
      newRights: rights,
      decision: sql`'ok'`,
      step: sql`'restore'`,
      undoes,
    });
    const roles = listOf("deletedRoleIds");
    return sql`
  INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM ${upper} WHERE ${upper.id} = ${parentId}
    AND ${undoes} > coalesce(${HISTORY_FROM}, 0)
    AND (SELECT max(${back.toRev}) FROM ${back} WHERE ${back.roleId} = ${childId}) = ${undoes}
    AND (SELECT count(${named.name}) FROM json_each(${roles}) listed CROSS JOIN ${named}
      ON ${named.roleId} = listed.value AND ${named.toRev} = ${undoes}) = json_array_length(${roles})`;
  },
);

/**
 * Restores a deletion for an administrator's task, who may make everything, whatever it costs. The last statement returns
 * a `RestoreRow`, or none if there is nothing to restore.
 */
export function restoreByAdministrator(further: FurtherRestore): readonly Statement[] {
  return [
    RECORD_RESTORE,
    noteRestored("administrator"),
    further.note("administrator"),
    ...writeRestored(further),
    READ_RESTORED,
  ];
}
