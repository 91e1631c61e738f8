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
  CHARGE_PREVIEW,
  type Previewable,
  previewable,
  recordChange,
  type Run,
  type Undoing,
  whenEffect,
} from "../role/change/change_queries.ts";
import { actedFor, chargeChange, IS_UNAUTHORIZED } from "../role/change/charge_queries.ts";
import { REVISION_COLUMN } from "../db/revisions.ts";
import { returningColumns } from "../role/external_id_queries.ts";
import { type Acting, holds } from "../role/guard/rule_queries.ts";
import { firstAuthorizingRole, someAuthorizingRole } from "../role/guard/guard_queries.ts";
import { forget } from "./tombstone_queries.ts";
import { ACTOR_IS_USER, ONE_ROW, PRINCIPAL_LIVES } from "../role/guard/principal_queries.ts";
import { ADMINISTRATOR_SESSION } from "../role/bootstrap_queries.ts";
import { HISTORY_FROM } from "../role/history/moment_queries.ts";
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
import { maskOf } from "../role/rights.ts";
import { managesDevicesOf } from "./guard_queries.ts";
import { currentDevice, hasWithin, isNotClosed, isOpen, isRetiredSince } from "./period_queries.ts";
import { MAX_MONITORS, MAX_PERIODS } from "./monitors_queries.ts";

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
 * Selects the ids of monitors relations of devices that survived. A closed one, which only reads the past, returns, and
 * so does one of a device that the deletion retired and whose nodeId no other device has. Any other returns if the actor
 * could make it now: one role holds deviceManagement on the restored role and on a role that monitors the device, in a
 * period that has this one within it.
 */
function returningToSurvivors(by: Restorer): SQL {
  const { lost, watching, counted, standing } = rowsOf({
    lost: deletedMonitors,
    watching: monitors,
    counted: monitors,
    standing: monitors,
  });
  const survivor = row(device, "survivor");
  const candidate = { roleId: sql`candidate.role_id`, rights: sql`candidate.rights` };
  const turn = sql`row_number() OVER (PARTITION BY ${lost.deviceId} ORDER BY ${lost.monitorsId})`;
  const meets = sql`${candidateHolds(maskOf("deviceManagement"))} AND EXISTS (SELECT 1 FROM ${watching}
        WHERE ${watching.deviceId} = ${lost.deviceId} AND ${isOpen(watching)}
          AND ${hasWithin(watching, lost.validFrom, lost.validUntil)}
          AND ${holds(candidate, "deviceManagement", watching.roleId)})`;
  const isRetired = sql`NOT EXISTS (SELECT 1 FROM ${standing}
        WHERE ${standing.deviceId} = ${lost.deviceId} AND ${isNotClosed(standing)})`;
  const places = (condition: SQL): SQL =>
    sql`(SELECT count(*) FROM ${counted} WHERE ${counted.deviceId} = ${lost.deviceId} AND ${condition})`;
  return sql`SELECT id FROM (
      SELECT ${lost.monitorsId} AS id, ${turn} AS turn, ${places(sql`true`)} AS periods,
        ${places(isNotClosed(counted))} AS standing
      FROM ${lost} CROSS JOIN ${survivor} ON ${survivor.id} = ${lost.deviceId}
        CROSS JOIN reach ON reach.role_id = ${lost.roleId}
      WHERE ${lost.rev} = ${undoes} AND (NOT ${isNotClosed(lost)}
        OR ${survivor.id} = (${currentDevice(survivor.nodeId)}) AND (${isRetired} OR ${
    someCandidate(by, meets)
  })))
    WHERE turn + standing <= ${MAX_MONITORS} AND turn + periods <= ${MAX_PERIODS}`;
}

/** Adds to the details of a restored deletion which devices and monitors relations return, and how many do not. */
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
  noted(device_ids, monitors_ids, monitors) AS MATERIALIZED (
    SELECT (SELECT json_group_array(id) FROM back),
      (SELECT json_group_array(id) FROM (${returningWith} UNION ALL ${returningToSurvivors(by)})),
      (SELECT count(*) FROM ${each} WHERE ${each.rev} = ${undoes}))
  UPDATE ${changeLog} SET ${bare(details)} = (
    SELECT json_set(${details}, '$.deviceIds', json(device_ids), '$.monitorsIds', json(monitors_ids),
      '$.restored.devices', ${count(sql`device_ids`)}, '$.restored.monitors', ${count(sql`monitors_ids`)},
      '$.leftOut.devices', ${count(listOf("deletedDeviceIds"))} - ${count(sql`device_ids`)},
      '$.leftOut.monitors', monitors - ${count(sql`monitors_ids`)}) FROM noted)
  WHERE ${whenEffect("restore")}`;
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

const RESTORED_DEVICE = sql`SELECT ${changeLog.deviceId} FROM ${changeLog} WHERE ${whenEffect("write")}`;
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
  WHERE ${whenEffect("write")}`;
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
    preview: [decideRestore("preview", undoing), CHARGE_PREVIEW, READ_DEVICE],
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
      effect: sql`'write'`,
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
      WHERE ${whenEffect("write")}))`;
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
