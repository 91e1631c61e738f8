import { REVISION } from "../db/revisions.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import { managesDevicesOf } from "../device/device_text.ts";
import { watchesOf } from "../device/device_text.ts";
import {
  actingAbove,
  holdsSome,
  IS_ASKING_KEY,
  managesMembersOf,
  PRINCIPAL_LIVES,
  seesAsManager,
  someAuthorizingRole,
  someRoleOfUserAbove,
} from "../role/guard_text.ts";
import {
  EVALUATION_STEPS,
  EVALUATION_WINDOW_SECONDS,
  ROLES_PER_STEP,
  THROTTLE_SCOPES,
} from "../throttle/limits.ts";
import { counterValue, countInWindow } from "../throttle/throttle_text.ts";

/**
 * Decisions about many subjects and resources in one statement. Whether the actor may ask about another subject's
 * access to a role follows from the actor's memberships, even if the role does not exist. What another subject may do
 * follows from the roles above the resource, for any subject. So the time of a denial reveals neither subjects nor
 * resources. Each role that monitors devices is asked about once, and an unknown device counts as one with a role of
 * its own.
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

/** SQL: the statement's current item is about a device. */
const IS_ABOUT_DEVICE = "item.role_id = 0";

/**
 * What the actor may do, by each role that monitors a device: bits of `held.value`, which is null for a role that they
 * do not see.
 */
const MANAGES_DEVICES = 1;
const MANAGES_MEMBERS = 2;

/** SQL: those bits; see `watchesOf`. */
export function heldBy(role: string, isFrom: string): string {
  return `(SELECT ${MANAGES_DEVICES} * max(${managesDevicesOf(role)}) + ${MANAGES_MEMBERS} * max(${
    managesMembersOf(role)
  })
    FROM ${actingAbove(role, isFrom)} WHERE ${holdsSome("0", "0", role)})`;
}

/** SQL, about `held`: the actor sees who has access to the role, as by `seesAsManager`. */
export const SEES_MEMBERS = `(value & ${MANAGES_MEMBERS} OR (value IS NOT NULL AND ${IS_ASKING_KEY}))`;

/** SQL: a role that monitors the device of the item meets the condition on `held`. */
function someWatching(condition: string): string {
  return `EXISTS (SELECT 1 FROM monitors monitoring WHERE monitoring.device_id = item.device_id
    AND +monitoring.role_id IN (SELECT role_id FROM held WHERE ${condition}))`;
}

const WATCHES = watchesOf(
  `SELECT item.key, item.device_id FROM item WHERE ${IS_ABOUT_DEVICE} ORDER BY item.key`,
  heldBy,
);

/** CTE: the items that the statement decides. */
const DECIDED = `decided(key, subject, role_id, device_id, direct, indirect) AS MATERIALIZED (
    SELECT item.* FROM item WHERE item.key <= coalesce((SELECT last_key FROM looked), item.key))`;

/** CTE: the resources of these items about others that the actor may ask about. */
const SEEN = `seen(role_id, device_id) AS MATERIALIZED (
    SELECT item.role_id, item.device_id
    FROM (SELECT DISTINCT role_id, device_id FROM decided WHERE subject <> :actorId) item
    WHERE CASE WHEN ${IS_ABOUT_DEVICE} THEN ${someWatching(SEES_MEMBERS)} ELSE ${
  seesAsManager("item.role_id")
} END)`;

const IS_SEEN = "(item.role_id, item.device_id) IN (SELECT role_id, device_id FROM seen)";

/** Maximum number of roles, above the resources, that one statement looks at for other subjects. */
export const MAX_WALKED_ROLES = 500_000;

/** CTE: how many roles that would be. Counting stops behind the maximum. */
const WALK = `walk(roles) AS MATERIALIZED (SELECT count(*) FROM (
    SELECT 1 FROM decided item CROSS JOIN role_closure path ON path.descendant_id = item.role_id
      WHERE item.subject <> :actorId AND ${IS_SEEN}
    UNION ALL SELECT 1 FROM decided item CROSS JOIN monitors monitoring ON monitoring.device_id = item.device_id
      CROSS JOIN role_closure path ON path.descendant_id = monitoring.role_id
      WHERE item.subject <> :actorId AND ${IS_SEEN}
    LIMIT ${MAX_WALKED_ROLES + 1}))`;

/** SQL: by their own memberships, the actor may perform the action of the item. */
const MAY_ACTOR = `CASE WHEN NOT (${IS_ABOUT_DEVICE})
      THEN ${someAuthorizingRole(holdsSome("item.direct", "item.indirect", "item.role_id"))}
    WHEN item.direct = 0 THEN ${someWatching("value IS NOT NULL")}
    ELSE ${someWatching(`value & ${MANAGES_DEVICES}`)} END`;

/**
 * A decision, 1 or 0, for each of `:items` in their order, as a JSON list; null if it would look at more than
 * `:maxRoles` roles above the resources, with their number in `walked`. The list ends early if a statement may not ask
 * about all of the devices. No row if the principal does not live.
 */
export const DECIDE: Statement = defineStatement(`
  WITH ${[ITEMS, ...WATCHES, DECIDED, SEEN, WALK].join(",\n    ")}
  SELECT (SELECT roles FROM walk) AS walked, CASE WHEN (SELECT roles FROM walk) <= :maxRoles THEN (
      SELECT json_group_array(decision) FROM (
        SELECT CASE
          WHEN item.subject = :actorId THEN ${MAY_ACTOR}
          WHEN ${IS_SEEN} THEN EXISTS (SELECT 1 FROM ${rolesOf("item")} target
            WHERE ${
  someRoleOfUserAbove("item.subject", "target.id", holdsSome("item.direct", "item.indirect", "target.id"))
})
          ELSE 0 END AS decision
        FROM decided item ORDER BY item.key)) END AS decisions, ${REVISION}
  WHERE ${PRINCIPAL_LIVES}`);

const KEY = ":payer";
const SCOPE = THROTTLE_SCOPES.evaluations;

/** SQL: each evaluation looks at each membership of the actor. Parameters: `:count`, `:roles`. */
const COST =
  `(:count * (1 + (SELECT count(*) FROM member own_membership WHERE own_membership.user_id = :actorId))
    + :roles / ${ROLES_PER_STEP})`;

/** SQL: the payer's budget has room for these evaluations. */
const FITS = `(${counterValue(SCOPE, KEY, "count")} + ${COST} <= ${EVALUATION_STEPS})`;

/**
 * Charges for `:count` evaluations, and for `:roles` that evaluations look at above the resources, if that fits. The
 * first statement returns whether it does, while the principal lives.
 */
export const CHARGE: readonly Statement[] = [
  defineStatement(`
    SELECT ${COST} AS cost, ${FITS} AS fits, ${counterValue(SCOPE, KEY, "expires_at")} AS freeAt
    WHERE ${PRINCIPAL_LIVES}`),
  countInWindow(SCOPE, KEY, EVALUATION_WINDOW_SECONDS, `${FITS} AND ${PRINCIPAL_LIVES}`, COST),
];
