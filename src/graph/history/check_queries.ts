import { REVISION_COLUMN } from "../../db/revisions.ts";
import { memberHistory } from "../../db/schema/role.ts";
import { placeholdersOf, row, rows, sql, text } from "../../db/sql.ts";
import { isVisible } from "../rules/guard_queries.ts";
import { priced, unlessCostly } from "../paging/page_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../rules/principal_queries.ts";
import { IS_CUT, LINEAGE_RELATIONS, lineageOf } from "./lineage_queries.ts";
import {
  AS_OF,
  memberLivedThen,
  MOMENT,
  MOMENT_COLUMNS,
  MOMENT_IS_KEPT,
  type MomentRow,
  selfRightsThen,
} from "./moment_queries.ts";

interface PastRightsRow extends MomentRow {
  /** Null unless the list is too long for one statement. */
  readonly costly: string | null;
  readonly isCut: 0 | 1;
  /** JSON: a list of `LineageRelation`. */
  readonly relations: string;
  /** JSON: the actor's memberships in roles of the lineage, as [role, rights]. */
  readonly held: string;
  /** JSON: the self rights of those roles that the actor sees now, as [role, rights or null]. */
  readonly selfRights: string;
}

const { actorId } = placeholdersOf(PRINCIPAL);

/**
 * Memberships and relations that gave the actor rights on `roleIds` (a JSON list of up to 1,000) at the moment. No row
 * if the session has ended. A role that the actor does not see now takes the time of one that does not exist. An actor
 * without memberships then makes no walk.
 */
export const READ_PAST_RIGHTS = rows<PastRightsRow>()(
  { ...PRINCIPAL, ...AS_OF, roleIds: text },
  ({ roleIds }) => {
    const mine = row(memberHistory, "mine");
    const starts =
      sql`SELECT requested.id FROM requested WHERE ${MOMENT_IS_KEPT} AND EXISTS (SELECT 1 FROM ${mine}
        WHERE ${mine.userId} = ${actorId} AND ${memberLivedThen(mine)})`;
    return sql`
  WITH RECURSIVE ${MOMENT}, ${priced(roleIds)},
  requested(id) AS MATERIALIZED (
    SELECT DISTINCT listed.value FROM json_each(${unlessCostly(roleIds)}) listed
    WHERE ${isVisible(sql`listed.value`)}),
  ${lineageOf(starts, "then")}
  SELECT (SELECT costly FROM price) AS costly, ${MOMENT_COLUMNS}, ${REVISION_COLUMN}, ${IS_CUT} AS isCut,
    ${LINEAGE_RELATIONS} AS relations,
    (SELECT json_group_array(json_array(${mine.roleId}, ${mine.rights})) FROM lineage
      CROSS JOIN ${mine} ON ${mine.roleId} = lineage.role_id AND ${mine.userId} = ${actorId}
      WHERE lineage.relation_id IS NULL AND ${memberLivedThen(mine)}) AS held,
    (SELECT json_group_array(json_array(requested.id, ${selfRightsThen(sql`requested.id`)})) FROM requested
      WHERE ${MOMENT_IS_KEPT}) AS selfRights
  WHERE ${PRINCIPAL_LIVES}`;
  },
);
