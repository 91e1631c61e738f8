import { REVISION } from "../../db/revisions.ts";
import { int, placeholdersOf, raw, render, sql } from "../../db/sql.ts";
import { defineStatement, type Statement } from "../../db/statement.ts";
import { MAX_SCANNED_MEMBERS } from "../change/change_queries.ts";
import { hasMoved } from "../change/change_text.ts";
import { type ChangedRelation, growing, grownRows, recomputing } from "../closure/closure_queries.ts";
import { isVisible, memberLives, PRINCIPAL_LIVES, unionOfMasks } from "../guard_text.ts";
import { affordedId } from "../price_text.ts";
import { maskOf } from "../rights.ts";

/**
 * The effect of a change that was decided and not made, as one row. Each statement finds the pairs of an acting role and
 * a role whose rights would change, by the SQL that would write them, and the rest follows from the pairs alike. No row
 * if the session has ended.
 */

/** The most roles below its own to which the effect of a membership looks. */
const MAX_REACHED_ROLES = 100_000;

/**
 * SQL: what previewing a change of a membership in `:roleId` costs: the roles that are looked at. For the row of a dry
 * run, from its decision.
 */
export const COST_OF_MEMBERSHIP = `CASE WHEN decision = 'ok' THEN (SELECT count(*) FROM (
    SELECT 1 FROM role_closure WHERE ancestor_id = :roleId LIMIT ${MAX_REACHED_ROLES})) + 1 END`;

/** The most closure rows that are scanned to find roles without a manager. */
const MAX_SCANNED_MANAGERS = 500_000;

const ROLE_MANAGEMENT = maskOf("roleManagement");
const LOST = "before & ~after";
const GAINED = "after & ~before";

const { parentId, childId, rights, replacedParentId } = placeholdersOf({
  parentId: int,
  childId: int,
  rights: int,
  replacedParentId: int,
});

/** Of a relation, whose new rights are `:rights`. */
const GIVEN: ChangedRelation = {
  parent: parentId,
  child: childId,
  rights,
  parentRow: (further) => sql`SELECT ${parentId}, ${further}`,
  childRow: (further) => sql`SELECT ${childId}, ${further}`,
};

const GROWN_PAIRS = `${render(growing(GIVEN))},
  pair(acting_id, role_id, before, after) AS MATERIALIZED (
    SELECT ancestor_id, descendant_id, held, held | rights FROM (
      SELECT grown.*, coalesce((SELECT old.rights FROM role_closure old
        WHERE old.descendant_id = grown.descendant_id AND old.ancestor_id = grown.ancestor_id), 0) AS held
      FROM (${render(grownRows(rights))}) grown)
    WHERE rights & ~held)`;

/**
 * Of a relation that gets the rights `:rights`, or none if they are null, and that replaces the one of
 * `:replacedParentId`, unless it is null. A deleted role loses its rights on itself and below it, too.
 */
const RECTANGLE = recomputing({
  up: raw(`SELECT ancestor_id FROM role_closure WHERE descendant_id = :parentId
    UNION SELECT :parentId
    UNION SELECT ancestor_id FROM role_closure WHERE descendant_id = :replacedParentId
    UNION SELECT :replacedParentId WHERE :replacedParentId IS NOT NULL`),
  down: raw(`SELECT descendant_id FROM role_closure WHERE ancestor_id = :childId UNION ALL SELECT :childId`),
  onlyIf: (entering) =>
    sql`NOT (${entering.childId} = ${childId}
      AND (${entering.parentId} = ${parentId} OR ${entering.parentId} IS ${replacedParentId}))`,
  besides: sql`SELECT ${parentId}, ${childId}, ${rights} WHERE ${rights} IS NOT NULL`,
});

const RECTANGLE_PAIRS = `${render(RECTANGLE)},
  pair(acting_id, role_id, before, after) AS MATERIALIZED (
    SELECT acting_id, role_id, max(held) AS before, ${unionOfMasks("rights")} AS after FROM (
      SELECT up.role_id AS acting_id, down.role_id AS role_id, old.rights AS held, 0 AS rights
      FROM down CROSS JOIN up CROSS JOIN role_closure old
        ON old.descendant_id = down.role_id AND old.ancestor_id = up.role_id
      UNION ALL SELECT ancestor_id, descendant_id, 0, rights FROM reached
      UNION ALL SELECT lower.ancestor_id, lower.descendant_id, lower.rights, 0
      FROM json_each(:deletedRoleIds) deleted CROSS JOIN role_closure lower ON lower.ancestor_id = deleted.value
      UNION ALL SELECT own.id, own.id, own.self_rights, 0
      FROM json_each(:deletedRoleIds) deleted CROSS JOIN role own ON own.id = deleted.value)
    GROUP BY acting_id, role_id HAVING before <> after)`;

