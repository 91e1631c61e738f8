import { REVISION } from "../db/revisions.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import { sessionLives } from "../identity/security_queries.ts";
import {
  nextId,
  recordChange,
  TAKE_NODE_AND_RELATION_ID,
  whenEffect,
} from "../role/change/change_queries.ts";
import { type CreatingBatch, type KeyParts, withAndWithoutKey } from "../role/change/idempotency_queries.ts";
import { mayManageDevice, mayManageDevicesOf } from "./guard_queries.ts";

/** SQL: a device has the nodeId, or a deleted device had it and its points may still exist. */
const IS_TAKEN = `(EXISTS (SELECT 1 FROM device WHERE node_id = :nodeId)
  OR EXISTS (SELECT 1 FROM gone_device WHERE node_id = :nodeId))`;

/**
 * Decides the creation of a device. Only an actor who may create devices learns that a nodeId is taken. A repeated
 * request returns the device that the first one created.
 */
function decideCreate({ join, branches, ofFirst }: KeyParts): Statement {
  return recordChange({
    kind: "'device.create'",
    decided: `SELECT ${ofFirst("device_id")} AS device_id, ${ofFirst("relation_id")} AS relation_id,
      ${ofFirst("at")} AS created_at, CASE
      ${branches}
      WHEN NOT ${mayManageDevicesOf(":roleId")} THEN 'denied'
      WHEN ${IS_TAKEN} THEN 'node_id_taken'
      ELSE 'ok' END AS decision
    FROM session ${join} WHERE ${sessionLives("session")}`,
    values: {
      role_id: ":roleId",
      device_id: `CASE decision WHEN 'ok' THEN ${nextId("node")} WHEN 'noop' THEN device_id END`,
      relation_id: `CASE decision WHEN 'ok' THEN ${nextId("relation")} WHEN 'noop' THEN relation_id END`,
      details:
        `json_object('nodeId', :nodeId, 'createdAt', CASE decision WHEN 'noop' THEN created_at ELSE :now END)`,
    },
  });
}

const INSERT_DEVICE: Statement = defineStatement(`
  INSERT INTO device (id, node_id, properties, updated_at)
  SELECT device_id, :nodeId, :properties, :now FROM change_log WHERE ${whenEffect("write")}`);

/** Inserts the monitors relation of the role and the device in the change log row. */
export const INSERT_MONITORS: Statement = defineStatement(`
  INSERT INTO monitors (id, role_id, device_id)
  SELECT relation_id, role_id, device_id FROM change_log WHERE ${whenEffect("write")}`);

/** SQL: the actor may manage the device of this change. */
const MAY_MANAGE_CHANGED = mayManageDevice("change_log.device_id");

/** Reads the device back as it was created. A request repeated under its key has the same properties. */
const READ_CREATED: Statement = defineStatement(`
  SELECT decision, cost, ${REVISION}, relation_id AS relationId, device_id AS id, :properties AS properties,
    json_extract(details, '$.createdAt') AS updatedAt, ${MAY_MANAGE_CHANGED} AS monitorManagement
  FROM change_log WHERE op_id = :opId`);

/** Creates a device that a role monitors. The last statement returns a `ChangedDeviceRow`. */
export const CREATE_DEVICE: CreatingBatch = withAndWithoutKey((key) => [
  decideCreate(key),
  TAKE_NODE_AND_RELATION_ID,
  INSERT_DEVICE,
  INSERT_MONITORS,
  ...key.keep,
  READ_CREATED,
]);

/** SQL: the new properties to store. If they have no nodeId, the device's nodeId is put in front. */
function newProperties(nodeId: string): string {
  return `CASE WHEN :nodeId IS NOT NULL THEN :properties
  ELSE '{"nodeId":' || json_quote(${nodeId}) || CASE :properties WHEN '{}' THEN '}'
    ELSE ',' || substr(:properties, 2) END END`;
}

const DECIDE_UPDATE: Statement = recordChange({
  kind: "'device.update'",
  decided: `SELECT device.node_id, device.updated_at, CASE
      WHEN NOT ${mayManageDevice(":deviceId")} THEN 'denied'
      WHEN :nodeId <> device.node_id THEN 'node_id_fixed'
      WHEN device.properties = ${newProperties("device.node_id")} THEN 'noop'
      ELSE 'ok' END AS decision
    FROM session LEFT JOIN device ON device.id = :deviceId WHERE ${sessionLives("session")}`,
  values: {
    device_id: ":deviceId",
    details:
      `json_object('nodeId', node_id, 'updatedAt', CASE decision WHEN 'noop' THEN updated_at ELSE :now END)`,
  },
});

const WRITE_DEVICE: Statement = defineStatement(`
  UPDATE device SET properties = ${newProperties("device.node_id")}, updated_at = :now
  WHERE id = (SELECT device_id FROM change_log WHERE ${whenEffect("write")})`);

/** Reads the device back as this change made it, since others may have changed or deleted it meanwhile. */
const READ_UPDATED: Statement = defineStatement(`
  SELECT decision, cost, ${REVISION}, relation_id AS relationId, device_id AS id,
    ${newProperties("json_extract(details, '$.nodeId')")} AS properties,
    json_extract(details, '$.updatedAt') AS updatedAt, ${MAY_MANAGE_CHANGED} AS monitorManagement
  FROM change_log WHERE op_id = :opId`);

/** Replaces a device's properties. The last statement returns a `ChangedDeviceRow`. */
export const UPDATE_DEVICE: readonly Statement[] = [DECIDE_UPDATE, WRITE_DEVICE, READ_UPDATED];
