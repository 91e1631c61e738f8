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
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import {
  MADE_RELATIONS,
  nextId,
  type Previewable,
  previewable,
  recordChange,
  TAKE_MADE_IDS,
  undoes,
  type Undoing,
} from "../changes/change_queries.ts";
import { chargeChange } from "../changes/charge_queries.ts";
import { type KeyParts, withAndWithoutKey } from "../changes/idempotency_queries.ts";
import {
  fromEitherSide,
  isVisible,
  makerMeets,
  someAuthorizingRole,
  someRoleAbove,
  startsFromMemberships,
} from "../graph/rules/guard_queries.ts";
import { type Acting, holds } from "../graph/rules/rule_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";
import { isManagedBy, managesDevicesOf } from "./guard_queries.ts";
import { DECISION_COLUMNS, MAX_TRANSFERRED_PERIODS } from "./monitors_queries.ts";
import { beginOf, endOf, isNotClosed, isOpen, NO_BOUND } from "./period_queries.ts";
import { type Run, whenStep } from "../graph/step_queries.ts";

/**
 * A transfer ends all open relations of devices, deletes those to come, and begins a new one of each device, at one moment:
 * of all devices, or of none. Its undo does the same with a new one for each that the transfer took. The details of both
 * tell what they `made`, `ended` and `deleted`, and what was in place (`kept`).
 */

/** `deviceIds`: a JSON list. */
const TRANSFER = { deviceIds: text, toRoleId: int };
const { deviceIds, toRoleId } = placeholdersOf(TRANSFER);
const { now } = placeholdersOf(PRINCIPAL);

/** Maximum number of relations that a transfer may end or delete: those of a single device are fewer. */
const MAX_TAKEN = 1000;

/** The relation has begun before now, so it has a past. */
function hasBegun({ validFrom }: Pick<typeof monitors, "validFrom">): SQL {
  return sql`(${validFrom} IS NULL OR ${validFrom} < ${now})`;
}

const found = row(monitors, "found_relation");
const [IS_OPEN, HAS_BEGUN] = [isOpen(found), hasBegun(found)];
const PLACE = sql`place.role_id`;
const MAY_END = someRoleAbove(PLACE, (acting) => managesDevicesOf(acting, PLACE));
/**
 * CTEs: `requested` (the devices in order), and `standing` (the relations that are open or to come, and whether the actor may
 * end each). Each role is judged once.
 */
const STANDING = sql`requested(n, device_id) AS MATERIALIZED (
    SELECT min(key), CAST(value AS INTEGER) FROM json_each(${deviceIds}) GROUP BY value),
  taken(id, device_id, role_id, valid_from, valid_until, is_open, has_begun) AS MATERIALIZED (
    SELECT ${found.id}, ${found.deviceId}, ${found.roleId}, ${found.validFrom}, ${found.validUntil}, ${IS_OPEN}, ${HAS_BEGUN}
    FROM requested CROSS JOIN ${found} ON ${found.deviceId} = requested.device_id AND ${isNotClosed(found)}
    WHERE ${PRINCIPAL_LIVES} ORDER BY requested.device_id LIMIT ${MAX_TAKEN} + 1),
  ender(role_id, may_end) AS MATERIALIZED (
    SELECT place.role_id, ${MAY_END} FROM (SELECT DISTINCT role_id FROM taken) place),
  standing AS MATERIALIZED (
    SELECT taken.*, ender.may_end FROM taken CROSS JOIN ender ON ender.role_id = taken.role_id)`;

const stored = row(monitors, "stored");
/** The device has no room for this many further relations. */
function isFull(device: Value, further: SQL): SQL {
  return sql`(SELECT count(*) FROM ${stored} WHERE ${stored.deviceId} = ${device}) + ${further} > ${MAX_TRANSFERRED_PERIODS}`;
}