const SELF_PAIRS = `pair(acting_id, role_id, before, after) AS MATERIALIZED (
    SELECT id, id, self_rights, :selfRights FROM role WHERE id = :roleId AND self_rights <> :selfRights)`;

/** SQL: a person whose membership of the role lets them use roleManagement, other than the membership `except`. */
function isStaffed(role: string, except: string): string {
  return `EXISTS (SELECT 1 FROM member keeper WHERE keeper.role_id = ${role} AND keeper.user_id > 0
      AND keeper.rights & ${ROLE_MANAGEMENT} AND ${memberLives("keeper")}${except})`;
}

/** Which roles a change may leave without somebody who manages them. */
interface Staffing {
  /** SQL: the acting role of a row of `acting`, which loses roleManagement, had somebody to manage with it. */
  readonly wasStaffed: string;
  /** SQL: the change leaves the pair, of an acting role and a role, with roleManagement. */
  readonly stands: (acting: string, role: string) => string;
  /** SQL: somebody is left in the role to manage with. */
  readonly isStaffed: (role: string) => string;
  /** SQL: the role is one that is deleted. */
  readonly isDeleted?: (role: string) => string;
}

interface EffectParts {
  /** The CTE `pair`. */
  readonly ctes: string;
  /** The CTE `principal`: rows of `user_id`, and of the changed rights that they may use, `gained` and `lost`. */
  readonly principals: string;
  /** Undefined for a change that takes nothing. */
  readonly staffing?: Staffing;
  /** SQL: further reasons to say that something was not looked at. */
  readonly truncated?: string;
}

const PRINCIPALS = `principal AS MATERIALIZED (
    SELECT touched.user_id, touched.rights & acting.gained AS gained, touched.rights & acting.lost AS lost,
      ${memberLives("touched")} AS lives
    FROM acting CROSS JOIN member touched ON touched.role_id = acting.acting_id LIMIT ${MAX_SCANNED_MEMBERS} + 1)`;

/** Of the effects on relations and roles: whoever loses is told from the pairs. */
const STAFFING_BY_PAIRS: Staffing = {
  wasStaffed: isStaffed("acting.acting_id", ""),
  stands: (acting, role) =>
    `(${acting}, ${role}) NOT IN (SELECT acting_id, role_id FROM pair WHERE ${LOST} & ${ROLE_MANAGEMENT})`,
  isStaffed: (role) => isStaffed(role, ""),
};

/** What is found out about roles that may be left without somebody who manages them. */
interface Unmanaged {
  readonly ctes: string;
  /** SQL: one row of `unmanaged` and `is_cut`. */
  readonly row: string;
}

const NONE_UNMANAGED: Unmanaged = {
  ctes: "",
  row: "SELECT '[]' AS unmanaged, false AS is_cut",
};

/**
 * `at_stake` are the roles that lose somebody who manages them, `managing` who else could, as far as `scope` says, and
 * `kept` the roles that somebody else manages.
 */
function findUnmanaged({ wasStaffed, stands, isStaffed, isDeleted }: Staffing): Unmanaged {
  return {
    ctes: `,
  at_stake AS MATERIALIZED (
    SELECT DISTINCT role_id FROM pair WHERE ${LOST} & ${ROLE_MANAGEMENT}
      AND acting_id IN (SELECT acting_id FROM acting WHERE lost & ${ROLE_MANAGEMENT} AND ${wasStaffed})${
      isDeleted === undefined ? "" : ` AND NOT ${isDeleted("role_id")}`
    } ORDER BY role_id),
  managing AS MATERIALIZED (
    SELECT path.ancestor_id AS acting_id, at_stake.role_id FROM at_stake
    CROSS JOIN role_closure path ON path.descendant_id = at_stake.role_id WHERE path.rights & ${ROLE_MANAGEMENT}
    LIMIT ${MAX_SCANNED_MANAGERS} + 1),
  scope(role_id) AS MATERIALIZED (
    SELECT CASE WHEN count(*) > ${MAX_SCANNED_MANAGERS} THEN max(role_id) END FROM managing),
  kept AS MATERIALIZED (
    SELECT managed.value AS role_id FROM (
      SELECT json_group_array(role_id) AS role_ids FROM (
        SELECT acting_id, role_id FROM managing WHERE ${stands("acting_id", "role_id")}
        UNION ALL SELECT acting_id, role_id FROM pair WHERE ${GAINED} & ${ROLE_MANAGEMENT})
      GROUP BY acting_id HAVING ${isStaffed("acting_id")}) CROSS JOIN json_each(role_ids) managed),
  unmanaged AS MATERIALIZED (
    SELECT role_id FROM at_stake
    WHERE role_id NOT IN (SELECT role_id FROM kept)
      AND NOT EXISTS (SELECT 1 FROM role own WHERE own.id = at_stake.role_id AND own.self_rights & ${ROLE_MANAGEMENT}
        AND ${stands("own.id", "own.id")} AND ${isStaffed("own.id")}))`,
    row:
      `SELECT json_group_array(unmanaged.role_id) FILTER (WHERE unmanaged.role_id IS NOT NULL) AS unmanaged,
      coalesce(max(scope.role_id) IS NOT NULL, false) AS is_cut
    FROM scope LEFT JOIN unmanaged ON scope.role_id IS NULL OR unmanaged.role_id < scope.role_id`,
  };
}

