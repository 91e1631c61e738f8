import { REVISION } from "../db/revisions.ts";
import { defineStatement, type Statement } from "../db/statement.ts";
import { PRINCIPAL_LIVES, seenOf } from "./guard_text.ts";

/** SQL: the number of rows, counted to `:most`. */
function countUpToMost(rows: string): string {
  return `(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT +:most))`;
}

/** SQL: the scanned ones of the relations that lead to a role. */
function entering(role: string): string {
  return `(SELECT entering.parent_id FROM manages entering WHERE entering.child_id = ${role} LIMIT +:mostParents)`;
}

/** SQL: the roles of the list and all of their parents, since no join can limit those of each. */
const WITH_PARENTS = `SELECT CAST(asked.value AS INTEGER) FROM json_each(:roleIds) asked
  UNION SELECT entering.parent_id FROM json_each(:roleIds) asked
    CROSS JOIN manages entering ON entering.child_id = asked.value`;

/**
 * What is around each role of `:roleIds` that the actor sees, as a JSON list of `SummaryRow`s. Counts stop at `:most`;
 * of the relations that lead to a role, `:mostParents` are looked at.
 */
export const SUMMARIZE: Statement = defineStatement(`
  WITH RECURSIVE ${seenOf(WITH_PARENTS)}
  SELECT (SELECT json_group_array(json_object('id', summarized.id,
      'parents', (SELECT count(*) FROM ${entering("summarized.id")} above
        WHERE above.parent_id IN (SELECT role_id FROM seen)),
      'areParentsCut', (SELECT count(*) FROM ${entering("summarized.id")}) = :mostParents,
      'children', ${countUpToMost("manages leaving WHERE leaving.parent_id = summarized.id")},
      'descendants', ${countUpToMost("role_closure below WHERE below.ancestor_id = summarized.id")}))
    FROM json_each(:roleIds) asked CROSS JOIN role summarized ON summarized.id = asked.value
    WHERE summarized.id IN (SELECT role_id FROM seen)) AS summaries, ${REVISION}
  WHERE ${PRINCIPAL_LIVES}`);
