import { defineStatement, probing, type Statement } from "../../db/statement.ts";
import { FEW_MEMBERSHIPS } from "../guard_queries.ts";
import { memberLives } from "../guard_text.ts";
import { ALL_RIGHTS, maskOf } from "../rights.ts";

/** Maximum number of roles above a key's role that are searched, the oldest first. */
const SEARCHED_ROLES = 100;

/**
 * The payer of the requests of the key `:keyId`: the id of its maker as text, or `root` and the id of a role: the key's
 * own role if that is a root, or the least root above that manages it. No row if there is no such key. Further
 * parameter: `:now`.
 *
 * The search covers the maker's first memberships and the first of the roles above. A maker beyond both is missed, and
 * the key counts to a root; if the root is missed, too, to the one that its role counts to. So it scans at most two rows
 * for each of `FEW_MEMBERSHIPS` and three for each of `SEARCHED_ROLES`.
 */
export const PAYER_OF_KEY: Statement = probing(defineStatement(`
  WITH above(role_id, is_above, rights) AS MATERIALIZED (
    SELECT own.role_id, 0, ${ALL_RIGHTS} FROM role_key own WHERE own.id = :keyId
    UNION ALL SELECT path.ancestor_id, 1, path.rights FROM role_key own CROSS JOIN role_closure path ON path.descendant_id = own.role_id
      WHERE own.id = :keyId
    LIMIT ${SEARCHED_ROLES + 1})
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM (
        SELECT making.role_id FROM member making WHERE making.user_id = asking.created_by AND ${
  memberLives("making")
}
        LIMIT ${FEW_MEMBERSHIPS}) few
      WHERE EXISTS (SELECT 1 FROM role_closure path
        WHERE path.descendant_id = asking.role_id AND path.ancestor_id = few.role_id))
      OR EXISTS (SELECT 1 FROM above CROSS JOIN member making ON making.user_id = asking.created_by
        AND making.role_id = above.role_id AND ${memberLives("making")})
    THEN CAST(asking.created_by AS TEXT)
    ELSE 'root ' || coalesce((SELECT root.id FROM above CROSS JOIN role root ON root.id = above.role_id
      AND root.is_root WHERE above.rights & ${
  maskOf("roleManagement")
} ORDER BY above.is_above, root.id LIMIT 1),
      (SELECT own.counted_to FROM role own WHERE own.id = asking.role_id), asking.role_id) END AS payer
  FROM role_key asking WHERE asking.id = :keyId`));