/**
 * Returns all pairs, the number of people who gain or lose, and the roles that the change leaves without a manager;
 * `SEEN_OF_EFFECT` then tells which of these roles the caller sees.
 *
 * SQLite reads the text of a CTE anew wherever it is named, with all that it names itself, and the pairs take much text. So
 * they are named as seldom as possible: a server prepares every effect anew.
 */
function readEffect({ ctes, principals, staffing, truncated = "" }: EffectParts): Statement {
  const unmanaged = staffing === undefined ? NONE_UNMANAGED : findUnmanaged(staffing);
  return defineStatement(`
  WITH ${ctes},
  acting AS MATERIALIZED (
    SELECT acting_id, ${unionOfMasks(`(${GAINED})`)} AS gained, ${unionOfMasks(`(${LOST})`)} AS lost
    FROM pair GROUP BY acting_id),
  ${principals}${unmanaged.ctes}
  SELECT ${REVISION}, ${hasMoved()} AS moved, people.gained AS peopleGained, people.lost AS peopleLost,
    (SELECT json_group_array(json_array(acting_id, role_id, ${GAINED}, ${LOST})) FROM pair) AS pairs,
    staff.unmanaged, (people.scanned > ${MAX_SCANNED_MEMBERS} OR staff.is_cut${truncated}) AS truncated
  FROM (SELECT count(DISTINCT CASE WHEN lives AND gained THEN user_id END) AS gained,
      count(DISTINCT CASE WHEN lives AND lost THEN user_id END) AS lost, count(*) AS scanned FROM principal) people
    CROSS JOIN (${unmanaged.row}) staff
  WHERE ${PRINCIPAL_LIVES}`);
}

/** The roles of `:roleIds` that the caller sees: of those up to `lookedTo`, which one statement can judge. */
export const SEEN_OF_EFFECT: Statement = defineStatement(`
  WITH judged(id) AS MATERIALIZED (SELECT value FROM json_each(:roleIds)
    WHERE value <= ${affordedId("SELECT value AS id, value AS role_id FROM json_each(:roleIds)")})
  SELECT ${REVISION}, ${hasMoved()} AS moved, (SELECT max(id) FROM judged) AS lookedTo,
    (SELECT json_group_array(id) FROM judged WHERE ${isVisible("judged.id")}) AS seen
  WHERE ${PRINCIPAL_LIVES}`);

/** The effect of a relation that is made or widened. */
export const EFFECT_OF_GROWING: Statement = readEffect({ ctes: GROWN_PAIRS, principals: PRINCIPALS });

/** The effect of a relation that is narrowed, replaced or deleted. */
export const EFFECT_OF_SHRINKING: Statement = readEffect({
  ctes: RECTANGLE_PAIRS,
  principals: PRINCIPALS,
  staffing: {
    ...STAFFING_BY_PAIRS,
    isDeleted: (role) => `${role} IN (SELECT value FROM json_each(:deletedRoleIds))`,
  },
});

/** The effect of a role's new selfRights. */
export const EFFECT_ON_ROLE: Statement = readEffect({
  ctes: SELF_PAIRS,
  principals: PRINCIPALS,
  staffing: STAFFING_BY_PAIRS,
});

/**
 * The effect on one principal of a membership that lets them use `:newRights` instead of `:oldRights`, as if they had no
 * other. `:memberId` is the membership, or 0, and `:isPerson` tells it from a key.
 */
export const EFFECT_OF_MEMBERSHIP: Statement = readEffect({
  ctes: `reached AS MATERIALIZED (
    SELECT descendant_id AS role_id, rights FROM role_closure WHERE ancestor_id = :roleId LIMIT ${MAX_REACHED_ROLES} + 1),
  pair(acting_id, role_id, before, after) AS MATERIALIZED (
    SELECT :roleId, role_id, rights & :oldRights, rights & :newRights
    FROM (SELECT * FROM reached UNION ALL SELECT id, self_rights FROM role WHERE id = :roleId)
    WHERE (rights & :oldRights) <> (rights & :newRights))`,
  principals: `principal AS MATERIALIZED (SELECT 1 AS user_id, gained, lost, true AS lives FROM acting)`,
  staffing: {
    wasStaffed: ":isPerson",
    stands: () => "true",
    isStaffed: (role) => isStaffed(role, " AND keeper.id <> :memberId"),
  },
  truncated: ` OR (SELECT count(*) FROM reached) > ${MAX_REACHED_ROLES}`,
});
