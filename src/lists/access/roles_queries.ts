import { REVISION_COLUMN } from "../../db/revisions.ts";
import { userAccount } from "../../db/schema/identity.ts";
import { member, memberHistory, role, roleClosure } from "../../db/schema/role.ts";
import {
  type Declared,
  int,
  nullable,
  placeholdersOf,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../../db/sql.ts";
import { HAS_FEW, isVisible, seesEachAsManager } from "../../graph/rules/guard_queries.ts";
import { unionOfMasks } from "../../graph/rules/rule_queries.ts";
import { IS_CUT, LINEAGE_RELATIONS, lineageOf } from "../../graph/history/lineage_queries.ts";
import {
  AS_OF,
  memberLivedThen,
  MOMENT,
  MOMENT_COLUMNS,
  MOMENT_IS_KEPT,
  selfRightsThen,
} from "../../graph/history/moment_queries.ts";
import { affordedId, MAX_ID } from "../../graph/rules/price_queries.ts";
import { AFFORDED_END, LOOKED_TO_IN_STRETCH, stretch, STRETCH_END } from "../../graph/paging/page_queries.ts";
import {
  holderLives,
  memberIsAwake,
  PRINCIPAL,
  PRINCIPAL_LIVES,
} from "../../graph/rules/principal_queries.ts";
import type { AccessPageRow, PastPageRow } from "./access_page.ts";

/**
 * Pages of the roles that one person or key has access to, of those that the actor reaches. A page walks the actor's
 * own roles in order of id, and looks each of them up. So its cost and end depend on the actor alone, and do not tell
 * what the other principal reaches elsewhere, or whether the account exists.
 */

/** Maximum number of roles that a page looks up, unless the actor has more memberships than that. */
const LOOKED_UP = 2000;

/** Maximum number for a past moment, where each look-up walks relations. */
const LOOKED_UP_THEN = 200;

/** The principal that a statement is about: the key `keyId`, or the person with the id or the address. */
export const SUBJECT = { keyId: nullable(int), userId: nullable(int), email: nullable(text) };
/** The arguments of a page after the id `afterId`. */
const PAGE = { ...PRINCIPAL, ...SUBJECT, afterId: int };
const { actorId, keyId, userId, email, afterId } = placeholdersOf(PAGE);
/** The arguments of a page of now: up to `limit` + 1 roles, with all rights of the mask. */
const SHOWN = { rights: int, limit: int };
const { rights, limit } = placeholdersOf(SHOWN);

/** The principal that the request is about. */
const PERSON = sql`(SELECT user_id FROM person)`;

/** The columns of a `NamedRow`. */
const NAME_COLUMNS = sql`${PERSON} AS principalId,
    (SELECT ${userAccount.email} FROM ${userAccount} WHERE ${userAccount.id} = ${PERSON}) AS userEmail`;

/** Who the principal of a page is. To be shown only with a role of theirs. */
export interface NamedRow {
  /** The id of an account, negative for a key, or 0. */
  readonly principalId: number;
  readonly userEmail: string | null;
}

/** CTE `person`: the principal. An address without an account is like an account without memberships. */
export const PERSON_CTE: SQL = sql`person(user_id) AS MATERIALIZED (SELECT coalesce(-${keyId}, ${userId},
    (SELECT ${userAccount.id} FROM ${userAccount} WHERE ${userAccount.email} = ${email}), 0))`;

/** The roles that a page is about. */
interface Candidates {
  readonly declared: Declared;
  /** CTEs that end with `candidate` and `stretch`, the end of the page. */
  readonly ctes: SQL;
}

/**
 * Returns the next roles that the actor reaches, in order of id: up to `most`, and of each membership up to `share`.
 * The page ends where these end.
 */
export function nextRoles(most: number, share: Value = most): Candidates {
  const { own, later, below } = rowsOf({ own: member, later: roleClosure, below: roleClosure });
  const nextIds = sql`SELECT ${later.descendantId} FROM ${later}
      WHERE ${later.ancestorId} = mine.role_id AND ${later.descendantId} > ${afterId}
      ORDER BY ${later.descendantId}`;
  return {
    declared: {},
    ctes: sql`mine(role_id) AS MATERIALIZED (SELECT ${own.roleId} FROM ${own}
      WHERE ${own.userId} = ${actorId} AND ${memberIsAwake(own)}),
  look(share) AS MATERIALIZED (SELECT max(1, min(${share}, ${most} / max(1, count(*)))) FROM mine),
  ${stretch(nextIds, sql`(SELECT share FROM look)`, sql`mine`)},
  candidate(role_id) AS MATERIALIZED (
      SELECT role_id FROM mine WHERE role_id > ${afterId} AND role_id <= ${STRETCH_END}
      UNION SELECT ${below.descendantId} FROM mine CROSS JOIN ${below}
        ON ${below.ancestorId} = mine.role_id AND ${below.descendantId} > ${afterId}
          AND ${below.descendantId} <= ${STRETCH_END}
      ORDER BY 1)`,
  };
}

const { roleIds } = placeholdersOf({ roleIds: text });

/** The roles of the list `roleIds`, also those that the actor does not reach. */
const LISTED_ROLES: Candidates = {
  declared: { roleIds: text },
  ctes: sql`stretch(last_id) AS MATERIALIZED (SELECT ${MAX_ID}),
  candidate(role_id) AS MATERIALIZED (
    SELECT DISTINCT listed.value FROM json_each(${roleIds}) listed WHERE listed.value > ${afterId} ORDER BY 1)`,
};

/** The actor may see what access the person has to the role. For statements about many roles. */
export function maySeeAccess(on: Value): SQL {
  return sql`((${PERSON} = ${actorId} AND ${isVisible(on)})
    OR ${seesEachAsManager(on)})`;
}
const MAY_SEE = maySeeAccess(sql`candidate.role_id`);

/** The person is a direct member of the role. */
export function isMember(on: Value): SQL {
  const held = row(member, "held");
  return sql`EXISTS (SELECT 1 FROM ${held}
          WHERE ${held.userId} = ${PERSON} AND ${held.roleId} = ${on} AND ${holderLives(held)})`;
}

/** Selects the person's memberships that give access to the role, with the rights that each gives and its end. */
export function accessTo(roleId: Value): SQL {
  const { held, self, path } = rowsOf({ held: member, self: role, path: roleClosure });
  return sql`SELECT ${self.selfRights} & ${held.rights} AS rights, ${held.endsAt}
      FROM ${held} CROSS JOIN ${self} ON ${self.id} = ${held.roleId}
      WHERE ${held.userId} = ${PERSON} AND ${held.roleId} = ${roleId} AND ${holderLives(held)}
      UNION ALL SELECT ${path.rights} & ${held.rights}, ${held.endsAt} FROM ${path}
      CROSS JOIN ${held} ON ${held.userId} = ${PERSON} AND ${held.roleId} = ${path.ancestorId}
      WHERE ${path.descendantId} = ${roleId} AND ${holderLives(held)}`;
}

/** Aggregate over `accessTo`: when the access ends, or null if it does not. */
export const LAST_END: SQL = sql`CASE WHEN count(*) = count(ends_at) THEN max(ends_at) END`;

/** Returns the CTE `afforded`: the id up to which a page of these roles goes. */
function affordedOf(judged: SQL, condition?: SQL): SQL {
  return sql`afforded(last_id) AS MATERIALIZED (SELECT ${affordedId(judged, condition)})`;
}

const ALL_CANDIDATES = sql`SELECT role_id AS id, role_id FROM candidate`;
/**
 * The roles of the list whose roles above are scanned: with few memberships, those that the actor may ask about, so
 * that hidden roles take as long as unknown ones.
 */
const JUDGED_OF_LIST = sql`SELECT candidate.role_id AS id, candidate.role_id FROM candidate
  WHERE CASE WHEN ${HAS_FEW} THEN ${MAY_SEE} ELSE true END`;

/** Returns the statement of a page in one row; none if the actor's session has ended. */
function rolesPage({ declared, ctes }: Candidates, judged: SQL) {
  const args: Declared = { ...PAGE, ...SHOWN, ...declared };
  return rows<AccessPageRow & NamedRow>()(args, () => {
    const [found, shown] = [accessTo(sql`candidate.role_id`), accessTo(role.id)];
    // The LIMIT of -1 keeps the rights from being computed twice.
    return sql`WITH ${PERSON_CTE},
  ${ctes},
  ${affordedOf(judged, sql`true`)},
  page(role_id, rights) AS MATERIALIZED (
    SELECT role_id, rights FROM (SELECT candidate.role_id,
        CASE WHEN ${MAY_SEE} THEN (SELECT ${unionOfMasks(sql`rights`)} FROM (${found})) END AS rights
      FROM candidate WHERE candidate.role_id <= ${AFFORDED_END} LIMIT -1)
    WHERE rights & ${rights} = ${rights} ORDER BY role_id LIMIT +${limit} + 1)
  SELECT (SELECT json_group_array(json_object('roleId', ${role.id}, 'name', ${role.name}, 'rights', page.rights,
        'isDirect', ${isMember(role.id)},
        'endsAt', (SELECT ${LAST_END} FROM (${shown}))))
      FROM page CROSS JOIN ${role} ON ${role.id} = page.role_id) AS rows,
    ${LOOKED_TO_IN_STRETCH} AS lookedTo, ${NAME_COLUMNS}, ${REVISION_COLUMN}
  WHERE ${PRINCIPAL_LIVES}`;
  });
}

export interface PastRolesRow extends PastPageRow, NamedRow {
  readonly lookedTo: number | null;
  readonly revision: number;
  /** JSON: the roles that the actor may ask about as [role, name, self rights or null]. */
  readonly roles: string;
  /** JSON: the memberships in roles of the lineage as [role, rights, end or null]. */
  readonly held: string;
  /** JSON: a list of `LineageRelation`. */
  readonly relations: string;
}

/**
 * Returns the statement of a page of a past moment, about the roles that the actor may ask about, with any rights.
 * `carryRights` computes the access from it.
 */
function pastRolesPage({ declared, ctes }: Candidates) {
  const args: Declared = { ...PAGE, ...AS_OF, ...declared };
  return rows<PastRolesRow>()(args, () => {
    const held = row(memberHistory, "held");
    const starts = sql`SELECT role_id AS id FROM requested WHERE ${MOMENT_IS_KEPT}`;
    return sql`WITH ${MOMENT},
  ${PERSON_CTE},
  ${ctes},
  ${affordedOf(ALL_CANDIDATES)},
  requested(role_id) AS MATERIALIZED (SELECT candidate.role_id FROM candidate
      WHERE candidate.role_id <= ${AFFORDED_END} AND ${MAY_SEE}),
  ${lineageOf(starts, "then")}
  SELECT (SELECT json_group_array(json_array(${role.id}, ${role.name}, ${selfRightsThen(role.id)}))
      FROM requested CROSS JOIN ${role} ON ${role.id} = requested.role_id WHERE ${MOMENT_IS_KEPT}) AS roles,
    (SELECT json_group_array(json_array(${held.roleId}, ${held.rights}, ${held.endsAt})) FROM lineage
      CROSS JOIN ${held} ON ${held.roleId} = lineage.role_id AND ${held.userId} = ${PERSON}
      WHERE lineage.relation_id IS NULL AND ${memberLivedThen(held)}) AS held,
    ${LINEAGE_RELATIONS} AS relations, ${LOOKED_TO_IN_STRETCH} AS lookedTo, ${NAME_COLUMNS},
    ${IS_CUT} AS isCut, ${MOMENT_COLUMNS}, ${REVISION_COLUMN}
  WHERE ${PRINCIPAL_LIVES}`;
  });
}

// The actor has access to each of their own roles, so a page about themselves need not scan further.
const SHARE = sql`iif(${rights} = 0 AND ${PERSON} = ${actorId}, ${limit} + 1, ${LOOKED_UP})`;

/** Pages of the roles that a person or key has access to, and of those that they had access to at a moment. */
export const ROLES_PAGES = {
  all: {
    now: rolesPage(nextRoles(LOOKED_UP, SHARE), ALL_CANDIDATES),
    then: pastRolesPage(nextRoles(LOOKED_UP_THEN)),
  },
  listed: { now: rolesPage(LISTED_ROLES, JUDGED_OF_LIST), then: pastRolesPage(LISTED_ROLES) },
} as const;
