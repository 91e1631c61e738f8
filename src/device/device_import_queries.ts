import { changeLog, role } from "../db/schema/role.ts";
import { device, deviceTombstone, monitors } from "../db/schema/telemetry.ts";
import {
  assigned,
  columns,
  define,
  inserted,
  int,
  placeholdersOf,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  type SQLiteColumn,
  text,
  type Value,
} from "../db/sql.ts";
import type { RowOf, Statement } from "../db/statement.ts";
import { externalRootOf } from "../role/external_id_queries.ts";
import {
  COUNT_CHANGES,
  importedBy,
  isOfOperation,
  numberedId,
  TAKE_NUMBERED_IDS,
} from "../changes/import_run_queries.ts";
import { isNotClosed, isRetiredSince } from "./period_queries.ts";
import { MAX_MONITORS, MAX_PERIODS } from "./monitors_queries.ts";
import { forget, isKept } from "./tombstone_queries.ts";

/** Devices that an import brings. The lists are JSON. */

const DEVICE = columns(device, "id", "nodeId", "externalId", "externalRoot", "properties");
/** A device as an import compares it. */
export interface KnownDevice extends RowOf<typeof DEVICE> {
  /** JSON: the ids of the roles that monitor it now or will. */
  readonly roleIds: string;
  /** The role whose time with the device ended last. */
  readonly lastRoleId: number | null;
}

function devicesBy(
  column: SQLiteColumn,
): Statement<{ readonly list: string; readonly now: number }, KnownDevice> {
  const { watching, past } = rowsOf({ watching: monitors, past: monitors });
  return rows<KnownDevice>()({ list: text, now: int }, ({ list }) =>
    sql`
  SELECT ${DEVICE}, (SELECT json_group_array(DISTINCT ${watching.roleId}) FROM ${watching}
    WHERE ${watching.deviceId} = ${device.id} AND ${isNotClosed(watching)}) AS roleIds,
    (SELECT ${past.roleId} FROM ${past} WHERE ${past.deviceId} = ${device.id}
    ORDER BY ${past.validUntil} DESC, ${past.id} DESC LIMIT 1) AS lastRoleId
  FROM json_each(${list}) listed CROSS JOIN ${device} ON ${column} = listed.value`);
}

/** The devices of a list of nodeIds, of which several may have had one, or of external ids. */
export const DEVICES_BY = {
  nodeIds: devicesBy(device.nodeId),
  externalIds: devicesBy(device.externalId),
} as const;

const { now, trashMs } = placeholdersOf({ now: int, trashMs: int });

/** Whether a device has the nodeId that has not been retired for as long as a deleted one lies in the trash. */
function isHeld(nodeId: Value): SQL {
  const holder = row(device, "holder");
  return sql`EXISTS (SELECT 1 FROM ${holder} WHERE ${holder.nodeId} = ${nodeId}
    AND NOT ${isRetiredSince(holder.id, sql`${now} - ${trashMs}`)})`;
}

/** The nodeIds of a list of [nodeId, roleId or null] that no new device of the role may take. */
export const TAKEN_NODE_IDS = rows<{ readonly nodeId: string }>()(
  { list: text, now: int, trashMs: int },
  ({ list }) => {
    const [nodeId, roleId] = [sql`listed.value ->> 0`, sql`listed.value ->> 1`];
    return sql`
  SELECT ${nodeId} AS nodeId FROM json_each(${list}) listed
  WHERE ${isHeld(nodeId)} OR ${isKept(nodeId, roleId, now)}`;
  },
);

const IMPORT = { opId: text, runId: text, now: int };
const NEW = { ...IMPORT, trashMs: int, devices: text };
const { opId, runId, devices } = placeholdersOf(NEW);

/** A device to make: `roleId` monitors it, from the beginning of its time. */
export type ImportedDevice = readonly [
  roleId: number,
  nodeId: string,
  properties: string,
  externalId: string | null,
  /** The spellings of the nodeId, which must be free. */
  nodeIds: readonly string[],
];

