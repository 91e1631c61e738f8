import { defineStatement, type Statement } from "../../db/statement.ts";
import { READABLE_DEVICES } from "../../device/grant_queries.ts";
import { managesAnyDevice } from "../../device/device_text.ts";
import { PRINCIPAL_LIVES } from "../../role/guard_text.ts";

/**
 * Drains the actor's bucket up to now; no row if the session is over. Clocks of instances differ, so `at` never goes
 * back.
 */
const DRAIN: Statement = defineStatement(`
  INSERT INTO rate_bucket (user_id, level, at)
  SELECT :actorId, 0, :now WHERE ${PRINCIPAL_LIVES}
  ON CONFLICT (user_id) DO UPDATE SET level = max(0, level - max(0, :now - at) * :drainPerMs), at = max(at, :now)
  RETURNING level`);

/** Adds `:cost` to the bucket if it fits; otherwise no row. */
const CHARGE: Statement = defineStatement(`
  UPDATE rate_bucket SET level = level + :cost
  WHERE user_id = :actorId AND level + :cost <= :capacity AND ${PRINCIPAL_LIVES}
  RETURNING level`);

/** Checks the session and the bucket of a call that reads. Returns the rows of both statements. */
export const CHARGE_CALL: readonly Statement[] = [DRAIN, CHARGE];

/**
 * A row if the actor may write telemetry at all: they manage a device, or have too many roles to tell without a walk.
 */
const MAY_WRITE: Statement = defineStatement(`SELECT 1 AS mayWrite WHERE ${managesAnyDevice()}`);

/**
 * Checks the session, bucket and rights of a write before its body is read. Returns the rows of the three statements.
 */
export const ADMIT_WRITE: readonly Statement[] = [DRAIN, CHARGE, MAY_WRITE];

/** Adds `:cost` to the bucket, even beyond its capacity: the work is done. */
const CHARGE_DONE: Statement = defineStatement(`
  UPDATE rate_bucket SET level = level + :cost WHERE user_id = :actorId AND ${PRINCIPAL_LIVES}
  RETURNING level`);

/** Charges what a write cost beyond `WRITE_COST`. */
export const CHARGE_WRITE: readonly Statement[] = [DRAIN, CHARGE_DONE];

/**
 * Charges what a call read, before anything is sent. Returns the devices that the actor may still read by the grants
 * `:grants`, because rights may have changed while the call waited its turn.
 */
export const CHARGE_POINTS: readonly Statement[] = [DRAIN, CHARGE_DONE, READABLE_DEVICES];
