import { changeLog } from "../db/schema/role.ts";
import { monitors } from "../db/schema/telemetry.ts";
import { assigned, define, int, placeholdersOf, row, type SQL, sql, text } from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import {
  CHARGE_PREVIEW,
  nextId,
  type Previewable,
  previewable,
  recordChange,
  type Run,
  TAKE_RELATION_ID,
  whenEffect,
} from "../role/change/change_queries.ts";
import { chargeChange } from "../role/change/charge_queries.ts";
import { isVisible, makerMeets, someAuthorizingRole, someRoleAbove } from "../role/guard/guard_queries.ts";
import { holds } from "../role/guard/rule_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../role/guard/principal_queries.ts";
import { INSERT_MONITORS } from "./device_queries.ts";
import { isManagedBy, managesDevicesOf } from "./guard_queries.ts";
import { DECISION_COLUMNS, MAX_PERIODS } from "./monitors_queries.ts";
import { isNotClosed, isOpen } from "./period_queries.ts";

/** A transfer ends all open relations of a device, deletes those to come, and begins a new one, at one moment. */

const TRANSFER = { deviceId: int, toRoleId: int };
const { deviceId, toRoleId } = placeholdersOf(TRANSFER);
const { now } = placeholdersOf(PRINCIPAL);

/** The relation has begun before now, so it has a past. */
function hasBegun({ validFrom }: Pick<typeof monitors, "validFrom">): SQL {
  return sql`(${validFrom} IS NULL OR ${validFrom} < ${now})`;
}

const standing = row(monitors, "standing");
const MAY_END = someRoleAbove(standing.roleId, (acting) => managesDevicesOf(acting, standing.roleId));
const [IS_OPEN, HAS_BEGUN] = [isOpen(standing), hasBegun(standing)];
const IS_OF_DEVICE = sql`${standing.deviceId} = ${deviceId} AND ${isNotClosed(standing)}`;
/** CTE `standing`: the relations that are open or to come, and whether the actor may end each. */
const STANDING =
  sql`standing(id, role_id, valid_from, valid_until, is_open, has_begun, may_end) AS MATERIALIZED (
    SELECT ${standing.id}, ${standing.roleId}, ${standing.validFrom}, ${standing.validUntil}, ${IS_OPEN}, ${HAS_BEGUN},
      ${MAY_END}
    FROM ${standing} WHERE ${IS_OF_DEVICE} AND ${PRINCIPAL_LIVES})`;

/** One row about all of them. */
const SUMMARY = sql`SELECT count(*) AS relations, coalesce(sum(NOT may_end), 0) AS kept,
      coalesce(sum(may_end AND is_open), 0) AS managed, min(id) FILTER (WHERE role_id = ${toRoleId} AND is_open) AS own_id,
      min(id) FILTER (WHERE is_open) AS first_id,
      CASE WHEN count(valid_until) FILTER (WHERE is_open) = sum(is_open)
        THEN max(valid_until) FILTER (WHERE is_open) END AS last_until,
      min(valid_from) AS own_from,
      json_group_array(id) FILTER (WHERE has_begun) AS ended, json_group_array(id) FILTER (WHERE NOT has_begun) AS deleted
    FROM standing`;

/** What a refusal names: the relations that the actor sees but may not end, and the number of others. */
const KEPT_RELATIONS = sql`(SELECT json_object('monitors', json_object(
        'first', json(json_group_array(json_object('id', id, 'roleId', role_id)) FILTER (WHERE is_seen)),
        'hidden', count(*) - coalesce(sum(is_seen), 0)))
      FROM (SELECT id, role_id, ${isVisible(sql`standing.role_id`)} AS is_seen FROM standing
        WHERE NOT may_end ORDER BY id LIMIT -1))`;

const stored = row(monitors, "stored");
const IS_FULL = sql`(SELECT 1 FROM ${stored} WHERE ${stored.deviceId} = ${deviceId}
    LIMIT 1 OFFSET ${MAX_PERIODS - 1}) IS NOT NULL`;

