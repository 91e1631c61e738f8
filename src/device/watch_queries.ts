import { isFromMemberships, ROLES_AT_ONCE } from "../role/guard_text.ts";

/**
 * What the roles that monitor many devices allow the actor. Devices times roles times memberships may be millions. So a
 * statement asks about a bounded number of relations and of roles, and once about each role, however many devices it
 * monitors. It returns how far it got, and the next statement continues there.
 */

/**
 * Maximum number of relations that a statement reads. For a device with more, from before the limit existed, the first
 * ones count.
 */
const RELATIONS_AT_ONCE = 5000;

/** Greater than any key. */
const LAST_KEY = "9223372036854775807";

/**
 * CTEs. `asked_device` are the devices in order of `key`, selected by `devices` (SQL), which sorts them; `watched`
 * their relations; `asking` the roles of these, numbered, each with the first device that it monitors. `held` is what
 * `valueOf` (SQL) says of all roles of the first device, and of as many others as fit; its second argument is true
 * where a rule looks from memberships. `looked` is the last key up to which that is complete, or null if it is for all
 * devices. `isNeeded` (SQL) says whether any of this is, and `rolesAtOnce` how many roles fit. Each names the one
 * before it once: a server reads a CTE anew wherever it is named.
 */
export function watchesOf(
  devices: string,
  valueOf: (role: string, isFrom: string) => string,
  { isNeeded = "true", rolesAtOnce = ROLES_AT_ONCE } = {},
): string[] {
  return [
    `asked_device(key, device_id) AS MATERIALIZED (${devices})`,
    `watched(key, device_id, role_id) AS MATERIALIZED (
      SELECT asked_device.key, asked_device.device_id, coalesce(watching.role_id, 0)
      FROM asked_device LEFT JOIN monitors watching ON watching.device_id = asked_device.device_id
      WHERE ${isNeeded} LIMIT ${RELATIONS_AT_ONCE + 1})`,
    `asking(role_id, key, number, first_key, last_key, relations) AS MATERIALIZED (
      SELECT role_id, key, row_number() OVER (ORDER BY key), min(key) OVER (), max(last_key) OVER (),
        sum(relations) OVER ()
      FROM (SELECT role_id, min(key) AS key, max(key) AS last_key, count(*) AS relations FROM watched GROUP BY role_id))`,
    `directed(role_id, is_from) AS MATERIALIZED (SELECT role_id, ${isFromMemberships("role_id")} FROM asking
      WHERE number <= ${rolesAtOnce} OR key = first_key)`,
    `held(role_id, value) AS MATERIALIZED (SELECT role_id, ${
      valueOf("directed.role_id", "directed.is_from")
    } FROM directed)`,
    `looked(last_key) AS MATERIALIZED (SELECT nullif(min(min(
        iif(relations > ${RELATIONS_AT_ONCE}, max(first_key, last_key - 1), ${LAST_KEY}),
        iif(number > ${rolesAtOnce} AND key > first_key, key - 1, ${LAST_KEY}))), ${LAST_KEY}) FROM asking)`,
  ];
}