/** CTE `summary`: one row about the relations of each device. */
const SUMMARY = sql`summary AS MATERIALIZED (
    SELECT min(requested.n) AS n, requested.device_id, count(id) AS relations, coalesce(sum(NOT may_end), 0) AS kept,
      coalesce(sum(may_end AND is_open), 0) AS managed, min(id) FILTER (WHERE is_open) AS first_id,
      CASE WHEN count(valid_until) FILTER (WHERE is_open) = sum(is_open)
        THEN max(valid_until) FILTER (WHERE is_open) END AS last_until,
      min(role_id) AS only_role_id, min(is_open) AS is_open, min(id) AS only_id, min(valid_from) AS only_from,
      sum(count(id)) OVER () AS total, max(max(standing.device_id)) OVER () AS last_taken
    FROM requested LEFT JOIN standing ON standing.device_id = requested.device_id GROUP BY requested.device_id)`;

/** CTE `judged`: the devices with their rulings, and `worst`: the first one that is in the way, or else is transferred. */
function judging(rulings: SQL, from = sql`summary`): SQL {
  return sql`judged AS MATERIALIZED (SELECT *, CASE ${rulings} ELSE 'ok' END AS verdict FROM ${from}),
  worst AS MATERIALIZED (SELECT * FROM judged ORDER BY CASE verdict WHEN 'denied' THEN 0 WHEN 'cannot_end' THEN 1
    WHEN 'too_many_monitors' THEN 2 WHEN 'ok' THEN 3 ELSE 4 END, n LIMIT 1)`;
}

const IS_TOO_MUCH = sql`total > ${MAX_TAKEN}`;
/** The actor manages no open relation of the device. If there are too many, those of the last devices are not known. */
const IS_UNMANAGED = sql`(managed = 0 AND NOT (${IS_TOO_MUCH} AND summary.device_id >= last_taken))`;
const HAS_MANY = sql`json_array_length(${deviceIds}) > 1`;

/** A relation in the details of a transfer. */
const PAST =
  sql`json_object('id', id, 'roleId', role_id, 'deviceId', device_id, 'from', valid_from, 'until', valid_until)`;
/**
 * CTE `lists`: one row of what the transfer takes. With several devices, one hidden row of the log is about each of `parts`.
 * A server parses a CTE again wherever it is named, so the other parts take the columns of this one.
 */
const LISTS = sql`lists AS MATERIALIZED (
    SELECT json_group_array(${PAST}) FILTER (WHERE has_begun) AS ended,
      json_group_array(${PAST}) FILTER (WHERE NOT has_begun) AS deleted,
      json_group_array(id) FILTER (WHERE NOT has_begun) AS deleted_ids,
      json_group_array(DISTINCT device_id) FILTER (WHERE ${HAS_MANY}) AS parts
    FROM (SELECT standing.* FROM standing CROSS JOIN judged ON judged.device_id = standing.device_id
      WHERE judged.verdict = 'ok' ORDER BY standing.id))`;
/** The same in the details. */
const TAKEN_LISTS = sql`'parts', json(parts), 'ended', json(ended), 'deleted', json(deleted)`;

/** What a refusal names: the relations that the actor sees but may not end, and the number of others. */
const KEPT_RELATIONS = sql`(SELECT json_object('monitors', json_object(
        'first', json(json_group_array(json_object('id', id, 'roleId', role_id)) FILTER (WHERE is_seen)),
        'hidden', count(*) - coalesce(sum(is_seen), 0)))
      FROM (SELECT id, role_id, ${isVisible(sql`standing.role_id`)} AS is_seen FROM standing
        WHERE NOT may_end AND standing.device_id = decided.device_id ORDER BY id LIMIT -1))`;

const first = row(monitors, "first");
/** Of one device, the role of its oldest relation that is open. Of several, each role that loses some gets its own row. */
const FIRST_ENDED = sql`CASE WHEN decision IN ('ok', 'noop') AND NOT ${HAS_MANY} THEN (
        SELECT ${first.roleId} FROM ${first} WHERE ${first.id} = first_id) END`;
/** Of several devices, each role is told of its own. */
const DELETED_IDS = sql`CASE WHEN decision = 'ok' AND NOT ${HAS_MANY} THEN deleted_ids END`;
/** Of several devices, the row is about none of them, unless one was in the way. */
const DEVICE_ID = sql`CASE WHEN ${HAS_MANY} AND (decision IN ('ok', 'noop') OR decision <> verdict) THEN NULL
      ELSE device_id END`;

