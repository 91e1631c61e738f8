import { REVISION_COLUMN } from "../db/revisions.ts";
import { changeLog } from "../db/schema/role.ts";
import { monitors } from "../db/schema/telemetry.ts";
import { assigned, define, int, nullable, placeholdersOf, row, type SQL, sql, text } from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { NAMED_COLUMN, NOTE_DELETED_DEVICES, refuseDeletion } from "../role/closure/cascade_queries.ts";
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
} from "../role/change/change_queries.ts";
import { chargeChange, OLDEST_ACTED } from "../role/change/charge_queries.ts";
import { firstAuthorizingRole } from "../role/guard/guard_queries.ts";
import { holds } from "../role/guard/rule_queries.ts";
import { ONE_ROW, PRINCIPAL_LIVES } from "../role/guard/principal_queries.ts";
import { DELETE_DEVICES } from "./cascade_queries.ts";
import { INSERT_MONITORS } from "./device_queries.ts";
import { makerGivesDevice, managesDevicesOf, mayManageDevicesOf, periodsToGive } from "./guard_queries.ts";
import { beginOf, endOf, hasWithin, isNotClosed, type Period } from "./period_queries.ts";

/** Maximum number of roles that monitor a device now or later. Devices from before this limit may have more. */
export const MAX_MONITORS = 100;
/** Maximum number of monitors relations of a device, closed ones included. */
export const MAX_PERIODS = 200;

/** `setsFrom` and `setsUntil`: whether `from` and `until` are given. */
const PUT = {
  roleId: int,
  deviceId: int,
  from: nullable(int),
  until: nullable(int),
  setsFrom: int,
  setsUntil: int,
};
const REMOVE = { roleId: int, relationId: int };
const args = placeholdersOf({ ...PUT, ...REMOVE });
const existing = row(monitors, "existing");
const ofPair = row(monitors, "of_pair");
const [counted, kept] = [row(monitors, "counted"), row(monitors, "kept")];

/** The device has no room for another relation. */
const IS_FULL = sql`((SELECT 1 FROM ${counted} WHERE ${counted.deviceId} = ${args.deviceId}
    AND ${isNotClosed(counted)} LIMIT 1 OFFSET ${MAX_MONITORS - 1}) IS NOT NULL
  OR (SELECT 1 FROM ${kept} WHERE ${kept.deviceId} = ${args.deviceId}
    LIMIT 1 OFFSET ${MAX_PERIODS - 1}) IS NOT NULL)`;

/** A closed relation that has the requested period already, so that a request can be repeated. */
const IS_SAME_CLOSED = sql`(${args.setsUntil} AND ${ofPair.validUntil} IS ${args.until}
    AND (NOT ${args.setsFrom} OR ${ofPair.validFrom} IS ${args.from}))`;

/** The relation that the request is about: open or to come, or closed with the same period. */
const EXISTING_ID = sql`(SELECT ${ofPair.id} FROM ${ofPair}
    WHERE ${ofPair.deviceId} = ${args.deviceId} AND ${ofPair.roleId} = ${args.roleId}
      AND (${isNotClosed(ofPair)} OR ${IS_SAME_CLOSED})
    ORDER BY ${isNotClosed(ofPair)} DESC, ${ofPair.id} DESC LIMIT 1)`;

const GIVER = { validFrom: sql`giver.valid_from`, validUntil: sql`giver.valid_until` };
/** The relation whose bounds a new one takes where none are given: of those that fit, the last one to end. */
const BEST_GIVER = sql`SELECT giver.valid_from, giver.valid_until FROM giver
      WHERE (NOT ${args.setsFrom} OR ${beginOf(GIVER.validFrom)} <= ${beginOf(args.from)})
        AND (NOT ${args.setsUntil} OR ${endOf(args.until)} <= ${endOf(GIVER.validUntil)})
      ORDER BY ${endOf(GIVER.validUntil)} DESC, ${beginOf(GIVER.validFrom)} LIMIT 1`;

/**
 * CTEs: `giver` (periods of the relations that authorize a new one), `best`, and `planned` (the relation, and its period
 * before and after).
 */
