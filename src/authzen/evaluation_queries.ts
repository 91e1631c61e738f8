import { REVISION } from "../db/revisions.ts";
import { defineStatement, single, type Statement } from "../db/statement.ts";
import { holdsSome, seesAsManager, someAuthorizingRole, someRoleOfUserAbove } from "../role/guard_queries.ts";
import { PRINCIPAL_LIVES } from "../role/principal_queries.ts";
import {
  EVALUATION_STEPS,
  EVALUATION_WINDOW_SECONDS,
  ROLES_PER_STEP,
  THROTTLE_SCOPES,
} from "../throttle/limits.ts";
import { counterValue, countInWindow } from "../throttle/throttle_queries.ts";

/**
 * Decisions about many subjects and resources in one statement. Whether the actor may ask about somebody else's access to
 * a resource is found out from the actor's memberships, whatever there is of the resource; and what somebody else may
 * do, from the resource upwards, whoever they are. So the time that a denial takes tells neither who exists nor what.
 */

/**
 * CTE: the questions of `:items`, a JSON list. 0 stands for a subject or device that does not exist, and for the other
 * kind of resource.
 */
export const ITEMS = `item(key, subject, role_id, device_id, direct, indirect) AS MATERIALIZED (
    SELECT asked.key,
      coalesce(asked.value ->> 'principalId',
        (SELECT person.id FROM user_account person WHERE person.email = asked.value ->> 'email'), 0),
      coalesce(asked.value ->> 'roleId', 0),
      coalesce(asked.value ->> 'deviceId',
        (SELECT named.id FROM device named WHERE named.node_id = asked.value ->> 'nodeId'), 0),
      asked.value ->> 'direct', asked.value ->> 'indirect'
    FROM json_each(:items) asked)`;

/**
 * SQL: the roles that a resource is about: itself, or those that monitor the device. A device that does not exist takes
 * as long as one that a role monitors.
 */
export function rolesOf(row: string): string {
  return `(SELECT ${row}.role_id AS id WHERE ${row}.role_id > 0
      UNION ALL SELECT monitoring.role_id FROM monitors monitoring WHERE monitoring.device_id = ${row}.device_id
      UNION ALL SELECT 0 WHERE ${row}.role_id = 0
        AND NOT EXISTS (SELECT 1 FROM monitors monitoring WHERE monitoring.device_id = ${row}.device_id))`;
}

/** CTE: the resources of the items about others that the actor may ask about. */
const SEEN = `seen(role_id, device_id) AS MATERIALIZED (
    SELECT other.role_id, other.device_id
    FROM (SELECT DISTINCT role_id, device_id FROM item WHERE subject <> :actorId) other
    WHERE EXISTS (SELECT 1 FROM ${rolesOf("other")} target WHERE ${seesAsManager("target.id")}))`;

const IS_SEEN = "(item.role_id, item.device_id) IN (SELECT role_id, device_id FROM seen)";

/** Maximum number of roles, above the resources, that one statement looks at for other subjects. */
export const MAX_WALKED_ROLES = 500_000;

/** CTE: how many roles that would be. Counting stops behind the maximum. */
const WALK = `walk(roles) AS MATERIALIZED (SELECT count(*) FROM (
    SELECT 1 FROM item CROSS JOIN role_closure path ON path.descendant_id = item.role_id
      WHERE item.subject <> :actorId AND ${IS_SEEN}
    UNION ALL SELECT 1 FROM item CROSS JOIN monitors monitoring ON monitoring.device_id = item.device_id
      CROSS JOIN role_closure path ON path.descendant_id = monitoring.role_id
      WHERE item.subject <> :actorId AND ${IS_SEEN}
    LIMIT ${MAX_WALKED_ROLES + 1}))`;

const MAY = holdsSome("item.direct", "item.indirect", "target.id");

/**
 * A decision, 1 or 0, for each of `:items` in their order, as a JSON list; null if it would look at more than `:maxRoles`
 * roles above the resources, with their number in `walked`. No row if the principal does not live.
 */
export const DECIDE: Statement = single(defineStatement(`
  WITH ${ITEMS}, ${SEEN}, ${WALK}
  SELECT (SELECT roles FROM walk) AS walked, CASE WHEN (SELECT roles FROM walk) <= :maxRoles THEN (
      SELECT json_group_array(decision) FROM (
        SELECT CASE
          WHEN item.subject = :actorId
            THEN EXISTS (SELECT 1 FROM ${rolesOf("item")} target WHERE ${someAuthorizingRole(MAY)})
          WHEN ${IS_SEEN} THEN EXISTS (SELECT 1 FROM ${rolesOf("item")} target
            WHERE ${someRoleOfUserAbove("item.subject", "target.id", MAY)})
          ELSE 0 END AS decision
        FROM item ORDER BY item.key)) END AS decisions, ${REVISION}
  WHERE ${PRINCIPAL_LIVES}`));

const KEY = ":payer";
const SCOPE = THROTTLE_SCOPES.evaluations;

/** SQL: each evaluation looks at each membership of the actor. Parameters: `:count`, `:roles`. */
const COST =
  `(:count * (1 + (SELECT count(*) FROM member own_membership WHERE own_membership.user_id = :actorId))
    + :roles / ${ROLES_PER_STEP})`;

/** SQL: the payer's budget has room for that. */
const FITS = `(${counterValue(SCOPE, KEY, "count")} + ${COST} <= ${EVALUATION_STEPS})`;

/**
 * Charges for `:count` evaluations, and for `:roles` that evaluations look at above the resources, if that fits. The first
 * statement returns whether it does, while the principal lives.
 */
export const CHARGE: readonly Statement[] = [
  single(defineStatement(`
    SELECT ${COST} AS cost, ${FITS} AS fits, ${counterValue(SCOPE, KEY, "expires_at")} AS freeAt
    WHERE ${PRINCIPAL_LIVES}`)),
  countInWindow(SCOPE, KEY, EVALUATION_WINDOW_SECONDS, `${FITS} AND ${PRINCIPAL_LIVES}`, COST),
];
