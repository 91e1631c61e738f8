import { REVISION_COLUMN } from "../../db/revisions.ts";
import { manages, member, role } from "../../db/schema/role.ts";
import { int, placeholdersOf, row, rows, rowsOf, type SQL, sql, type Value } from "../../db/sql.ts";
import { isOneVisible, rightsWithUpdate, seenOf } from "../../graph/rules/guard_queries.ts";
import { unionOfMasks } from "../../graph/rules/rule_queries.ts";
import { affordedId, JUDGING_STEPS, MAX_ID } from "../../graph/rules/price_queries.ts";
import { memberIsAwake, PRINCIPAL, PRINCIPAL_LIVES } from "../../graph/rules/principal_queries.ts";
import { IS_CUT, lineageOf } from "../../graph/history/lineage_queries.ts";
import { countBelow } from "../../role/summary_queries.ts";
import {
  accessTo,
  isMember,
  LAST_END,
  maySeeAccess,
  PERSON_CTE,
  SUBJECT,
} from "../../lists/access/roles_queries.ts";

/**
 * What is around a role, in one statement, and so in one snapshot: the roles above it that the actor sees, a page of
 * its children, and the relations that lead to these. The walk up is that of an explanation, and one look finds what
 * the actor sees of all roles that it met.
 */

/** Maximum number of roles above that are shown. */
export const MAX_ABOVE = 100;
/** Maximum number of relations that are shown. */
export const MAX_RELATIONS = 1000;
/** Children and roles below are counted up to this. */
export const MAX_COUNT = 2000;

/** Maximum number of relations that the walk up follows, and of those scanned that lead to the children. */
const WALKED = 2000;
const SCANNED = 1000;

/** Maximum number of steps in which the roles above are judged, and the children. */
const STEPS = JUDGING_STEPS / 2;

/** The role, with up to `limit` + 1 children after the relation `afterId`. */
const AROUND = { ...PRINCIPAL, roleId: int, afterId: int, limit: int };
const { actorId, roleId, afterId, limit } = placeholdersOf(AROUND);

export interface NeighbourhoodRow {
  /** JSON list of `NearRow`: the role, and those around it, with up to one role above and one child too many. */
  readonly roles: string;
  /**
   * JSON list of `ManagesRow`: what leads to these roles, those of the children first, then by distance; up to one more
   * than are shown.
   */
  readonly manages: string;
  /** The last place of a role above, and of a child, for which there are steps; null if there are for all. */
  readonly lastAbove: number | null;
  readonly lastBelow: number | null;
  /** 1: there are more relations above than the walk follows, and so maybe more roles. */
  readonly isWalkCut: 0 | 1;
  /** 1: there are more relations to the children than are scanned. */
  readonly areParentsCut: 0 | 1;
}

/** A role of `NeighbourhoodRow.roles`. */
export interface NearRow {
  readonly id: number;
  readonly name: string;
  readonly selfRights: number;
  readonly externalId: string | null;
  /** With `UPDATES_ROLE`. */
  readonly userRights: number | null;
  readonly isBelow: 0 | 1;
  /** For a child its relation, for any other role its place in the walk, which begins at the role itself. */
  readonly place: number;
  /** Up to `MAX_COUNT`. */
  readonly children: number;
  /** Up to `MAX_COUNT`. */
  readonly descendants: number;
  /** The actor is a direct member. */
  readonly isOwn: 0 | 1;
  /** Only with a person: the actor may ask about their access. */
  readonly mayAsk?: 0 | 1;
  /** Then their rights, and the end of their access; null without access. */
  readonly access?: readonly [rights: number, endsAt: number | null] | null;
  /** The person is a direct member, whether the actor may ask or not. */
  readonly isMember?: 0 | 1;
}

/** CTE: the role, if the actor sees it. Of a hidden role nothing is read: it takes the time of an unknown one. */
const FOCUS = sql`focus(role_id) AS MATERIALIZED (SELECT ${roleId} WHERE ${isOneVisible(roleId)})`;

/** CTE: the roles of the walk, which is in order of distance. The role itself is the first. */
const MET = sql`met(place, role_id) AS MATERIALIZED (
    SELECT row_number() OVER (), role_id FROM lineage WHERE relation_id IS NULL)`;

/** CTEs: a page of the children, and the other relations that lead to them. */
function childrenOf(): SQL {
  const { leaving, entering } = rowsOf({ leaving: manages, entering: manages });
  return sql`lower(place, role_id, rights) AS MATERIALIZED (
    SELECT ${leaving.id}, ${leaving.childId}, ${leaving.rights} FROM focus
    CROSS JOIN ${leaving} ON ${leaving.parentId} = focus.role_id AND ${leaving.id} > ${afterId}
    ORDER BY ${leaving.id} LIMIT +${limit} + 1),
  joining(id, parent_id, child_id, rights) AS MATERIALIZED (
    SELECT ${entering.id}, ${entering.parentId}, ${entering.childId}, ${entering.rights} FROM lower
    CROSS JOIN ${entering} ON ${entering.childId} = lower.role_id AND ${entering.parentId} <> ${roleId}
    LIMIT ${SCANNED + 1})`;
}

