import { defineStatement, type Statement } from "../db/statement.ts";
import { REGISTER_SERIES } from "./write_queries.ts";

/** Settles a write before its points are sent: as one into the database, and the ids of its devices last. */
export const REGISTER_SENDING: readonly Statement[] = [
  ...REGISTER_SERIES,
  defineStatement(`
    SELECT device.node_id AS nodeId, device.id AS deviceId
    FROM json_each(:nodeIds) named CROSS JOIN device ON device.node_id = named.value`),
];

/** Points that were written before an engine was configured. */
export const HOLDS_POINTS: Statement = defineStatement("SELECT EXISTS (SELECT 1 FROM point) AS holds");