/** Records the creation of each device whose role exists and whose nodeId is free (see `device_queries.ts`). */
const DECIDE_DEVICES = define(NEW, () => {
  const place = row(role, "place");
  const nodeId = sql`listed.value ->> 1`;
  const spelled = sql`spelled.value`;
  const { names, values } = inserted(changeLog, {
    opId: sql`${opId} || ' ' || listed.key`,
    at: now,
    ...importedBy(runId),
    kind: sql`'device.create'`,
    roleId: place.id,
    deviceId: numberedId("node", sql`1`),
    relationId: numberedId("relation", sql`1`),
    decision: sql`'ok'`,
    step: sql`'write'`,
    details: sql`json_object('nodeId', ${nodeId}, 'createdAt', ${now}, 'listed', listed.key)`,
  });
  return sql`
  INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM json_each(${devices}) listed
    CROSS JOIN ${place} ON ${place.id} = listed.value ->> 0
  WHERE NOT EXISTS (SELECT 1 FROM json_each(listed.value, '$[4]') spelled
    WHERE ${isHeld(spelled)} OR ${isKept(spelled, place.id, now)}) ORDER BY listed.key`;
});

/** Ends the chance to restore the deleted devices that had the nodeIds. */
const GIVE_NODE_IDS_AWAY = define({ opId: text, now: int }, () => {
  const gone = row(deviceTombstone, "gone");
  return forget(sql`SELECT ${gone.deviceId} FROM ${changeLog}
    CROSS JOIN ${gone} ON ${gone.nodeId} = ${changeLog.details} ->> 'nodeId' AND ${gone.purgeAt} > ${now}
    WHERE ${isOfOperation(changeLog)}`);
});

const INSERT_DEVICES = define({ opId: text, devices: text }, () => {
  const { names, values } = inserted(device, {
    id: changeLog.deviceId,
    nodeId: sql`listed.value ->> 1`,
    properties: sql`listed.value ->> 2`,
    updatedAt: changeLog.at,
    externalId: sql`listed.value ->> 3`,
    externalRoot: sql`CASE WHEN listed.value ->> 3 IS NOT NULL THEN ${externalRootOf(changeLog.roleId)} END`,
  });
  return sql`
  INSERT INTO ${device} (${names}) SELECT ${values} FROM json_each(${devices}) listed
    CROSS JOIN ${changeLog} ON ${changeLog.opId} = ${opId} || ' ' || listed.key`;
});

const INSERT_MONITORS = define({ opId: text }, () => {
  const { names, values } = inserted(monitors, {
    id: changeLog.relationId,
    roleId: changeLog.roleId,
    deviceId: changeLog.deviceId,
    validFrom: sql`${changeLog.details} ->> 'from'`,
  });
  return sql`
  INSERT INTO ${monitors} (${names}) SELECT ${values} FROM ${changeLog}
  WHERE ${isOfOperation(changeLog)} AND ${changeLog.step} = 'write'`;
});

/** The new devices, by their place in the list. */
const READ_DEVICES = rows<{ readonly place: number; readonly id: number }>()({ opId: text }, () =>
  sql`
  SELECT ${changeLog.details} ->> 'listed' AS place, ${changeLog.deviceId} AS id
  FROM ${changeLog} WHERE ${isOfOperation(changeLog)}`);

/** Makes the devices of a list of `ImportedDevice`. The last statement returns their ids. */
export const IMPORT_DEVICES = [
  DECIDE_DEVICES,
  TAKE_NUMBERED_IDS,
  GIVE_NODE_IDS_AWAY,
  INSERT_DEVICES,
  INSERT_MONITORS,
  READ_DEVICES,
] as const;

/** A device to change: null leaves its external id. `roleId`: a role that monitors it. */
export type ImportedDeviceChange = readonly [
  deviceId: number,
  properties: string,
  externalId: string | null,
  roleId: number,
];

