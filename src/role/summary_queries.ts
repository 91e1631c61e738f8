import { REVISION } from "../db/revisions.ts";
import { defineStatement, single, type Statement } from "../db/statement.ts";
import { isVisible } from "./guard_queries.ts";
import { PRINCIPAL_LIVES } from "./principal_queries.ts";

/** SQL: the number of rows, counted to `:most`. */
function countUpToMost(rows: string): string {
  return `(SELECT count(*) FROM (SELECT 1 FROM ${rows} LIMIT :most))`;
}

/**
 * What is around each role of `:roleIds` that the actor sees, as a JSON list of `SummaryRow`s. Counts stop at `:most`; of
 * the relations that lead to a role, `:mostParents` are looked at.
 */
export const SUMMARIZE: Statement = single(defineStatement(`
  SELECT (SELECT json_group_array(json_object('id', seen.id,
      'parents', (SELECT count(*) FROM (
        SELECT entering.parent_id FROM manages entering WHERE entering.child_id = seen.id LIMIT :mostParents) above
        WHERE ${isVisible("above.parent_id")}),
      'areParentsCut', (SELECT count(*) FROM (
        SELECT 1 FROM manages entering WHERE entering.child_id = seen.id LIMIT :mostParents)) = :mostParents,
      'children', ${countUpToMost("manages leaving WHERE leaving.parent_id = seen.id")},
      'descendants', ${countUpToMost("role_closure below WHERE below.ancestor_id = seen.id")}))
    FROM json_each(:roleIds) asked CROSS JOIN role seen ON seen.id = asked.value
    WHERE ${isVisible("seen.id")}) AS summaries, ${REVISION}
  WHERE ${PRINCIPAL_LIVES}`));
