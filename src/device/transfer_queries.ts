import { changeLog } from "../db/schema/role.ts";
import { monitors } from "../db/schema/telemetry.ts";
import {
  assigned,
  define,
  inserted,
  int,
  placeholdersOf,
  quoted,
  row,
  type SQL,
  sql,
  text,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import {
  CHARGE_PREVIEW,
  MADE_RELATIONS,
  nextId,
  type Previewable,
  previewable,
  recordChange,
  type Run,
  TAKE_MADE_IDS,
  undoes,
  type Undoing,
  whenEffect,
} from "../role/change/change_queries.ts";
import { chargeChange } from "../role/change/charge_queries.ts";
import {
  fromEitherSide,
  isVisible,
  makerMeets,
  someAuthorizingRole,
  someRoleAbove,
  startsFromMemberships,
} from "../role/guard/guard_queries.ts";
import { holds } from "../role/guard/rule_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../role/guard/principal_queries.ts";
import { isManagedBy, managesDevicesOf } from "./guard_queries.ts";
import { DECISION_COLUMNS, MAX_TRANSFERRED_PERIODS } from "./monitors_queries.ts";
import { beginOf, endOf, isNotClosed, isOpen, NO_BOUND } from "./period_queries.ts";

/**
 * A transfer ends all open relations of a device, deletes those to come, and begins a new one, at one moment. Its undo
 * does the same with a new one for each that the transfer took. The details of both tell what they `made`, `ended` and
 * `deleted`.
 */

const TRANSFER = { deviceId: int, toRoleId: int };
const { deviceId, toRoleId } = placeholdersOf(TRANSFER);
const { now } = placeholdersOf(PRINCIPAL);

/** The relation has begun before now, so it has a past. */
function hasBegun({ validFrom }: Pick<typeof monitors, "validFrom">): SQL {
  return sql`(${validFrom} IS NULL OR ${validFrom} < ${now})`;
}

const standing = row(monitors, "standing");
const MAY_END = someRoleAbove(standing.roleId, (acting) => managesDevicesOf(acting, standing.roleId));
const [IS_OPEN, HAS_BEGUN] = [isOpen(standing), hasBegun(standing)];
const IS_OF_DEVICE = sql`${standing.deviceId} = ${deviceId} AND ${isNotClosed(standing)}`;
/** CTE `standing`: the relations that are open or to come, and whether the actor may end each. */
const STANDING =
  sql`standing(id, role_id, valid_from, valid_until, is_open, has_begun, may_end) AS MATERIALIZED (
    SELECT ${standing.id}, ${standing.roleId}, ${standing.validFrom}, ${standing.validUntil}, ${IS_OPEN}, ${HAS_BEGUN},
      ${MAY_END}
    FROM ${standing} WHERE ${IS_OF_DEVICE} AND ${PRINCIPAL_LIVES})`;

/** A relation in the details of a transfer. */
const PAST = sql`json_object('id', id, 'roleId', role_id, 'from', valid_from, 'until', valid_until)`;

/** One row about all of them. */
const SUMMARY = sql`SELECT count(*) AS relations, coalesce(sum(NOT may_end), 0) AS kept,
      coalesce(sum(may_end AND is_open), 0) AS managed,
      min(id) FILTER (WHERE is_open) AS first_id,
      CASE WHEN count(valid_until) FILTER (WHERE is_open) = sum(is_open)
        THEN max(valid_until) FILTER (WHERE is_open) END AS last_until,
      json_group_array(${PAST}) FILTER (WHERE has_begun) AS ended,
      json_group_array(${PAST}) FILTER (WHERE NOT has_begun) AS deleted,
      json_group_array(id) FILTER (WHERE NOT has_begun) AS deleted_ids`;
/** Of the role that is transferred to. */
const OWN =
  sql`min(id) FILTER (WHERE role_id = ${toRoleId} AND is_open) AS own_id, min(valid_from) AS own_from`;

/** What a refusal names: the relations that the actor sees but may not end, and the number of others. */
const KEPT_RELATIONS = sql`(SELECT json_object('monitors', json_object(
        'first', json(json_group_array(json_object('id', id, 'roleId', role_id)) FILTER (WHERE is_seen)),
        'hidden', count(*) - coalesce(sum(is_seen), 0)))
      FROM (SELECT id, role_id, ${isVisible(sql`standing.role_id`)} AS is_seen FROM standing
        WHERE NOT may_end ORDER BY id LIMIT -1))`;

const stored = row(monitors, "stored");
/** The device has no room for this many further relations. */
function isFull(further: SQL): SQL {
  return sql`(SELECT 1 FROM ${stored} WHERE ${stored.deviceId} = ${deviceId}
    LIMIT 1 OFFSET max(0, ${MAX_TRANSFERRED_PERIODS} - ${further})) IS NOT NULL`;
}

const first = row(monitors, "first");
/** The role of the oldest relation that is open. */
const FIRST_ENDED = sql`CASE WHEN decision IN ('ok', 'noop') THEN (
        SELECT ${first.roleId} FROM ${first} WHERE ${first.id} = first_id) END`;

function decideTransfer(run: Run): Statement {
  const mayReceive = someAuthorizingRole((acting) => holds(acting, "deviceManagement", toRoleId));
  const makerMay = makerMeets(
    (maker) =>
      sql`(${someAuthorizingRole((acting) => holds(acting, "deviceManagement", toRoleId), maker)}
        AND ${isManagedBy(maker, deviceId)})`,
    sql`true`,
  );
  const made = nextId("relation", run);
  return recordChange(TRANSFER, {
    kind: sql`'device.transfer'`,
    ctes: STANDING,
    ruled: sql`SELECT *, CASE
      WHEN NOT ${mayReceive} OR managed = 0 OR NOT ${makerMay} THEN 'denied'
      WHEN kept > 0 THEN 'cannot_end'
      WHEN relations = 1 AND own_id IS NOT NULL THEN 'noop'
      WHEN ${isFull(sql`1`)} THEN 'too_many_monitors'
      ELSE 'ok' END AS ruling
    FROM (${SUMMARY}, ${OWN} FROM standing) WHERE ${PRINCIPAL_LIVES}`,
    charged: { by: (acting) => holds(acting, "deviceManagement", toRoleId) },
    values: {
      parentId: FIRST_ENDED,
      roleId: toRoleId,
      deviceId,
      relationId: sql`CASE decision WHEN 'ok' THEN ${made} WHEN 'noop' THEN own_id END`,
      deletedRelationIds: sql`CASE decision WHEN 'ok' THEN deleted_ids END`,
      details: sql`CASE decision
        WHEN 'ok' THEN json_object('from', ${now}, 'until', last_until, 'made', json_array(json_object(
          'id', ${made}, 'roleId', ${toRoleId}, 'from', ${now}, 'until', last_until)),
          'ended', json(ended), 'deleted', json(deleted))
        WHEN 'noop' THEN json_object('from', own_from, 'until', last_until)
        WHEN 'cannot_end' THEN ${KEPT_RELATIONS} END`,
    },
  }, run);
}

const undone = row(changeLog, "undone");

/** Relations that the undone transfer took, as `json_each` lists them. */
function taken(list: "ended" | "deleted"): SQL {
  return sql`SELECT value ->> 'id' AS old_id, CAST(value ->> 'roleId' AS INTEGER) AS role_id,
        ${quoted(list)} = 'ended' AS is_new, value ->> 'from' AS valid_from, value ->> 'until' AS valid_until
      FROM json_each((SELECT ${undone.details} -> ${
    quoted(list)
  } FROM ${undone} WHERE ${undone.rev} = ${undoes}))`;
}

/** The period of a relation that returns: of what is left of it, what a transfer that is made now could give. */
const LEFT_OF = {
  from: sql`max(${beginOf(sql`valid_from`)}, ${now})`,
  until: sql`min(${endOf(sql`valid_until`)}, ${endOf(sql`last_until`)})`,
};

/**
 * CTE `back`: the relations that return. One that was ended keeps its past and gets a new period under a new id; one
 * that was to come gets its own id.
 */
function returning(run: Run): SQL {
  return sql`back(old_id, id, role_id, valid_from, valid_until) AS MATERIALIZED (
    SELECT old_id, CASE WHEN is_new THEN ${
    nextId("relation", run)
  } - 1 + sum(is_new) OVER (ORDER BY old_id) ELSE old_id END,
      role_id, begins, nullif(ends, ${NO_BOUND})
    FROM (SELECT *, ${LEFT_OF.from} AS begins, ${LEFT_OF.until} AS ends
      FROM (${taken("ended")} UNION ALL ${taken("deleted")}) CROSS JOIN summary)
    WHERE begins < ends)`;
}

const MADE_BACK =
  sql`json_group_array(json_object('id', id, 'roleId', role_id, 'from', valid_from, 'until', valid_until))`;
const FIRST_BACK = sql`FROM back ORDER BY old_id LIMIT 1`;

/** Decides to transfer a device back: to each role by the rules of a transfer to it. */
function decideTransferBack(run: Run, undoing: Undoing): Statement {
  const backTo = sql`back.role_id`;
  const mayReceive = someRoleAbove(backTo, (acting) => holds(acting, "deviceManagement", backTo));
  const firstRole = sql`(SELECT role_id ${FIRST_BACK})`;
  return recordChange({ deviceId: int }, {
    kind: sql`'device.transfer'`,
    ctes: sql`${STANDING},
    summary AS MATERIALIZED (${SUMMARY} FROM standing),
    ${returning(run)}`,
    ruled: sql`SELECT *, CASE
      WHEN managed = 0 OR EXISTS (SELECT 1 FROM back WHERE NOT ${mayReceive}) THEN 'denied'
      WHEN kept > 0 THEN 'cannot_end'
      WHEN ${isFull(sql`(SELECT count(*) FROM back)`)} THEN 'too_many_monitors'
      ELSE 'ok' END AS ruling
    FROM summary WHERE ${PRINCIPAL_LIVES}`,
    charged: { by: (acting) => holds(acting, "deviceManagement", firstRole) },
    values: {
      parentId: FIRST_ENDED,
      roleId: firstRole,
      deviceId,
      relationId: sql`CASE decision WHEN 'ok' THEN (SELECT id ${FIRST_BACK}) END`,
      deletedRelationIds: sql`CASE decision WHEN 'ok' THEN deleted_ids END`,
      details: sql`CASE decision
        WHEN 'ok' THEN json_object(
          'from', (SELECT valid_from ${FIRST_BACK}), 'until', (SELECT valid_until ${FIRST_BACK}),
          'made', json((SELECT ${MADE_BACK} FROM back)), 'ended', json(ended), 'deleted', json(deleted))
        WHEN 'cannot_end' THEN ${KEPT_RELATIONS} END`,
    },
    undoing,
  }, run);
}

/** The device of a transfer that is made. */
const TRANSFERRED = sql`(SELECT ${changeLog.deviceId} FROM ${changeLog} WHERE ${whenEffect("write")})`;

/**
 * Records for the managers of each role whose relation the transfer takes who took it, through a role that let the actor
 * do so.
 */
const RECORD_TAKEN = define({ actorId: int, sessionId: text, now: int, opId: text }, ({ opId }) => {
  const head = row(changeLog, "head");
  const from = sql`CAST(item.value ->> 'roleId' AS INTEGER)`;
  const { names, values } = inserted(changeLog, {
    opId: sql`${head.opId} || ' ' || (item.value ->> 'id')`,
    at: head.at,
    actorId: head.actorId,
    sessionId: head.sessionId,
    kind: sql`'monitors.end'`,
    roleId: from,
    deviceId: head.deviceId,
    relationId: sql`item.value ->> 'id'`,
    viaRoleId: fromEitherSide(
      from,
      (memberships, acting) =>
        sql`(SELECT min(${acting.roleId}) FROM ${memberships} WHERE ${managesDevicesOf(acting, from)})`,
      startsFromMemberships(from),
    ),
    decision: sql`'ok'`,
    effect: sql`'write'`,
    details: sql`json_object('oldFrom', item.value ->> 'from', 'oldUntil', item.value ->> 'until',
      'from', item.value ->> 'from', 'until', ${head.at})`,
  });
  return sql`
  INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM ${head}
    CROSS JOIN json_each(${head.details}) list ON list.key IN ('ended', 'deleted')
    CROSS JOIN json_each(list.value) item
  WHERE ${head.opId} = ${opId} AND ${head.effect} = 'write'`;
});

const DELETE_COMING = define({ opId: text, now: int }, () =>
  sql`
  DELETE FROM ${monitors}
  WHERE ${monitors.deviceId} = ${TRANSFERRED} AND ${isNotClosed(monitors)} AND NOT ${hasBegun(monitors)}`);

const END_OPEN = define({ opId: text, now: int }, () =>
  sql`
  UPDATE ${monitors} SET ${assigned(monitors, { validUntil: now })}
  WHERE ${monitors.deviceId} = ${TRANSFERRED} AND ${isNotClosed(monitors)}`);

const MADE = sql`json_each(${MADE_RELATIONS}) made`;

const INSERT_MADE = define({ opId: text }, () => {
  const { names, values } = inserted(monitors, {
    id: sql`made.value ->> 'id'`,
    roleId: sql`made.value ->> 'roleId'`,
    deviceId: TRANSFERRED,
    validFrom: sql`made.value ->> 'from'`,
    validUntil: sql`made.value ->> 'until'`,
  });
  return sql`
  INSERT INTO ${monitors} (${names}) SELECT ${values} FROM ${MADE}`;
});

const READ_TRANSFER = define({ opId: text }, ({ opId }) => {
  const { details, decision } = changeLog;
  return sql`
  SELECT ${DECISION_COLUMNS}, ${changeLog.relationId} AS id, ${changeLog.roleId} AS roleId,
    ${changeLog.deviceId} AS deviceId, ${details} ->> 'from' AS validFrom, ${details} ->> 'until' AS validUntil,
    ${changeLog.at}, coalesce(${details} -> 'made', '[]') AS made,
    (SELECT json_group_array(value ->> 'id') FROM json_each(${details} -> 'ended')) AS endedRelationIds,
    coalesce(${changeLog.deletedRelationIds}, '[]') AS deletedRelationIds,
    CASE ${decision} WHEN 'cannot_end' THEN ${details} END AS named
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`;
});

/** Returns the batches of a transfer. Their last statement returns a `TransferRow`. */
function transferBatches(decide: (run: Run) => Statement): Previewable {
  return previewable({
    make: [
      decide("change"),
      RECORD_TAKEN,
      TAKE_MADE_IDS,
      DELETE_COMING,
      END_OPEN,
      INSERT_MADE,
      chargeChange(),
      READ_TRANSFER,
    ],
    preview: [decide("preview"), CHARGE_PREVIEW, READ_TRANSFER],
  });
}

/** Transfers a device to a role. */
export const TRANSFER_DEVICE: Previewable = transferBatches(decideTransfer);

/** Transfers a device back to the roles that the transfer `undoes` took it from. */
export function undoTransferBatches(undoing: Undoing): Previewable {
  return transferBatches((run) => decideTransferBack(run, undoing));
}