const DECIDE_CHANGES = define({ ...IMPORT, devices: text }, () => {
  const { names, values } = inserted(changeLog, {
    opId: sql`${opId} || ' ' || listed.key`,
    at: now,
    ...importedBy(runId),
    kind: sql`'device.update'`,
    deviceId: device.id,
    decision: sql`'ok'`,
    step: sql`'write'`,
    details: sql`json_object('nodeId', ${device.nodeId})`,
  });
  return sql`
  INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM json_each(${devices}) listed
    CROSS JOIN ${device} ON ${device.id} = listed.value ->> 0 ORDER BY listed.key`;
});

const UPDATE_DEVICES = define({ opId: text, devices: text }, () => {
  const changed = assigned(device, {
    properties: sql`listed.properties`,
    updatedAt: sql`max(${changeLog.at}, ${device.updatedAt} + 1)`,
    externalId: sql`coalesce(listed.external_id, ${device.externalId})`,
    externalRoot: sql`iif(listed.external_id IS NULL, ${device.externalRoot}, ${
      externalRootOf(sql`listed.role_id`)
    })`,
  });
  return sql`
  UPDATE ${device} SET ${changed}
  FROM (SELECT key, value ->> 0 AS device_id, value ->> 1 AS properties, value ->> 2 AS external_id,
      value ->> 3 AS role_id FROM json_each(${devices})) listed
    CROSS JOIN ${changeLog} ON ${changeLog.opId} = ${opId} || ' ' || listed.key
  WHERE ${device.id} = listed.device_id`;
});

/** Changes the devices of a list of `ImportedDeviceChange`. The last statement counts them. */
export const IMPORT_DEVICE_CHANGES = [DECIDE_CHANGES, UPDATE_DEVICES, COUNT_CHANGES] as const;

/** A relation to make. `validFrom`: milliseconds; null for no bound. */
export type ImportedMonitors = readonly [roleId: number, deviceId: number, validFrom: number | null];

const MONITORS = { ...IMPORT, monitored: text };

/** Records each relation whose role and device exist and that is missing, within the limits of relations. */
const DECIDE_MONITORS = define(MONITORS, ({ monitored }) => {
  const { place, watched, standing, counted, ever } = rowsOf({
    place: role,
    watched: device,
    standing: monitors,
    counted: monitors,
    ever: monitors,
  });
  const from = sql`listed.value ->> 2`;
  const { names, values } = inserted(changeLog, {
    opId: sql`${opId} || ' ' || listed.key`,
    at: now,
    ...importedBy(runId),
    kind: sql`'monitors.add'`,
    roleId: place.id,
    deviceId: watched.id,
    relationId: numberedId("relation", sql`1`),
    decision: sql`'ok'`,
    step: sql`'write'`,
    details: sql`json_object('from', ${from}, 'until', NULL, 'oldFrom', NULL, 'oldUntil', NULL)`,
  });
  return sql`
  INSERT INTO ${changeLog} (${names}) SELECT ${values} FROM json_each(${monitored}) listed
    CROSS JOIN ${place} ON ${place.id} = listed.value ->> 0
    CROSS JOIN ${watched} ON ${watched.id} = listed.value ->> 1
  WHERE NOT EXISTS (SELECT 1 FROM ${standing} WHERE ${standing.deviceId} = ${watched.id}
      AND ${standing.roleId} = ${place.id} AND ${isNotClosed(standing)})
    AND (SELECT count(*) FROM ${counted} WHERE ${counted.deviceId} = ${watched.id} AND ${
    isNotClosed(counted)
  }) < ${MAX_MONITORS}
    AND (SELECT count(*) FROM ${ever} WHERE ${ever.deviceId} = ${watched.id}) < ${MAX_PERIODS}
  ORDER BY listed.key`;
});

/** Makes the relations of a list of `ImportedMonitors`. The last statement counts them. */
export const IMPORT_MONITORS = [DECIDE_MONITORS, TAKE_NUMBERED_IDS, INSERT_MONITORS, COUNT_CHANGES] as const;
