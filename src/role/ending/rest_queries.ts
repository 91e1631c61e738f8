import { REVISION_COLUMN } from "../../db/revisions.ts";
import { manages, member, roleClosure } from "../../db/schema/role.ts";
import { int, placeholdersOf, rows, rowsOf, type SQL, sql, text, type Value } from "../../db/sql.ts";
import { hasMoved } from "../change/change_queries.ts";
import { someAuthorizingRole, someRoleAbove } from "../guard/guard_queries.ts";
import { affordedId, areTooManyAbove, MAX_ID } from "../guard/price_queries.ts";
import { memberLives, ONE_ROW, PRINCIPAL_LIVES } from "../guard/principal_queries.ts";
import { holds, managesMembersOf } from "../guard/rule_queries.ts";
import { AFFORDED_END, LOOKED_TO } from "../paging/page_queries.ts";
import { JUDGED_RELATIONS, NAMED_ACCOUNT, relations, SEARCH, searching } from "./found_queries.ts";

/** What stays when access ends: relations, which are only listed, and access that comes from elsewhere. */

/** Maximum number of relations in a response. */
export const LISTED_RELATIONS = 100;

const READ = { ...SEARCH, sinceRevision: int, sinceTime: int };
const { granted: _, ...PERSON } = READ;
const LEFT = { ...PERSON, endedIds: text, afterId: int };
const { roleId, afterId, endedIds } = placeholdersOf(LEFT);

const MAY_ASK = someAuthorizingRole((acting) => managesMembersOf(acting, roleId));

/** What every read of this file returns. */
interface Read {
  readonly revision: number;
  /** Whether the graph may have changed since the decision. */
  readonly moved: number;
}

interface RelationsRow extends Read {
  /** JSON. */
  readonly relations: string;
  readonly more: number;
}

/** Relations of the scope that the person made, if the caller has roleManagement on one of their roles. */
export const RELATIONS_LEFT = rows<RelationsRow>()(READ, () => {
  const { end, shown } = rowsOf({ end: manages, shown: manages });
  const holdsRole = (on: Value): SQL => someRoleAbove(on, (acting) => holds(acting, "roleManagement", on));
  const object = sql`json_object('id', ${shown.id}, 'parentRoleId', ${shown.parentId},
        'childRoleId', ${shown.childId}, 'rights', ${shown.rights})`;
  return sql`
  WITH asked AS MATERIALIZED (SELECT ${NAMED_ACCOUNT} AS subject_id, ${MAY_ASK} AS goes
      FROM ${ONE_ROW} WHERE ${PRINCIPAL_LIVES}),
  ${searching()},
  ${relations()},
  place(role_id) AS MATERIALIZED (
    SELECT ${end.childId} FROM relation CROSS JOIN ${end} ON ${end.id} = relation.id
    UNION SELECT ${end.parentId} FROM relation CROSS JOIN ${end} ON ${end.id} = relation.id),
  managed(role_id) AS MATERIALIZED (SELECT place.role_id FROM place
    WHERE CASE WHEN ${areTooManyAbove(sql`place`)} THEN false ELSE ${holdsRole(sql`place.role_id`)} END),
  listed AS MATERIALIZED (SELECT ${shown.id}, ${object} AS text
    FROM relation CROSS JOIN ${shown} ON ${shown.id} = relation.id
    WHERE ${shown.childId} IN (SELECT role_id FROM managed) OR ${shown.parentId} IN (SELECT role_id FROM managed)
    ORDER BY ${shown.id} LIMIT ${LISTED_RELATIONS + 1})
  SELECT (SELECT json_group_array(json(text)) FROM (SELECT text FROM listed ORDER BY id LIMIT ${LISTED_RELATIONS})) AS relations,
    (SELECT count(*) FROM listed) > ${LISTED_RELATIONS} OR (SELECT count(*) FROM relation) > ${JUDGED_RELATIONS}
      OR ${areTooManyAbove(sql`place`)} AS more,
    ${hasMoved()} AS moved, ${REVISION_COLUMN}
  FROM asked`;
});

/** Maximum number of roles that one statement looks up. */
const LOOKED_UP = 2000;

interface LeftRow extends Read {
  /** The number of roles of the page to which the person has access, of those whose access list the caller reads. */
  readonly roles: number;
  /** The last role that was looked up, or null at the end. */
  readonly lookedTo: number | null;
}

/**
 * A page, after `afterId`, of the roles at and below that of the request to which the person has access but for the
 * memberships `endedIds`. Looks up each role, so that its cost does not tell what the person has.
 */
export const ACCESS_LEFT = rows<LeftRow>()(LEFT, () => {
  const { below, own, above, held } = rowsOf({ below: roleClosure, own: member, above: roleClosure, held: member });
  const stays = (membership: typeof member): SQL =>
    sql`${memberLives(membership)} AND ${membership.id} NOT IN (SELECT value FROM json_each(${endedIds}))`;
  const person = sql`(SELECT subject_id FROM asked)`;
  const on = sql`candidate.role_id`;
  const hasAccess = sql`(EXISTS (SELECT 1 FROM ${own}
      WHERE ${own.userId} = ${person} AND ${own.roleId} = ${on} AND ${stays(own)})
    OR EXISTS (SELECT 1 FROM ${above} CROSS JOIN ${held}
      ON ${held.userId} = ${person} AND ${held.roleId} = ${above.ancestorId} AND ${stays(held)}
      WHERE ${above.descendantId} = ${on}))`;
  const reads = someRoleAbove(on, (acting) => managesMembersOf(acting, on));
  return sql`
  WITH asked AS MATERIALIZED (SELECT coalesce(${NAMED_ACCOUNT}, 0) AS subject_id, ${MAY_ASK} AS goes
      FROM ${ONE_ROW} WHERE ${PRINCIPAL_LIVES}),
  candidate(role_id) AS MATERIALIZED (SELECT role_id FROM (
      SELECT ${roleId} AS role_id FROM asked WHERE goes AND ${roleId} > ${afterId}
      UNION ALL SELECT * FROM (SELECT ${below.descendantId} FROM asked CROSS JOIN ${below}
        ON ${below.ancestorId} = ${roleId} AND ${below.descendantId} > ${afterId}
        WHERE goes ORDER BY ${below.descendantId} LIMIT ${LOOKED_UP}))
    ORDER BY 1 LIMIT ${LOOKED_UP}),
  afforded(last_id) AS MATERIALIZED (SELECT min(
    ${affordedId(sql`SELECT role_id AS id, role_id FROM candidate`, sql`true`)},
    (SELECT iif(count(*) = ${LOOKED_UP}, max(role_id), ${MAX_ID}) FROM candidate)))
  SELECT (SELECT count(*) FROM candidate WHERE candidate.role_id <= ${AFFORDED_END}
      AND CASE WHEN ${reads} THEN ${hasAccess} ELSE false END) AS roles,
    ${LOOKED_TO} AS lookedTo, ${hasMoved()} AS moved, ${REVISION_COLUMN}
  FROM asked`;
});
