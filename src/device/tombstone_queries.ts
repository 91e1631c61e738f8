import { SECOND_MS } from "../core/clock.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import { DELETED_DEVICES } from "../role/cascade_text.ts";

/**
 * A deleted device that may have points leaves a tombstone, which keeps its nodeId taken until the store has deleted
 * the points.
 */

/** Seconds for which a write that was authorized before its device was deleted may be on its way to the engine. */
const SETTLING_SECONDS = 60;

/** Marks the devices that meet `condition` (SQL) as having points. */
export function markWithPoints(condition: string): Statement {
  return defineStatement(`UPDATE device SET has_points = 1 WHERE has_points = 0 AND ${condition}`);
}

/** Inserts the tombstones. Must run before the devices are deleted. */
export const KEEP_NODE_IDS: Statement = defineStatement(`
  INSERT INTO gone_device (device_id, node_id, gone_at)
  SELECT device.id, device.node_id, :now FROM json_each(${DELETED_DEVICES}) deleted
    CROSS JOIN device ON device.id = deleted.value
  WHERE device.has_points`);

/** Tombstones of devices that no write can reach any more, oldest first. */
export const SETTLED_TOMBSTONES: Statement = defineStatement(`
  SELECT device_id AS deviceId FROM gone_device
  WHERE gone_at <= :now - ${SETTLING_SECONDS * SECOND_MS} ORDER BY gone_at LIMIT +:limit`);

/** Deletes tombstones, which frees their nodeIds. `:deviceIds` is a JSON list. Returns a row for each. */
export const DELETE_TOMBSTONES: Statement = defineStatement(
  `DELETE FROM gone_device WHERE device_id IN (SELECT value FROM json_each(:deviceIds)) RETURNING 1 AS deleted`,
);
