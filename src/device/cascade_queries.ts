import { device, monitors } from "../db/schema/telemetry.ts";
import { define, sql, text } from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import { DELETED_DEVICES, DELETED_RELATIONS } from "../graph/closure/cascade_queries.ts";
import { KEEP_NODE_IDS } from "./tombstone_queries.ts";

/** Deletes the monitors relations that a deletion's change log row lists. */
export const DELETE_MONITORS: Statement = define({ opId: text }, () =>
  sql`
    DELETE FROM ${monitors} WHERE ${monitors.id} IN (SELECT value FROM json_each(${DELETED_RELATIONS}))`);

/**
 * Deletes the monitors relations and the devices that a deletion's change log row lists. Must run after
 * `NOTE_DELETED_DEVICES`, in the same batch.
 */
export const DELETE_DEVICES: readonly Statement[] = [
  DELETE_MONITORS,
  KEEP_NODE_IDS,
  define({ opId: text }, () =>
    sql`
    DELETE FROM ${device} WHERE ${device.id} IN (SELECT value FROM json_each(${DELETED_DEVICES}))`),
];