/** CTEs: the roles to show, as far as there are steps for them, with whether the actor may ask about the person. */
function nearOf(mayAsk: SQL, judged?: SQL): SQL {
  const lastAbove = affordedId(sql`SELECT place AS id, role_id FROM upper`, judged, STEPS);
  const lastBelow = affordedId(sql`SELECT place AS id, role_id FROM lower`, judged, STEPS);
  return sql`upper(place, role_id) AS MATERIALIZED (
    SELECT place, role_id FROM met WHERE place = 1 OR role_id IN (SELECT role_id FROM seen)
    ORDER BY place LIMIT ${MAX_ABOVE + 2}),
  afforded(last_above, last_below) AS MATERIALIZED (SELECT ${lastAbove}, ${lastBelow}),
  near(role_id, place, is_below, may_ask) AS MATERIALIZED (
    SELECT role_id, place, is_below, ${mayAsk} FROM (
      SELECT role_id, place, false AS is_below FROM upper UNION ALL SELECT role_id, place, true FROM lower) shown
    CROSS JOIN afforded ON place <= iif(is_below, last_below, last_above))`;
}

/** The relations that lead to the children and to the roles above, from roles that the actor sees. */
const RELATIONS =
  sql`SELECT json_group_array(json_object('id', id, 'parentRoleId', parent_id, 'childRoleId', child_id,
      'rights', rights)) FROM (
    SELECT * FROM (
      SELECT place AS id, ${roleId} AS parent_id, role_id AS child_id, rights FROM lower
      UNION ALL SELECT relation_id, role_id, child_id, rights FROM lineage
        WHERE relation_id IS NOT NULL AND child_id IN (SELECT role_id FROM upper)
      UNION ALL SELECT id, parent_id, child_id, rights FROM joining)
    WHERE parent_id = ${roleId} OR parent_id IN (SELECT role_id FROM seen) LIMIT ${MAX_RELATIONS + 1})`;

/** The actor is a direct member of the role. */
function isOwn(on: Value): SQL {
  const own = row(member, "own");
  return sql`EXISTS (SELECT 1 FROM ${own}
      WHERE ${own.userId} = ${actorId} AND ${own.roleId} = ${on} AND ${memberIsAwake(own)})`;
}

/** What a statement with a person reads besides. */
interface PersonParts {
  readonly ctes: SQL;
  readonly mayAsk: SQL;
  /** The condition of `affordedId`. */
  readonly judged?: SQL;
  /** Further fields of a role. */
  readonly fields: SQL;
}

function around({ ctes, mayAsk, judged, fields }: PersonParts): SQL {
  const { children, descendants } = countBelow(role.id, MAX_COUNT);
  // That the role itself is seen is known. To look again would scan its parents, also if they are too many to walk.
  const others = sql`SELECT role_id FROM met WHERE place > 1 UNION SELECT parent_id FROM joining`;
  return sql`WITH RECURSIVE ${ctes}${FOCUS},
  ${lineageOf(sql`SELECT role_id AS id FROM focus`, "now", WALKED)},
  ${MET},
  ${childrenOf()},
  ${seenOf(others)},
  ${nearOf(mayAsk, judged)}
  SELECT (SELECT json_group_array(json_object('id', ${role.id}, 'name', ${role.name}, 'selfRights', ${role.selfRights},
        'externalId', ${role.externalId}, 'userRights', ${
    rightsWithUpdate(role.id)
  }, 'isBelow', near.is_below, 'place', near.place,
        'children', ${children}, 'descendants', ${descendants}, 'isOwn', ${isOwn(role.id)}${fields}))
      FROM near CROSS JOIN ${role} ON ${role.id} = near.role_id) AS roles,
    (${RELATIONS}) AS manages,
    (SELECT nullif(last_above, ${MAX_ID}) FROM afforded) AS lastAbove,
    (SELECT nullif(last_below, ${MAX_ID}) FROM afforded) AS lastBelow,
    ${IS_CUT} AS isWalkCut, (SELECT count(*) FROM joining) > ${SCANNED} AS areParentsCut, ${REVISION_COLUMN}
  WHERE ${PRINCIPAL_LIVES}`;
}

/** What is around the role. No row if the session has ended, and no roles if the actor does not see it. */
export const READ_NEIGHBOURHOOD = rows<NeighbourhoodRow>()(
  AROUND,
  () => around({ ctes: sql``, mayAsk: sql`NULL`, fields: sql`` }),
);

/** The same with the access of a person. */
export const READ_NEIGHBOURHOOD_OF_PERSON = rows<NeighbourhoodRow>()({ ...AROUND, ...SUBJECT }, () => {
  const rights = unionOfMasks(sql`rights`);
  const access = sql`SELECT CASE WHEN count(*) > 0 THEN json_array(${rights}, ${LAST_END}) END
        FROM (${accessTo(role.id)})`;
  return around({
    ctes: sql`${PERSON_CTE}, `,
    mayAsk: maySeeAccess(sql`shown.role_id`),
    // Their access is looked up from the roles above, also for an actor with few memberships.
    judged: sql`true`,
    fields: sql`, 'mayAsk', near.may_ask,
        'access', json(CASE WHEN near.may_ask THEN (${access}) END), 'isMember', ${isMember(role.id)}`,
  });
});
