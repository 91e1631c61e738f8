import { monitors } from "../db/schema/telemetry.ts";
import { row, type SQL, sql, type Value } from "../db/sql.ts";
import { ROLES_AT_ONCE, startsFromMemberships } from "../graph/rules/guard_queries.ts";
import { MAX_ID } from "../graph/rules/price_queries.ts";
import { isOpen, type Period } from "./period_queries.ts";

/**
 * What the roles that monitor devices allow the actor. Devices times roles times memberships may be millions, so a
 * statement judges a bounded number of relations and roles, each role once for all of its devices. It returns how far
 * it got, and the next statement continues there.
 */

/**
 * Maximum number of relations that a statement reads. Of a device with more, from before the limit existed, the first
 * ones count.
 */
const RELATIONS_AT_ONCE = 5000;

/**
 * Returns CTEs: `requested_device` (`devices`, in order of `key`), `watched` (their relations that are `counted`, if
 * `isNeeded`), `asking` (the roles of these), `held` (`valueOf` of all roles of the first device, and of others up to
 * `rolesAtOnce`) and `looked` (the last complete key, or null for all). By default, open relations count; otherwise,
 * `watched` also has their ids and periods. `fromMemberships` is true where a rule starts from memberships.
 */
export function watchesOf(
  devices: SQL,
  valueOf: (roleId: SQL, fromMemberships: SQL) => SQL,
  { counted, isNeeded = sql`true`, rolesAtOnce = ROLES_AT_ONCE }: {
    readonly counted?: (relation: Period) => SQL;
    readonly isNeeded?: SQL;
    readonly rolesAtOnce?: Value;
  } = {},
): SQL {
  const watching = row(monitors, "watching");
  const fromMemberships = startsFromMemberships(sql`asking.role_id`);
  const value = valueOf(sql`directed.role_id`, sql`directed.from_memberships`);
  const periodNames = counted === undefined ? sql`` : sql`, relation_id, valid_from, valid_until`;
  const period = counted === undefined
    ? sql``
    : sql`, ${watching.id}, ${watching.validFrom}, ${watching.validUntil}`;
  // Each names the one before it once: a server parses a CTE again wherever it is named.
  return sql`requested_device(key, device_id) AS MATERIALIZED (${devices}),
    watched(key, device_id, role_id${periodNames}) AS MATERIALIZED (
      SELECT requested_device.key, requested_device.device_id, coalesce(${watching.roleId}, 0)${period}
      FROM requested_device LEFT JOIN ${watching} ON ${watching.deviceId} = requested_device.device_id
        AND ${(counted ?? isOpen)(watching)}
      WHERE ${isNeeded} LIMIT ${RELATIONS_AT_ONCE + 1}),
    asking(role_id, key, number, first_key, last_key, relations) AS MATERIALIZED (
      SELECT role_id, key, row_number() OVER (ORDER BY key), min(key) OVER (), max(last_key) OVER (),
        sum(relations) OVER ()
      FROM (SELECT role_id, min(key) AS key, max(key) AS last_key, count(*) AS relations FROM watched GROUP BY role_id)),
    directed(role_id, from_memberships) AS MATERIALIZED (SELECT role_id, ${fromMemberships} FROM asking
      WHERE number <= ${rolesAtOnce} OR key = first_key),
    held(role_id, value) AS MATERIALIZED (SELECT role_id, ${value} FROM directed),
    looked(last_key) AS MATERIALIZED (SELECT nullif(min(min(
        iif(relations > ${RELATIONS_AT_ONCE}, max(first_key, last_key - 1), ${MAX_ID}),
        iif(number > ${rolesAtOnce} AND key > first_key, key - 1, ${MAX_ID}))), ${MAX_ID}) FROM asking)`;
}
