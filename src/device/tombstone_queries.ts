import { SECOND_MS } from "../core/clock.ts";
import { changeLog } from "../db/schema/role.ts";
import { device, deviceTombstone } from "../db/schema/telemetry.ts";
import {
  assigned,
  type Declared,
  define,
  inserted,
  int,
  type PlaceholdersOf,
  placeholdersOf,
  row,
  rows,
  type SQL,
  sql,
  text,
  type Value,
  type ValuesOf,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { currentDevice, isRetiredSince } from "./period_queries.ts";

/**
 * A deleted device leaves a tombstone. While it lies in the trash (`purge_at`), it can be restored. Then the tombstone
 * only keeps its nodeId taken, until the store has deleted its points.
 */

/** Seconds that a write may take to the engine after it was authorized, even if its device is deleted meanwhile. */
const SETTLING_SECONDS = 60;

/** Marks the devices that meet the condition, which is about `device`, as having points. */
export function markWithPoints<const D extends Declared>(
  declared: D,
  condition: (args: PlaceholdersOf<D>) => SQL,
): Statement<ValuesOf<D>, never> {
  return define(declared, (args) =>
    sql`
  UPDATE ${device} SET ${assigned(device, { hasPoints: 1 })}
  WHERE ${device.hasPoints} = 0 AND ${condition(args)}`);
}

/**
 * Inserts the tombstones, which keep the devices for `trashMs`. Without that, only devices with points get one. Must run
 * before the devices are deleted.
 */
export const KEEP_NODE_IDS = define({ opId: text, now: int, trashMs: int }, ({ opId, now, trashMs }) => {
  const deletion = row(changeLog, "deletion");
  const { id: deviceId, nodeId, updatedAt, hasPoints } = device;
  const ifKept = (value: Value): SQL => sql`CASE WHEN ${trashMs} > 0 THEN ${value} END`;
  const { names, values } = inserted(deviceTombstone, {
    deviceId,
    nodeId,
    deletedAt: now,
    purgeAt: sql`${now} + ${trashMs}`,
    rev: deletion.rev,
    roleId:
      sql`CASE WHEN ${deletion.kind} LIKE 'manages.%' THEN ${deletion.parentId} ELSE ${deletion.roleId} END`,
    properties: ifKept(device.properties),
    updatedAt,
    hasPoints,
    countedTo: ifKept(device.countedTo),
    countedFor: ifKept(device.countedFor),
    externalId: ifKept(device.externalId),
    externalRoot: ifKept(device.externalRoot),
  });
  return sql`
  INSERT INTO ${deviceTombstone} (${names})
  SELECT ${values} FROM ${deletion} CROSS JOIN json_each(${deletion.deletedDeviceIds}) deleted
    CROSS JOIN ${device} ON ${device.id} = deleted.value
  WHERE ${deletion.opId} = ${opId} AND ${deletion.step} = 'delete' AND (${device.hasPoints} OR ${trashMs} > 0)`;
});

/**
 * Whether a tombstone keeps the nodeId from the role. In the trash, only the role that a device was deleted from may
 * give its nodeId to another one, unless the device had been retired before for as long as it lies there. After that,
 * no role may until its points are deleted.
 */
export function isKept(nodeId: Value, roleId: Value, now: Value): SQL {
  const { deviceId, nodeId: kept, purgeAt, deletedAt, roleId: from, hasPoints } = deviceTombstone;
  const wasRetired = isRetiredSince(deviceId, sql`(2 * ${deletedAt} - ${purgeAt})`);
  return sql`EXISTS (SELECT 1 FROM ${deviceTombstone} WHERE ${kept} = ${nodeId}
    AND CASE WHEN ${purgeAt} > ${now} THEN ${from} IS NOT ${roleId} AND NOT ${wasRetired} ELSE ${hasPoints} END)`;
}

/**
 * Whether a retired device that returns to the role has its nodeId: no newer device has it, and none in the trash keeps it
 * from the role.
 */
export function hasItsNodeId({ id, nodeId }: typeof device, roleId: Value, now: Value): SQL {
  return sql`(${id} = (${currentDevice(nodeId)}) AND NOT ${isKept(nodeId, roleId, now)})`;
}

/**
 * Takes devices, whose ids `ids` selects, out of the trash without restoring them: their tombstones are as if they had
 * been deleted at once.
 */
export function forget(ids: SQL): SQL {
  const { now } = placeholdersOf({ now: int });
  const none = sql`NULL`;
  const forgotten = {
    purgeAt: now,
    properties: none,
    countedTo: none,
    countedFor: none,
    externalId: none,
    externalRoot: none,
  };
  return sql`UPDATE ${deviceTombstone} SET ${assigned(deviceTombstone, forgotten)}
  WHERE ${deviceTombstone.deviceId} IN (${ids})`;
}

/** Ends the chance to restore the deleted devices whose nodeIds the change gives to new ones. */
export const GIVE_NODE_IDS_AWAY = define(
  { opId: text, now: int, devices: text },
  ({ opId, now, devices }) => {
    const gone = row(deviceTombstone, "gone");
    return forget(
      sql`SELECT ${gone.deviceId} FROM json_each(${devices}) given CROSS JOIN json_each(given.value, '$[3]') spelled
      CROSS JOIN ${gone} ON ${gone.nodeId} = spelled.value
    WHERE ${gone.purgeAt} > ${now}
    AND EXISTS (SELECT 1 FROM ${changeLog} WHERE ${changeLog.opId} = ${opId} AND ${changeLog.step} = 'write')`,
    );
  },
);

interface TombstoneRow {
  readonly deviceId: number;
}

/** Tombstones of devices outside of the trash that no write can still reach, oldest first. */
export const SETTLED_TOMBSTONES = rows<TombstoneRow>()({ now: int, limit: int }, ({ now, limit }) => {
  const { deviceId, purgeAt } = deviceTombstone;
  return sql`
  SELECT ${deviceId} AS deviceId FROM ${deviceTombstone}
  WHERE ${purgeAt} <= ${now} - ${SETTLING_SECONDS * SECOND_MS} ORDER BY ${purgeAt} LIMIT +${limit}`;
});

/** Deletes tombstones, which frees their nodeIds. `deviceIds` is a JSON list. Returns a row for each. */
export const DELETE_TOMBSTONES = define({ deviceIds: text }, ({ deviceIds }) =>
  sql`
  DELETE FROM ${deviceTombstone}
  WHERE ${deviceTombstone.deviceId} IN (SELECT value FROM json_each(${deviceIds})) RETURNING 1 AS deleted`);
