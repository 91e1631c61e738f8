import { defineStatement, single, type Statement } from "../../db/statement.ts";
import { memberLives } from "../principal_queries.ts";

/** Of the roles above a key's role, this many are searched for its maker and for a root; the oldest come first. */
const SEARCHED_ROLES = 1000;

/**
 * Who pays for the requests of the key `:keyId`: the id of its maker as text, or `root` and the id of a role; no row
 * without such a key. Parameter besides: `:now`. Scans up to three rows for each of `SEARCHED_ROLES` roles.
 */
export const PAYER_OF_KEY: Statement = single(defineStatement(`
  WITH above(role_id) AS MATERIALIZED (
    SELECT own.role_id FROM role_key own WHERE own.id = :keyId
    UNION ALL SELECT path.ancestor_id FROM role_key own CROSS JOIN role_closure path ON path.descendant_id = own.role_id
      WHERE own.id = :keyId
    LIMIT ${SEARCHED_ROLES + 1})
  SELECT CASE
    WHEN EXISTS (SELECT 1 FROM above CROSS JOIN member making ON making.user_id = asking.created_by
      AND making.role_id = above.role_id AND ${memberLives("making")})
    THEN CAST(asking.created_by AS TEXT)
    ELSE 'root ' || coalesce((SELECT min(root.id) FROM above CROSS JOIN role root ON root.id = above.role_id
      AND root.is_root), asking.role_id) END AS payer
  FROM role_key asking WHERE asking.id = :keyId`));