const PLANNED = sql`giver AS MATERIALIZED (${periodsToGive(args.deviceId, args.roleId)}),
  best AS MATERIALIZED (${BEST_GIVER}),
  planned AS MATERIALIZED (
    SELECT ${existing.id} AS relation_id, ${existing.validFrom} AS old_from, ${existing.validUntil} AS old_until,
      CASE WHEN ${args.setsFrom} THEN ${args.from} WHEN ${existing.id} IS NOT NULL THEN ${existing.validFrom}
        ELSE (SELECT valid_from FROM best) END AS new_from,
      CASE WHEN ${args.setsUntil} THEN ${args.until} WHEN ${existing.id} IS NOT NULL THEN ${existing.validUntil}
        ELSE (SELECT valid_until FROM best) END AS new_until
    FROM ${ONE_ROW} LEFT JOIN ${existing} ON ${existing.id} = ${EXISTING_ID}
    WHERE ${PRINCIPAL_LIVES})`;

const OLD = { validFrom: sql`old_from`, validUntil: sql`old_until` };
const [NEW_FROM, NEW_UNTIL] = [sql`new_from`, sql`new_until`];
/** What a change gives must be authorized: a new relation, or a later end. */
const GIVES = sql`(relation_id IS NULL OR ${endOf(OLD.validUntil)} < ${endOf(NEW_UNTIL)})`;
const MAY_GIVE = sql`EXISTS (SELECT 1 FROM giver)`;
/** Who may delete a relation may also give it a shorter period. */
const MAY_TAKE = sql`(NOT ${GIVES} AND (${args.setsFrom} OR ${args.setsUntil}) AND ${
  mayManageDevicesOf(args.roleId)
})`;
/** Of an existing relation, only what comes after its end is given. */
const GIVEN_FROM = sql`iif(relation_id IS NULL, new_from, old_until)`;

function decidePut(run: Run): Statement {
  const { deviceId, roleId } = args;
  const given = (period: Period): SQL => hasWithin(period, GIVEN_FROM, NEW_UNTIL);
  const makerGives = makerGivesDevice(deviceId, roleId, { gives: GIVES });
  const makerGivesAll = makerGivesDevice(deviceId, roleId, { gives: GIVES, meets: given });
  const newId = nextId("relation", run);
  return recordChange(PUT, {
    kind: sql`CASE WHEN is_new THEN 'monitors.add' ELSE 'monitors.update' END`,
    ctes: PLANNED,
    ruled: sql`SELECT *, relation_id IS NULL AS is_new, CASE
      WHEN NOT ${MAY_GIVE} AND NOT ${MAY_TAKE} THEN 'denied'
      WHEN NOT ${makerGives} THEN 'denied'
      WHEN relation_id IS NOT NULL AND ${beginOf(NEW_FROM)} < ${
      beginOf(OLD.validFrom)
    } THEN 'period_begins_earlier'
      WHEN ${beginOf(NEW_FROM)} >= ${endOf(NEW_UNTIL)} THEN 'period_empty'
      WHEN relation_id IS NOT NULL AND new_from IS old_from AND new_until IS old_until THEN 'noop'
      WHEN ${GIVES} AND NOT EXISTS (SELECT 1 FROM giver WHERE ${given(GIVER)}) THEN 'period_outside'
      WHEN NOT ${makerGivesAll} THEN 'period_outside'
      WHEN relation_id IS NULL AND ${IS_FULL} THEN 'too_many_monitors'
      ELSE 'ok' END AS ruling
    FROM planned`,
    charged: {
      by: (acting) => holds(acting, "deviceManagement", roleId),
      takesAway: sql`NOT ${GIVES}`,
    },
    via: sql`coalesce(${OLDEST_ACTED}, ${
      firstAuthorizingRole((acting) => managesDevicesOf(acting, roleId))
    })`,
    values: {
      roleId,
      deviceId,
      relationId: sql`CASE WHEN decision = 'ok' AND is_new THEN ${newId} ELSE relation_id END`,
      details: sql`CASE WHEN decision IN ('ok', 'noop') THEN json_object('from', new_from, 'until', new_until,
        'oldFrom', old_from, 'oldUntil', old_until) END`,
    },
    effect: sql`CASE WHEN decision <> 'ok' THEN 'none' WHEN is_new THEN 'write' ELSE 'update' END`,
  }, run);
}

