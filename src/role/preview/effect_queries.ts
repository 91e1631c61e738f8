import { REVISION } from "../../db/revisions.ts";
import { defineStatement, single, type Statement } from "../../db/statement.ts";
import { hasMoved } from "../change/change_queries.ts";
import {
  type ChangedRelation,
  growing,
  grownRows,
  RECOMPUTED_ROWS,
  recomputing,
} from "../closure/closure_queries.ts";
import { isVisible, unionOfMasks } from "../guard_queries.ts";
import { memberLives, ONE_ROW, PRINCIPAL_LIVES } from "../principal_queries.ts";
import { maskOf, RIGHT_NAMES } from "../rights.ts";

/**
 * The effect of a change that was decided and not made, as one row. Each statement finds the pairs of an acting role and
 * a role whose rights would change, by the SQL that would write them, and the rest follows from the pairs alike. No row
 * if the session has ended.
 */

/** The most entries that the lists of an effect have. */
export const MAX_LISTED = 1000;

/** The most roles below its own to which the effect of a membership looks. */
const MAX_REACHED_ROLES = 100_000;

/**
 * SQL: what previewing a change of a membership in `:roleId` costs: the roles that are looked at. For the row of a dry
 * run, from its decision.
 */
export const COST_OF_MEMBERSHIP = `CASE WHEN decision = 'ok' THEN (SELECT count(*) FROM (
    SELECT 1 FROM role_closure WHERE ancestor_id = :roleId LIMIT ${MAX_REACHED_ROLES})) + 1 END`;

/** The most memberships that are scanned to count people. */
const MAX_SCANNED_MEMBERS = 100_000;

/** The most closure rows that are scanned to find roles without a manager. */
const MAX_SCANNED_MANAGERS = 500_000;

const ROLE_MANAGEMENT = maskOf("roleManagement");
const LOST = "before & ~after";
const GAINED = "after & ~before";

/** Of a relation, whose new rights are `:rights`. */
const GIVEN: ChangedRelation = {
  parent: ":parentId",
  child: ":childId",
  rights: ":rights",
  parentRow: (further) => `SELECT :parentId, ${further}`,
  childRow: (further) => `SELECT :childId, ${further}`,
};

const GROWN_PAIRS = `${growing(GIVEN)},
  pair(acting_id, role_id, before, after) AS MATERIALIZED (
    SELECT ancestor_id, descendant_id, held, held | rights FROM (
      SELECT grown.*, coalesce((SELECT old.rights FROM role_closure old
        WHERE old.descendant_id = grown.descendant_id AND old.ancestor_id = grown.ancestor_id), 0) AS held
      FROM (${grownRows(GIVEN.rights)}) grown)
    WHERE rights & ~held)`;

const NO_ROLES_DELETED = `deleted(role_id) AS (SELECT NULL WHERE false)`;
const DELETED = `deleted(role_id) AS MATERIALIZED (SELECT value FROM json_each(:deletedRoleIds))`;

/**
 * Of a relation that gets the rights `:rights`, or none if they are null, and that replaces the one of
 * `:replacedParentId`, unless it is null. A deleted role loses its rights on itself and below it, too.
 */
const RECTANGLE_PAIRS = `${
  recomputing({
    up: `SELECT ancestor_id FROM role_closure WHERE descendant_id = :parentId
    UNION SELECT :parentId
    UNION SELECT ancestor_id FROM role_closure WHERE descendant_id = :replacedParentId
    UNION SELECT :replacedParentId WHERE :replacedParentId IS NOT NULL`,
    down: `SELECT descendant_id FROM role_closure WHERE ancestor_id = :childId UNION ALL SELECT :childId`,
    unless: `
      AND NOT (child_id = :childId AND (parent_id = :parentId OR parent_id IS :replacedParentId))`,
    besides: `
    UNION ALL SELECT :parentId, :childId, :rights WHERE :rights IS NOT NULL`,
  })
},
  pair(acting_id, role_id, before, after) AS MATERIALIZED (
    SELECT acting_id, role_id, max(before) AS before, max(after) AS after FROM (
      SELECT up.role_id AS acting_id, down.role_id AS role_id, old.rights AS before, 0 AS after
      FROM down CROSS JOIN up CROSS JOIN role_closure old
        ON old.descendant_id = down.role_id AND old.ancestor_id = up.role_id
      UNION ALL SELECT ancestor_id, descendant_id, 0, rights FROM (${RECOMPUTED_ROWS})
      UNION ALL SELECT lower.ancestor_id, lower.descendant_id, lower.rights, 0
      FROM deleted CROSS JOIN role_closure lower ON lower.ancestor_id = deleted.role_id
      UNION ALL SELECT own.id, own.id, own.self_rights, 0 FROM deleted CROSS JOIN role own ON own.id = deleted.role_id)
    GROUP BY acting_id, role_id HAVING max(before) <> max(after))`;

