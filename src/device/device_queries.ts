import { SECOND_MS } from "../core/clock.ts";
import { REVISION } from "../db/revisions.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import { ONE_ROW, PRINCIPAL_LIVES } from "../role/guard_text.ts";
import { TAKE_NODE_AND_RELATION_ID } from "../role/change/change_queries.ts";
import { chargeChange, nextId, NOBODY_ACTS, recordChange, whenEffect } from "../role/change/change_text.ts";
import type { CreatingBatch } from "../role/change/idempotency_queries.ts";
import { type KeyParts, withAndWithoutKey } from "../role/change/idempotency_text.ts";
import { managesDevicesOf, mayManageDevice, roleToManageDevice } from "./guard_queries.ts";
import { MAX_PROPERTIES_BYTES } from "./properties.ts";

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
      WHEN ${NOBODY_ACTS} THEN 'denied'
      WHEN ${IS_TAKEN} THEN 'node_id_taken'
      ELSE 'ok' END AS ruling
    FROM ${ONE_ROW} ${join} WHERE ${PRINCIPAL_LIVES}`,
    charged: { by: managesDevicesOf(":roleId"), counts: "devices" },
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
  INSERT INTO device (id, node_id, properties, updated_at, counted_to, counted_for)
  SELECT device_id, :nodeId, :properties, :now, counted_to, counted_for FROM change_log WHERE ${
  whenEffect("write")
}`);

/** Inserts the monitors relation of the role and the device in the change log row. */
export const INSERT_MONITORS: Statement = defineStatement(`
  INSERT INTO monitors (id, role_id, device_id)
  SELECT relation_id, role_id, device_id FROM change_log WHERE ${whenEffect("write")}`);

const CHARGE_PROPERTIES = chargeChange("octet_length(:properties)");

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
  CHARGE_PROPERTIES,
  ...key.keep,
  READ_CREATED,
]);

/** Whether an update keeps the top-level properties that it does not mention, or removes them. */
export type UpdateMode = "legacy" | "replace";

/** More characters than any properties have, also older ones, whose size did not include the nodeId. */
const ALL_CHARACTERS = 1_000_000;

/** SQL about the properties of an update. Both refer to `device`, before it is updated. */
interface Update {
  /** The properties to store, as JSON. */
  readonly properties: string;
  /** Nothing changes. */
  readonly isNoop: string;
}

/** SQL: stands for NUL in a JSON text. No other text has these bytes, since they encode no Unicode character. */
const NUL_MARK = "'\\n' || CAST(x'F7BFBFBF' AS TEXT)";

/** SQL: `json_patch` with the mark for NUL, because SQLite compares names only up to a NUL. */
function patchOf(json: string, patch: string): string {
  return `json_patch(${markNul(json)}, ${markNul(patch)})`;
}

function markNul(json: string): string {
  return `replace(${json}, '\\u0000', ${NUL_MARK})`;
}

/**
 * `:properties` lack the nodeId, so at least that is kept. `:mentioned` has their names with the value null, which
 * a merge patch (RFC 7396) removes. The update itself cannot be such a patch: it may set a property to null, and it
 * replaces inner objects as a whole. SQLite copies the text of what is kept. Of that text, all but the last character
 * is followed by all but the first of the new properties.
 *
 * `:numbers` are the numbers among `:properties`. SQLite does not round all decimals correctly and may read two
 * neighbouring numbers as one, so these are compared as text: a patch with them must change nothing.
 */
const LEGACY: Update = {
  properties: `substr(replace(${patchOf("device.properties", ":mentioned")}, ${NUL_MARK}, '\\u0000'),
    -1, -${ALL_CHARACTERS}) || ',' || substr(:properties, 2)`,
  isNoop: `NOT EXISTS (SELECT key, type, value FROM json_each(:properties)
        EXCEPT SELECT key, type, value FROM json_each(device.properties))
        AND ${patchOf("device.properties", ":numbers")} = ${markNul("device.properties")}`,
};

/** If `:properties` have no nodeId, the device's nodeId is put in front. */
const REPLACED = `CASE WHEN :nodeId IS NOT NULL THEN :properties
    ELSE '{"nodeId":' || json_quote(device.node_id) || CASE :properties WHEN '{}' THEN '}'
      ELSE ',' || substr(:properties, 2) END END`;
const REPLACE: Update = { properties: REPLACED, isNoop: `device.properties = ${REPLACED}` };

/** The precondition comes before all that depends on the content of the request (RFC 9110, section 13.2.1). */
function decideUpdate({ properties, isNoop }: Update): Statement {
  return recordChange({
    kind: "'device.update'",
    ctes: `managed AS MATERIALIZED (SELECT ${
      roleToManageDevice(":deviceId")
    } AS role_id WHERE ${PRINCIPAL_LIVES})`,
    decided: `SELECT device.node_id, managed.role_id AS managed_role_id, CASE
      WHEN managed.role_id IS NULL THEN 'denied'
      WHEN device.updated_at / ${SECOND_MS} > :unmodifiedSince THEN 'modified'
      WHEN :nodeId <> device.node_id THEN 'node_id_fixed'
      WHEN ${isNoop} THEN 'noop'
      WHEN octet_length(${properties}) > ${MAX_PROPERTIES_BYTES} THEN 'properties_too_large'
      ELSE 'ok' END AS ruling
    FROM managed LEFT JOIN device ON device.id = :deviceId`,
    charged: { by: managesDevicesOf("(SELECT role_id FROM managed)") },
    values: { device_id: ":deviceId", details: "json_object('nodeId', node_id)" },
  });
}

/** Every change gets a later time than the one before, so that equal times mean equal properties. */
function writeDevice({ properties }: Update): Statement {
  return defineStatement(`
  UPDATE device SET properties = ${properties}, updated_at = max(:now, updated_at + 1)
  WHERE id = (SELECT device_id FROM change_log WHERE ${whenEffect("write")})`);
}

/** Reads the device back. If the response to the write was lost, others may have changed or deleted it since. */
const READ_UPDATED: Statement = defineStatement(`
  SELECT decision, cost, ${REVISION}, relation_id AS relationId, device_id AS id, device.properties,
    device.updated_at AS updatedAt, ${MAY_MANAGE_CHANGED} AS monitorManagement
  FROM change_log LEFT JOIN device ON device.id = change_log.device_id WHERE op_id = :opId`);

function updateDevice(update: Update): readonly Statement[] {
  return [decideUpdate(update), writeDevice(update), CHARGE_PROPERTIES, READ_UPDATED];
}

/** Updates a device's properties. The last statement returns an `UpdatedDeviceRow`. */
export const UPDATE_DEVICE: Readonly<Record<UpdateMode, readonly Statement[]>> = {
  legacy: updateDevice(LEGACY),
  replace: updateDevice(REPLACE),
};