function decideTransfer({ declared, join: joined, branches, ofFirst }: KeyParts, run: Run): Statement {
  const mayReceive = someAuthorizingRole((acting) => holds(acting, "deviceManagement", toRoleId));
  const makerMay = makerMeets(
    (maker) =>
      sql`(${someAuthorizingRole((acting) => holds(acting, "deviceManagement", toRoleId), maker)}
        AND ${isManagedBy(maker, sql`summary.device_id`)})`,
    sql`true`,
  );
  const next = sql`${nextId("relation", run)} - 1 + sum(verdict = 'ok') OVER (ORDER BY n)`;
  const begins = sql`iif(verdict = 'ok', ${now}, only_from)`;
  const relation = sql`json_object('id', iif(verdict = 'ok', next_id, only_id), 'roleId', ${toRoleId},
      'deviceId', device_id, 'from', ${begins}, 'until', last_until)`;
  return recordChange({ ...TRANSFER, ...declared }, {
    kind: sql`'device.transfer'`,
    ctes: sql`${STANDING}, ${SUMMARY},
  ${
      judging(sql`WHEN ${IS_UNMANAGED} OR NOT ${makerMay} THEN 'denied'
      WHEN kept > 0 THEN 'cannot_end'
      WHEN relations = 1 AND is_open AND only_role_id = ${toRoleId} THEN 'noop'
      WHEN ${isFull(sql`summary.device_id`, sql`1`)} THEN 'too_many_monitors'`)
    },
  ${LISTS},
  begun AS MATERIALIZED (
    SELECT json_group_array(${relation}) FILTER (WHERE verdict = 'ok') AS made,
      json_group_array(${relation}) FILTER (WHERE verdict = 'noop') AS in_place
    FROM (SELECT *, ${next} AS next_id FROM judged ORDER BY n))`,
    ruled: sql`SELECT worst.*, lists.*, begun.*, ${ofFirst("details")} AS first_details, ${
      ofFirst("parentId")
    } AS first_parent_id, CASE
      ${branches}
      WHEN NOT ${mayReceive} THEN 'denied'
      WHEN ${IS_TOO_MUCH} AND verdict <> 'denied' THEN 'too_many_monitors'
      ELSE verdict END AS ruling
    FROM worst CROSS JOIN lists CROSS JOIN begun ${joined} WHERE ${PRINCIPAL_LIVES}`,
    charged: { by: (acting) => holds(acting, "deviceManagement", toRoleId) },
    values: {
      parentId: sql`iif(decision = 'noop' AND first_details IS NOT NULL, first_parent_id, ${FIRST_ENDED})`,
      roleId: toRoleId,
      deviceId: DEVICE_ID,
      relationId: sql`CASE decision WHEN 'ok' THEN made ->> '$[0].id' WHEN 'noop' THEN only_id END`,
      deletedRelationIds: DELETED_IDS,
      details: sql`CASE
        WHEN decision = 'noop' AND first_details IS NOT NULL THEN first_details
        WHEN decision IN ('ok', 'noop') THEN json_object('from', iif(decision = 'ok', ${now}, only_from),
          'until', last_until, 'devices', json(parts), 'made', json(made), 'kept', json(in_place), ${TAKEN_LISTS})
        WHEN decision = 'cannot_end' THEN ${KEPT_RELATIONS}
        ELSE '{}' END`,
    },
  }, run);
}

const undone = row(changeLog, "undone");

