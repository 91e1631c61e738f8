import { isAhead } from "../../db/ahead.ts";
import { roleKey } from "../../db/schema/role.ts";
import { rateBucket } from "../../db/schema/telemetry.ts";
import { assigned, bare, define, inserted, int, placeholdersOf, real, row, rows, sql } from "../../db/sql.ts";
import { HELD_GRANTS } from "../../device/grant_queries.ts";
import { managesAnyDevice } from "../../device/guard_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";

const { userId, level, at } = rateBucket;

const { actorId } = placeholdersOf(PRINCIPAL);
const key = row(roleKey, "charged");
/** The owner of the actor's bucket (`rate_bucket`): the user, or minus the role of the key. */
const OWNER =
  sql`iif(${actorId} > 0, ${actorId}, (SELECT -${key.roleId} FROM ${key} WHERE ${key.id} = -${actorId}))`;

/**
 * Drains the actor's bucket up to now; no row if the session is over. `at` goes back only if a clock was so far ahead
 * that waiting for it takes longer than a full bucket: otherwise instances whose clocks differ would drain it again.
 */
const DRAIN = define({ ...PRINCIPAL, drainPerMs: real, capacity: int }, ({ now, drainPerMs, capacity }) => {
  const { names, values } = inserted(rateBucket, { userId: OWNER, level: 0, at: now });
  const drained = assigned(rateBucket, {
    level: sql`max(0, ${level} - max(0, ${now} - ${at}) * ${drainPerMs})`,
    at: sql`iif(${isAhead(at, now, sql`${capacity} / ${drainPerMs}`)}, ${now}, max(${at}, ${now}))`,
  });
  return sql`
  INSERT INTO ${rateBucket} (${names})
  SELECT ${values} WHERE ${PRINCIPAL_LIVES}
  ON CONFLICT (${bare(userId)}) DO UPDATE SET ${drained}
  RETURNING ${level}`;
});

/** Adds `cost` to the bucket if it fits; otherwise no row. */
const CHARGE = define({ ...PRINCIPAL, cost: int, capacity: int }, ({ cost, capacity }) =>
  sql`
  UPDATE ${rateBucket} SET ${assigned(rateBucket, { level: sql`${level} + ${cost}` })}
  WHERE ${userId} = ${OWNER} AND ${level} + ${cost} <= ${capacity} AND ${PRINCIPAL_LIVES}
  RETURNING ${level}`);

/** Checks the session of a read, and returns its bucket's level, before a long body is parsed. */
export const READ_LEVEL = [DRAIN] as const;

/** Checks the session and bucket of a read. Returns the rows of both statements. */
export const CHARGE_CALL = [DRAIN, CHARGE] as const;

interface MayWriteRow {
  readonly mayWrite: 1;
}

/**
 * Returns a row if the actor may write telemetry at all: they manage a device, or have too many roles to tell
 * cheaply.
 */
export const MAY_WRITE = rows<MayWriteRow>()(
  PRINCIPAL,
  () => sql`SELECT 1 AS mayWrite WHERE ${managesAnyDevice()}`,
);

/** Checks session, bucket and rights of a write before its body is read. Returns the rows of the three statements. */
export const ADMIT_WRITE = [DRAIN, CHARGE, MAY_WRITE] as const;

/** Adds `cost` to the bucket, even beyond its capacity: the work is done. */
const CHARGE_DONE = define({ ...PRINCIPAL, cost: int }, ({ cost }) =>
  sql`
  UPDATE ${rateBucket} SET ${assigned(rateBucket, { level: sql`${level} + ${cost}` })}
  WHERE ${userId} = ${OWNER} AND ${PRINCIPAL_LIVES}
  RETURNING ${level}`);

/** Charges what a call costs as it goes. */
export const CHARGE_MORE = [DRAIN, CHARGE_DONE] as const;

/**
 * Charges the points of a read before anything is sent. Returns the grants, of `grants`, that still hold: rights may have
 * changed during the wait.
 */
export const CHARGE_POINTS = [DRAIN, CHARGE_DONE, HELD_GRANTS] as const;
