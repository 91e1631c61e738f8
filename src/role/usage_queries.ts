import { REVISION_COLUMN } from "../db/revisions.ts";
import { member, role, rootUsage } from "../db/schema/role.ts";
import { int, placeholdersOf, row, rows, rowsOf, sql } from "../db/sql.ts";
import { probing } from "../db/statement.ts";
import { topOf } from "../changes/chain_queries.ts";
import { payingFor } from "../changes/charge_queries.ts";
import { memberIsAwake, ONE_ROW, PRINCIPAL, PRINCIPAL_LIVES } from "../graph/rules/principal_queries.ts";

export interface UsageRow {
  /** Null if the actor is no direct member of the role. */
  readonly isRoot: 0 | 1 | null;
  readonly roles: number;
  readonly devices: number;
  /** The time at which the bucket is empty, in milliseconds. */
  readonly freeAt: number;
}

const { actorId } = placeholdersOf(PRINCIPAL);

/**
 * Usage of the root that the role counts to, for a direct member: the whole for a root, else the part of their top branch. No row
 * if the session has ended.
 */
export const READ_USAGE = probing(
  rows<UsageRow>()({ ...PRINCIPAL, roleId: int }, ({ roleId }) => {
    const { own, acting } = rowsOf({ own: role, acting: member });
    const spent = row(rootUsage, "spent");
    return sql`
  WITH acted AS MATERIALIZED (
    SELECT ${own.id} AS role_id, ${own.isRoot}, ${
      topOf(acting.chain)
    } AS branch FROM ${own} CROSS JOIN ${acting}
      ON ${acting.userId} = ${actorId} AND ${acting.roleId} = ${own.id} AND ${memberIsAwake(acting)}
    WHERE ${own.id} = ${roleId}),
  ${payingFor(sql`acted`)}
  SELECT paying.is_root AS isRoot, coalesce(${spent.roles}, 0) AS roles, coalesce(${spent.devices}, 0) AS devices,
    coalesce(${spent.freeAt}, 0) AS freeAt, ${REVISION_COLUMN}
  FROM ${ONE_ROW} LEFT JOIN paying ON true
    LEFT JOIN ${spent} ON ${spent.rootId} = paying.counted_to
      AND ${spent.branch} = coalesce(paying.counted_for, '')
  WHERE ${PRINCIPAL_LIVES}`;
  }),
);
