import { REVISION_COLUMN } from "../../db/revisions.ts";
import { changeLog, member, role, roleClosure, roleKey } from "../../db/schema/role.ts";
import { define, derived, int, placeholdersOf, row, rowsOf, type SQL, sql, text } from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { chargeChange, COUNT_TO_ACTED } from "../../changes/charge_queries.ts";
import { type Command, recordCommand, said, type Undone } from "../../changes/command.ts";
import type { FactSet } from "../../changes/facts.ts";
import { REMOVE, REMOVE_AS_ADMINISTRATOR, undoOfAddition } from "./member_facts.ts";
import { READ_DECISION } from "../../changes/authority_queries.ts";
import { CHANGE, type Previewable, previewable, undoes } from "../../changes/change_queries.ts";
import { FEW_MEMBERSHIPS, HAS_FEW } from "../../graph/rules/guard_queries.ts";
import { memberIsAwake, memberLives } from "../../graph/rules/principal_queries.ts";
import { type Acting, managesMembersOf } from "../../graph/rules/rule_queries.ts";
import { COST_OF_MEMBERSHIP } from "../../changes/preview/effect_queries.ts";
import { maskOf } from "../../graph/rights.ts";
import { keepsRoot, metLately } from "./keeper_queries.ts";
import { type Run, stepFor, whenStep } from "../../graph/step_queries.ts";

/** The end of a membership. */

const ROLE_MANAGEMENT = maskOf("roleManagement");
const { roleId } = placeholdersOf({ roleId: int });
const { opId, actorId } = placeholdersOf(CHANGE);

function managesMembers(acting: Acting): SQL {
  return managesMembersOf(acting, roleId);
}

/** Records what a command decided about a removal. */
function removalCommand<F extends FactSet>(command: Command<F>, run: Run): Statement {
  const isUndo = "isRead" in command.facts;
  const ifRemoved = (value: SQL): SQL => sql`CASE WHEN decision = 'ok' THEN ${value} END`;
  return recordCommand(
    command,
    {
      kind: sql`'member.remove'`,
      ruled: sql`SELECT ${said("ruling")} AS ruling`,
      via: said("via"),
      values: {
        roleId,
        relationId: said("memberId"),
        subjectId: said("subjectId"),
        oldRights: ifRemoved(said("oldRights")),
        details: ifRemoved(said("details")),
        ...(run === "preview" && { cost: COST_OF_MEMBERSHIP }),
        ...(isUndo && { undoes }),
      },
    },
    { roleId: int, ...(isUndo && { undoes: int }) },
    run,
  );
}

const DELETE_MEMBER = stepFor(["write"], () => {
  const removed = sql`SELECT ${changeLog.relationId} FROM ${changeLog} WHERE ${whenStep("write")}`;
  return sql`
  DELETE FROM ${member} WHERE ${member.id} = (${removed})`;
});

/** Maximum number of a removed member's keys that are scanned, the newest first. */
const SCANNED_KEYS = 200;
/** Maximum numbers of scanned roles (that one and roles below it), and of scanned keys of these. */
const SEARCHED_ROLES = 200;
const SEARCHED_KEYS = 1000;
export const MOST_NAMED_KEYS = 100;

/** The change log row removes a member other than the actor. */
const IS_OF_OTHER = sql`${changeLog.decision} = 'ok' AND ${changeLog.subjectId} <> ${changeLog.actorId}`;

/**
 * Returns a JSON list of the live keys that a removed member made, in that role and below, whose members the actor
 * manages by a membership that allows the removal. The keys stay. Null for members who leave by themselves. Searches
 * the member's latest keys, and the roles' keys, since keys made elsewhere can crowd those out. Each role is judged
 * once: this runs under the write lock, and a member may have made hundreds of keys of one role.
 */
