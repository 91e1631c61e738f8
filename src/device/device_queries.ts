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
import { nextId, recordChange, takeNodesAndRelations } from "../changes/change_queries.ts";
import { CHARGE, charging, IS_UNAUTHORIZED } from "../changes/charge_queries.ts";
import { COPIES_OF_PROPERTIES } from "../changes/store_limits.ts";
import { type CreatingBatch, type KeyParts, withAndWithoutKey } from "../changes/idempotency_queries.ts";
import {
  externalColumns,
  externalRootOf,
  GIVEN_SPELLINGS,
  isExternalIdTaken,
  isOtherExternalId,
  SPELLINGS,
  spellingsIn,
  withDetails,
} from "../role/external_id_queries.ts";
import { ONE_ROW, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";
import {
  managesDevicesOf,
  mayManageDevice,
  mayManageDevicesOf,
  roleToManageDevice,
} from "./guard_queries.ts";
import { currentDevice, isRetiredSince } from "./period_queries.ts";
import { MAX_PROPERTIES_BYTES } from "./properties.ts";
import { GIVE_NODE_IDS_AWAY, isKept } from "./tombstone_queries.ts";
import { type Run, whenStep } from "../graph/step_queries.ts";

/** `setsExternalId`: whether the request names an external id, or none. Otherwise, the present one stays. */
const SETTING = { externalId: nullable(text), setsExternalId: int, ...SPELLINGS };
const CREATE = { roleId: int, trashMs: int };
/** `nodeIds`: the spellings of the nodeId that a request names, as a JSON list, or null. */
const NAMED = { nodeIds: nullable(text) };
const UPDATE = { deviceId: int, ...NAMED, unmodifiedSince: nullable(int), ...SETTING };
const args = placeholdersOf({ ...UPDATE, ...CREATE });
/** `properties` as JSON. */
const WRITTEN = { opId: text, now: int, properties: text };
const { opId, now, properties } = placeholdersOf(WRITTEN);

/**
 * JSON: of each new device, a list of its nodeId, its properties, which are JSON as a text, its external id or null, and the
 * spellings of both, which must be free.
 */
const DEVICES = { devices: text };
const { devices } = placeholdersOf(DEVICES);
const COUNT = sql`json_array_length(${devices})`;
const NODE_ID = sql`given.value ->> 0`;
const PROPERTIES = sql`given.value ->> 1`;
const EXTERNAL_ID = sql`given.value ->> 2`;
const SPELLINGS_OF_NODE_ID = sql`json_each(given.value, '$[3]') spelled`;
const SPELLED = sql`spelled.value`;

const holder = row(device, "holder");
const IS_FREE = isRetiredSince(holder.id, sql`${now} - ${args.trashMs}`);
/**
 * A device has the nodeId, unless it has been retired for as long as a deleted one lies in the trash; or a deleted device
 * had it that can be restored, or whose points may still exist.
 */
const IS_TAKEN = sql`EXISTS (SELECT 1 FROM ${SPELLINGS_OF_NODE_ID} WHERE EXISTS (
      SELECT 1 FROM ${holder} WHERE ${holder.id} = (${currentDevice(SPELLED)}) AND NOT ${IS_FREE})
    OR ${isKept(SPELLED, args.roleId, now)})`;

const namesake = row(device, "namesake");
/** Another device below the root of the role has the external id. */
const IS_IDENTIFIED = isExternalIdTaken(
  namesake,
  sql`SELECT value FROM json_each(given.value, '$[4]')`,
  externalRootOf(args.roleId),
);

/** What the log keeps of a new device. */
function detailsOf(nodeId: Value, externalId: Value, createdAt: Value): SQL {
  return withDetails(
    sql`json_object('nodeId', ${nodeId}, 'createdAt', ${createdAt})`,
    sql`json_object('externalId', ${externalId})`,
  );
}

/** A preview is not charged. */
const IS_REFUSED = sql`NOT ${mayManageDevicesOf(args.roleId)}`;

/**
 * Decides the creation of devices: of all, or of none. Its row is about the first one. Only an actor who may create
 * devices learns that a nodeId is taken. A retry returns the devices that the first request created: the ids of one
 * change follow one another.
 */
function decideCreate({ declared, join, branches, ofFirst }: KeyParts, run: Run): Statement {
  const idOf = (sequence: "node" | "relation", ofRepeated: SQL): SQL =>
    sql`CASE decision WHEN 'ok' THEN ${nextId(sequence, run)} WHEN 'noop' THEN ${ofRepeated} END`;
  const createdAt = sql`CASE decision WHEN 'noop' THEN created_at ELSE ${now} END`;
  return recordChange({ ...CREATE, ...DEVICES, ...declared }, {
    kind: sql`'device.create'`,
    ruled: sql`SELECT ${ofFirst("deviceId")} AS device_id, ${ofFirst("relationId")} AS relation_id,
      ${ofFirst("at")} AS created_at, CASE
      ${branches}
      WHEN ${run === "change" ? IS_UNAUTHORIZED : IS_REFUSED} THEN 'denied'
      WHEN EXISTS (SELECT 1 FROM json_each(${devices}) given WHERE ${IS_TAKEN}) THEN 'node_id_taken'
      WHEN EXISTS (SELECT 1 FROM json_each(${devices}) given WHERE ${IS_IDENTIFIED}) THEN 'external_id_taken'
      ELSE 'ok' END AS ruling
    FROM ${ONE_ROW} ${join} WHERE ${PRINCIPAL_LIVES}`,
    charged: { by: (acting) => managesDevicesOf(acting, args.roleId), counts: "devices", amount: COUNT },
    values: {
      roleId: args.roleId,
      deviceId: idOf("node", sql`device_id`),
      relationId: idOf("relation", sql`relation_id`),
      details: detailsOf(sql`${devices} ->> '$[0][0]'`, sql`${devices} ->> '$[0][2]'`, createdAt),
      // A preview costs as much as it has devices.
      ...(run === "preview" && { cost: COUNT }),
    },
  }, run);
}

/** The row of the change, and the new devices in the order of their ids: that of the row is of the first. */
const CREATED = sql`FROM ${changeLog} CROSS JOIN json_each(${devices}) given WHERE ${whenStep("write")}`;
const NEW_DEVICE = sql`${changeLog.deviceId} + given.key`;
const NEW_RELATION = sql`${changeLog.relationId} + given.key`;

/** Records each further device as if it had been created alone: readers of the log need not know of lists. */
const RECORD_FURTHER = define({ ...DEVICES, opId: text, now: int }, () => {
  const { at, actorId, viaRoleId, sessionId, kind, decision, step, roleId, countedTo, countedFor } =
    changeLog;
  const { names, values } = inserted(changeLog, {
    opId: sql`${changeLog.opId} || ' ' || given.key`,
    ...{ at, actorId, viaRoleId, sessionId, kind, decision, step, roleId, countedTo, countedFor },
    deviceId: NEW_DEVICE,
    relationId: NEW_RELATION,
    details: detailsOf(NODE_ID, EXTERNAL_ID, now),
  });
  return sql`
  INSERT INTO ${changeLog} (${names}) SELECT ${values} ${CREATED} AND given.key > 0`;
});

const INSERT_DEVICES = define({ opId: text, now: int, roleId: int, ...DEVICES }, () => {
  const { names, values } = inserted(device, {
    id: NEW_DEVICE,
    nodeId: NODE_ID,
    properties: PROPERTIES,
    updatedAt: now,
    countedTo: changeLog.countedTo,
    countedFor: changeLog.countedFor,
    // Not of the row's role: SQLite would find the root anew for each device.
    ...externalColumns(EXTERNAL_ID, externalRootOf(args.roleId)),
  });
  return sql`
  INSERT INTO ${device} (${names}) SELECT ${values} ${CREATED}`;
});

const INSERT_THEIR_MONITORS = define({ opId: text, ...DEVICES }, () => {
  const { names, values } = inserted(monitors, {
    id: NEW_RELATION,
    roleId: changeLog.roleId,
    deviceId: NEW_DEVICE,
  });
  return sql`
  INSERT INTO ${monitors} (${names}) SELECT ${values} ${CREATED}`;
});

/** Charges the properties of all devices besides. */
const CHARGE_DEVICES = define(
  { ...CHARGE, devices: text },
  () =>
    charging(sql`${COPIES_OF_PROPERTIES} * (
      SELECT sum(octet_length(${PROPERTIES})) FROM json_each(${devices}) given)`),
);

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
  SELECT ${values} FROM ${changeLog} WHERE ${whenStep("write")}`;
});

const CHARGE_PROPERTIES = define(
  { ...CHARGE, properties: text },
  () => charging(sql`${COPIES_OF_PROPERTIES} * octet_length(${properties})`),
);

/** The columns of a change's last statement. */
const CHANGED_COLUMNS = sql`${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN},
    ${changeLog.relationId} AS relationId, ${changeLog.deviceId} AS id`;
/** The actor may manage the device of this change. */
const MAY_MANAGE_CHANGED = mayManageDevice(changeLog.deviceId);

/** Maximum number of taken ids that a refusal names, like that of the faults of a malformed request. */
const MOST_TAKEN = 20;
function firstOf(isTaken: SQL): SQL {
  return sql`(SELECT json_group_array(key) FROM (
      SELECT given.key FROM json_each(${devices}) given WHERE ${isTaken} LIMIT ${MOST_TAKEN}))`;
}
const TAKEN = sql`CASE ${changeLog.decision} WHEN 'node_id_taken' THEN ${firstOf(IS_TAKEN)}
    WHEN 'external_id_taken' THEN ${firstOf(IS_IDENTIFIED)} END AS taken`;

/** Reads the change back. `isManaged`: whether the actor may manage the devices, which a preview does not have. */
function readCreated<D extends Declared>(declared: D, isManaged: Value): Statement {
  return define({ ...CREATE, ...DEVICES, opId: text, now: int, ...declared }, () =>
    sql`
  SELECT ${CHANGED_COLUMNS}, json_extract(${changeLog.details}, '$.createdAt') AS updatedAt,
    ${isManaged} AS monitorManagement, ${TAKEN}
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);
}

