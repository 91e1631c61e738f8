import { REVISION } from "../../db/revisions.ts";
import { defineStatement, type Statement } from "../../db/statement.ts";
import { isVisible, PRINCIPAL_LIVES } from "../guard_text.ts";
import { priced, unlessCostly } from "../paging/page_text.ts";
import { isCostly } from "../price_text.ts";
import { IS_CUT, LINEAGE_RELATIONS, lineageOf } from "./lineage_queries.ts";
import { memberLivedThen, MOMENT, MOMENT_COLUMNS, MOMENT_IS_KEPT, selfRightsThen } from "./moment_queries.ts";

/**
 * What decided about the actor's rights on each of `:roleIds` (a JSON list of up to 1,000) at the moment, as a
 * `PastRightsRow`. No row if the session has ended. Roles that the actor does not see now take the time of those that
 * do not exist, whatever was above them. Somebody who was a member of nothing makes no walk.
 */
export const READ_PAST_RIGHTS: Statement = defineStatement(`
  WITH RECURSIVE ${MOMENT}, ${priced({ ":roleIds": isCostly(":roleIds") })},
  asked(id) AS MATERIALIZED (
    SELECT DISTINCT listed.value FROM json_each(${unlessCostly(":roleIds")}) listed WHERE ${
  isVisible("listed.value")
}),
  ${
  lineageOf(
    `SELECT asked.id FROM asked WHERE ${MOMENT_IS_KEPT} AND EXISTS (SELECT 1 FROM member_history mine
        WHERE mine.user_id = :actorId AND ${memberLivedThen("mine")})`,
    "then",
  )
}
  SELECT (SELECT costly FROM price) AS costly, ${MOMENT_COLUMNS}, ${REVISION}, ${IS_CUT} AS isCut, ${LINEAGE_RELATIONS} AS relations,
    (SELECT json_group_array(json_array(mine.role_id, mine.rights)) FROM lineage
      CROSS JOIN member_history mine ON mine.role_id = lineage.role_id AND mine.user_id = :actorId
      WHERE lineage.relation_id IS NULL AND ${memberLivedThen("mine")}) AS held,
    (SELECT json_group_array(json_array(asked.id, ${selfRightsThen("asked.id")})) FROM asked
      WHERE ${MOMENT_IS_KEPT}) AS selfRights
  WHERE ${PRINCIPAL_LIVES}`);
