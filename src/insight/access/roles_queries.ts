import { REVISION } from "../../db/revisions.ts";
import { defineStatement, type Statement } from "../../db/statement.ts";
import {
  HAS_FEW,
  isVisible,
  memberLives,
  PRINCIPAL_LIVES,
  seesEachAsManager,
  unionOfMasks,
} from "../../role/guard_text.ts";
import { IS_CUT, LINEAGE_RELATIONS, lineageOf } from "../../role/history/lineage_queries.ts";
import {
  memberLivedThen,
  MOMENT,
  MOMENT_COLUMNS,
  MOMENT_IS_KEPT,
  selfRightsThen,
} from "../../role/history/moment_queries.ts";
import { affordedId } from "../../role/price_text.ts";

/**
 * Pages of the roles that one person or key has access to, of those that the actor reaches. A page walks the actor's
 * own roles in order of id, and looks each of them up. So its cost, and where it stops, depend on the actor alone, and
 * tell nothing about what the other one reaches elsewhere, or whether there is such an account.
 */

/** Maximum number of roles that a page looks up, unless the actor has more memberships than that. */
const LOOKED_UP = 2000;

/** The same for a moment in the past, where each look-up walks relations. */
const LOOKED_UP_THEN = 200;

/** The greatest possible id. */
const LAST_ID = "9223372036854775807";

/** SQL: the id up to which the page looks. */
const STRETCH_END = "(SELECT last_id FROM stretch)";

/** SQL: the principal that the request is about. */
const PERSON = "(SELECT user_id FROM person)";

/** CTE: the principal. An address without an account is like an account without memberships. */
const PERSON_CTE = `person(user_id) AS MATERIALIZED (SELECT coalesce(-:keyId,
    (SELECT account.id FROM user_account account WHERE account.email = :email), 0))`;

/**
 * CTEs: `candidate`, the next roles that the actor reaches, in order of id, up to `most`, and of each membership up to
 * `share`, an SQL expression. The page looks no further than they go.
 */
function nextRoles(most: number, share = String(most)): string[] {
  return [
    `mine(role_id) AS MATERIALIZED (SELECT own.role_id FROM member own
      WHERE own.user_id = :actorId AND ${memberLives("own")})`,
    `look(share) AS MATERIALIZED (SELECT max(1, min(${share}, ${most} / max(1, count(*)))) FROM mine)`,
    `stretch(last_id) AS MATERIALIZED (SELECT coalesce(min((
      SELECT later.descendant_id FROM role_closure later
      WHERE later.ancestor_id = mine.role_id AND later.descendant_id > :afterId
      ORDER BY later.descendant_id LIMIT 1 OFFSET (SELECT share FROM look) - 1)), ${LAST_ID}) FROM mine)`,
    `candidate(role_id) AS MATERIALIZED (
      SELECT role_id FROM mine WHERE role_id > :afterId AND role_id <= ${STRETCH_END}
      UNION SELECT below.descendant_id FROM mine CROSS JOIN role_closure below
        ON below.ancestor_id = mine.role_id AND below.descendant_id > :afterId
          AND below.descendant_id <= ${STRETCH_END}
      ORDER BY 1)`,
  ];
}

/** The same for the roles of the list `:roleIds`, whoever reaches them. */
const LISTED_ROLES = [
  `stretch(last_id) AS MATERIALIZED (SELECT ${LAST_ID})`,
  `candidate(role_id) AS MATERIALIZED (
    SELECT DISTINCT listed.value FROM json_each(:roleIds) listed WHERE listed.value > :afterId ORDER BY 1)`,
];

/** SQL: the actor may see what access the person has to `candidate`. */
const MAY_SEE = `((${PERSON} = :actorId AND ${isVisible("candidate.role_id")})
    OR ${seesEachAsManager("candidate.role_id")})`;

/** SQL: the person's memberships that give access to the role, with the rights that each gives and its end. */
function accessTo(role: string): string {
  return `SELECT self.self_rights & held.rights AS rights, held.ends_at
      FROM member held CROSS JOIN role self ON self.id = held.role_id
      WHERE held.user_id = ${PERSON} AND held.role_id = ${role} AND ${memberLives("held")}
      UNION ALL SELECT path.rights & held.rights, held.ends_at FROM role_closure path
      CROSS JOIN member held ON held.user_id = ${PERSON} AND held.role_id = path.ancestor_id
      WHERE path.descendant_id = ${role} AND ${memberLives("held")}`;
}

