import { REVISION } from "../db/revisions.ts";
import { defineStatement, probing, type Statement } from "../db/statement.ts";
import { ROOT_OF_ACTED } from "./change/change_text.ts";
import { memberLives, ONE_ROW, PRINCIPAL_LIVES } from "./guard_text.ts";

/** The rows of `root_usage` whose counts differ from the roles and devices, up to `:limit`. Reads all of them. */
export const WRONG_USAGE: Statement = defineStatement(`
  SELECT root_id AS rootId, payer FROM (
    SELECT root_id, payer, roles, devices FROM root_usage
    UNION ALL SELECT counted_to, '', -1, 0 FROM role WHERE counted_to IS NOT NULL
    UNION ALL SELECT counted_to, counted_for, -1, 0 FROM role WHERE counted_for IS NOT NULL
    UNION ALL SELECT counted_to, '', 0, -1 FROM device WHERE counted_to IS NOT NULL
    UNION ALL SELECT counted_to, counted_for, 0, -1 FROM device WHERE counted_for IS NOT NULL)
  GROUP BY root_id, payer HAVING sum(roles) <> 0 OR sum(devices) <> 0 LIMIT +:limit`);

/**
 * What counts to the root of `:roleId`, of which the actor is a direct member: the whole for a root, else the payer's
 * part. Returns a `UsageRow` while the session lives. Its `isRoot` is null for other actors.
 */
export const READ_USAGE: Statement = probing(defineStatement(`
  WITH acted AS MATERIALIZED (
    SELECT own.id AS role_id, own.is_root FROM role own WHERE own.id = :roleId AND EXISTS (
      SELECT 1 FROM member acting WHERE acting.user_id = :actorId AND acting.role_id = :roleId AND ${
  memberLives("acting")
})),
  shown AS MATERIALIZED (
    SELECT acted.is_root, ${ROOT_OF_ACTED} AS root_id, iif(acted.is_root, '', :payer) AS payer FROM acted)
  SELECT shown.is_root AS isRoot, coalesce(spent.roles, 0) AS roles, coalesce(spent.devices, 0) AS devices,
    coalesce(spent.free_at, 0) AS freeAt, ${REVISION}
  FROM ${ONE_ROW} LEFT JOIN shown ON true
    LEFT JOIN root_usage spent ON spent.root_id = shown.root_id AND spent.payer = shown.payer
  WHERE ${PRINCIPAL_LIVES}`));
