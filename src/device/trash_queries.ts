import { changeLog, managesHistory, OPEN_REVISION, role } from "../db/schema/role.ts";
import { deletedMonitors, device, deviceTombstone, monitors } from "../db/schema/telemetry.ts";
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
  text,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import {
  nextId,
  type Previewable,
  previewable,
  recordChange,
  takeRelationIds,
  type Undoing,
} from "../changes/change_queries.ts";
import { actedFor, chargeChange, IS_UNAUTHORIZED } from "../changes/charge_queries.ts";
import { REVISION_COLUMN } from "../db/revisions.ts";
import { returningColumns } from "../role/external_id_queries.ts";
import { type Acting, holds } from "../graph/rules/rule_queries.ts";
import { firstAuthorizingRole, someAuthorizingRole } from "../graph/rules/guard_queries.ts";
import { forget, hasItsNodeId } from "./tombstone_queries.ts";
import { ACTOR_IS_USER, ONE_ROW, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";
import { ADMINISTRATOR_SESSION } from "../role/bootstrap_queries.ts";
import { HISTORY_FROM } from "../graph/history/moment_queries.ts";
import { readBack } from "../role/manages/manages_queries.ts";
import {
  candidateHolds,
  declaredBy,
  listOf,
  reachAndCandidates,
  type Restorer,
  someCandidate,
} from "../role/restore/restored_queries.ts";
import { detailList, type FurtherRestore } from "../role/restore/restore_queries.ts";
import { maskOf } from "../graph/rights.ts";
import { managesDevicesOf } from "./guard_queries.ts";
import { beginOf, endOf, isNotClosed, isOpen, isRetiredSince, isUnheldSince } from "./period_queries.ts";
import { MAX_MONITORS, MAX_PERIODS } from "./monitors_queries.ts";
import { type Run, whenStep } from "../graph/step_queries.ts";

/**
 * Restoring devices from the trash: with the roles that a deletion took, or one alone, to the role that it was detached
 * from.
 */

const NOTE = { undoes: int, relationId: int, rights: int, childId: int, opId: text, now: int };
const { undoes, childId, now } = placeholdersOf(NOTE);

/** Whether the device lies in the trash since the change that is undone, and nobody has its nodeId by now. */
function isRestorable(gone: typeof deviceTombstone): SQL {
  const other = row(device, "other");
  return sql`(${gone.rev} = ${undoes} AND ${gone.purgeAt} > ${now} AND ${gone.properties} IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ${other} WHERE ${other.nodeId} = ${gone.nodeId}
        AND NOT ${isRetiredSince(other.id, now)}))`;
}

/**
 * CTEs that end with `fitted`: the lost relations of devices that survived, each with what returns of it. Whether it was
 * closed, and whether its device was retired, is judged at the moment of the deletion: then it returns `whole`. Any other
 * returns up to that moment (`has_past`), and from now to its end (`interrupted`) if the actor could make it now: one
 * role holds deviceManagement on the restored role and on a role that has monitored the device since before the deletion,
 * in a period that lasts as long. So a transfer ends what lies in the trash, too: no relation from before outlasts it.
 * Further verdicts say why it does not return from now on: it has `ended`, the actor could not make it (`unmanaged`), or
 * the device has no room (`full`), or has been `deleted` since, by another change.
 */
function survivingRelations(by: Restorer): SQL {
  const { lost, watching, counted } = rowsOf({
    lost: deletedMonitors,
    watching: monitors,
    counted: monitors,
  });
  const deletion = row(changeLog, "deletion");
  const kept = row(device, "kept");
  const candidate = { roleId: sql`candidate.role_id`, rights: sql`candidate.rights` };
  const manages = sql`${candidateHolds(maskOf("deviceManagement"))}
          AND ${holds(candidate, "deviceManagement", watching.roleId)}`;
  const mayGive = sql`EXISTS (SELECT 1 FROM ${watching} WHERE ${watching.deviceId} = ${lost.deviceId}
        AND ${isOpen(watching)} AND ${beginOf(watching.validFrom)} < deleted.at
        AND ${endOf(lost.validUntil)} <= ${endOf(watching.validUntil)} AND ${someCandidate(by, manages)})`;
  const isRetired = sql`(${isUnheldSince(lost.deviceId, undoes, sql`deleted.at`)}
        AND ${hasItsNodeId(kept, lost.roleId, now)})`;
  const places = (condition: SQL): SQL =>
    sql`(SELECT count(*) FROM ${counted} WHERE ${counted.deviceId} = judged.device_id AND ${condition})`;
  const upTo = (count: SQL): SQL => sql`sum(${count}) OVER (PARTITION BY device_id ORDER BY id)`;
  return sql`deleted(at) AS MATERIALIZED (SELECT ${deletion.at} FROM ${deletion} WHERE ${deletion.rev} = ${undoes}),
  judged(id, role_id, device_id, ends, has_past, verdict) AS MATERIALIZED (
    SELECT ${lost.monitorsId}, ${lost.roleId}, ${lost.deviceId}, ${endOf(lost.validUntil)},
      ${kept.id} IS NOT NULL AND ${beginOf(lost.validFrom)} < deleted.at, CASE
        WHEN ${kept.id} IS NULL THEN 'deleted'
        WHEN ${endOf(lost.validUntil)} <= deleted.at OR ${isRetired} THEN 'whole'
        WHEN ${endOf(lost.validUntil)} <= ${now} THEN 'ended'
        WHEN NOT ${mayGive} THEN 'unmanaged'
        WHEN max(${beginOf(lost.validFrom)}, deleted.at) >= ${now} THEN 'whole'
        ELSE 'interrupted' END
    FROM deleted CROSS JOIN ${lost} CROSS JOIN reach ON reach.role_id = ${lost.roleId}
      LEFT JOIN ${kept} ON ${kept.id} = ${lost.deviceId}
    WHERE ${lost.rev} = ${undoes} AND (${kept.id} IS NOT NULL
      OR ${lost.deviceId} NOT IN (SELECT value FROM json_each(${listOf("deletedDeviceIds")})))),
  fitted(id, role_id, device_id, has_past, verdict) AS MATERIALIZED (
    SELECT id, role_id, device_id, has_past AND fits, iif(fits, verdict, 'full')
    FROM (SELECT judged.*,
        ${upTo(sql`iif(verdict = 'whole', 1, has_past + (verdict = 'interrupted'))`)} + ${
    places(sql`true`)
  } <= ${MAX_PERIODS}
        AND ${upTo(sql`ends > ${now} AND verdict IN ('whole', 'interrupted')`)} + ${
    places(isNotClosed(counted))
  } <= ${MAX_MONITORS} AS fits
      FROM judged))`;
}

/**
 * Adds to the details of a restored deletion which devices and monitors relations return, how many do not, and which
 * relations return only in part, or not at all, and why.
 */
function noteDevices(by: Restorer): Statement {
  return define({ ...NOTE, ...declaredBy(by) }, () => listDevices(by));
}

function listDevices(by: Restorer): SQL {
  const { lost, each } = rowsOf({ lost: deletedMonitors, each: deletedMonitors });
  const gone = row(deviceTombstone, "gone");
  const { details } = changeLog;
  const returningWith = sql`SELECT ${lost.monitorsId} AS id FROM ${lost}
      WHERE ${lost.rev} = ${undoes} AND ${lost.deviceId} IN (SELECT id FROM back)`;
  const count = (list: SQL): SQL => sql`json_array_length(${list})`;
  return sql`
  WITH ${reachAndCandidates(childId, by)},
  back(id) AS MATERIALIZED (
    SELECT ${gone.deviceId} FROM json_each(${listOf("deletedDeviceIds")}) listed
    CROSS JOIN ${gone} ON ${gone.deviceId} = listed.value WHERE ${isRestorable(gone)}),
  ${survivingRelations(by)},
  noted(device_ids, monitors_ids, shortened, interrupted, monitors) AS MATERIALIZED (
    SELECT (SELECT json_group_array(id) FROM back),
      (SELECT json_group_array(id) FROM (${returningWith}
        UNION ALL SELECT id FROM fitted WHERE verdict = 'whole')),
      (SELECT json_group_array(json_object('id', id, 'roleId', role_id, 'deviceId', device_id, 'reason', verdict,
        'until', iif(has_past, deleted.at, NULL))) FROM fitted CROSS JOIN deleted WHERE verdict <> 'whole'),
      (SELECT count(*) FROM fitted WHERE verdict = 'interrupted'),
      (SELECT count(*) FROM ${each} WHERE ${each.rev} = ${undoes}))
  UPDATE ${changeLog} SET ${bare(details)} = (
    SELECT json_set(${details}, '$.deviceIds', json(device_ids), '$.monitorsIds', json(monitors_ids),
      '$.shortened', json(shortened), '$.restored.devices', ${count(sql`device_ids`)},
      '$.restored.monitors', interrupted + ${count(sql`monitors_ids`)},
      '$.leftOut.devices', ${count(listOf("deletedDeviceIds"))} - ${count(sql`device_ids`)},
      '$.leftOut.monitors', monitors - interrupted - ${count(sql`monitors_ids`)}) FROM noted)
  WHERE ${whenStep("restore")}`;
}

/** Inserts devices from the trash, whose ids `ids` selects. */
function insertDevices(ids: SQL): SQL {
  const gone = row(deviceTombstone, "gone");
  const { deviceId: id, nodeId, properties, hasPoints, countedTo, countedFor } = gone;
  const updatedAt = sql`coalesce(${gone.updatedAt}, 0)`;
  const external = returningColumns(gone, row(device, "namesake"));
  const columns = { id, nodeId, properties, updatedAt, hasPoints, countedTo, countedFor, ...external };
  const { names, values } = inserted(device, columns);
  return sql`
  INSERT INTO ${device} (${names}) SELECT ${values} FROM ${gone} WHERE ${gone.deviceId} IN (${ids})`;
}

function emptyTrash(ids: SQL): SQL {
  return sql`DELETE FROM ${deviceTombstone} WHERE ${deviceTombstone.deviceId} IN (${ids})`;
}

const NOTED_DEVICES = sql`SELECT value FROM json_each(${detailList("deviceIds")})`;

const lostOne = row(deletedMonitors, "lost_one");
/** A source for FROM: the lost relations that return only in part, each as an `item` of the list. */
const SHORTENED = sql`json_each(${detailList("shortened")}) item
    CROSS JOIN ${lostOne} ON ${lostOne.monitorsId} = item.value ->> 'id' AND ${lostOne.rev} = ${undoes}`;
const HAS_PAST = sql`item.value ->> 'until' IS NOT NULL`;
const GOES_ON = sql`item.value ->> 'reason' = 'interrupted'`;

/** Inserts what lay before the deletion, and what goes on from now, which gets a new id if it has such a past. */
const INSERT_SHORTENED = define({ opId: text, undoes: int, now: int }, () => {
  const { monitorsId, roleId, deviceId, validFrom, validUntil } = lostOne;
  const past = inserted(monitors, {
    id: monitorsId,
    roleId,
    deviceId,
    validFrom,
    validUntil: sql`item.value ->> 'until'`,
  });
  const rest = inserted(monitors, {
    id: sql`iif(${HAS_PAST}, ${
      nextId("relation")
    } - 1 + sum(${HAS_PAST}) OVER (ORDER BY ${monitorsId}), ${monitorsId})`,
    roleId,
    deviceId,
    validFrom: now,
    validUntil,
  });
  return sql`
  INSERT INTO ${monitors} (${past.names})
  SELECT ${past.values} FROM ${SHORTENED} WHERE ${HAS_PAST}
  UNION ALL SELECT ${rest.values} FROM ${SHORTENED} WHERE ${GOES_ON}`;
});

/** Restores the devices of a deletion. */
export const RESTORE_DEVICES: FurtherRestore = {
  note: noteDevices,
  write: [
    define({ opId: text }, () => insertDevices(NOTED_DEVICES)),
    define({ opId: text }, () => emptyTrash(NOTED_DEVICES)),
    define({ opId: text, undoes: int }, () => {
      const lost = row(deletedMonitors, "lost");
      const { monitorsId: id, roleId, deviceId, validFrom, validUntil } = lost;
      const { names, values } = inserted(monitors, { id, roleId, deviceId, validFrom, validUntil });
      return sql`
  INSERT INTO ${monitors} (${names}) SELECT ${values} FROM json_each(${detailList("monitorsIds")}) listed
    CROSS JOIN ${lost} ON ${lost.monitorsId} = listed.value AND ${lost.rev} = ${undoes}`;
    }),
    INSERT_SHORTENED,
    takeRelationIds(
      { opId: text, undoes: int },
      sql`(SELECT count(*) FROM ${SHORTENED} WHERE ${HAS_PAST} AND ${GOES_ON})`,
    ),
  ],
};

const ALONE = { roleId: int, deviceId: int, relationId: int };
const alone = placeholdersOf(ALONE);

/** Decides the restoration of one device. In the trash, it counts to the quota already. */
function decideRestore(run: Run, undoing: Undoing): Statement {
  const gone = row(deviceTombstone, "gone");
  const isThere = sql`EXISTS (SELECT 1 FROM ${gone} WHERE ${gone.deviceId} = ${alone.deviceId} AND ${
    isRestorable(gone)
  })`;
  const charged = { by: (acting: Acting) => managesDevicesOf(acting, alone.roleId) };
  return recordChange(ALONE, {
    kind: sql`'device.restore'`,
    // The row of a preview is not charged.
    ...(run === "preview" && { ctes: actedFor(charged) }),
    ruled:
      sql`SELECT CASE WHEN ${IS_UNAUTHORIZED} THEN 'denied' ELSE 'ok' END AS ruling, ${isThere} AS is_there
    FROM ${ONE_ROW} WHERE ${PRINCIPAL_LIVES}`,
    charged,
    values: { roleId: alone.roleId, deviceId: alone.deviceId, relationId: alone.relationId },
    undoing,
  }, run);
}

const RESTORED_DEVICE = sql`SELECT ${changeLog.deviceId} FROM ${changeLog} WHERE ${whenStep("write")}`;
const READ_DEVICE = readBack(sql`${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN}`);

const WRITE_DEVICE: readonly Statement[] = [
  define({ opId: text }, () => insertDevices(RESTORED_DEVICE)),
  define({ opId: text }, () => emptyTrash(RESTORED_DEVICE)),
  define({ opId: text, undoes: int }, () => {
    const was = row(deletedMonitors, "was");
    const { validFrom, validUntil } = was;
    const { relationId: id, roleId, deviceId } = changeLog;
    const { names, values } = inserted(monitors, { id, roleId, deviceId, validFrom, validUntil });
    return sql`
  INSERT INTO ${monitors} (${names}) SELECT ${values} FROM ${changeLog}
    CROSS JOIN ${was} ON ${was.monitorsId} = ${changeLog.relationId} AND ${was.rev} = ${undoes}
  WHERE ${whenStep("write")}`;
  }),
];

/** Restores a device to the role that it was detached from. The last statement returns a `DecisionRow`. */
export function restoreDeviceBatches(undoing: Undoing): Previewable {
  return previewable({
    make: [
      decideRestore("change", undoing),
      ...WRITE_DEVICE,
      chargeChange(),
      READ_DEVICE,
    ],
    preview: [decideRestore("preview", undoing), READ_DEVICE],
    changesDevices: true,
  });
}

/**
 * Restores a device for an administrator's task, if the role still exists. The last statement returns a `DecisionRow`, or
 * none if there is nothing to restore.
 */
export const RESTORE_DEVICE_BY_ADMINISTRATOR: readonly Statement[] = [
  define({ ...ALONE, opId: text, now: int, undoes: int }, ({ opId }) => {
    const gone = row(deviceTombstone, "gone");
    const { names, values } = inserted(changeLog, {
      opId,
      at: now,
      actorId: 0,
      sessionId: quoted(ADMINISTRATOR_SESSION),
      kind: sql`'device.restore'`,
      ...alone,
      decision: sql`'ok'`,
      step: sql`'write'`,
      undoes,
    });
    return sql`
  INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM ${role} CROSS JOIN ${gone}
  WHERE ${role.id} = ${alone.roleId} AND ${gone.deviceId} = ${alone.deviceId} AND ${isRestorable(gone)}
    AND ${undoes} > coalesce(${HISTORY_FROM}, 0)`;
  }),
  ...WRITE_DEVICE,
  READ_DEVICE,
];

const { roleId, parentId, relationId } = placeholdersOf({ roleId: int, parentId: int, relationId: int });

/**
 * Deletes at once the devices that an earlier deletion of the relation left in the trash, for a user who may restore
 * them: by a role that `may` on the role `place`.
 */
function forgetDevices(
  place: "roleId" | "parentId",
  deletedAt: SQL,
  may: (acting: Acting) => SQL,
): readonly Statement[] {
  const gone = row(deviceTombstone, "gone");
  const left = sql`FROM ${gone} WHERE ${gone.rev} = ${deletedAt} AND ${gone.purgeAt} > ${now}`;
  const isAllowed = sql`${ACTOR_IS_USER} AND ${someAuthorizingRole(may)}`;
  const forgotten = sql`SELECT value FROM json_each((SELECT ${changeLog.deletedDeviceIds} FROM ${changeLog}
      WHERE ${whenStep("write")}))`;
  return [
    recordChange({ [place]: int, relationId: int }, {
      kind: sql`'device.forget'`,
      ruled:
        sql`SELECT CASE WHEN ${isAllowed} AND EXISTS (SELECT 1 ${left}) THEN 'ok' ELSE 'denied' END AS ruling
    FROM ${ONE_ROW} WHERE ${PRINCIPAL_LIVES}`,
      via: firstAuthorizingRole(may),
      values: {
        [place]: place === "roleId" ? roleId : parentId,
        relationId,
        deletedDeviceIds:
          sql`CASE decision WHEN 'ok' THEN (SELECT json_group_array(${gone.deviceId}) ${left}) END`,
      },
    }),
    define({ opId: text, now: int }, () => forget(forgotten)),
    readBack(sql`${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN}, '[]' AS deletedRoleIds,
      ${changeLog.deletedDeviceIds} AS deletedDeviceIds, '[]' AS deletedRelationIds`),
  ];
}

const lost = row(deletedMonitors, "lost");
/** Deletes the device of a deleted monitors relation at once. */
export const FORGET_DETACHED: readonly Statement[] = forgetDevices(
  "roleId",
  sql`(SELECT max(${lost.rev}) FROM ${lost} WHERE ${lost.monitorsId} = ${relationId} AND ${lost.roleId} = ${roleId})`,
  (acting) => managesDevicesOf(acting, roleId),
);

const past = row(managesHistory, "past");
/** Deletes the devices that went with a manages relation at once. */
export const FORGET_WITH_RELATION: readonly Statement[] = forgetDevices(
  "parentId",
  sql`(SELECT max(${past.toRev}) FROM ${past} WHERE ${past.relationId} = ${relationId}
      AND ${past.parentId} = ${parentId} AND ${past.toRev} < ${OPEN_REVISION})`,
  (acting) => holds(acting, "roleManagement", parentId),
);

/** Deletes at once what a deletion left in the trash, for an administrator's task. Returns a row for each device. */
export const FORGET_BY_ADMINISTRATOR = define({ now: int, undoes: int }, () => {
  const gone = row(deviceTombstone, "gone");
  return sql`${
    forget(
      sql`SELECT ${gone.deviceId} FROM ${gone} WHERE ${gone.rev} = ${undoes} AND ${gone.purgeAt} > ${now}`,
    )
  } RETURNING 1 AS gone`;
});