/** Relations that the undone transfer took, as `json_each` lists them. */
function takenBy(list: "ended" | "deleted"): SQL {
  return sql`SELECT value ->> 'id' AS old_id, CAST(value ->> 'roleId' AS INTEGER) AS role_id,
        CAST(coalesce(value ->> 'deviceId', undone_device_id) AS INTEGER) AS of_device_id,
        ${quoted(list)} = 'ended' AS is_new, value ->> 'from' AS valid_from, value ->> 'until' AS valid_until
      FROM (SELECT ${undone.deviceId} AS undone_device_id, ${undone.details} AS undone_details
        FROM ${undone} WHERE ${undone.rev} = ${undoes}) CROSS JOIN json_each(undone_details -> ${
    quoted(list)
  })`;
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
  return sql`back(old_id, id, role_id, device_id, valid_from, valid_until) AS MATERIALIZED (
    SELECT old_id, CASE WHEN is_new THEN ${
    nextId("relation", run)
  } - 1 + sum(is_new) OVER (ORDER BY old_id) ELSE old_id END,
      role_id, device_id, begins, nullif(ends, ${NO_BOUND})
    FROM (SELECT *, ${LEFT_OF.from} AS begins, ${LEFT_OF.until} AS ends
      FROM (${takenBy("ended")} UNION ALL ${takenBy("deleted")}) CROSS JOIN summary
        ON summary.device_id = of_device_id)
    WHERE begins < ends)`;
}

/** Decides to transfer devices back: to each role by the rules of a transfer to it. */
function decideTransferBack(run: Run, undoing: Undoing): Statement {
  const mayReceive = someRoleAbove(PLACE, (acting) => holds(acting, "deviceManagement", PLACE));
  // One of those that receive, all of which the actor must manage.
  const someReceiver = sql`(SELECT min(role_id) FROM receiver WHERE may)`;
  return recordChange({ deviceIds: text }, {
    kind: sql`'device.transfer'`,
    ctes: sql`${STANDING}, ${SUMMARY}, ${returning(run)},
  receiver(role_id, may) AS MATERIALIZED (
    SELECT place.role_id, ${mayReceive} FROM (SELECT role_id FROM (${
      takenBy("ended")
    }) UNION SELECT role_id FROM (${takenBy("deleted")})) place),
  returned AS MATERIALIZED (
    SELECT device_id, count(*) AS returns, min(may) AS may_receive
    FROM back CROSS JOIN receiver ON receiver.role_id = back.role_id GROUP BY device_id),
  ${
      judging(
        sql`WHEN ${IS_UNMANAGED} OR may_receive = 0 THEN 'denied'
      WHEN kept > 0 THEN 'cannot_end'
      WHEN ${isFull(sql`summary.device_id`, sql`coalesce(returns, 0)`)} THEN 'too_many_monitors'`,
        sql`summary LEFT JOIN (SELECT device_id AS returned_id, returns, may_receive FROM returned) returned
          ON returned_id = summary.device_id`,
      )
    },
  ${LISTS},
  begun AS MATERIALIZED (
    SELECT json_group_array(${PAST}) AS made,
      json_group_array(DISTINCT device_id) FILTER (WHERE ${HAS_MANY} AND role_id = first_role_id) AS devices
    FROM (SELECT *, first_value(role_id) OVER (ORDER BY old_id) AS first_role_id FROM back ORDER BY old_id))`,
    ruled:
      sql`SELECT worst.*, lists.*, begun.*, CASE WHEN ${IS_TOO_MUCH} AND verdict <> 'denied' THEN 'too_many_monitors'
      ELSE verdict END AS ruling FROM worst CROSS JOIN lists CROSS JOIN begun WHERE ${PRINCIPAL_LIVES}`,
    charged: { by: (acting) => holds(acting, "deviceManagement", someReceiver) },
    values: {
      parentId: FIRST_ENDED,
      roleId: sql`made ->> '$[0].roleId'`,
      deviceId: DEVICE_ID,
      relationId: sql`CASE decision WHEN 'ok' THEN made ->> '$[0].id' END`,
      deletedRelationIds: DELETED_IDS,
      details: sql`CASE decision
        WHEN 'ok' THEN json_object('from', made ->> '$[0].from', 'until', made ->> '$[0].until', 'devices', json(devices),
          'made', json(made),
          ${TAKEN_LISTS})
        WHEN 'cannot_end' THEN ${KEPT_RELATIONS}
        ELSE '{}' END`,
    },
    undoing,
  }, run);
}

