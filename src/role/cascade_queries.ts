import { defineStatement, type Statement } from "../db/statement.ts";
import { whenEffect } from "./change/change_queries.ts";

/**
 * What a deletion takes with it. Its change log row, `:opId` with the effect `delete`, lists deleted roles, relations
 * and devices. Relations of all kinds share one list, because their ids come from one sequence.
 */

export const DELETED_ROLES = `(SELECT gone_role_ids FROM change_log WHERE ${whenEffect("delete")})`;
export const DELETED_RELATIONS = `(SELECT gone_relation_ids FROM change_log WHERE ${whenEffect("delete")})`;
export const DELETED_DEVICES = `(SELECT gone_device_ids FROM change_log WHERE ${whenEffect("delete")})`;

/**
 * Lists the devices that lose their last monitors relation. Runs after the relations are listed. `DISTINCT` checks a
 * device once even if many roles monitored it.
 */
export const NOTE_DELETED_DEVICES: Statement = defineStatement(`
  UPDATE change_log SET gone_device_ids = (
    SELECT json_group_array(lost.device_id) FROM (
      SELECT DISTINCT taken.device_id FROM json_each(${DELETED_RELATIONS}) deleted
        CROSS JOIN monitors taken ON taken.id = deleted.value) lost
    WHERE NOT EXISTS (SELECT 1 FROM monitors kept WHERE kept.device_id = lost.device_id
      AND kept.id NOT IN (SELECT value FROM json_each(${DELETED_RELATIONS}))))
  WHERE ${whenEffect("delete")}`);
