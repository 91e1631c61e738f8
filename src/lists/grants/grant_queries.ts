import { REVISION_COLUMN } from "../../db/revisions.ts";
import { userAccount } from "../../db/schema/identity.ts";
import { manages, member, role, roleKey } from "../../db/schema/role.ts";
import {
  int,
  nullable,
  placeholdersOf,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../../db/sql.ts";
import { SEEN_STANDING, seesWhoActed } from "../../graph/rules/giver_queries.ts";
import { standingOf } from "../../graph/rules/standing_queries.ts";
import {
  isVisible,
  someAuthorizingRole,
  someRoleAbove,
  someRoleOfUserAbove,
} from "../../graph/rules/guard_queries.ts";
import { affordedId, JUDGING_STEPS, MAX_ID } from "../../graph/rules/price_queries.ts";
import {
  ACTOR_IS_USER,
  memberLives,
  PRINCIPAL,
  PRINCIPAL_LIVES,
} from "../../graph/rules/principal_queries.ts";
import { type Acting, holds, managesMembersOf } from "../../graph/rules/rule_queries.ts";
import { AFFORDED_END, LOOKED_TO_IN_STRETCH } from "../../graph/paging/page_queries.ts";
import { nextRoles } from "../access/roles_queries.ts";

/**
 * Pages of what a principal gave, and what of it still stands. A page walks the actor's own roles in order of id, and
 * looks up in each what the principal gave there. So its cost and end depend on the actor alone, and do not tell what
 * was given elsewhere, or whether the account exists.
 */

/** The kinds of grants, in the order in which a page has those of one role. */
export const GRANT_KINDS = ["membership", "key", "rolePassword", "relation"] as const;
const [MEMBERSHIP, KEY, ROLE_PASSWORD, RELATION] = [0, 1, 2, 3];

/** Maximum number of roles that a page looks up. */
const LOOKED_UP = 2000;

/** Maximum number of rows of a page. */
export const GRANTS_AT_ONCE = 100;

/**
 * The arguments: the principal; grants of the kinds of the mask `kinds`, after a place (role, kind and id); and
 * `afterId`, the last role that is not looked up.
 */
const PAGE = {
  ...PRINCIPAL,
  userId: nullable(int),
  keyId: nullable(int),
  email: nullable(text),
  kinds: int,
  afterRole: int,
  afterKind: int,
  afterGrant: int,
  afterId: int,
};
const { userId, keyId, email, kinds, afterRole, afterKind, afterGrant } = placeholdersOf(PAGE);
const { roleId } = placeholdersOf({ roleId: int });

const PERSON = sql`(SELECT user_id FROM person)`;
const PERSON_CTE = sql`person(user_id) AS MATERIALIZED (SELECT coalesce(-${keyId}, ${userId},
    (SELECT ${userAccount.id} FROM ${userAccount} WHERE ${userAccount.email} = ${email}), 0))`;

export interface GrantRow {
  /** A position in `GRANT_KINDS`. */
  readonly kind: number;
  readonly id: number;
  /** The role of the page at which the grant stands. */
  readonly place: number;
  readonly roleId: number;
  readonly parentRoleId: number | null;
  readonly userEmail: string | null;
  readonly name: string | null;
  readonly rights: number;
  readonly endsAt: number | null;
  readonly at: number | null;
  readonly viaRoleId: number | null;
}

interface GrantPageRow {
  /** JSON: `GrantRow`s in no promised order, up to one more than `GRANTS_AT_ONCE`. */
  readonly grants: string;
  /** The last role that was looked up, or null at the end. */
  readonly lookedTo: number | null;
  readonly revision: number;
}

type SomeRole = (on: Value, meets: (acting: Acting) => SQL) => SQL;

/**
 * Selects what stands, as role_id, kind, id and via. Who may read a listing may read its grants. A relation stands at
 * its child, or at its parent for those who manage that alone.
 */
function standingThings(some: SomeRole): SQL {
  const { given, own, upper, lower } = rowsOf({ given: member, own: role, upper: manages, lower: manages });
  const managesChild = some(lower.childId, (acting) => holds(acting, "roleManagement", lower.childId));
  const of = (kind: Value): SQL => sql`(${kinds} >> ${kind} & 1)`;
  return sql`
    SELECT judged.role_id, iif(${given.userId} > 0, ${MEMBERSHIP}, ${KEY}) AS kind, ${given.id} AS id, ${given.givenVia} AS via
      FROM judged CROSS JOIN ${given} ON ${given.givenBy} = ${PERSON} AND ${given.roleId} = judged.role_id
      WHERE judged.reads_members AND ${memberLives(given)} AND ${
    of(sql`iif(${given.userId} > 0, ${MEMBERSHIP}, ${KEY})`)
  }
    UNION ALL SELECT judged.role_id, ${ROLE_PASSWORD}, ${own.id}, ${own.passwordSetVia}
      FROM judged CROSS JOIN ${own} ON ${own.id} = judged.role_id
      WHERE judged.manages_role AND ${ACTOR_IS_USER} AND ${own.passwordSetBy} = ${PERSON}
        AND ${own.passwordRights} IS NOT NULL AND ${of(ROLE_PASSWORD)}
    UNION ALL SELECT judged.role_id, ${RELATION}, ${upper.id}, ${upper.givenVia}
      FROM judged CROSS JOIN ${upper} ON ${upper.givenBy} = ${PERSON} AND ${upper.childId} = judged.role_id
      WHERE judged.manages_role AND ${of(RELATION)}
    UNION ALL SELECT judged.role_id, ${RELATION}, ${lower.id}, ${lower.givenVia}
      FROM judged CROSS JOIN ${lower} ON ${lower.givenBy} = ${PERSON} AND ${lower.parentId} = judged.role_id
      WHERE judged.manages_role AND ${of(RELATION)} AND NOT ${managesChild}`;
}

/** Returns the statement of a page over the roles of the CTEs `candidate` and `stretch`, in one row. */
function page(ctes: SQL, some: SomeRole, steps: SQL) {
  const on = sql`candidate.role_id`;
  const { given, user, key, own, relation } = rowsOf({
    given: member,
    user: userAccount,
    key: roleKey,
    own: role,
    relation: manages,
  });
  const seesGiver = seesWhoActed({
    person: PERSON,
    via: sql`stood.via`,
    seen: SEEN_STANDING,
    hasAccess: someRoleOfUserAbove(PERSON, sql`stood.role_id`, () => sql`true`),
  });
  const isNamed = sql`CASE WHEN ${email} IS NULL THEN true ELSE ${seesGiver} END`;
  return sql`
  WITH ${PERSON_CTE},
  ${ctes},
  afforded(last_id) AS MATERIALIZED (SELECT ${steps}),
  judged(role_id, reads_members, manages_role) AS MATERIALIZED (
    SELECT candidate.role_id, ${some(on, (acting) => managesMembersOf(acting, on))},
      ${some(on, (acting) => holds(acting, "roleManagement", on))}
    FROM candidate WHERE candidate.role_id <= ${AFFORDED_END}),
  stood AS MATERIALIZED (${standingThings(some)}),
  ${standingOf(sql`SELECT DISTINCT via AS role_id FROM stood WHERE ${email} IS NOT NULL`)},
  thing AS MATERIALIZED (SELECT * FROM stood
    WHERE (stood.role_id, stood.kind, stood.id) > (${afterRole}, ${afterKind}, ${afterGrant}) AND ${isNamed}
    ORDER BY role_id, kind, id LIMIT ${GRANTS_AT_ONCE + 1})
  SELECT (SELECT json_group_array(json_object('kind', thing.kind, 'id', thing.id, 'place', thing.role_id,
      'roleId', coalesce(${relation.childId}, thing.role_id),
      'parentRoleId', CASE WHEN ${isVisible(relation.parentId)} THEN ${relation.parentId} END,
      'userEmail', ${user.email}, 'name', ${key.name},
      'rights', coalesce(${given.rights}, ${own.passwordRights}, ${relation.rights}), 'endsAt', ${given.endsAt},
      'at', coalesce(${key.createdAt}, ${own.passwordSetAt}),
      'viaRoleId', CASE WHEN ${isVisible(sql`thing.via`)} THEN thing.via END))
    FROM thing
      LEFT JOIN ${given} ON thing.kind IN (${MEMBERSHIP}, ${KEY}) AND ${given.id} = thing.id
      LEFT JOIN ${user} ON ${user.id} = ${given.userId}
      LEFT JOIN ${key} ON thing.kind = ${KEY} AND ${key.id} = thing.id
      LEFT JOIN ${own} ON thing.kind = ${ROLE_PASSWORD} AND ${own.id} = thing.id
      LEFT JOIN ${relation} ON thing.kind = ${RELATION} AND ${relation.id} = thing.id) AS grants,
    ${LOOKED_TO_IN_STRETCH} AS lookedTo, ${REVISION_COLUMN}
  WHERE ${PRINCIPAL_LIVES}`;
}

/** Pages of grants on all roles that the actor reaches, and on one role. */
export const GRANT_PAGES = {
  all: rows<GrantPageRow>()(PAGE, () => {
    // Two rules are judged.
    const steps = affordedId(sql`SELECT role_id AS id, role_id FROM candidate`, sql`true`, JUDGING_STEPS / 2);
    return page(nextRoles(LOOKED_UP).ctes, someRoleAbove, steps);
  }),
  // Starts from the memberships, so that a hidden role takes as long as an unknown one.
  role: rows<GrantPageRow>()({ ...PAGE, roleId: int }, () => {
    const ctes = sql`stretch(last_id) AS MATERIALIZED (SELECT ${MAX_ID}),
  candidate(role_id) AS MATERIALIZED (SELECT ${roleId} WHERE ${roleId} > ${placeholdersOf(PAGE).afterId})`;
    return page(ctes, (_, meets) => someAuthorizingRole(meets), MAX_ID);
  }),
} as const;
