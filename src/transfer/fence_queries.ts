import { manages, member, roleClosure } from "../db/schema/role.ts";
import { int, row, rows, rowsOf, type SQL, sql, text, type Value } from "../db/sql.ts";
import { memberLives } from "../graph/rules/principal_queries.ts";

/**
 * What a JSON list of accounts or roles has to do with roles outside of a part of the hierarchy: neither `underId` nor
 * below it. For the rows of an import, which must not touch these.
 */

const FENCED = { list: text, underId: int };

function isOutside(roleId: Value, underId: Value): SQL {
  const inside = row(roleClosure, "inside");
  return sql`(${roleId} <> ${underId} AND NOT EXISTS (SELECT 1 FROM ${inside}
    WHERE ${inside.descendantId} = ${roleId} AND ${inside.ancestorId} = ${underId}))`;
}

/** The accounts that are members of a role outside. */
export const MEMBERS_ELSEWHERE = rows<{ readonly id: number }>()(
  { ...FENCED, now: int },
  ({ list, underId }) =>
    sql`
  SELECT DISTINCT ${member.userId} AS id FROM json_each(${list}) listed CROSS JOIN ${member}
    ON ${member.userId} = listed.value AND ${memberLives(member)} AND ${isOutside(member.roleId, underId)}`,
);

/** The roles below that a role outside manages, too, by a way that does not lead through `underId`. */
export const SHARED_ROLES = rows<{ readonly id: number }>()(FENCED, ({ list, underId }) => {
  const { path, below, entering } = rowsOf({ path: roleClosure, below: roleClosure, entering: manages });
  return sql`
  SELECT listed.value AS id FROM json_each(${list}) listed
  WHERE EXISTS (SELECT 1 FROM (SELECT listed.value AS id UNION ALL SELECT ${path.ancestorId} FROM ${path}
      WHERE ${path.descendantId} = listed.value) self_or_above
    CROSS JOIN ${below} ON ${below.descendantId} = self_or_above.id AND ${below.ancestorId} = ${underId}
    CROSS JOIN ${entering} ON ${entering.childId} = ${below.descendantId}
    WHERE ${isOutside(entering.parentId, underId)})`;
});