const SELF_PAIRS = `pair(acting_id, role_id, before, after) AS MATERIALIZED (
    SELECT id, id, self_rights, :selfRights FROM role WHERE id = :roleId AND self_rights <> :selfRights)`;

/** SQL: a person whose membership of the role lets them use roleManagement, other than the membership `except`. */
function isStaffed(role: string, except: string): string {
  return `EXISTS (SELECT 1 FROM member keeper WHERE keeper.role_id = ${role} AND keeper.user_id > 0
      AND keeper.rights & ${ROLE_MANAGEMENT} AND ${memberLives("keeper")}${except})`;
}

interface EffectParts {
  /** The CTEs `pair` and `deleted`. */
  readonly ctes: string;
  /** The CTE `principal`: rows of `user_id`, and of the changed rights that they may use, `gained` and `lost`. */
  readonly principals: string;
  /** SQL: the acting role of a row of `lost` had somebody who manages the role. */
  readonly wasStaffed: string;
  /** SQL: the change leaves the pair, of an acting role and a role, with roleManagement. */
  readonly stands: (pair: string) => string;
  /** SQL: somebody is left in `acting_id` to manage with. */
  readonly isStaffed: string;
  /** SQL: further reasons to say that something was not looked at. */
  readonly truncated?: string;
}

const PRINCIPALS = `principal AS MATERIALIZED (
    SELECT touched.user_id, touched.rights & acting.gained AS gained, touched.rights & acting.lost AS lost,
      ${memberLives("touched")} AS lives
    FROM acting CROSS JOIN member touched ON touched.role_id = acting.acting_id LIMIT ${MAX_SCANNED_MEMBERS} + 1)`;

/** Of the effects on relations and roles: whoever loses is told from the pairs. */
const BY_PAIRS = {
  principals: PRINCIPALS,
  wasStaffed: isStaffed("acting.acting_id", ""),
  stands: (pair: string) => `${pair} NOT IN (SELECT acting_id, role_id FROM lost)`,
  isStaffed: isStaffed("acting_id", ""),
};

function perRight(mask: string): string {
  const counts = RIGHT_NAMES.map((name) => `coalesce(sum((${mask}) & ${maskOf(name)} <> 0), 0)`);
  return `json_array(${counts.join(", ")})`;
}

