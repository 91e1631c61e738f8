import { REVISION_COLUMN } from "../db/revisions.ts";
import { userAccount } from "../db/schema/identity.ts";
import { member, roleClosure } from "../db/schema/role.ts";
import { monitors } from "../db/schema/telemetry.ts";
import { int, placeholdersOf, row, rows, rowsOf, type SQL, sql, text, type Value } from "../db/sql.ts";
import { managesDevicesOf } from "../device/guard_queries.ts";
import { currentDevice, isOpen } from "../device/period_queries.ts";
import { watchesOf } from "../device/watch_queries.ts";
import {
  fromEitherSide,
  IS_ASKING_KEY,
  leastNeedAbove,
  seesAsManager,
  someAuthorizingRole,
  someRoleAbove,
} from "../graph/rules/guard_queries.ts";
import { type Acting, holdsSome, managesMembersOf } from "../graph/rules/rule_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";

/**
 * Decisions about many subjects and resources in one statement. The time of a denial reveals neither: whether the actor
 * may ask about another subject follows from the actor's memberships, and what that subject may do from the roles above
 * the resource. A monitoring role is judged once; an unknown device counts as one with its own role.
 */

/** The questions, as a JSON list. */
export const ITEM = { items: text };
const { items } = placeholdersOf(ITEM);
const { actorId } = placeholdersOf(PRINCIPAL);

/**
 * CTE `item`: the questions. 0 stands for a subject or device that does not exist, and for the other kind of resource.
 */
export const ITEMS: SQL =
  sql`item(key, subject, role_id, device_id, direct, indirect, meets) AS MATERIALIZED (
    SELECT requested.key,
      coalesce(requested.value ->> 'principalId',
        (SELECT ${userAccount.id} FROM ${userAccount} WHERE ${userAccount.email} = requested.value ->> 'email'), 0),
      coalesce(requested.value ->> 'roleId', 0),
      coalesce(requested.value ->> 'deviceId',
        (${currentDevice(sql`requested.value ->> 'nodeId'`)}), 0),
      requested.value ->> 'direct', requested.value ->> 'indirect', requested.value ->> 'meets'
    FROM json_each(${items}) requested)`;

const { watching, other } = rowsOf({ watching: monitors, other: monitors });
/**
 * A source for FROM: the ids of the roles of the item's resource, itself or those that monitor the device now. A device
 * that does not exist takes as long as one that a role monitors.
 */
export const ROLES_OF_ITEM: SQL = sql`(SELECT item.role_id AS id WHERE item.role_id > 0
      UNION ALL SELECT ${watching.roleId} FROM ${watching}
        WHERE ${watching.deviceId} = item.device_id AND ${isOpen(watching)}
      UNION ALL SELECT 0 WHERE item.role_id = 0
        AND NOT EXISTS (SELECT 1 FROM ${other} WHERE ${other.deviceId} = item.device_id AND ${
  isOpen(other)
}))`;

/** Whether the authorizing role allows the action of the item on the role. */
export function allows(acting: Acting, on: Value): SQL {
  return holdsSome(acting, sql`item.direct`, sql`item.indirect`, on);
}

/** The statement's current item is about a device. */
const IS_ABOUT_DEVICE = sql`item.role_id = 0`;

/**
 * Bits of `held.value`, the actor's rights by role that monitors a device. It is null for a role that they do not see.
 */
const MANAGES_DEVICES = 1;
const MANAGES_MEMBERS = 2;

/** Returns those bits; see `watchesOf`. */
export function heldBy(on: SQL, fromMemberships: SQL): SQL {
  return fromEitherSide(on, (memberships, acting, reached) => {
    const [devices, members] = [managesDevicesOf(acting, on), managesMembersOf(acting, on)];
    return sql`(SELECT ${MANAGES_DEVICES} * max(${devices}) + ${MANAGES_MEMBERS} * max(${members})
    FROM ${memberships} WHERE ${reached})`;
  }, fromMemberships);
}

/** By `held`, the actor sees who has access to the role, as in `seesAsManager`. */
export const SEES_MEMBERS: SQL =
  sql`(value & ${MANAGES_MEMBERS} OR (value IS NOT NULL AND ${IS_ASKING_KEY}))`;

/** Whether a role that monitors the device of the item meets the condition on `held`. */
function someWatching(condition: SQL): SQL {
  const watching = row(monitors, "watching");
  return sql`EXISTS (SELECT 1 FROM ${watching} WHERE ${watching.deviceId} = item.device_id
    AND ${isOpen(watching)} AND +${watching.roleId} IN (SELECT held.role_id FROM held WHERE ${condition}))`;
}

const WATCHES = watchesOf(
  sql`SELECT item.key, item.device_id FROM item WHERE ${IS_ABOUT_DEVICE} ORDER BY item.key`,
  heldBy,
);

/** CTE `decided`: the items that the statement decides. */
const DECIDED = sql`decided(key, subject, role_id, device_id, direct, indirect, meets) AS MATERIALIZED (
    SELECT item.* FROM item WHERE item.key <= coalesce((SELECT last_key FROM looked), item.key))`;

