import { REVISION_COLUMN } from "../db/revisions.ts";
import { manages, role, roleClosure } from "../db/schema/role.ts";
import { int, row, rows, rowsOf, type SQL, sql, text, type Value } from "../db/sql.ts";
import { seenOf } from "../graph/rules/guard_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";

interface SummariesRow {
  /** A JSON list of `SummaryRow`s. */
  readonly summaries: string;
}

/**
 * Numbers of roles around each role of a list that the actor sees. Counts stop at `most`; of the relations that lead to
 * a role, `mostParents` are scanned. No row if the session has ended.
 */
export const SUMMARIZE = rows<SummariesRow>()(
  { ...PRINCIPAL, roleIds: text, most: int, mostParents: int },
  ({ roleIds, most, mostParents }) => {
    const { summarized, parent } = rowsOf({ summarized: role, parent: manages });
    // The roles with the scanned ones of their parents.
    const withParents = sql`SELECT CAST(requested.value AS INTEGER) FROM json_each(${roleIds}) requested
  UNION SELECT ${parent.parentId} FROM json_each(${roleIds}) requested CROSS JOIN ${parent}
    ON ${parent.childId} = requested.value AND ${parent.parentId} IN ${
      enteringOf(sql`requested.value`, mostParents)
    }`;
    const entering = enteringOf(summarized.id, mostParents);
    const { children, descendants } = countBelow(summarized.id, most);
    return sql`
  WITH RECURSIVE ${seenOf(withParents)}
  SELECT (SELECT json_group_array(json_object('id', ${summarized.id},
      'parents', (SELECT count(*) FROM ${entering} above
        WHERE above.parent_id IN (SELECT role_id FROM seen)),
      'areParentsCut', (SELECT count(*) FROM ${entering}) = ${mostParents},
      'children', ${children},
      'descendants', ${descendants}))
    FROM json_each(${roleIds}) requested CROSS JOIN ${summarized} ON ${summarized.id} = requested.value
    WHERE ${summarized.id} IN (SELECT role_id FROM seen)) AS summaries, ${REVISION_COLUMN}
  WHERE ${PRINCIPAL_LIVES}`;
  },
);

/** Returns the numbers of a role's children and of the roles below it. Both counts stop at `most`. */
export function countBelow(on: Value, most: Value): { children: SQL; descendants: SQL } {
  const { leaving, below } = rowsOf({ leaving: manages, below: roleClosure });
  return {
    children: sql`(SELECT count(*) FROM (
      SELECT 1 FROM ${leaving} WHERE ${leaving.parentId} = ${on} LIMIT +${most}))`,
    descendants: sql`(SELECT count(*) FROM (
      SELECT 1 FROM ${below} WHERE ${below.ancestorId} = ${on} LIMIT +${most}))`,
  };
}

/** Selects the scanned relations that lead to a role. */
function enteringOf(on: Value, most: Value): SQL {
  const entering = row(manages, "entering");
  return sql`(SELECT ${entering.parentId} FROM ${entering} WHERE ${entering.childId} = ${on} LIMIT +${most})`;
}