/** CTE `afforded`: the id up to which a page of these roles goes. */
function affordedOf(judged: string, condition?: string): string {
  return `afforded(last_id) AS MATERIALIZED (SELECT ${affordedId(judged, condition)})`;
}
const AFFORDED_END = "(SELECT last_id FROM afforded)";
const LOOKED_TO = `nullif(min(${STRETCH_END}, ${AFFORDED_END}), ${LAST_ID})`;

/**
 * SQL: the roles of the list `:roleIds` whose roles above are scanned: those that an actor with few memberships may ask
 * about, so that hidden roles take as long as unknown ones.
 */
const JUDGED_OF_LIST = `SELECT candidate.role_id AS id, candidate.role_id FROM candidate
  WHERE CASE WHEN ${HAS_FEW} THEN ${MAY_SEE} ELSE true END`;

/**
 * A page of up to `:limit` + 1 roles after the id `:afterId`, with all rights of the mask `:rights`. One row, an
 * `AccessPageRow`; none: the actor's session has ended.
 */
function rolesPage(candidates: readonly string[], judged: string): Statement {
  const ctes = [PERSON_CTE, ...candidates, affordedOf(judged, "true")];
  // The LIMIT of -1 keeps the rights from being computed twice.
  return defineStatement(`WITH ${ctes.join(",\n  ")},
  page(role_id, rights) AS MATERIALIZED (
    SELECT role_id, rights FROM (SELECT candidate.role_id,
        CASE WHEN ${MAY_SEE} THEN (
          SELECT ${unionOfMasks("rights")} FROM (${accessTo("candidate.role_id")})) END AS rights
      FROM candidate WHERE candidate.role_id <= ${AFFORDED_END} LIMIT -1)
    WHERE rights & :rights = :rights ORDER BY role_id LIMIT +:limit + 1)
  SELECT (SELECT json_group_array(json_object('roleId', role.id, 'name', role.name, 'rights', page.rights,
        'isDirect', EXISTS (SELECT 1 FROM member held WHERE held.user_id = ${PERSON} AND held.role_id = role.id
          AND ${memberLives("held")}),
        'endsAt', (SELECT CASE WHEN count(*) = count(ends_at) THEN max(ends_at) END FROM (${
    accessTo("role.id")
  }))))
      FROM page CROSS JOIN role ON role.id = page.role_id) AS rows,
    ${LOOKED_TO} AS lookedTo, ${REVISION}
  WHERE ${PRINCIPAL_LIVES}`);
}

/**
 * The same for a moment in the past: a `PastRolesRow`, about the roles that the actor may ask about. What follows from
 * it, `carryRights` says.
 */
function pastRolesPage(candidates: readonly string[]): Statement {
  const ctes = [
    MOMENT,
    PERSON_CTE,
    ...candidates,
    affordedOf("SELECT role_id AS id, role_id FROM candidate"),
    `asked(role_id) AS MATERIALIZED (SELECT candidate.role_id FROM candidate
      WHERE candidate.role_id <= ${AFFORDED_END} AND ${MAY_SEE})`,
    lineageOf(`SELECT role_id AS id FROM asked WHERE ${MOMENT_IS_KEPT}`, "then"),
  ];
  return defineStatement(`WITH ${ctes.join(",\n  ")}
  SELECT (SELECT json_group_array(json_array(role.id, role.name, ${selfRightsThen("role.id")}))
      FROM asked CROSS JOIN role ON role.id = asked.role_id WHERE ${MOMENT_IS_KEPT}) AS roles,
    (SELECT json_group_array(json_array(held.role_id, held.rights, held.ends_at)) FROM lineage
      CROSS JOIN member_history held ON held.role_id = lineage.role_id AND held.user_id = ${PERSON}
      WHERE lineage.relation_id IS NULL AND ${memberLivedThen("held")}) AS held,
    ${LINEAGE_RELATIONS} AS relations, ${LOOKED_TO} AS lookedTo,
    ${IS_CUT} AS isCut, ${MOMENT_COLUMNS}, ${REVISION}
  WHERE ${PRINCIPAL_LIVES}`);
}

/** Pages of the roles that a person or key has access to, and of those that they had access to at a moment. */
export const ROLES_PAGES = {
  all: {
    // The actor has access to each of their own roles, so a page about themselves need not look further.
    now: rolesPage(
      nextRoles(LOOKED_UP, `iif(:rights = 0 AND ${PERSON} = :actorId, :limit + 1, ${LOOKED_UP})`),
      "SELECT role_id AS id, role_id FROM candidate",
    ),
    then: pastRolesPage(nextRoles(LOOKED_UP_THEN)),
  },
  listed: { now: rolesPage(LISTED_ROLES, JUDGED_OF_LIST), then: pastRolesPage(LISTED_ROLES) },
} as const;