function decideTransfer(run: Run): Statement {
  const mayReceive = someAuthorizingRole((acting) => holds(acting, "deviceManagement", toRoleId));
  const makerMay = makerMeets(
    (maker) =>
      sql`(${someAuthorizingRole((acting) => holds(acting, "deviceManagement", toRoleId), maker)}
        AND ${isManagedBy(maker, deviceId)})`,
    sql`true`,
  );
  const first = row(monitors, "first");
  return recordChange(TRANSFER, {
    kind: sql`'device.transfer'`,
    ctes: STANDING,
    ruled: sql`SELECT *, CASE
      WHEN NOT ${mayReceive} OR managed = 0 OR NOT ${makerMay} THEN 'denied'
      WHEN kept > 0 THEN 'cannot_end'
      WHEN relations = 1 AND own_id IS NOT NULL THEN 'noop'
      WHEN ${IS_FULL} THEN 'too_many_monitors'
      ELSE 'ok' END AS ruling
    FROM (${SUMMARY}) WHERE ${PRINCIPAL_LIVES}`,
    charged: { by: (acting) => holds(acting, "deviceManagement", toRoleId) },
    values: {
      parentId: sql`CASE WHEN decision IN ('ok', 'noop') THEN (
        SELECT ${first.roleId} FROM ${first} WHERE ${first.id} = first_id) END`,
      roleId: toRoleId,
      deviceId,
      relationId: sql`CASE decision WHEN 'ok' THEN ${nextId("relation", run)} WHEN 'noop' THEN own_id END`,
      deletedRelationIds: sql`CASE decision WHEN 'ok' THEN deleted END`,
      details: sql`CASE decision
        WHEN 'ok' THEN json_object('from', ${now}, 'until', last_until, 'ended', json(ended))
        WHEN 'noop' THEN json_object('from', own_from, 'until', last_until, 'ended', json('[]'))
        WHEN 'cannot_end' THEN ${KEPT_RELATIONS} END`,
    },
  }, run);
}

/** The device of a transfer that is made. */
const TRANSFERRED = sql`(SELECT ${changeLog.deviceId} FROM ${changeLog} WHERE ${whenEffect("write")})`;

const DELETE_COMING = define({ opId: text, now: int }, () =>
  sql`
  DELETE FROM ${monitors}
  WHERE ${monitors.deviceId} = ${TRANSFERRED} AND ${isNotClosed(monitors)} AND NOT ${hasBegun(monitors)}`);

const END_OPEN = define({ opId: text, now: int }, () =>
  sql`
  UPDATE ${monitors} SET ${assigned(monitors, { validUntil: now })}
  WHERE ${monitors.deviceId} = ${TRANSFERRED} AND ${isNotClosed(monitors)}`);

const READ_TRANSFER = define({ opId: text }, ({ opId }) => {
  const { details, decision } = changeLog;
  return sql`
  SELECT ${DECISION_COLUMNS}, ${changeLog.relationId} AS id, ${changeLog.roleId} AS roleId,
    ${changeLog.deviceId} AS deviceId, ${details} ->> 'from' AS validFrom, ${details} ->> 'until' AS validUntil,
    ${details} -> 'ended' AS endedRelationIds, coalesce(${changeLog.deletedRelationIds}, '[]') AS deletedRelationIds,
    CASE ${decision} WHEN 'cannot_end' THEN ${details} END AS named
  FROM ${changeLog} WHERE ${changeLog.opId} = ${opId}`;
});

/** Transfers a device to a role. The last statement returns a `TransferRow`. */
export const TRANSFER_DEVICE: Previewable = previewable({
  make: [
    decideTransfer("change"),
    TAKE_RELATION_ID,
    DELETE_COMING,
    END_OPEN,
    INSERT_MONITORS,
    chargeChange(),
    READ_TRANSFER,
  ],
  preview: [decideTransfer("preview"), CHARGE_PREVIEW, READ_TRANSFER],
  deletesDevices: true,
});
