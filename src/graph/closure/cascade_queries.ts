import { device, monitors } from "../../db/schema/telemetry.ts";
import { changeLog, role } from "../../db/schema/role.ts";
import { assigned, bare, define, int, row, rowsOf, type SQL, sql, text } from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { hasStep, type Run, whenStep } from "../step_queries.ts";

/**
 * What a deletion takes with it. Its change log row, with the step `delete`, lists deleted roles, relations and
 * devices. Relations of all kinds share one list, because their ids come from one sequence.
 */

export const DELETED_ROLES: SQL = ofDeletion("deletedRoleIds");
export const DELETED_RELATIONS: SQL = ofDeletion("deletedRelationIds");
export const DELETED_DEVICES: SQL = ofDeletion("deletedDeviceIds");

function ofDeletion(list: "deletedRoleIds" | "deletedRelationIds" | "deletedDeviceIds"): SQL {
  const deletion = row(changeLog, "deletion");
  return sql`(SELECT ${deletion[list]} FROM ${deletion} WHERE ${hasStep(deletion, "delete")})`;
}

/**
 * Lists the devices that lose their last monitors relation. Runs after the relations are listed. `DISTINCT` checks a
 * device once even if many roles monitored it.
 */
export const NOTE_DELETED_DEVICES = define({ opId: text }, () => {
  const { taken, kept } = rowsOf({ taken: monitors, kept: monitors });
  return sql`
  UPDATE ${changeLog} SET ${bare(changeLog.deletedDeviceIds)} = (
    SELECT json_group_array(lost.device_id) FROM (
      SELECT DISTINCT ${taken.deviceId} FROM json_each(${DELETED_RELATIONS}) deleted
        CROSS JOIN ${taken} ON ${taken.id} = deleted.value) lost
    WHERE NOT EXISTS (SELECT 1 FROM ${kept} WHERE ${kept.deviceId} = lost.device_id
      AND ${kept.id} NOT IN (SELECT value FROM json_each(${DELETED_RELATIONS}))))
  WHERE ${whenStep("delete")}`;
});

/** Maximum number of roles, and of devices, that a refusal names. */
const MOST_NAMED = 10;

function firstOf(ids: SQL): SQL {
  return sql`(SELECT value FROM json_each(${ids}) ORDER BY value LIMIT ${MOST_NAMED}) named`;
}

/** Returns the number of the roles, and the first of them with their names, for `DecisionRow.named`. */
export function nameRoles(ids: SQL): SQL {
  const fields = sql`json_object('id', ${role.id}, 'name', ${role.name})`;
  return sql`json_object('count', json_array_length(${ids}), 'first', json((SELECT json_group_array(${fields})
      FROM ${firstOf(ids)} CROSS JOIN ${role} ON ${role.id} = named.value)))`;
}

function nameDevices(ids: SQL): SQL {
  const fields = sql`json_object('id', ${device.id}, 'nodeId', ${device.nodeId})`;
  return sql`json_object('count', json_array_length(${ids}), 'first', json((SELECT json_group_array(${fields})
      FROM ${firstOf(ids)} CROSS JOIN ${device} ON ${device.id} = named.value)))`;
}

/**
 * Refuses a deletion that `isBlocked`, or that would take roles or devices with it although the request refuses that
 * (`refusesCascade`). The row then names these: the caller sees all, since they are below the role by which the caller
 * may delete the relation. A preview stops here: no later statement acts on its row.
 */
export function refuseDeletion(run: Run, isBlocked: SQL = sql`false`): Statement {
  const { decision, step, details } = changeLog;
  const [roleIds, deviceIds] = [changeLog.deletedRoleIds, changeLog.deletedDeviceIds]
    .map((list) => sql`coalesce(${list}, '[]')`) as [SQL, SQL];
  return define({ opId: text, refusesCascade: int }, ({ refusesCascade }) => {
    const isRefused = sql`(${refusesCascade} AND (${roleIds} <> '[]' OR ${deviceIds} <> '[]'))`;
    const outcome = assigned(changeLog, {
      decision:
        sql`CASE WHEN ${isBlocked} THEN 'unmanaged' WHEN ${isRefused} THEN 'would_delete' ELSE ${decision} END`,
      step: run === "preview"
        ? sql`'none'`
        : sql`CASE WHEN ${isBlocked} OR ${isRefused} THEN 'none' ELSE ${step} END`,
      details: sql`CASE WHEN NOT (${isBlocked}) AND ${isRefused}
      THEN json_object('roles', ${nameRoles(roleIds)}, 'devices', ${
        nameDevices(deviceIds)
      }) ELSE ${details} END`,
    });
    return sql`
  UPDATE ${changeLog} SET ${outcome} WHERE ${whenStep("delete")}`;
  });
}

/** What a refused deletion names, as the column `named` of its last statement. */
export const NAMED_COLUMN: SQL = sql`CASE WHEN ${changeLog.decision} IN ('unmanaged', 'would_delete')
    THEN ${changeLog.details} END AS named`;