const MAY_ASK = sql`CASE WHEN ${IS_ABOUT_DEVICE} THEN ${someWatching(SEES_MEMBERS)}
      ELSE ${seesAsManager(sql`item.role_id`)} END`;
/** CTE `seen`: the resources of these items about others that the actor may ask about. */
const SEEN = sql`seen(role_id, device_id) AS MATERIALIZED (
    SELECT item.role_id, item.device_id
    FROM (SELECT DISTINCT role_id, device_id FROM decided WHERE subject <> ${actorId}) item
    WHERE ${MAY_ASK})`;

const IS_SEEN = sql`(item.role_id, item.device_id) IN (SELECT role_id, device_id FROM seen)`;

/** Maximum number of roles above the resources that one statement scans for other subjects. */
const MAX_WALKED_ROLES = 500_000;

const path = row(roleClosure, "path");
/** CTE `walk`: the number of such roles, counted up to one more than the maximum. */
const WALK = sql`walk(roles) AS MATERIALIZED (SELECT count(*) FROM (
    SELECT 1 FROM decided item CROSS JOIN ${path} ON ${path.descendantId} = item.role_id
      WHERE item.subject <> ${actorId} AND ${IS_SEEN}
    UNION ALL SELECT 1 FROM decided item CROSS JOIN ${watching} ON ${watching.deviceId} = item.device_id
        AND ${isOpen(watching)}
      CROSS JOIN ${path} ON ${path.descendantId} = ${watching.roleId}
      WHERE item.subject <> ${actorId} AND ${IS_SEEN}
    LIMIT ${MAX_WALKED_ROLES + 1}))`;

/** The actor may perform the action of the item, by their own memberships. */
const MAY_ACTOR = sql`CASE WHEN NOT (${IS_ABOUT_DEVICE})
      THEN ${someAuthorizingRole((acting) => allows(acting, sql`item.role_id`))}
    WHEN item.direct = 0 THEN ${someWatching(sql`value IS NOT NULL`)}
    ELSE ${someWatching(sql`value & ${MANAGES_DEVICES}`)} END`;

/**
 * The least demand of a membership by which the subject of the item may perform its action, by the roles above the role
 * `target`; null if they may not.
 */
const LEAST_NEED = leastNeedAbove(
  sql`item.subject`,
  sql`target.id`,
  (acting) => allows(acting, sql`target.id`),
);

export interface DecisionsRow {
  /**
   * JSON: a list of 0 and 1, for all items or for the first ones, or minus the demand that the subject's session would
   * have to meet. Null if there are more than `MAX_WALKED_ROLES` above the resources.
   */
  readonly decisions: string | null;
  readonly revision: number | null;
}

/**
 * Decides the items in their order. The list ends early if a statement cannot judge all devices. No row if the principal
 * does not live.
 */
export const DECIDE = rows<DecisionsRow>()({ ...PRINCIPAL, ...ITEM }, () =>
  sql`
  WITH ${ITEMS},
    ${WATCHES},
    ${DECIDED},
    ${SEEN},
    ${WALK}
  SELECT CASE WHEN (SELECT roles FROM walk) <= ${MAX_WALKED_ROLES} THEN (
      SELECT json_group_array(decision) FROM (
        SELECT CASE
          WHEN item.subject = ${actorId} THEN ${MAY_ACTOR}
          WHEN ${IS_SEEN} THEN (SELECT CASE WHEN need IS NULL THEN 0 WHEN need <= item.meets THEN 1 ELSE -need END
            FROM (SELECT min(${LEAST_NEED}) AS need FROM ${ROLES_OF_ITEM} target))
          ELSE 0 END AS decision
        FROM decided item ORDER BY item.key)) END AS decisions, ${REVISION_COLUMN}
  WHERE ${PRINCIPAL_LIVES}`);

export interface OwnDecisionRow {
  readonly isAllowed: 0 | 1;
  readonly revision: number | null;
}

const target = sql`target.id`;
/**
 * Decides one question of the actor about themselves, by the rights that it names alone: on a device, not by those that
 * manage it besides. No row if the principal does not live.
 */
export const DECIDE_OWN = rows<OwnDecisionRow>()({ ...PRINCIPAL, ...ITEM }, () =>
  sql`
  WITH ${ITEMS}
  SELECT (SELECT EXISTS (SELECT 1 FROM ${ROLES_OF_ITEM} target
      WHERE ${
    someRoleAbove(target, (acting) => allows(acting, target))
  }) FROM item) AS isAllowed, ${REVISION_COLUMN}
  WHERE ${PRINCIPAL_LIVES}`);

const own = row(member, "own");
/** What a list of so many evaluations costs the actor: each of them scans all of their memberships. */
export const PRICE = rows<{ readonly steps: number }>()({ ...PRINCIPAL, count: int }, ({ count }) =>
  sql`
  SELECT ${count} * (1 + (SELECT count(*) FROM ${own} WHERE ${own.userId} = ${actorId})) AS steps
  WHERE ${PRINCIPAL_LIVES}`);