/** The batches that create devices which a role monitors. The last statement of each returns a `CreatedRow`. */
function creatingBatch(further: readonly Statement[], isManaged: Value): CreatingBatch {
  return withAndWithoutKey((key) => [
    decideCreate(key, "change"),
    takeNodesAndRelations(DEVICES, COUNT),
    GIVE_NODE_IDS_AWAY,
    INSERT_DEVICES,
    INSERT_THEIR_MONITORS,
    ...further,
    CHARGE_DEVICES,
    ...key.keep,
    readCreated({ actorId: int, sessionId: text }, isManaged),
  ]);
}

/** Creates one device. */
export const CREATE_DEVICE: CreatingBatch = creatingBatch([], MAY_MANAGE_CHANGED);

/** Creates several. A retry judges only the role that it created them for, not each as it is now. */
export const CREATE_DEVICES: CreatingBatch = creatingBatch(
  [RECORD_FURTHER],
  mayManageDevicesOf(changeLog.roleId),
);

/** The preview of both. */
export const PREVIEW_CREATION: CreatingBatch = withAndWithoutKey((key) => [
  decideCreate(key, "preview"),
  readCreated({}, 1),
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
  stored: sql`CASE ${properties} WHEN '{}' THEN ${device.properties}
    ELSE substr(replace(${patchOf(device.properties, mentioned)}, ${NUL_MARK}, '\\u0000'),
    -1, -${ALL_CHARACTERS}) || ',' || substr(${properties}, 2) END`,
  taken: MENTIONED,
  // SQLite rounds some decimals wrongly and may read two neighbouring numbers as one, so the `numbers` of `properties`
  // are compared as text: a patch with them must change nothing.
  isNoop: sql`NOT EXISTS (SELECT key, type, value FROM json_each(${properties})
        EXCEPT SELECT key, type, value FROM json_each(${device.properties}))
        AND ${patchOf(device.properties, numbers)} = ${markNul(device.properties)}`,
  compared: NUMBERS,
};

const WITH_NODE_ID = { complete: nullable(text) };
const { complete } = placeholdersOf(WITH_NODE_ID);
/** `complete` if it has the device's nodeId as it is stored; otherwise, puts that in front of `properties` without one. */
const REPLACED = sql`CASE WHEN ${complete} ->> '$.nodeId' = ${device.nodeId} THEN ${complete}
    ELSE '{"nodeId":' || json_quote(${device.nodeId}) || CASE ${properties} WHEN '{}' THEN '}'
      ELSE ',' || substr(${properties}, 2) END END`;
const REPLACE: Update = {
  stored: REPLACED,
  taken: WITH_NODE_ID,
  isNoop: sql`${device.properties} = ${REPLACED}`,
  compared: {},
};

/**
 * Decides an update. The precondition comes before all that depends on the content of the request (RFC 9110, section
 * 13.2.1). A new external id is unique below the root of the role by which the actor manages the device, not below those
 * of others that monitor it: a conflict must tell nothing of these.
 */
function decideUpdate({ stored, taken, isNoop, compared }: Update): Statement {
  const changes = sql`(${args.setsExternalId} AND ${isOtherExternalId(device.externalId)})`;
  const isTaken = isExternalIdTaken(namesake, GIVEN_SPELLINGS, sql`rooted.root_id`);
  return recordChange({ ...UPDATE, properties: text, ...taken, ...compared }, {
    kind: sql`'device.update'`,
    ctes: sql`managed AS MATERIALIZED (SELECT ${roleToManageDevice(args.deviceId)} AS role_id
      WHERE ${PRINCIPAL_LIVES}),
    rooted AS MATERIALIZED (
      SELECT role_id, CASE WHEN ${args.externalId} IS NOT NULL THEN ${
      externalRootOf(sql`managed.role_id`)
    } END AS root_id FROM managed)`,
    ruled:
      sql`SELECT ${device.nodeId}, ${device.externalId} AS old_external_id, ${changes} AS changes_external_id,
      rooted.root_id, CASE
      WHEN rooted.role_id IS NULL THEN 'denied'
      WHEN ${device.updatedAt} / ${SECOND_MS} > ${args.unmodifiedSince} THEN 'modified'
      WHEN ${args.nodeIds} IS NOT NULL AND ${device.nodeId} NOT IN (${
        spellingsIn(args.nodeIds)
      }) THEN 'node_id_fixed'
      WHEN NOT ${changes} AND ${isNoop} THEN 'noop'
      WHEN octet_length(${stored}) > ${MAX_PROPERTIES_BYTES} THEN 'properties_too_large'
      WHEN ${changes} AND ${isTaken} THEN 'external_id_taken'
      ELSE 'ok' END AS ruling
    FROM rooted LEFT JOIN ${device} ON ${device.id} = ${args.deviceId}`,
    charged: { by: (acting) => managesDevicesOf(acting, sql`(SELECT role_id FROM managed)`) },
    values: {
      deviceId: args.deviceId,
      details: withDetails(
        sql`json_object('nodeId', node_id)`,
        sql`iif(changes_external_id, json_object('externalId', ${args.externalId}, 'oldExternalId', old_external_id,
        'externalRoot', root_id), '{}')`,
      ),
    },
  });
}

/**
 * Writes the properties, and an external id that changes with its root. Each change gets a later time than the one before, so that equal times mean equal properties.
 */
function writeDevice({ stored, taken }: Update): Statement {
  const root =
    sql`SELECT ${changeLog.details} ->> 'externalRoot' FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`;
  const stays = sql`NOT ${args.setsExternalId} OR NOT ${isOtherExternalId(device.externalId)}`;
  const changed = assigned(device, {
    properties: stored,
    updatedAt: sql`max(${now}, ${device.updatedAt} + 1)`,
    externalId: sql`iif(${stays}, ${device.externalId}, ${args.externalId})`,
    externalRoot: sql`iif(${stays}, ${device.externalRoot}, (${root}))`,
  });
  return define({ ...WRITTEN, ...SETTING, ...taken }, () =>
    sql`
  UPDATE ${device} SET ${changed}
  WHERE ${device.id} = (SELECT ${changeLog.deviceId} FROM ${changeLog} WHERE ${whenStep("write")})`);
}

/** Reads the device back. After a lost response, other changes may have updated or deleted it. */
const READ_UPDATED = define({ actorId: int, sessionId: text, now: int, opId: text }, () =>
  sql`
  SELECT ${CHANGED_COLUMNS}, ${device.externalId} AS externalId, ${device.properties}, ${device.updatedAt} AS updatedAt,
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
