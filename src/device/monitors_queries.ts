import { defineStatement, type Statement } from "../db/statement.ts";
import { sessionLives } from "../identity/security_queries.ts";
import { nextId, TAKE_RELATION_ID } from "../role/change/change_queries.ts";
import { NOTE_DELETED_DEVICES } from "../role/cascade_queries.ts";
import { DELETE_DEVICES } from "./cascade_queries.ts";
import { INSERT_MONITORS } from "./device_queries.ts";
import { mayAttachDevice, mayManageDevicesOf } from "./guard_queries.ts";

const DECIDE_ADD: Statement = defineStatement(`
  INSERT INTO change_log (op_id, at, actor_id, session_id, kind, role_id, device_id, relation_id, decision, effect)
  SELECT :opId, :now, :actorId, :sessionId, 'monitors.add', :roleId, :deviceId,
    CASE decision WHEN 'ok' THEN ${nextId("relation")} ELSE relation_id END, decision,
    CASE decision WHEN 'ok' THEN 'write' ELSE 'none' END
  FROM (SELECT existing.id AS relation_id, CASE
      WHEN NOT ${mayAttachDevice(":deviceId", ":roleId")} THEN 'denied'
      WHEN existing.id IS NOT NULL THEN 'noop'
      ELSE 'ok' END AS decision
    FROM session LEFT JOIN monitors existing ON existing.device_id = :deviceId AND existing.role_id = :roleId
    WHERE ${sessionLives("session")})`);

const READ_ADDED: Statement = defineStatement(`
  SELECT decision, cost, rev AS revision, relation_id AS id, role_id AS roleId, device_id AS deviceId
  FROM change_log WHERE op_id = :opId`);

/** Lets a role monitor a device. The last statement returns an `AddedMonitorsRow`. */
export const ADD_MONITORS: readonly Statement[] = [
  DECIDE_ADD,
  TAKE_RELATION_ID,
  INSERT_MONITORS,
  READ_ADDED,
];

const DECIDE_REMOVE: Statement = defineStatement(`
  INSERT INTO change_log (op_id, at, actor_id, session_id, kind, role_id, device_id, relation_id, gone_relation_ids,
    decision, effect)
  SELECT :opId, :now, :actorId, :sessionId, 'monitors.remove', :roleId, device_id, relation_id,
    CASE WHEN allowed THEN json_array(relation_id) END, CASE WHEN allowed THEN 'ok' ELSE 'denied' END,
    CASE WHEN allowed THEN 'delete' ELSE 'none' END
  FROM (SELECT existing.id AS relation_id, existing.device_id,
      existing.id IS NOT NULL AND ${mayManageDevicesOf(":roleId")} AS allowed
    FROM session LEFT JOIN monitors existing ON existing.id = :relationId AND existing.role_id = :roleId
    WHERE ${sessionLives("session")})`);

const READ_REMOVED: Statement = defineStatement(`
  SELECT decision, cost, rev AS revision, gone_device_ids AS deletedDeviceIds, gone_relation_ids AS deletedRelationIds
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
