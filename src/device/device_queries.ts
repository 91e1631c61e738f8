import { SECOND_MS } from "../core/clock.ts";
import { REVISION_COLUMN } from "../db/revisions.ts";
import { changeLog } from "../db/schema/role.ts";
import { device, monitors } from "../db/schema/telemetry.ts";
import {
  assigned,
  type Declared,
  define,
  inserted,
  int,
  nullable,
  placeholdersOf,
  row,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import {
  CHARGE_PREVIEW,
  nextId,
  recordChange,
  type Run,
  TAKE_NODE_AND_RELATION_ID,
  whenEffect,
} from "../role/change/change_queries.ts";
import { CHARGE, charging, IS_UNAUTHORIZED } from "../role/change/charge_queries.ts";
import { type CreatingBatch, type KeyParts, withAndWithoutKey } from "../role/change/idempotency_queries.ts";
import { ONE_ROW, PRINCIPAL_LIVES } from "../role/guard/principal_queries.ts";
import {
  managesDevicesOf,
  mayManageDevice,
  mayManageDevicesOf,
  roleToManageDevice,
} from "./guard_queries.ts";
import { isRetiredSince } from "./period_queries.ts";
import { MAX_PROPERTIES_BYTES } from "./properties.ts";
import { GIVE_NODE_ID_AWAY, isKept } from "./tombstone_queries.ts";

const CREATE = { roleId: int, nodeId: text, trashMs: int };
const UPDATE = { deviceId: int, nodeId: nullable(text), unmodifiedSince: nullable(int) };
const args = placeholdersOf({ ...UPDATE, ...CREATE });
/** `properties` as JSON. */
const WRITTEN = { opId: text, now: int, properties: text };
const { opId, now, properties } = placeholdersOf(WRITTEN);

const holder = row(device, "holder");
const IS_FREE = isRetiredSince(holder.id, sql`${now} - ${args.trashMs}`);
/**
 * A device has the nodeId, unless it has been retired for as long as a deleted one lies in the trash; or a deleted device
 * had it that can be restored, or whose points may still exist.
 */
const IS_TAKEN =
  sql`(EXISTS (SELECT 1 FROM ${holder} WHERE ${holder.nodeId} = ${args.nodeId} AND NOT ${IS_FREE})
  OR ${isKept(args.nodeId, args.roleId, now)})`;

/** A preview is not charged. */
const IS_REFUSED = sql`NOT ${mayManageDevicesOf(args.roleId)}`;

/**
 * Decides the creation of a device. Only an actor who may create devices learns that a nodeId is taken. A retry returns
 * the device that the first request created.
 */
function decideCreate({ declared, join, branches, ofFirst }: KeyParts, run: Run): Statement {
  const idOf = (sequence: "node" | "relation", ofRepeated: SQL): SQL =>
    sql`CASE decision WHEN 'ok' THEN ${nextId(sequence, run)} WHEN 'noop' THEN ${ofRepeated} END`;
  const createdAt = sql`CASE decision WHEN 'noop' THEN created_at ELSE ${now} END`;
  return recordChange({ ...CREATE, ...declared }, {
    kind: sql`'device.create'`,
    ruled: sql`SELECT ${ofFirst("deviceId")} AS device_id, ${ofFirst("relationId")} AS relation_id,
      ${ofFirst("at")} AS created_at, CASE
      ${branches}
      WHEN ${run === "change" ? IS_UNAUTHORIZED : IS_REFUSED} THEN 'denied'
      WHEN ${IS_TAKEN} THEN 'node_id_taken'
      ELSE 'ok' END AS ruling
    FROM ${ONE_ROW} ${join} WHERE ${PRINCIPAL_LIVES}`,
    charged: { by: (acting) => managesDevicesOf(acting, args.roleId), counts: "devices" },
    values: {
      roleId: args.roleId,
      deviceId: idOf("node", sql`device_id`),
      relationId: idOf("relation", sql`relation_id`),
      details: sql`json_object('nodeId', ${args.nodeId}, 'createdAt', ${createdAt})`,
    },
  }, run);
}

const INSERT_DEVICE = define({ ...WRITTEN, nodeId: text }, () => {
  const { names, values } = inserted(device, {
    id: changeLog.deviceId,
    nodeId: args.nodeId,
    properties,
    updatedAt: now,
    countedTo: changeLog.countedTo,
    countedFor: changeLog.countedFor,
  });
  return sql`
  INSERT INTO ${device} (${names})
  SELECT ${values} FROM ${changeLog} WHERE ${whenEffect("write")}`;
});

/** Inserts the monitors relation of the role and the device in the change log row, whose details have its period. */
export const INSERT_MONITORS = define({ opId: text }, () => {
  const { names, values } = inserted(monitors, {
    id: changeLog.relationId,
    roleId: changeLog.roleId,
    deviceId: changeLog.deviceId,
    validFrom: sql`${changeLog.details} ->> 'from'`,
    validUntil: sql`${changeLog.details} ->> 'until'`,
  });
  return sql`
  INSERT INTO ${monitors} (${names})
  SELECT ${values} FROM ${changeLog} WHERE ${whenEffect("write")}`;
});

const CHARGE_PROPERTIES = define(
  { ...CHARGE, properties: text },
  () => charging(sql`octet_length(${properties})`),
);

/** The columns of a change's last statement. */
const CHANGED_COLUMNS = sql`${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN},
    ${changeLog.relationId} AS relationId, ${changeLog.deviceId} AS id`;
/** The actor may manage the device of this change. */
const MAY_MANAGE_CHANGED = mayManageDevice(changeLog.deviceId);

/** Reads the device back as it was created. A retry under its key has the same properties. */
const READ_CREATED = define({ actorId: int, sessionId: text, ...WRITTEN }, () =>
  sql`
  SELECT ${CHANGED_COLUMNS}, ${properties} AS properties,
    json_extract(${changeLog.details}, '$.createdAt') AS updatedAt, ${MAY_MANAGE_CHANGED} AS monitorManagement
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);

/** Returns the device of a preview, which has no id, and which the actor could manage. */
const READ_PREVIEWED = define({ opId: text, properties: text }, () =>
  sql`
  SELECT ${CHANGED_COLUMNS}, ${properties} AS properties,
    json_extract(${changeLog.details}, '$.createdAt') AS updatedAt, 1 AS monitorManagement
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);

/** Creates a device that a role monitors. The last statement returns a `ChangedDeviceRow`. */
export const CREATE_DEVICE: CreatingBatch = withAndWithoutKey((key) => [
  decideCreate(key, "change"),
  TAKE_NODE_AND_RELATION_ID,
  GIVE_NODE_ID_AWAY,
  INSERT_DEVICE,
  INSERT_MONITORS,
  CHARGE_PROPERTIES,
  ...key.keep,
  READ_CREATED,
]);

/** The preview of a creation. The last statement returns a `ChangedDeviceRow`. */
export const PREVIEW_CREATION: CreatingBatch = withAndWithoutKey((key) => [
  decideCreate(key, "preview"),
  CHARGE_PREVIEW,
  READ_PREVIEWED,
]);

/** Whether an update keeps or removes the top-level properties that it does not mention. */
export type UpdateMode = "legacy" | "replace";

/** More characters than any properties have, including older ones, whose size did not count the nodeId. */
const ALL_CHARACTERS = 1_000_000;

/** The properties of an update. The parts refer to `device` before it is updated. */
interface Update {
  /** The properties to store, as JSON. `taken` are the arguments that they take besides `properties`. */
  readonly stored: SQL;
  readonly taken: Declared;
  /** Whether nothing changes. `compared` are the arguments of that. */
  readonly isNoop: SQL;
  readonly compared: Declared;
}

/** Replaces NUL in a JSON text. No other text has these bytes, since they encode no Unicode character. */
const NUL_MARK = sql`'\\n' || CAST(x'F7BFBFBF' AS TEXT)`;

/** Returns `json_patch` with the mark for NUL, because SQLite compares names only up to a NUL. */
function patchOf(json: Value, patch: Value): SQL {
  return sql`json_patch(${markNul(json)}, ${markNul(patch)})`;
}

function markNul(json: Value): SQL {
  return sql`replace(${json}, '\\u0000', ${NUL_MARK})`;
}

const MENTIONED = { mentioned: text };
const NUMBERS = { numbers: text };
const { mentioned, numbers } = placeholdersOf({ ...MENTIONED, ...NUMBERS });

/**
 * Merges `properties`, which lack the nodeId, so that at least this is kept. `mentioned` has their names with null,
 * which a merge patch (RFC 7396) removes. The update itself is no such patch: it may set a property to null, and
 * replaces inner objects as a whole.
 */
const LEGACY: Update = {
  // SQLite copies the text of what is kept. Without its last character, it precedes the new properties without their
  // first.
  stored: sql`substr(replace(${patchOf(device.properties, mentioned)}, ${NUL_MARK}, '\\u0000'),
    -1, -${ALL_CHARACTERS}) || ',' || substr(${properties}, 2)`,
  taken: MENTIONED,
  // SQLite rounds some decimals wrongly and may read two neighbouring numbers as one, so the `numbers` of `properties`
  // are compared as text: a patch with them must change nothing.
  isNoop: sql`NOT EXISTS (SELECT key, type, value FROM json_each(${properties})
        EXCEPT SELECT key, type, value FROM json_each(${device.properties}))
        AND ${patchOf(device.properties, numbers)} = ${markNul(device.properties)}`,
  compared: NUMBERS,
};

/** Puts the device's nodeId in front of `properties` without one. */
const REPLACED = sql`CASE WHEN ${args.nodeId} IS NOT NULL THEN ${properties}
    ELSE '{"nodeId":' || json_quote(${device.nodeId}) || CASE ${properties} WHEN '{}' THEN '}'
      ELSE ',' || substr(${properties}, 2) END END`;
const REPLACE: Update = {
  stored: REPLACED,
  taken: { nodeId: nullable(text) },
  isNoop: sql`${device.properties} = ${REPLACED}`,
  compared: {},
};

/**
 * Decides an update. The precondition comes before all that depends on the content of the request (RFC 9110, section
 * 13.2.1).
 */
function decideUpdate({ stored, taken, isNoop, compared }: Update): Statement {
  return recordChange({ ...UPDATE, properties: text, ...taken, ...compared }, {
    kind: sql`'device.update'`,
    ctes: sql`managed AS MATERIALIZED (SELECT ${roleToManageDevice(args.deviceId)} AS role_id
      WHERE ${PRINCIPAL_LIVES})`,
    ruled: sql`SELECT ${device.nodeId}, managed.role_id AS managed_role_id, CASE
      WHEN managed.role_id IS NULL THEN 'denied'
      WHEN ${device.updatedAt} / ${SECOND_MS} > ${args.unmodifiedSince} THEN 'modified'
      WHEN ${args.nodeId} <> ${device.nodeId} THEN 'node_id_fixed'
      WHEN ${isNoop} THEN 'noop'
      WHEN octet_length(${stored}) > ${MAX_PROPERTIES_BYTES} THEN 'properties_too_large'
      ELSE 'ok' END AS ruling
    FROM managed LEFT JOIN ${device} ON ${device.id} = ${args.deviceId}`,
    charged: { by: (acting) => managesDevicesOf(acting, sql`(SELECT role_id FROM managed)`) },
    values: { deviceId: args.deviceId, details: sql`json_object('nodeId', node_id)` },
  });
}

/**
 * Writes the properties. Each change gets a later time than the one before, so that equal times mean equal properties.
 */
function writeDevice({ stored, taken }: Update): Statement {
  const changed = assigned(device, {
    properties: stored,
    updatedAt: sql`max(${now}, ${device.updatedAt} + 1)`,
  });
  return define({ ...WRITTEN, ...taken }, () =>
    sql`
  UPDATE ${device} SET ${changed}
  WHERE ${device.id} = (SELECT ${changeLog.deviceId} FROM ${changeLog} WHERE ${whenEffect("write")})`);
}

/** Reads the device back. After a lost response, other changes may have updated or deleted it. */
const READ_UPDATED = define({ actorId: int, sessionId: text, now: int, opId: text }, () =>
  sql`
  SELECT ${CHANGED_COLUMNS}, ${device.properties}, ${device.updatedAt} AS updatedAt,
    ${MAY_MANAGE_CHANGED} AS monitorManagement
  FROM ${changeLog} LEFT JOIN ${device} ON ${device.id} = ${changeLog.deviceId} WHERE ${changeLog.opId} = ${opId}`);

function updateDevice(update: Update): readonly Statement[] {
  return [decideUpdate(update), writeDevice(update), CHARGE_PROPERTIES, READ_UPDATED];
}

/** Updates a device's properties. The last statement returns an `UpdatedDeviceRow`. */
export const UPDATE_DEVICE: Readonly<Record<UpdateMode, readonly Statement[]>> = {
  legacy: updateDevice(LEGACY),
  replace: updateDevice(REPLACE),
};
