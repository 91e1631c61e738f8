import { defineStatement, type Statement } from "../../db/statement.ts";
import { mayReadDevice } from "../../device/guard_queries.ts";
import { sessionLives } from "../../identity/security_queries.ts";

const IN_LIVE_SESSION = `EXISTS (SELECT 1 FROM session WHERE ${sessionLives("session")})`;

/** Lets the actor's bucket drain up to now; no row when his session is over. Clocks of instances differ: never back. */
const DRAIN: Statement = defineStatement(`
  INSERT INTO rate_bucket (user_id, level, at)
  SELECT :actorId, 0, :now WHERE ${IN_LIVE_SESSION}
  ON CONFLICT (user_id) DO UPDATE SET level = max(0, level - max(0, :now - at) * :drainPerMs), at = max(at, :now)
  RETURNING level`);

/** Fills the bucket by `:cost`, if that fits; no row if it does not. */
const CHARGE: Statement = defineStatement(`
  UPDATE rate_bucket SET level = level + :cost
  WHERE user_id = :actorId AND level + :cost <= :capacity AND ${IN_LIVE_SESSION}
  RETURNING level`);

/** Of `:nodeIds`, a JSON list, the devices that the actor may read. */
const READABLE_DEVICES: Statement = defineStatement(`
  SELECT device.node_id AS nodeId, device.id AS deviceId
  FROM json_each(:nodeIds) asked CROSS JOIN device ON device.node_id = asked.value
  WHERE ${IN_LIVE_SESSION} AND ${mayReadDevice("device.id")}`);

/** Session, bucket and rights of a call in one round trip. Answers the rows of `DRAIN`, `CHARGE` and the devices. */
export const AUTHORIZE_AND_CHARGE: readonly Statement[] = [DRAIN, CHARGE, READABLE_DEVICES];

/** Fills the bucket by `:cost`, beyond its capacity if need be: the work is done. */
const CHARGE_DONE: Statement = defineStatement(`
  UPDATE rate_bucket SET level = level + :cost WHERE user_id = :actorId AND ${IN_LIVE_SESSION}
  RETURNING level`);

/**
 * Charges what a call read, once that is known and before anything is sent. Answers the devices again: it may have waited
 * in line since they were asked for.
 */
export const CHARGE_POINTS: readonly Statement[] = [DRAIN, CHARGE_DONE, READABLE_DEVICES];
