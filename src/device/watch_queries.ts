import { isFromMemberships, ROLES_AT_ONCE } from "../role/guard_queries.ts";

/**
 * What the roles that monitor many devices allow the actor. Devices times roles times memberships may be millions, so a
 * statement asks about a bounded number of relations and of roles, and about each role once, however many devices it
 * monitors. It says how far it looked, and the next one goes on from there.
 */

/** Maximum number of relations that a statement reads, unless its first device has more. */
const RELATIONS_AT_ONCE = 5000;

/**
 * CTEs. `named` are the devices in order of `key`, selected by `devices` (SQL), which sorts them; `watched` their
 * relations, and `asking` the roles of these: all of the first device, and of as many others as fit. `held` is what
 * `valueOf` (SQL) says of each role; its second argument is true where a rule looks from memberships. `looked` is the last
 * key up to which that is complete, or null if it is for all devices. `isNeeded` (SQL) says whether any of this is.
 */
export function watchesOf(
  devices: string,
  valueOf: (role: string, isFrom: string) => string,
  isNeeded = "true",
): string[] {
  const relations = `(SELECT max(roles, ${RELATIONS_AT_ONCE}) FROM of_first)`;
  const roles = `(SELECT max(roles, ${ROLES_AT_ONCE}) FROM of_first)`;
  return [
    `named(key, device_id) AS MATERIALIZED (${devices})`,
    `of_first(roles) AS MATERIALIZED (SELECT count(*) FROM monitors WHERE device_id = (
      SELECT device_id FROM named ORDER BY key LIMIT 1))`,
    `watched(key, device_id, role_id) AS MATERIALIZED (SELECT named.key, named.device_id, coalesce(watching.role_id, 0)
      FROM named LEFT JOIN monitors watching ON watching.device_id = named.device_id
      WHERE ${isNeeded} LIMIT ${relations} + 1)`,
    `asking(role_id, key) AS MATERIALIZED (SELECT role_id, min(key) FROM watched GROUP BY role_id
      ORDER BY min(key) LIMIT ${roles} + 1)`,
    `directed(role_id, is_from) AS MATERIALIZED (SELECT role_id, ${
      isFromMemberships("role_id")
    } FROM asking)`,
    `held(role_id, value) AS MATERIALIZED (SELECT role_id, ${
      valueOf("directed.role_id", "directed.is_from")
    } FROM directed)`,
    `looked(last_key) AS MATERIALIZED (SELECT min(key) - 1 FROM (
      SELECT iif(count(*) > ${relations}, max(key), NULL) AS key FROM watched
      UNION ALL SELECT iif(count(*) > ${roles}, max(key), NULL) FROM asking))`,
  ];
}
