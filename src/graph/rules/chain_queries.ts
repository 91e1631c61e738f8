import { member } from "../../db/schema/role.ts";
import { int, rows, rowsOf, sql } from "../../db/sql.ts";
import { probing } from "../../db/statement.ts";
import { FEW_MEMBERSHIPS } from "./guard_queries.ts";
import { memberLives } from "./principal_queries.ts";

/**
 * The chain of a principal's oldest living membership: one that others add later does not move them to another branch.
 * Among the oldest `FEW_MEMBERSHIPS`, ended ones included. No row without one.
 */
export const CHAIN_OF_PRINCIPAL = probing(
  rows<{ readonly chain: string }>()({ principalId: int, now: int }, ({ principalId }) => {
    const { first, living } = rowsOf({ first: member, living: member });
    return sql`SELECT ${living.chain} FROM (SELECT ${first.id} FROM ${first}
      WHERE ${first.userId} = ${principalId} AND ${first.chain} <> '' ORDER BY ${first.id} LIMIT ${FEW_MEMBERSHIPS}) few
    CROSS JOIN ${living} ON ${living.id} = few.id WHERE ${memberLives(living)} ORDER BY ${living.id} LIMIT 1`;
  }),
);