const { head, source } = rowsOf({ head: changeLog, source: changeLog });
const { opId } = placeholdersOf({ opId: text });
function isMade(one: typeof changeLog): SQL {
  return sql`${one.opId} = ${opId} AND ${one.step} = 'write'`;
}

/** What each further row of a transfer takes over. */
const OF_HEAD = {
  at: head.at,
  actorId: head.actorId,
  sessionId: head.sessionId,
  decision: sql`'ok'`,
  step: sql`'write'`,
};

/** Records for each of several devices that it was transferred. No reader of the log sees these rows. */
const RECORD_PARTS = define({ opId: text }, () => {
  const { names, values } = inserted(changeLog, {
    ...OF_HEAD,
    step: sql`'part'`,
    opId: sql`${head.opId} || ' of ' || part.value`,
    kind: sql`'device.transfer'`,
    deviceId: sql`part.value`,
  });
  return sql`
  INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM ${head}
    CROSS JOIN json_each(${head.details} -> 'parts') part
  WHERE ${isMade(head)}`;
});

/** Selects the oldest role of the actor that may, at or above the other one. */
function throughRole(place: SQL, may: (acting: Acting) => SQL): SQL {
  return fromEitherSide(
    place,
    (memberships, acting) => sql`(SELECT min(${acting.roleId}) FROM ${memberships} WHERE ${may(acting)})`,
    startsFromMemberships(place),
  );
}

/**
 * Records for the managers of each role whose relation the transfer takes who took it, through a role that let the actor
 * do so. Of several devices, one row for all that a role loses; of one, none for the role that the transfer's own row names.
 */
const RECORD_TAKEN = define({ actorId: int, sessionId: text, now: int, opId: text }, () => {
  const from = sql`item.role_id`;
  const isOne = sql`${head.deviceId} IS NOT NULL`;
  const { names, values } = inserted(changeLog, {
    ...OF_HEAD,
    opId: sql`${head.opId} || ' ' || item.id`,
    kind: sql`'monitors.end'`,
    roleId: from,
    deviceId: head.deviceId,
    relationId: sql`iif(${isOne}, item.id, NULL)`,
    viaRoleId: throughRole(from, (acting) => managesDevicesOf(acting, from)),
    details: sql`iif(${isOne}, json_object('oldFrom', item.valid_from, 'oldUntil', item.valid_until,
      'from', item.valid_from, 'until', ${head.at}), json_object('until', ${head.at}, 'devices', json(item.devices)))`,
    deletedRelationIds: sql`iif(${isOne}, NULL, item.deleted_ids)`,
  });
  return sql`
  INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM (SELECT min(taken_one.value ->> 'id') AS id, CAST(taken_one.value ->> 'roleId' AS INTEGER) AS role_id,
        taken_one.value ->> 'from' AS valid_from, taken_one.value ->> 'until' AS valid_until,
        json_group_array(DISTINCT taken_one.value ->> 'deviceId') AS devices,
        json_group_array(taken_one.value ->> 'id') FILTER (WHERE list.key = 'deleted') AS deleted_ids
      FROM ${source}
        CROSS JOIN json_each(${source.details}) list ON list.key IN ('ended', 'deleted')
        CROSS JOIN json_each(list.value) taken_one
      WHERE ${isMade(source)}
      GROUP BY iif(${source.deviceId} IS NULL, taken_one.value ->> 'roleId', taken_one.value ->> 'id')) item
    CROSS JOIN ${head}
  WHERE ${isMade(head)} AND (${isOne} OR item.role_id IS NOT ${head.parentId})`;
});

