import { monitors } from "../../db/schema/telemetry.ts";
import { changeLog } from "../../db/schema/role.ts";
import { bare, define, row, rowsOf, type SQL, sql, text } from "../../db/sql.ts";
import { hasEffect, whenEffect } from "../change/change_queries.ts";

/**
 * What a deletion takes with it. Its change log row, with the effect `delete`, lists deleted roles, relations and
 * devices. Relations of all kinds share one list, because their ids come from one sequence.
 */

export const DELETED_ROLES: SQL = ofDeletion("deletedRoleIds");
export const DELETED_RELATIONS: SQL = ofDeletion("deletedRelationIds");
export const DELETED_DEVICES: SQL = ofDeletion("deletedDeviceIds");

function ofDeletion(list: "deletedRoleIds" | "deletedRelationIds" | "deletedDeviceIds"): SQL {
  const deletion = row(changeLog, "deletion");
  return sql`(SELECT ${deletion[list]} FROM ${deletion} WHERE ${hasEffect(deletion, "delete")})`;
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
  WHERE ${whenEffect("delete")}`;
});
