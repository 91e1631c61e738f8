import { REVISION } from "../db/revisions.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import { holds, ONE_ROW, PRINCIPAL_LIVES } from "../role/guard_text.ts";
import { chargeChange } from "../role/change/charge_queries.ts";
import { TAKE_RELATION_ID } from "../role/change/change_queries.ts";
import { nextId, recordChange } from "../role/change/change_text.ts";
import { NOTE_DELETED_DEVICES } from "../role/cascade_queries.ts";
import { DELETE_DEVICES } from "./cascade_queries.ts";
import { INSERT_MONITORS } from "./device_queries.ts";
import { mayAttachDevice, mayManageDevicesOf } from "./guard_queries.ts";

/** Maximum number of roles that monitor a device. Devices from before this limit may have more. */
export const MAX_MONITORS = 100;

/** SQL: the device has no room for another monitoring role. */
const IS_FULL = `(SELECT 1 FROM monitors counted WHERE counted.device_id = :deviceId LIMIT 1 OFFSET ${
  MAX_MONITORS - 1
}) IS NOT NULL`;

const DECIDE_ADD: Statement = recordChange({
  kind: "'monitors.add'",
  decided: `SELECT existing.id AS relation_id, CASE
      WHEN NOT ${mayAttachDevice(":deviceId", ":roleId", "existing.id IS NULL")} THEN 'denied'
      WHEN existing.id IS NOT NULL THEN 'noop'
      WHEN ${IS_FULL} THEN 'too_many_monitors'
      ELSE 'ok' END AS ruling
    FROM ${ONE_ROW} LEFT JOIN monitors existing ON existing.device_id = :deviceId AND existing.role_id = :roleId
    WHERE ${PRINCIPAL_LIVES}`,
  charged: { by: holds("deviceManagement", ":roleId") },
  values: {
    role_id: ":roleId",
    device_id: ":deviceId",
    relation_id: `CASE decision WHEN 'ok' THEN ${nextId("relation")} ELSE relation_id END`,
  },
});

const READ_ADDED: Statement = defineStatement(`
  SELECT decision, cost, ${REVISION}, relation_id AS id, role_id AS roleId, device_id AS deviceId
  FROM change_log WHERE op_id = :opId`);

/** Lets a role monitor a device. The last statement returns an `AddedMonitorsRow`. */
export const ADD_MONITORS: readonly Statement[] = [
  DECIDE_ADD,
  TAKE_RELATION_ID,
  INSERT_MONITORS,
  chargeChange(),
  READ_ADDED,
];

const DECIDE_REMOVE: Statement = recordChange({
  kind: "'monitors.remove'",
  decided: `SELECT existing.id AS relation_id, existing.device_id,
      CASE WHEN existing.id IS NOT NULL AND ${
    mayManageDevicesOf(":roleId")
  } THEN 'ok' ELSE 'denied' END AS ruling
    FROM ${ONE_ROW} LEFT JOIN monitors existing ON existing.id = :relationId AND existing.role_id = :roleId
    WHERE ${PRINCIPAL_LIVES}`,
  values: {
    role_id: ":roleId",
    device_id: "device_id",
    relation_id: "relation_id",
    gone_relation_ids: "CASE decision WHEN 'ok' THEN json_array(relation_id) END",
  },
  effect: "CASE decision WHEN 'ok' THEN 'delete' ELSE 'none' END",
});

const READ_REMOVED: Statement = defineStatement(`
  SELECT decision, cost, ${REVISION}, gone_device_ids AS deletedDeviceIds, gone_relation_ids AS deletedRelationIds
  FROM change_log WHERE op_id = :opId`);

/**
 * Detaches a device from a role, and deletes it if that was its last. The last statement returns a
 * `RemovedMonitorsRow`.
 */
export const REMOVE_MONITORS: readonly Statement[] = [
  DECIDE_REMOVE,
  NOTE_DELETED_DEVICES,
  ...DELETE_DEVICES,
  READ_REMOVED,
];
