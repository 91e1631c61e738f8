import { CLOCK_TOLERANCE_MS } from "../core/clock.ts";
import { type SQL, sql, type Value } from "./sql.ts";

/**
 * Whether a stored moment lies further ahead of `now` than its kind allows, which `mostMs` says in milliseconds: 0 for
 * the time of what happened, otherwise the greatest length of a wait. Only a clock that was ahead stores such a moment.
 * It counts as absent, or as now, so that it locks nothing once the clock is right. False for null.
 */
export function isAhead(moment: Value, now: Value, mostMs: Value = 0): SQL {
  const most = typeof mostMs === "number"
    ? mostMs + CLOCK_TOLERANCE_MS
    : sql`${mostMs} + ${CLOCK_TOLERANCE_MS}`;
  return sql`ifnull(${moment} > ${now} + ${most}, false)`;
}
