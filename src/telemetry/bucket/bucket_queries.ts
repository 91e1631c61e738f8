import { rateBucket } from "../../db/schema/telemetry.ts";
import { assigned, bare, define, inserted, int, real, rows, sql } from "../../db/sql.ts";
import { READABLE_DEVICES } from "../../device/grant_queries.ts";
import { managesAnyDevice } from "../../device/guard_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../../role/guard/principal_queries.ts";

const { userId, level, at } = rateBucket;

/**
 * Drains the actor's bucket up to now; no row if the session is over. Clocks of instances differ, so `at` never goes
 * back.
 */
const DRAIN = define({ ...PRINCIPAL, drainPerMs: real }, ({ actorId, now, drainPerMs }) => {
  const { names, values } = inserted(rateBucket, { userId: actorId, level: 0, at: now });
  const drained = assigned(rateBucket, {
    level: sql`max(0, ${level} - max(0, ${now} - ${at}) * ${drainPerMs})`,
    at: sql`max(${at}, ${now})`,
  });
  return sql`
  INSERT INTO ${rateBucket} (${names})
  SELECT ${values} WHERE ${PRINCIPAL_LIVES}
  ON CONFLICT (${bare(userId)}) DO UPDATE SET ${drained}
  RETURNING ${level}`;
});

/** Adds `cost` to the bucket if it fits; otherwise no row. */
const CHARGE = define({ ...PRINCIPAL, cost: int, capacity: int }, ({ actorId, cost, capacity }) =>
  sql`
  UPDATE ${rateBucket} SET ${assigned(rateBucket, { level: sql`${level} + ${cost}` })}
  WHERE ${userId} = ${actorId} AND ${level} + ${cost} <= ${capacity} AND ${PRINCIPAL_LIVES}
  RETURNING ${level}`);

/** Checks the session and the bucket of a call that reads. Returns the rows of both statements. */
export const CHARGE_CALL = [DRAIN, CHARGE] as const;

interface MayWriteRow {
  readonly mayWrite: 1;
}

/**
 * A row if the actor may write telemetry at all: they manage a device, or have too many roles to tell without a walk.
 */
const MAY_WRITE = rows<MayWriteRow>()(
  { actorId: int, now: int },
  () => sql`SELECT 1 AS mayWrite WHERE ${managesAnyDevice()}`,
);

/**
 * Checks the session, bucket and rights of a write before its body is read. Returns the rows of the three statements.
 */
export const ADMIT_WRITE = [DRAIN, CHARGE, MAY_WRITE] as const;

/** Adds `cost` to the bucket, even beyond its capacity: the work is done. */
const CHARGE_DONE = define({ ...PRINCIPAL, cost: int }, ({ actorId, cost }) =>
  sql`
  UPDATE ${rateBucket} SET ${assigned(rateBucket, { level: sql`${level} + ${cost}` })}
  WHERE ${userId} = ${actorId} AND ${PRINCIPAL_LIVES}
  RETURNING ${level}`);

/** Charges what a write cost beyond `WRITE_COST`. */
export const CHARGE_WRITE = [DRAIN, CHARGE_DONE] as const;

/**
 * Charges what a call read, before anything is sent. Returns the devices that the actor may still read by the grants
 * `grants`, because rights may have changed while the call waited its turn.
 */
export const CHARGE_POINTS = [DRAIN, CHARGE_DONE, READABLE_DEVICES] as const;
