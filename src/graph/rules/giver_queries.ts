import { placeholdersOf, type SQL, sql, type Value } from "../../db/sql.ts";
import { isVisible } from "./guard_queries.ts";
import { areTooManyAbove } from "./price_queries.ts";
import { PRINCIPAL } from "./principal_queries.ts";
import { standingOf } from "./standing_queries.ts";

/**
 * Who learns by address who gave or did something. One rule for the log, for lists, and for what is found by an address:
 * what one of them names, the others find.
 */

const { actorId } = placeholdersOf(PRINCIPAL);

/** What a row tells of the person who acted. */
interface Acted {
  readonly person: Value;
  /** The role through which they acted; null if it is not on record. */
  readonly via: Value;
  /** Selects the roles of the column `via` that the viewer sees; see `seenVia`. */
  readonly seen: SQL;
  /** Whether the person has access to the role by which the viewer sees the row. */
  readonly hasAccess: SQL;
}

/**
 * Whether the viewer learns who acted: they did so themselves, or they see the role through which the person acted.
 * Where that is not on record, the person must have access to the role that the row is about.
 */
export function seesWhoActed({ person, via, seen, hasAccess }: Acted): SQL {
  return sql`CASE WHEN ${person} = ${actorId} THEN true WHEN ${via} IS NULL THEN ${hasAccess}
      ELSE ${via} IN (${seen}) END`;
}

/** Selects the roles of the CTE `standing` that the viewer sees, or of which they see the role that stands for it. */
export const SEEN_STANDING: SQL = sql`SELECT role_id FROM standing WHERE ${
  isVisible(sql`standing.place_id`)
}`;

/** Whether too many roles are above those of the CTE `standing` to judge who sees them. */
export const IS_TOO_FAR_ABOVE: SQL = areTooManyAbove(
  sql`(SELECT DISTINCT place_id AS role_id FROM standing)`,
);

/**
 * CTEs that end with `seen_via`: the roles that `roles` selects as `role_id` and that the viewer sees; none if
 * `IS_TOO_FAR_ABOVE`.
 */
export function seenVia(roles: SQL): SQL {
  return sql`${standingOf(roles)},
  seen_via(role_id) AS MATERIALIZED (SELECT role_id FROM standing
    WHERE CASE WHEN ${IS_TOO_FAR_ABOVE} THEN false ELSE ${isVisible(sql`standing.place_id`)} END)`;
}

/** Selects the roles of `seenVia`. */
export const SEEN_VIA: SQL = sql`SELECT role_id FROM seen_via`;