/** Gives the relation of the change its new period. */
const UPDATE_PERIOD = define({ opId: text }, () => {
  const changed = assigned(monitors, {
    validFrom: sql`changed.details ->> 'from'`,
    validUntil: sql`changed.details ->> 'until'`,
  });
  const { relationId, details } = changeLog;
  return sql`
  UPDATE ${monitors} SET ${changed}
  FROM (SELECT ${relationId} AS id, ${details} AS details FROM ${changeLog} WHERE ${
    whenEffect("update")
  }) changed
  WHERE ${monitors.id} = changed.id`;
});

/** The first columns of the last statement of each change. */
export const DECISION_COLUMNS = sql`${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN}`;

const READ_PUT = define({ opId: text }, ({ opId }) =>
  sql`
  SELECT ${DECISION_COLUMNS}, ${changeLog.relationId} AS id, ${changeLog.roleId} AS roleId,
    ${changeLog.deviceId} AS deviceId, ${changeLog.details} ->> 'from' AS validFrom,
    ${changeLog.details} ->> 'until' AS validUntil
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);

/** Lets a role monitor a device, or changes the period in which it does. The last statement returns a `PutMonitorsRow`. */
export const PUT_MONITORS: Previewable = previewable({
  make: [decidePut("change"), TAKE_RELATION_ID, INSERT_MONITORS, UPDATE_PERIOD, chargeChange(), READ_PUT],
  preview: [decidePut("preview"), CHARGE_PREVIEW, READ_PUT],
  deletesDevices: true,
});

const IS_REMOVED = sql`${existing.id} IS NOT NULL AND ${mayManageDevicesOf(args.roleId)}`;

function decideRemove(run: Run): Statement {
  return recordChange(REMOVE, {
    kind: sql`'monitors.remove'`,
    ruled: sql`SELECT ${existing.id} AS relation_id, ${existing.deviceId},
      CASE WHEN ${IS_REMOVED} THEN 'ok' ELSE 'denied' END AS ruling
    FROM ${ONE_ROW} LEFT JOIN ${existing}
      ON ${existing.id} = ${args.relationId} AND ${existing.roleId} = ${args.roleId}
    WHERE ${PRINCIPAL_LIVES}`,
    via: firstAuthorizingRole((acting) => managesDevicesOf(acting, args.roleId)),
    values: {
      roleId: args.roleId,
      deviceId: sql`device_id`,
      relationId: sql`relation_id`,
      deletedRelationIds: sql`CASE decision WHEN 'ok' THEN json_array(relation_id) END`,
    },
    effect: sql`CASE decision WHEN 'ok' THEN 'delete' ELSE 'none' END`,
    // The next statement lists the device that would be deleted.
    previewEffect: sql`'delete'`,
  }, run);
}

const READ_REMOVED = define({ opId: text }, ({ opId }) =>
  sql`
  SELECT ${DECISION_COLUMNS}, ${changeLog.deletedDeviceIds} AS deletedDeviceIds,
    ${changeLog.deletedRelationIds} AS deletedRelationIds, ${NAMED_COLUMN}
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);

/**
 * Deletes a relation with its past, and the device if that was its last one. The last statement returns a
 * `RemovedMonitorsRow`.
 */
export const REMOVE_MONITORS: Previewable = previewable({
  make: [
    decideRemove("change"),
    NOTE_DELETED_DEVICES,
    refuseDeletion("change"),
    MERGE_LATE_REFUSAL,
    ...DELETE_DEVICES,
    READ_REMOVED,
  ],
  preview: [
    decideRemove("preview"),
    NOTE_DELETED_DEVICES,
    refuseDeletion("preview"),
    CHARGE_PREVIEW,
    READ_REMOVED,
  ],
  deletesDevices: true,
});
