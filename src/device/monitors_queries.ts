import { REVISION_COLUMN } from "../db/revisions.ts";
import { changeLog } from "../db/schema/role.ts";
import { monitors } from "../db/schema/telemetry.ts";
import { define, int, placeholdersOf, row, sql, text } from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { NOTE_DELETED_DEVICES } from "../role/closure/cascade_queries.ts";
import { nextId, recordChange, TAKE_RELATION_ID } from "../role/change/change_queries.ts";
import { chargeChange } from "../role/change/charge_queries.ts";
import { firstAuthorizingRole } from "../role/guard/guard_queries.ts";
import { holds } from "../role/guard/rule_queries.ts";
import { ONE_ROW, PRINCIPAL_LIVES } from "../role/guard/principal_queries.ts";
import { DELETE_DEVICES } from "./cascade_queries.ts";
import { INSERT_MONITORS } from "./device_queries.ts";
import { managesDevicesOf, mayAttachDevice, mayManageDevicesOf } from "./guard_queries.ts";

/** Maximum number of roles that monitor a device. Devices from before this limit may have more. */
export const MAX_MONITORS = 100;

const ADD = { roleId: int, deviceId: int };
const REMOVE = { roleId: int, relationId: int };
const args = placeholdersOf({ ...ADD, ...REMOVE });
const existing = row(monitors, "existing");
const counted = row(monitors, "counted");

/** The device has no room for another monitoring role. */
const IS_FULL = sql`(SELECT 1 FROM ${counted} WHERE ${counted.deviceId} = ${args.deviceId}
  LIMIT 1 OFFSET ${MAX_MONITORS - 1}) IS NOT NULL`;

const MAY_ATTACH = mayAttachDevice(args.deviceId, args.roleId, sql`${existing.id} IS NULL`);

const DECIDE_ADD = recordChange(ADD, {
  kind: sql`'monitors.add'`,
  ruled: sql`SELECT ${existing.id} AS relation_id, CASE
      WHEN NOT ${MAY_ATTACH} THEN 'denied'
      WHEN ${existing.id} IS NOT NULL THEN 'noop'
      WHEN ${IS_FULL} THEN 'too_many_monitors'
      ELSE 'ok' END AS ruling
    FROM ${ONE_ROW} LEFT JOIN ${existing}
      ON ${existing.deviceId} = ${args.deviceId} AND ${existing.roleId} = ${args.roleId}
    WHERE ${PRINCIPAL_LIVES}`,
  charged: { by: (acting) => holds(acting, "deviceManagement", args.roleId) },
  values: {
    roleId: args.roleId,
    deviceId: args.deviceId,
    relationId: sql`CASE decision WHEN 'ok' THEN ${nextId("relation")} ELSE relation_id END`,
  },
});

/** The first columns of the last statement of each change. */
const DECISION_COLUMNS = sql`${changeLog.decision}, ${changeLog.cost}, ${REVISION_COLUMN}`;

const READ_ADDED = define({ opId: text }, ({ opId }) =>
  sql`
  SELECT ${DECISION_COLUMNS}, ${changeLog.relationId} AS id, ${changeLog.roleId} AS roleId,
    ${changeLog.deviceId} AS deviceId
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);

/** Lets a role monitor a device. The last statement returns an `AddedMonitorsRow`. */
export const ADD_MONITORS: readonly Statement[] = [
  DECIDE_ADD,
  TAKE_RELATION_ID,
  INSERT_MONITORS,
  chargeChange(),
  READ_ADDED,
];

const IS_REMOVED = sql`${existing.id} IS NOT NULL AND ${mayManageDevicesOf(args.roleId)}`;

const DECIDE_REMOVE = recordChange(REMOVE, {
  kind: sql`'monitors.remove'`,
  ruled: sql`SELECT ${existing.id} AS relation_id, ${existing.deviceId},
      CASE WHEN ${IS_REMOVED} THEN 'ok' ELSE 'denied' END AS ruling
    FROM ${ONE_ROW} LEFT JOIN ${existing}
      ON ${existing.id} = ${args.relationId} AND ${existing.roleId} = ${args.roleId}
    WHERE ${PRINCIPAL_LIVES}`,
  via: firstAuthorizingRole((acting) => managesDevicesOf(acting, args.roleId)),
  values: {
    roleId: args.roleId,
    deviceId: sql`device_id`,
    relationId: sql`relation_id`,
    deletedRelationIds: sql`CASE decision WHEN 'ok' THEN json_array(relation_id) END`,
  },
  effect: sql`CASE decision WHEN 'ok' THEN 'delete' ELSE 'none' END`,
});

const READ_REMOVED = define({ opId: text }, ({ opId }) =>
  sql`
  SELECT ${DECISION_COLUMNS}, ${changeLog.deletedDeviceIds} AS deletedDeviceIds,
    ${changeLog.deletedRelationIds} AS deletedRelationIds
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`);

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
