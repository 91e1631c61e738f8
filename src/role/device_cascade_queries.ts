import { defineStatement, type Statement } from "../db/statement.ts";
import { whenEffect } from "./change/change_queries.ts";

/**
 * The devices that go with monitors relations, in the batch of a deletion. Whatever was deleted, the change log row of
 * `:opId` lists the relations that go (ids of all kinds of relations come from one sequence), and its effect is `delete`.
 */

const GONE_RELATIONS = `(SELECT gone_relation_ids FROM change_log WHERE ${whenEffect("delete")})`;
const GONE_DEVICES = `(SELECT gone_device_ids FROM change_log WHERE ${whenEffect("delete")})`;

/** The devices whose last monitors relations go. Each is asked about once, however many roles monitored it. */
export const NOTE_GONE_DEVICES: Statement = defineStatement(`
  UPDATE change_log SET gone_device_ids = (
    SELECT json_group_array(lost.device_id) FROM (
      SELECT DISTINCT taken.device_id FROM json_each(${GONE_RELATIONS}) gone
        CROSS JOIN monitors taken ON taken.id = gone.value) lost
    WHERE NOT EXISTS (SELECT 1 FROM monitors kept WHERE kept.device_id = lost.device_id
      AND kept.id NOT IN (SELECT value FROM json_each(${GONE_RELATIONS}))))
  WHERE ${whenEffect("delete")}`);

const DELETE_MONITORS: Statement = defineStatement(
  `DELETE FROM monitors WHERE id IN (SELECT value FROM json_each(${GONE_RELATIONS}))`,
);

/** What may have left points behind keeps its nodeId taken until they are gone from the store. */
const KEEP_NODE_IDS: Statement = defineStatement(`
  INSERT INTO gone_device (device_id, node_id, gone_at)
  SELECT device.id, device.node_id, :now FROM json_each(${GONE_DEVICES}) gone
    CROSS JOIN device ON device.id = gone.value
  WHERE device.has_points`);

const DELETE_DEVICES: Statement = defineStatement(
  `DELETE FROM device WHERE id IN (SELECT value FROM json_each(${GONE_DEVICES}))`,
);

/** Deletes the monitors relations that go and the noted devices. Run after `NOTE_GONE_DEVICES`. */
export const DELETE_GONE_DEVICES: readonly Statement[] = [DELETE_MONITORS, KEEP_NODE_IDS, DELETE_DEVICES];
