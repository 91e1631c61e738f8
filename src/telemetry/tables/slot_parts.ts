import { recentPoint } from "../../db/schema/telemetry.ts";
import { rowsOf, type SQL, sql } from "../../db/sql.ts";

const { earliest, later } = rowsOf({ earliest: recentPoint, later: recentPoint });

/** CTE: the slots with points, some ninety at most. */
export const SLOTS: SQL = sql`
  slots(slot) AS MATERIALIZED (
    SELECT min(${earliest.slot}) FROM ${earliest}
    UNION ALL
    SELECT (SELECT ${later.slot} FROM ${later} WHERE ${later.slot} > slots.slot ORDER BY ${later.slot} LIMIT 1)
    FROM slots WHERE slots.slot IS NOT NULL)`;