function readEffect(parts: EffectParts): Statement {
  return single(defineStatement(`
  WITH ${parts.ctes},
  acting AS MATERIALIZED (
    SELECT acting_id, ${unionOfMasks(`(${GAINED})`)} AS gained, ${unionOfMasks(`(${LOST})`)} AS lost
    FROM pair GROUP BY acting_id),
  ${parts.principals},
  seen AS MATERIALIZED (
    SELECT role_id FROM (SELECT acting_id AS role_id FROM acting UNION SELECT role_id FROM pair) named
    WHERE ${isVisible("named.role_id")}),
  shown AS MATERIALIZED (
    SELECT * FROM pair
    WHERE acting_id IN (SELECT role_id FROM seen) AND role_id IN (SELECT role_id FROM seen)),
  lost AS MATERIALIZED (SELECT acting_id, role_id FROM pair WHERE ${LOST} & ${ROLE_MANAGEMENT}),
  at_stake AS MATERIALIZED (
    SELECT DISTINCT role_id FROM lost
    WHERE acting_id IN (SELECT acting_id FROM acting WHERE lost & ${ROLE_MANAGEMENT} AND ${parts.wasStaffed})
      AND role_id NOT IN (SELECT role_id FROM deleted) ORDER BY role_id),
  managing AS MATERIALIZED (
    SELECT path.ancestor_id AS acting_id, at_stake.role_id FROM at_stake
    CROSS JOIN role_closure path ON path.descendant_id = at_stake.role_id WHERE path.rights & ${ROLE_MANAGEMENT}
    LIMIT ${MAX_SCANNED_MANAGERS} + 1),
  standing AS MATERIALIZED (
    SELECT acting_id, role_id FROM managing WHERE ${parts.stands("(acting_id, role_id)")}
    UNION ALL SELECT own.id, own.id FROM at_stake CROSS JOIN role own ON own.id = at_stake.role_id
    WHERE own.self_rights & ${ROLE_MANAGEMENT} AND ${parts.stands("(own.id, own.id)")}
    UNION ALL SELECT acting_id, role_id FROM pair WHERE ${GAINED} & ${ROLE_MANAGEMENT}),
  staffed AS MATERIALIZED (
    SELECT acting_id FROM (SELECT DISTINCT acting_id FROM standing) WHERE ${parts.isStaffed}),
  unmanaged AS MATERIALIZED (
    SELECT role_id, role_id IN (SELECT role_id FROM seen) AS is_seen FROM at_stake
    WHERE role_id NOT IN (SELECT role_id FROM standing WHERE acting_id IN (SELECT acting_id FROM staffed))
      AND ((SELECT count(*) FROM managing) <= ${MAX_SCANNED_MANAGERS} OR role_id < (SELECT max(role_id) FROM managing)))
  SELECT ${REVISION}, ${hasMoved()} AS moved,
    (SELECT ${perRight(GAINED)} FROM pair) AS gained,
    (SELECT ${perRight(LOST)} FROM pair) AS lost,
    (SELECT count(DISTINCT user_id) FROM principal WHERE lives AND gained) AS peopleGained,
    (SELECT count(DISTINCT user_id) FROM principal WHERE lives AND lost) AS peopleLost,
    (SELECT json_group_array(role_id) FROM (
      SELECT role_id FROM unmanaged WHERE is_seen ORDER BY role_id LIMIT ${MAX_LISTED})) AS unmanaged,
    (SELECT count(*) FROM unmanaged WHERE NOT is_seen) AS hiddenUnmanaged,
    (SELECT json_group_array(json_array(acting_id, role_id, ${GAINED}, ${LOST})) FROM (
      SELECT * FROM shown ORDER BY acting_id, role_id LIMIT ${MAX_LISTED})) AS changes,
    (SELECT count(*) FROM pair) - (SELECT count(*) FROM shown) AS hidden,
    ((SELECT count(*) FROM principal) > ${MAX_SCANNED_MEMBERS} OR (SELECT count(*) FROM shown) > ${MAX_LISTED}
      OR (SELECT count(*) FROM managing) > ${MAX_SCANNED_MANAGERS}
      OR (SELECT count(*) FROM unmanaged WHERE is_seen) > ${MAX_LISTED}${parts.truncated ?? ""}) AS truncated
  FROM ${ONE_ROW} WHERE ${PRINCIPAL_LIVES}`));
}

/** The effect of a relation that is made or widened. */
export const EFFECT_OF_GROWING: Statement = readEffect({
  ...BY_PAIRS,
  ctes: `${NO_ROLES_DELETED}, ${GROWN_PAIRS}`,
});

/** The effect of a relation that is narrowed, replaced or deleted. */
export const EFFECT_OF_SHRINKING: Statement = readEffect({
  ...BY_PAIRS,
  ctes: `${DELETED}, ${RECTANGLE_PAIRS}`,
});

/** The effect of a role's new selfRights. */
export const EFFECT_ON_ROLE: Statement = readEffect({
  ...BY_PAIRS,
  ctes: `${NO_ROLES_DELETED}, ${SELF_PAIRS}`,
});

/**
 * The effect on one principal of a membership that lets them use `:newRights` instead of `:oldRights`, as if they had no
 * other. `:memberId` is the membership, or 0, and `:isPerson` tells it from a key.
 */
export const EFFECT_OF_MEMBERSHIP: Statement = readEffect({
  ctes: `${NO_ROLES_DELETED},
  reached AS MATERIALIZED (
    SELECT descendant_id AS role_id, rights FROM role_closure WHERE ancestor_id = :roleId LIMIT ${MAX_REACHED_ROLES} + 1),
  pair(acting_id, role_id, before, after) AS MATERIALIZED (
    SELECT :roleId, role_id, rights & :oldRights, rights & :newRights
    FROM (SELECT * FROM reached UNION ALL SELECT id, self_rights FROM role WHERE id = :roleId)
    WHERE (rights & :oldRights) <> (rights & :newRights))`,
  principals: `principal AS MATERIALIZED (SELECT 1 AS user_id, gained, lost, true AS lives FROM acting)`,
  wasStaffed: ":isPerson",
  stands: () => "true",
  isStaffed: isStaffed("acting_id", " AND keeper.id <> :memberId"),
  truncated: ` OR (SELECT count(*) FROM reached) > ${MAX_REACHED_ROLES}`,
});