function stayingKeys(): SQL {
  const { acting, below, latest, owned } = rowsOf({
    acting: member,
    below: roleClosure,
    latest: roleKey,
    owned: roleKey,
  });
  const { living, upper } = rowsOf({ living: member, upper: roleClosure });
  const key = ["id", "roleId", "name"] as const;
  const kept = derived(roleKey, "kept", ...key, "createdBy");
  const [made, staying] = [derived(roleKey, "made", ...key), derived(roleKey, "staying", ...key)];
  // The actor's memberships are scanned once, and for each key the first few that allow the removal.
  const authorizing = derived(member, "authorized", "roleId", "rights");
  // Not the outer row's column: SQLite would materialize the CTEs anew wherever they are named.
  const removal = row(changeLog, "removal");
  const subjectId = sql`(SELECT ${removal.subjectId} FROM ${removal} WHERE ${removal.opId} = ${opId})`;
  const isBelow = sql`EXISTS (SELECT 1 FROM ${upper}
          WHERE ${upper.descendantId} = judged.role_id AND ${upper.ancestorId} = ${roleId})`;
  const isManaged = sql`EXISTS (SELECT 1 FROM authorizing ${authorizing}
          WHERE ${managesMembersOf(authorizing, sql`judged.role_id`)})`;
  const keyOf = sql`'id', ${staying.id}, 'roleId', ${staying.roleId}, 'name', ${staying.name}`;
  return sql`CASE WHEN ${IS_OF_OTHER} THEN (
    WITH authorizing(role_id, rights) AS MATERIALIZED (
      SELECT ${acting.roleId}, ${acting.rights} FROM ${acting} WHERE ${acting.userId} = ${actorId}
        AND ${memberIsAwake(acting)} AND (${managesMembers(acting)}) LIMIT ${FEW_MEMBERSHIPS}),
    searched(role_id) AS (SELECT ${roleId} UNION ALL SELECT * FROM (
      SELECT ${below.descendantId} FROM ${below} WHERE ${below.ancestorId} = ${roleId} LIMIT ${SEARCHED_ROLES})),
    found(id, role_id, name) AS MATERIALIZED (
      SELECT * FROM (SELECT ${latest.id}, ${latest.roleId}, ${latest.name} FROM ${latest}
        WHERE ${latest.createdBy} = ${subjectId} ORDER BY ${latest.createdAt} DESC LIMIT ${SCANNED_KEYS})
      UNION SELECT ${kept.id}, ${kept.roleId}, ${kept.name} FROM (
        SELECT ${owned.id}, ${owned.roleId}, ${owned.name}, ${owned.createdBy} FROM searched
        CROSS JOIN ${owned} ON ${owned.roleId} = searched.role_id LIMIT ${SEARCHED_KEYS}) ${kept}
      WHERE ${kept.createdBy} = ${subjectId}),
    managed(role_id) AS MATERIALIZED (
      SELECT judged.role_id FROM (SELECT DISTINCT role_id FROM found LIMIT -1) judged
      WHERE (judged.role_id = ${roleId} OR ${isBelow}) AND ${isManaged})
    SELECT json_group_array(json_object(${keyOf})) FROM (
      SELECT ${made.id}, ${made.roleId}, ${made.name} FROM found ${made}
      CROSS JOIN ${living} ON ${living.id} = ${made.id} AND ${memberLives(living)}
      WHERE ${made.roleId} IN (SELECT role_id FROM managed)
      ORDER BY ${made.id} LIMIT ${MOST_NAMED_KEYS}) ${staying}) END`;
}

const scanned = row(roleKey, "scanned");
/**
 * The removed member may have further keys: they made more than are scanned, or made some and the actor has more
 * memberships than are scanned. Other users can make an actor a member of many roles.
 */
const HAS_UNSCANNED_KEYS = sql`(${IS_OF_OTHER} AND (
    SELECT 1 FROM ${scanned} WHERE ${scanned.createdBy} = ${changeLog.subjectId}
    LIMIT 1 OFFSET CASE WHEN ${HAS_FEW} THEN ${SCANNED_KEYS} ELSE 0 END) IS NOT NULL)`;

/**
 * The removed member kept a root that demands a second factor, and no other member who keeps it is known to meet that:
 * by the record, which its managers see, or as the actor.
 */
function wasLastAwake(): SQL {
  const { root, other } = rowsOf({ root: role, other: member });
  const { decision, roleId, relationId, oldRights, details } = changeLog;
  const keptRoot = sql`${oldRights} & ${ROLE_MANAGEMENT} AND ${details} ->> 'oldUntil' IS NULL`;
  const isAwake = sql`(${metLately(other)} OR (${other.userId} = ${actorId} AND ${memberIsAwake(other)}))`;
  return sql`(${decision} = 'ok' AND ${keptRoot}
    AND EXISTS (SELECT 1 FROM ${root} WHERE ${root.id} = ${roleId} AND ${root.isRoot} AND ${root.needs} > 0)
    AND NOT EXISTS (SELECT 1 FROM ${other} WHERE ${other.roleId} = ${roleId} AND ${other.id} <> ${relationId}
      AND ${keepsRoot(other)} AND ${isAwake}))`;
}

const READ_REMOVED = define({ opId: text, roleId: int, actorId: int, sessionId: text, now: int }, () => {
  const { decision, cost, relationId, oldRights, subjectId } = changeLog;
  return sql`
  SELECT ${decision}, ${cost}, ${REVISION_COLUMN}, ${relationId} AS id, ${oldRights} AS oldRights,
    ${subjectId} AS subjectId,
    ${stayingKeys()} AS stayingKeys, ${HAS_UNSCANNED_KEYS} AS hasUnscannedKeys,
    ${wasLastAwake()} AS wasLastAwake
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`;
});

function removalBatches<F extends FactSet>(command: Command<F>): Previewable {
  return previewable({
    make: [
      removalCommand(command, "change"),
      COUNT_TO_ACTED,
      chargeChange(),
      DELETE_MEMBER,
      READ_REMOVED,
    ],
    preview: [removalCommand(command, "preview"), READ_REMOVED],
  });
}

/** Ends a membership. The last statement returns a `RemovedMemberRow`. */
export const REMOVE_MEMBER: Previewable = removalBatches(REMOVE);

/** Ends a membership that was made. */
export function undoAdditionBatches(undone: Undone): Previewable {
  return removalBatches(undoOfAddition(undone));
}

/** The same for an administrator's task. The last statement returns a `DecisionRow`. */
export const REMOVE_MEMBER_AS_ADMINISTRATOR: readonly Statement[] = [
  removalCommand(REMOVE_AS_ADMINISTRATOR, "change"),
  DELETE_MEMBER,
  READ_DECISION,
];
