import { REVISION_COLUMN } from "../../db/revisions.ts";
import { member, role, roleClosure } from "../../db/schema/role.ts";
import { monitors } from "../../db/schema/telemetry.ts";
import {
  type Declared,
  int,
  join,
  nullable,
  placeholdersOf,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
  type ValuesOf,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { hasMoved, MAX_SCANNED_MEMBERS } from "../change_queries.ts";
import {
  type ChangedRelation,
  growing,
  grownRows,
  recomputing,
} from "../../graph/closure/closure_queries.ts";
import { unionOfMasks } from "../../graph/rules/rule_queries.ts";
import { holderLives, PRINCIPAL, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";
import { ALL_RIGHTS, maskOf } from "../../graph/rights.ts";
import type { EffectRow } from "./effect_rows.ts";

/**
 * Reads of the effect of a previewed change, as one row; none if the session has ended. Each finds the pairs of an
 * acting role and a role whose rights would change, by the SQL that would write them. All else follows from the pairs.
 */

/** Maximum number of roles that are scanned below the role of a membership. */
const MAX_REACHED_ROLES = 100_000;

/** Maximum number of closure rows that are scanned for roles without a manager. */
const MAX_SCANNED_MANAGERS = 500_000;

/** Maximum number of monitors relations that are scanned for the devices of roles. */
export const MAX_SCANNED_MONITORS = 50_000;

const ROLE_MANAGEMENT = maskOf("roleManagement");
const LOST = sql`before & ~after`;
const GAINED = sql`after & ~before`;

/** The arguments of each read besides those of the change. */
export const READ = { ...PRINCIPAL, sinceRevision: int, sinceTime: int };
export type EffectArgs = ValuesOf<typeof READ>;

const GROWING = { parentId: int, childId: int, rights: int };
const SHRINKING = {
  ...GROWING,
  rights: nullable(int),
  replacedParentId: nullable(int),
  deletedRoleIds: text,
};
const ON_ROLE = { roleId: int, selfRights: int };
const OF_MEMBERSHIP = {
  roleId: int,
  memberId: int,
  oldRights: nullable(int),
  newRights: nullable(int),
  isPerson: int,
  holderId: int,
};
const { parentId, childId, rights, replacedParentId, deletedRoleIds } = placeholdersOf(SHRINKING);
const { roleId, selfRights, memberId, oldRights, newRights, isPerson, holderId } = placeholdersOf({
  ...ON_ROLE,
  ...OF_MEMBERSHIP,
});

/**
 * The cost of previewing a change of a membership in `roleId`, in scanned roles, for the row of the preview. Null if it
 * is refused.
 */
export const COST_OF_MEMBERSHIP: SQL = sql`CASE WHEN decision = 'ok' THEN (SELECT count(*) FROM (
    SELECT 1 FROM ${roleClosure} WHERE ${roleClosure.ancestorId} = ${roleId} LIMIT ${MAX_REACHED_ROLES})) + 1 END`;

/** The relation of the arguments. Its new rights are `rights`. */
const GIVEN: ChangedRelation = {
  parent: parentId,
  child: childId,
  rights,
  parentRow: (further) => sql`SELECT ${parentId}, ${further}`,
  childRow: (further) => sql`SELECT ${childId}, ${further}`,
};

function grownPairs(): SQL {
  const old = row(roleClosure, "old");
  const held = sql`(SELECT ${old.rights} FROM ${old}
        WHERE ${old.descendantId} = grown.descendant_id AND ${old.ancestorId} = grown.ancestor_id)`;
  return sql`${growing(GIVEN)},
  pair(acting_id, role_id, before, after, reach) AS MATERIALIZED (
    SELECT ancestor_id, descendant_id, coalesce(held, 0), coalesce(held, 0) | rights, held IS NULL FROM (
      SELECT grown.*, ${held} AS held
      FROM (${grownRows(rights)}) grown)
    WHERE held IS NULL OR rights & ~held)`;
}

/**
 * Returns the CTE `pair` for a relation that gets `rights` (null: none) and replaces that of `replacedParentId` (null:
 * none). A deleted role loses its rights on itself and below it, too.
 */
function rectanglePairs(): SQL {
  const { above, former, below, old } = rowsOf({
    above: roleClosure,
    former: roleClosure,
    below: roleClosure,
    old: roleClosure,
  });
  const { lower, own } = rowsOf({ lower: roleClosure, own: role });
  const rectangle = recomputing({
    up: sql`SELECT ${above.ancestorId} FROM ${above} WHERE ${above.descendantId} = ${parentId}
    UNION SELECT ${parentId}
    UNION SELECT ${former.ancestorId} FROM ${former} WHERE ${former.descendantId} = ${replacedParentId}
    UNION SELECT ${replacedParentId} WHERE ${replacedParentId} IS NOT NULL`,
    down: sql`SELECT ${below.descendantId} FROM ${below} WHERE ${below.ancestorId} = ${childId}
    UNION ALL SELECT ${childId}`,
    onlyIf: (entering) =>
      sql`NOT (${entering.childId} = ${childId}
      AND (${entering.parentId} = ${parentId} OR ${entering.parentId} IS ${replacedParentId}))`,
    besides: sql`SELECT ${parentId}, ${childId}, ${rights} WHERE ${rights} IS NOT NULL`,
  });
  return sql`${rectangle},
  pair(acting_id, role_id, before, after, reach) AS MATERIALIZED (
    SELECT acting_id, role_id, coalesce(max(held), 0) AS before, ${unionOfMasks(sql`rights`)} AS after,
      max(is_left) - (max(held) IS NOT NULL) AS reach FROM (
      SELECT up.role_id AS acting_id, down.role_id AS role_id, ${old.rights} AS held, 0 AS rights, 0 AS is_left
      FROM down CROSS JOIN up CROSS JOIN ${old}
        ON ${old.descendantId} = down.role_id AND ${old.ancestorId} = up.role_id
      UNION ALL SELECT ancestor_id, descendant_id, NULL, rights, 1 FROM reached
      UNION ALL SELECT ${lower.ancestorId}, ${lower.descendantId}, ${lower.rights}, 0, 0
      FROM json_each(${deletedRoleIds}) deleted CROSS JOIN ${lower} ON ${lower.ancestorId} = deleted.value
      UNION ALL SELECT ${own.id}, ${own.id}, ${own.selfRights}, 0, 0
      FROM json_each(${deletedRoleIds}) deleted CROSS JOIN ${own} ON ${own.id} = deleted.value)
    GROUP BY acting_id, role_id HAVING before <> after OR reach <> 0)`;
}

const SELF_PAIRS = sql`pair(acting_id, role_id, before, after, reach) AS MATERIALIZED (
    SELECT ${role.id}, ${role.id}, ${role.selfRights}, ${selfRights}, 0 FROM ${role}
    WHERE ${role.id} = ${roleId} AND ${role.selfRights} <> ${selfRights})`;

/** Whether the role has a membership in which a person may use roleManagement. */
function isStaffed(on: Value, counts: (keeper: typeof member) => SQL = holderLives): SQL {
  const keeper = row(member, "keeper");
  return sql`EXISTS (SELECT 1 FROM ${keeper} WHERE ${keeper.roleId} = ${on} AND ${keeper.userId} > 0
      AND ${keeper.rights} & ${ROLE_MANAGEMENT} AND ${counts(keeper)})`;
}

/** Conditions that find roles which a change leaves without a person who manages them. */
interface Staffing {
  /** Whether the acting role of a row of `losing`, which loses roleManagement, had a person to use it. */
  readonly wasStaffed: SQL;
  /** Whether the acting role keeps roleManagement on the role. */
  readonly stands: (acting: Value, on: Value) => SQL;
  /** Whether the role keeps a person who manages with it. */
  readonly isStaffed: (on: Value) => SQL;
  /** Whether the change deletes the role. */
  readonly isDeleted?: (on: Value) => SQL;
}

const watching = row(monitors, "watching");
/** Selects the devices of roles that acting roles begin or cease to reach, as rows of `watching`. */
export const WATCHING_NOW =
  sql`SELECT ${watching.roleId} AS role_id, ${watching.deviceId} AS device_id, 0 AS returns
    FROM (SELECT DISTINCT role_id FROM pair WHERE reach IN (-1, 1)) newly
      CROSS JOIN ${watching} ON ${watching.roleId} = newly.role_id`;

interface EffectParts {
  /** The CTE `pair`: with `reach`, see `Reach`. */
  readonly ctes: SQL;
  /** The CTE `holder`: the memberships that may change, as `acting_id`, `user_id`, `rights`, and whether each lives. */
  readonly holders: SQL;
  /** Selects a role, a device that it monitors, and whether that returns. */
  readonly watching?: SQL;
  /** Undefined for a change that takes nothing. */
  readonly staffing?: Staffing;
  /** A further condition on which the effect is incomplete. */
  readonly truncated?: SQL;
}

const touched = row(member, "touched");
const HOLDERS = sql`holder(acting_id, user_id, rights, lives) AS MATERIALIZED (
    SELECT ${touched.roleId}, ${touched.userId}, ${touched.rights}, ${holderLives(touched)}
    FROM (SELECT DISTINCT acting_id FROM pair) acting
      CROSS JOIN ${touched} ON ${touched.roleId} = acting.acting_id LIMIT ${MAX_SCANNED_MEMBERS} + 1)`;

/** For effects on relations and roles: the pairs tell which roles lose a manager. */
const STAFFING_BY_PAIRS: Staffing = {
  wasStaffed: isStaffed(sql`losing.acting_id`),
  stands: (acting, on) =>
    sql`(${acting}, ${on}) NOT IN (SELECT acting_id, role_id FROM pair WHERE ${LOST} & ${ROLE_MANAGEMENT})`,
  isStaffed: (on) => isStaffed(on),
};

/** Parts of a statement that find roles without a person who manages them. */
interface Unmanaged {
  readonly ctes: SQL;
  /** One row of `unmanaged` and `is_cut`. */
  readonly row: SQL;
}

const NONE_UNMANAGED: Unmanaged = {
  ctes: sql``,
  row: sql`SELECT '[]' AS unmanaged, false AS is_cut`,
};

/**
 * Finds roles without a manager: `at_stake` are the roles that lose one, `managing` all roles with roleManagement on
 * these before the change, `scope` the role at which that list is cut, and `kept` the roles that still have a manager.
 */
function findUnmanaged({ wasStaffed, stands, isStaffed, isDeleted }: Staffing): Unmanaged {
  const { path, own } = rowsOf({ path: roleClosure, own: role });
  const losing = sql`SELECT DISTINCT acting_id FROM pair WHERE ${LOST} & ${ROLE_MANAGEMENT}`;
  const losesManager = sql`${LOST} & ${ROLE_MANAGEMENT}
      AND acting_id IN (SELECT acting_id FROM (${losing}) losing WHERE ${wasStaffed})`;
  const isAtStake = isDeleted === undefined
    ? losesManager
    : sql`${losesManager} AND NOT ${isDeleted(sql`pair.role_id`)}`;
  const stillManages = stands(sql`managing.acting_id`, sql`managing.role_id`);
  const managesItself = sql`EXISTS (SELECT 1 FROM ${own} WHERE ${own.id} = at_stake.role_id
        AND ${own.selfRights} & ${ROLE_MANAGEMENT} AND ${stands(own.id, own.id)} AND ${isStaffed(own.id)})`;
  return {
    ctes: sql`,
  at_stake AS MATERIALIZED (
    SELECT DISTINCT role_id FROM pair WHERE ${isAtStake} ORDER BY role_id),
  managing AS MATERIALIZED (
    SELECT ${path.ancestorId} AS acting_id, at_stake.role_id FROM at_stake
    CROSS JOIN ${path} ON ${path.descendantId} = at_stake.role_id WHERE ${path.rights} & ${ROLE_MANAGEMENT}
    LIMIT ${MAX_SCANNED_MANAGERS} + 1),
  scope(role_id) AS MATERIALIZED (
    SELECT CASE WHEN count(*) > ${MAX_SCANNED_MANAGERS} THEN max(role_id) END FROM managing),
  kept AS MATERIALIZED (
    SELECT managed.value AS role_id FROM (
      SELECT json_group_array(role_id) AS role_ids FROM (
        SELECT acting_id, role_id FROM managing WHERE ${stillManages}
        UNION ALL SELECT acting_id, role_id FROM pair WHERE ${GAINED} & ${ROLE_MANAGEMENT})
      GROUP BY acting_id HAVING ${isStaffed(sql`acting_id`)}) CROSS JOIN json_each(role_ids) managed),
  unmanaged AS MATERIALIZED (
    SELECT role_id FROM at_stake
    WHERE role_id NOT IN (SELECT role_id FROM kept)
      AND NOT ${managesItself})`,
    row:
      sql`SELECT json_group_array(unmanaged.role_id) FILTER (WHERE unmanaged.role_id IS NOT NULL) AS unmanaged,
      coalesce(max(scope.role_id) IS NOT NULL, false) AS is_cut
    FROM scope LEFT JOIN unmanaged ON scope.role_id IS NULL OR unmanaged.role_id < scope.role_id`,
  };
}

/**
 * Returns the statement that reads all pairs, the memberships that they change, and the roles left without a manager.
 * CTEs are named as seldom as possible: SQLite parses their text again wherever they are named, and a server prepares
 * every effect anew.
 */
export function readEffect<const D extends Declared>(
  declared: D,
  { ctes, holders, watching = WATCHING_NOW, staffing, truncated }: EffectParts,
): Statement<EffectArgs & ValuesOf<D>, EffectRow> {
  const unmanaged = staffing === undefined ? NONE_UNMANAGED : findUnmanaged(staffing);
  const reasons = [
    sql`people.scanned > ${MAX_SCANNED_MEMBERS}`,
    sql`staff.is_cut`,
    sql`watched.scanned > ${MAX_SCANNED_MONITORS}`,
  ];
  const isTruncated = join(truncated === undefined ? reasons : [...reasons, truncated], " OR ");
  return rows<EffectRow>()({ ...READ, ...declared }, () =>
    sql`
  WITH ${ctes},
  ${holders}${unmanaged.ctes}
  SELECT ${REVISION_COLUMN}, ${hasMoved()} AS moved,
    (SELECT json_group_array(json_array(acting_id, role_id, ${GAINED}, ${LOST}, reach)) FROM pair) AS pairs,
    watched.roles AS watched, people.holders, staff.unmanaged, (${isTruncated}) AS truncated
  FROM (SELECT json_group_array(json_array(acting_id, user_id, rights)) FILTER (WHERE lives) AS holders,
      count(*) AS scanned FROM holder) people
    CROSS JOIN (SELECT json_group_array(json_array(role_id, standing, coming)) AS roles,
        coalesce(sum(scanned), 0) AS scanned FROM (
      SELECT role_id, count(DISTINCT iif(returns, NULL, device_id)) AS standing,
        count(DISTINCT iif(returns, device_id, NULL)) AS coming, count(*) AS scanned
      FROM (SELECT role_id, device_id, returns FROM (${watching}) LIMIT ${MAX_SCANNED_MONITORS} + 1) GROUP BY role_id)) watched
    CROSS JOIN (${unmanaged.row}) staff
  WHERE ${PRINCIPAL_LIVES}`);
}

/** The effect of a relation that is made or widened. */
export const EFFECT_OF_GROWING = readEffect(GROWING, { ctes: grownPairs(), holders: HOLDERS });

/** The effect of a relation that is narrowed, replaced or deleted. */
export const EFFECT_OF_SHRINKING = readEffect(SHRINKING, {
  ctes: rectanglePairs(),
  holders: HOLDERS,
  staffing: {
    ...STAFFING_BY_PAIRS,
    isDeleted: (on) => sql`${on} IN (SELECT value FROM json_each(${deletedRoleIds}))`,
  },
});

/** The effect of a role's new selfRights. */
export const EFFECT_ON_ROLE = readEffect(ON_ROLE, {
  ctes: SELF_PAIRS,
  holders: HOLDERS,
  staffing: STAFFING_BY_PAIRS,
});

const [OLD, NEW] = [sql`coalesce(${oldRights}, 0)`, sql`coalesce(${newRights}, 0)`];
const MEMBERSHIP_REACH = sql`((${newRights} IS NOT NULL) - (${oldRights} IS NOT NULL))`;

const REACHED = sql`reached AS MATERIALIZED (
    SELECT ${roleClosure.descendantId} AS role_id, ${roleClosure.rights} FROM ${roleClosure}
    WHERE ${roleClosure.ancestorId} = ${roleId} LIMIT ${MAX_REACHED_ROLES} + 1)`;

/**
 * The effect on one principal of a membership with `newRights` instead of `oldRights`, apart from their other
 * memberships. Null is no membership. `memberId` is 0 for a new one. `holderId` is the account, minus the key, or 0 without either yet.
 * `isPerson` is 0 for a key.
 */
export const EFFECT_OF_MEMBERSHIP = readEffect(OF_MEMBERSHIP, {
  ctes: sql`${REACHED},
  pair(acting_id, role_id, before, after, reach) AS MATERIALIZED (
    SELECT ${roleId}, role_id, rights & ${OLD}, rights & ${NEW}, ${MEMBERSHIP_REACH}
    FROM (SELECT * FROM reached
      UNION ALL SELECT ${role.id}, ${role.selfRights} FROM ${role} WHERE ${role.id} = ${roleId})
    WHERE (rights & ${OLD}) <> (rights & ${NEW}) OR ${MEMBERSHIP_REACH} <> 0)`,
  holders: sql`holder(acting_id, user_id, rights, lives) AS MATERIALIZED (
    SELECT ${roleId}, ${holderId}, ${ALL_RIGHTS}, true)`,
  staffing: {
    wasStaffed: sql`${isPerson}`,
    stands: () => sql`true`,
    isStaffed: (on) => isStaffed(on, (keeper) => sql`${holderLives(keeper)} AND ${keeper.id} <> ${memberId}`),
  },
  truncated: sql`(SELECT count(*) FROM reached) > ${MAX_REACHED_ROLES}`,
});
