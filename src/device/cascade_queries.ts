import { defineStatement, type Statement } from "../db/statement.ts";
import { DELETED_DEVICES, DELETED_RELATIONS } from "../role/cascade_text.ts";
import { KEEP_NODE_IDS } from "./tombstone_queries.ts";

/**
 * Deletes the monitors relations and the devices that a deletion's change log row lists. Must run after
 * `NOTE_DELETED_DEVICES`, in the same batch.
 */
export const DELETE_DEVICES: readonly Statement[] = [
  defineStatement(`DELETE FROM monitors WHERE id IN (SELECT value FROM json_each(${DELETED_RELATIONS}))`),
  KEEP_NODE_IDS,
  defineStatement(`DELETE FROM device WHERE id IN (SELECT value FROM json_each(${DELETED_DEVICES}))`),
];
