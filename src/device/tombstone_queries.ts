import { SECOND_MS } from "../core/clock.ts";
import { device, deviceTombstone } from "../db/schema/telemetry.ts";
import {
  assigned,
  type Declared,
  define,
  inserted,
  int,
  type PlaceholdersOf,
  rows,
  type SQL,
  sql,
  text,
  type ValuesOf,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { DELETED_DEVICES } from "../role/closure/cascade_queries.ts";

/**
 * A deleted device that may have points leaves a tombstone, which keeps its nodeId taken until the store has deleted
 * the points.
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

/** Inserts the tombstones. Must run before the devices are deleted. */
export const KEEP_NODE_IDS = define({ opId: text, now: int }, ({ now }) => {
  const { names, values } = inserted(deviceTombstone, {
    deviceId: device.id,
    nodeId: device.nodeId,
    deletedAt: now,
  });
  return sql`
  INSERT INTO ${deviceTombstone} (${names})
  SELECT ${values} FROM json_each(${DELETED_DEVICES}) deleted
    CROSS JOIN ${device} ON ${device.id} = deleted.value
  WHERE ${device.hasPoints}`;
});

interface TombstoneRow {
  readonly deviceId: number;
}

/** Tombstones of devices that no write can still reach, oldest first. */
export const SETTLED_TOMBSTONES = rows<TombstoneRow>()({ now: int, limit: int }, ({ now, limit }) => {
  const { deviceId, deletedAt } = deviceTombstone;
  return sql`
  SELECT ${deviceId} AS deviceId FROM ${deviceTombstone}
  WHERE ${deletedAt} <= ${now} - ${SETTLING_SECONDS * SECOND_MS} ORDER BY ${deletedAt} LIMIT +${limit}`;
});

/** Deletes tombstones, which frees their nodeIds. `deviceIds` is a JSON list. Returns a row for each. */
export const DELETE_TOMBSTONES = define({ deviceIds: text }, ({ deviceIds }) =>
  sql`
  DELETE FROM ${deviceTombstone}
  WHERE ${deviceTombstone.deviceId} IN (SELECT value FROM json_each(${deviceIds})) RETURNING 1 AS deleted`);
