import { REVISION_COLUMN } from "../db/revisions.ts";
import { changeLog } from "../db/schema/role.ts";
import { device, monitors } from "../db/schema/telemetry.ts";
import {
  assigned,
  define,
  int,
  nullable,
  placeholdersOf,
  quoted,
  row,
  type SQL,
  sql,
  text,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import {
  nextId,
  type Previewable,
  previewable,
  recordChange,
  TAKE_RELATION_ID,
  undoes,
  type Undoing,
} from "../changes/change_queries.ts";
import { chargeChange, OLDEST_ACTED } from "../changes/charge_queries.ts";
import { firstAuthorizingRole } from "../graph/rules/guard_queries.ts";
import { holds } from "../graph/rules/rule_queries.ts";
import { ONE_ROW, PRINCIPAL, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";
import { INSERT_MONITORS } from "./device_queries.ts";
import { makerGivesDevice, managesDevicesOf, mayManageDevicesOf, periodsToGive } from "./guard_queries.ts";
import { beginOf, endOf, hasWithin, isNotClosed, isUnheldSince, type Period } from "./period_queries.ts";
import { hasItsNodeId } from "./tombstone_queries.ts";
import { type Run, whenStep } from "../graph/step_queries.ts";

/** Maximum number of roles that monitor a device now or later. Devices from before this limit may have more. */
export const MAX_MONITORS = 100;
/** Maximum number of monitors relations of a device, closed ones included, that are made one by one. */
export const MAX_PERIODS = 200;
/** The same for transfers, so that those who fill a device with periods of their roles do not stop its sale. */
export const MAX_TRANSFERRED_PERIODS = 300;

/** `setsFrom` and `setsUntil`: whether `from` and `until` are given. */
const PUT = {
  roleId: int,
  deviceId: int,
  from: nullable(int),
  until: nullable(int),
  setsFrom: int,
  setsUntil: int,
};
const args = placeholdersOf({ ...PUT, relationId: int, retired: int });
const { now } = placeholdersOf(PRINCIPAL);
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

/** Selects a relation of the pair. */
function ofPairWhere(condition: SQL): SQL {
  return sql`(SELECT ${ofPair.id} FROM ${ofPair} WHERE ${ofPair.deviceId} = ${args.deviceId}
      AND ${ofPair.roleId} = ${args.roleId} AND ${condition} LIMIT 1)`;
}

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

/** The relation whose period an undo takes back. */
const CHANGED_ID = ofPairWhere(sql`${ofPair.id} = ${args.relationId}`);

/** The relation itself if it exists again, or one that is open or to come if it would be that, too. */
const IN_THE_WAY_ID = ofPairWhere(sql`(${ofPair.id} = ${args.relationId}
        OR (${isNotClosed(ofPair)} AND ${isNotClosed({ validUntil: args.until })}))`);

/**
 * CTEs: `giver` (periods of the relations that authorize a new one), `best`, and `planned` (the relation, and its period
 * before and after).
 */
function plannedFor(existingId: SQL): SQL {
  return sql`giver AS MATERIALIZED (${periodsToGive(args.deviceId, args.roleId)}),
  best AS MATERIALIZED (${BEST_GIVER}),
  planned AS MATERIALIZED (
    SELECT ${existing.id} AS relation_id, ${existing.validFrom} AS old_from, ${existing.validUntil} AS old_until,
      CASE WHEN ${args.setsFrom} THEN ${args.from} WHEN ${existing.id} IS NOT NULL THEN ${existing.validFrom}
        ELSE (SELECT valid_from FROM best) END AS new_from,
      CASE WHEN ${args.setsUntil} THEN ${args.until} WHEN ${existing.id} IS NOT NULL THEN ${existing.validUntil}
        ELSE (SELECT valid_until FROM best) END AS new_until
    FROM ${ONE_ROW} LEFT JOIN ${existing} ON ${existing.id} = ${existingId}
    WHERE ${PRINCIPAL_LIVES})`;
}

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

const self = row(device, "self");
const undone = row(changeLog, "undone");
/**
 * The undone change left the device without a relation that is open or to come, and it has had none since: then who may
 * detach the device from the role may attach it again, as if it had been deleted.
 */
const MAY_RETURN = sql`(${args.retired} AND ${mayManageDevicesOf(args.roleId)}
        AND ${
  isUnheldSince(
    args.deviceId,
    undoes,
    sql`(SELECT ${undone.at} FROM ${undone} WHERE ${undone.rev} = ${undoes})`,
  )
}
        AND EXISTS (SELECT 1 FROM ${self} WHERE ${self.id} = ${args.deviceId}
          AND ${hasItsNodeId(self, args.roleId, now)}))`;

/** What an undo puts: the former period of a relation, or a relation that was detached, under its id. */
interface PutBack {
  readonly kind: "period" | "relation";
  readonly undoing: Undoing;
}

/** The further arguments of `PutBack`. */
const BACK = { period: { relationId: int }, relation: { relationId: int, retired: int } };

function decidePut(run: Run, back?: PutBack): Statement {
  const { deviceId, roleId } = args;
  const existingId = back === undefined ? EXISTING_ID : back.kind === "period" ? CHANGED_ID : IN_THE_WAY_ID;
  const returns = back?.kind === "relation" ? MAY_RETURN : sql`false`;
  const given = (period: Period): SQL => hasWithin(period, GIVEN_FROM, NEW_UNTIL);
  const makerGives = makerGivesDevice(deviceId, roleId, { gives: GIVES });
  const makerGivesAll = makerGivesDevice(deviceId, roleId, { gives: GIVES, meets: given });
  const newId = back === undefined ? nextId("relation", run) : args.relationId;
  return recordChange({ ...PUT, ...(back && BACK[back.kind]) }, {
    kind: back === undefined
      ? sql`CASE WHEN is_new THEN 'monitors.add' ELSE 'monitors.update' END`
      : quoted(back.kind === "period" ? "monitors.update" : "monitors.add"),
    ctes: plannedFor(existingId),
    ruled: sql`SELECT *, relation_id IS NULL AS is_new, CASE
      WHEN NOT ${MAY_GIVE} AND NOT ${MAY_TAKE} AND NOT ${returns} THEN 'denied'
      WHEN NOT ${makerGives} THEN 'denied'
      WHEN relation_id IS NOT NULL AND ${beginOf(NEW_FROM)} < ${
      beginOf(OLD.validFrom)
    } THEN 'period_begins_earlier'
      WHEN ${beginOf(NEW_FROM)} >= ${endOf(NEW_UNTIL)} THEN 'period_empty'
      WHEN relation_id IS NOT NULL AND new_from IS old_from AND new_until IS old_until THEN 'noop'
      WHEN ${GIVES} AND NOT ${returns} AND NOT EXISTS (SELECT 1 FROM giver WHERE ${
      given(GIVER)
    }) THEN 'period_outside'
      WHEN NOT ${makerGivesAll} THEN 'period_outside'
      WHEN relation_id IS NULL AND ${IS_FULL} THEN 'too_many_monitors'
      ELSE 'ok' END AS ruling
    FROM planned`,
    charged: {
      by: (acting) => holds(acting, "deviceManagement", roleId),
      // An end can be moved earlier a million times, so only the first one is free.
      takesAway: sql`NOT ${GIVES} AND old_until IS NULL AND new_until IS NOT NULL`,
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
    step: sql`CASE WHEN decision <> 'ok' THEN 'none' WHEN is_new THEN 'write' ELSE 'update' END`,
    undoing: back?.undoing,
  }, run);
}

/** Gives the relation of the change its new period. */
export const UPDATE_PERIOD = define({ opId: text }, () => {
  const changed = assigned(monitors, {
    validFrom: sql`changed.details ->> 'from'`,
    validUntil: sql`changed.details ->> 'until'`,
  });
  const { relationId, details } = changeLog;
  return sql`
  UPDATE ${monitors} SET ${changed}
  FROM (SELECT ${relationId} AS id, ${details} AS details FROM ${changeLog} WHERE ${
    whenStep("update")
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

/** Returns the batches of a put. Their last statement returns a `PutMonitorsRow`. */
function putBatches(back?: PutBack): Previewable {
  return previewable({
    make: [
      decidePut("change", back),
      TAKE_RELATION_ID,
      INSERT_MONITORS,
      UPDATE_PERIOD,
      chargeChange(),
      READ_PUT,
    ],
    preview: [decidePut("preview", back), READ_PUT],
    changesDevices: true,
  });
}

/** Lets a role monitor a device, or changes the period in which it does. */
export const PUT_MONITORS: Previewable = putBatches();

/** Gives the relation `relationId` its former period, by the rules of a put. */
export function undoPeriodBatches(undoing: Undoing): Previewable {
  return putBatches({ kind: "period", undoing });
}

/** Lets a role monitor a device again that was detached from it, by the rules of a put. */
export function undoDetachBatches(undoing: Undoing): Previewable {
  return putBatches({ kind: "relation", undoing });
}
