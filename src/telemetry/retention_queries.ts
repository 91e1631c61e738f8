import { SECOND_MS } from "../core/clock.ts";
import { defineStatement, type Statement } from "../db/statement.ts";

/** A write that was authorized just before its device went may still be on its way to the engine for so long. */
const SETTLING_SECONDS = 60;

/** Deleted devices whose points no write can add to any more, the oldest first. */
export const GONE_DEVICES: Statement = defineStatement(`
  SELECT device_id AS deviceId FROM gone_device
  WHERE gone_at <= :now - ${SETTLING_SECONDS * SECOND_MS} ORDER BY gone_at LIMIT :limit`);

/** Sets their nodeIds free. `:deviceIds` is a JSON list. */
export const FORGET_GONE_DEVICES: Statement = defineStatement(
  `DELETE FROM gone_device WHERE device_id IN (SELECT value FROM json_each(:deviceIds)) RETURNING 1 AS gone`,
);
