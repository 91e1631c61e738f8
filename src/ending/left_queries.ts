import { REVISION_COLUMN } from "../db/revisions.ts";
import { member, roleClosure } from "../db/schema/role.ts";
import { int, nullable, placeholdersOf, rows, rowsOf, type SQL, sql, text } from "../db/sql.ts";
import { hasMoved } from "../changes/change_queries.ts";
import { someAuthorizingRole, someRoleAbove } from "../graph/rules/guard_queries.ts";
import { affordedId, MAX_ID } from "../graph/rules/price_queries.ts";
import { memberLives, ONE_ROW, PRINCIPAL, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";
import { managesMembersOf } from "../graph/rules/rule_queries.ts";
import { AFFORDED_END, LOOKED_TO } from "../graph/paging/page_queries.ts";
import { NAMED_ACCOUNT } from "./ending_queries.ts";

/** Maximum number of roles that one statement looks up. */
const LOOKED_UP = 2000;

const LEFT = {
  ...PRINCIPAL,
  roleId: int,
  userId: nullable(int),
  email: nullable(text),
  endedIds: text,
  afterId: int,
  sinceRevision: int,
  sinceTime: int,
};
const { roleId, afterId, endedIds } = placeholdersOf(LEFT);

export interface LeftRow {
  /** The number of roles of the page to which the person has access, of those whose access list the caller reads. */
  readonly roles: number;
  /** The last role that was looked up, or null at the end. */
  readonly lookedTo: number | null;
  /** Whether the graph may have changed since the decision. */
  readonly moved: number;
  readonly revision: number;
}

/**
 * A page, after `afterId`, of the roles at and below that of the request to which the person has access but for the
 * memberships `endedIds`. Looks up each role, so that its cost does not tell what the person has.
 */
export const ACCESS_LEFT = rows<LeftRow>()(LEFT, () => {
  const { below, own, above, held } = rowsOf({
    below: roleClosure,
    own: member,
    above: roleClosure,
    held: member,
  });
  const stays = (membership: typeof member): SQL =>
    sql`${memberLives(membership)} AND ${membership.id} NOT IN (SELECT value FROM json_each(${endedIds}))`;
  const person = sql`(SELECT subject_id FROM requested)`;
  const on = sql`candidate.role_id`;
  const hasAccess = sql`(EXISTS (SELECT 1 FROM ${own}
      WHERE ${own.userId} = ${person} AND ${own.roleId} = ${on} AND ${stays(own)})
    OR EXISTS (SELECT 1 FROM ${above} CROSS JOIN ${held}
      ON ${held.userId} = ${person} AND ${held.roleId} = ${above.ancestorId} AND ${stays(held)}
      WHERE ${above.descendantId} = ${on}))`;
  const reads = someRoleAbove(on, (acting) => managesMembersOf(acting, on));
  return sql`
  WITH requested AS MATERIALIZED (SELECT coalesce(${NAMED_ACCOUNT}, 0) AS subject_id, ${
    someAuthorizingRole((acting) => managesMembersOf(acting, roleId))
  } AS goes
      FROM ${ONE_ROW} WHERE ${PRINCIPAL_LIVES}),
  candidate(role_id) AS MATERIALIZED (SELECT role_id FROM (
      SELECT ${roleId} AS role_id FROM requested WHERE goes AND ${roleId} > ${afterId}
      UNION ALL SELECT * FROM (SELECT ${below.descendantId} FROM requested CROSS JOIN ${below}
        ON ${below.ancestorId} = ${roleId} AND ${below.descendantId} > ${afterId}
        WHERE goes ORDER BY ${below.descendantId} LIMIT ${LOOKED_UP}))
    ORDER BY 1 LIMIT ${LOOKED_UP}),
  afforded(last_id) AS MATERIALIZED (SELECT min(
    ${affordedId(sql`SELECT role_id AS id, role_id FROM candidate`, sql`true`)},
    (SELECT iif(count(*) = ${LOOKED_UP}, max(role_id), ${MAX_ID}) FROM candidate)))
  SELECT (SELECT count(*) FROM candidate WHERE candidate.role_id <= ${AFFORDED_END}
      AND CASE WHEN ${reads} THEN ${hasAccess} ELSE false END) AS roles,
    ${LOOKED_TO} AS lookedTo, ${hasMoved()} AS moved, ${REVISION_COLUMN}
  FROM requested`;
});