/** Records for the managers of each further role that a transfer back gives devices which ones it got. */
const RECORD_RETURNED = define({ actorId: int, sessionId: text, now: int, opId: text }, () => {
  const to = sql`item.role_id`;
  const { names, values } = inserted(changeLog, {
    ...OF_HEAD,
    opId: sql`${head.opId} || ' to ' || ${to}`,
    kind: sql`'device.transfer'`,
    roleId: to,
    viaRoleId: throughRole(to, (acting) => holds(acting, "deviceManagement", to)),
    undoes: head.undoes,
    details: sql`json_object('from', ${head.at}, 'devices', json(item.devices))`,
  });
  return sql`
  INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM (
      SELECT CAST(made_one.value ->> 'roleId' AS INTEGER) AS role_id,
        json_group_array(DISTINCT made_one.value ->> 'deviceId') AS devices
      FROM ${source} CROSS JOIN json_each(${source.details} -> 'made') made_one
      WHERE ${isMade(source)} GROUP BY 1) item
    CROSS JOIN ${head}
  WHERE ${isMade(head)} AND ${to} <> ${head.roleId}`;
});

/** Selects the ids of relations that the details of the change list. */
function listedIds(list: "ended" | "deleted"): SQL {
  return sql`SELECT value ->> 'id' FROM json_each((SELECT ${changeLog.details} -> ${
    quoted(list)
  } FROM ${changeLog}
    WHERE ${whenStep("write")}))`;
}

const DELETE_COMING = define({ opId: text }, () =>
  sql`
  DELETE FROM ${monitors} WHERE ${monitors.id} IN (${listedIds("deleted")})`);

const END_OPEN = define({ opId: text, now: int }, () =>
  sql`
  UPDATE ${monitors} SET ${assigned(monitors, { validUntil: now })} WHERE ${monitors.id} IN (${
    listedIds("ended")
  })`);

const MADE = sql`json_each(${MADE_RELATIONS}) made`;

const INSERT_MADE = define({ opId: text }, () => {
  const { names, values } = inserted(monitors, {
    id: sql`made.value ->> 'id'`,
    roleId: sql`made.value ->> 'roleId'`,
    deviceId: sql`made.value ->> 'deviceId'`,
    validFrom: sql`made.value ->> 'from'`,
    validUntil: sql`made.value ->> 'until'`,
  });
  return sql`
  INSERT INTO ${monitors} (${names}) SELECT ${values} FROM ${MADE}`;
});

const READ_TRANSFER = define({ opId: text, deviceIds: text }, ({ opId }) => {
  const { details, decision } = changeLog;
  const listOf = (list: "made" | "kept" | "ended" | "deleted"): SQL =>
    sql`coalesce(${details} -> ${quoted(list)}, '[]')`;
  return sql`
  SELECT ${DECISION_COLUMNS}, ${changeLog.at}, ${listOf("made")} AS made, ${listOf("kept")} AS kept,
    (SELECT json_group_array(value ->> 'id') FROM json_each(${listOf("ended")})) AS endedRelationIds,
    (SELECT json_group_array(value ->> 'id') FROM json_each(${listOf("deleted")})) AS deletedRelationIds,
    CASE WHEN ${decision} NOT IN ('ok', 'noop') THEN nullif(json_patch(coalesce(${details}, '{}'), iif(
      ${HAS_MANY}, json_object('deviceId', ${changeLog.deviceId}), '{}')), '{}') END AS named
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`;
});

/** The statements of a transfer that was decided. */
const WRITE_TRANSFER: readonly Statement[] = [
  RECORD_PARTS,
  RECORD_TAKEN,
  TAKE_MADE_IDS,
  DELETE_COMING,
  END_OPEN,
  INSERT_MADE,
  chargeChange(),
];

/** Transfers devices to a role. */
export const TRANSFER_DEVICES = withAndWithoutKey((key) => [
  decideTransfer(key, "change"),
  ...WRITE_TRANSFER,
  ...key.keep,
  READ_TRANSFER,
]);

/** The preview of that. */
export const PREVIEW_TRANSFER = withAndWithoutKey((key) => [
  decideTransfer(key, "preview"),
  READ_TRANSFER,
]);

/** Transfers devices back to the roles that the transfer `undoes` took them from. */
export function undoTransferBatches(undoing: Undoing): Previewable {
  return previewable({
    make: [decideTransferBack("change", undoing), ...WRITE_TRANSFER, RECORD_RETURNED, READ_TRANSFER],
    preview: [decideTransferBack("preview", undoing), READ_TRANSFER],
    changesDevices: true,
  });
}
