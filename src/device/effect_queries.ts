import { REVISION_COLUMN } from "../db/revisions.ts";
import { int, rows, sql } from "../db/sql.ts";
import { hasMoved } from "../role/change/change_queries.ts";
import { PRINCIPAL, PRINCIPAL_LIVES } from "../role/guard/principal_queries.ts";
import type { EffectRow } from "../role/preview/effect_rows.ts";

/**
 * Reads the effect of a change of devices: none on rights of roles. What it deletes is in the row of its preview. No row
 * if the session has ended.
 */
export const EFFECT_ON_DEVICES = rows<EffectRow>()(
  { ...PRINCIPAL, sinceRevision: int, sinceTime: int },
  () =>
    sql`
  SELECT ${REVISION_COLUMN}, ${hasMoved((by) => sql`${by.kind} <> 'device.update'`)} AS moved,
    '[]' AS pairs, '[]' AS holders, '[]' AS unmanaged, 0 AS truncated
  WHERE ${PRINCIPAL_LIVES}`,
);
