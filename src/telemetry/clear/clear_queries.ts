import { block, blockRange, point, recentPoint } from "../../db/schema/telemetry.ts";
import { assigned, define, placeholdersOf, row, rows, rowsOf, sql, text } from "../../db/sql.ts";
import { BLOCKS_PER_HOUR, HOUR_NS, SLOT_NS } from "../points/slots.ts";
import { SLOTS } from "../tables/slot_parts.ts";

/** Deletes points of series, in whichever table they lie, by the series' ids alone. */

/** Maximum number of rows per deleting statement: other writes wait for it. */
export const CLEAR_BATCH = 5000;

/** `before`: JSON list of `[id of a series, time]`; points before the time are deleted, of blocks whole hours. */
const CLEARING = { before: text };
const { before } = placeholdersOf(CLEARING);

const old = row(point, "old");
/** Deletes up to a batch from `point`. Returns a row for each. */
export const CLEAR_POINTS = define(CLEARING, () =>
  sql`
  DELETE FROM ${point} WHERE (${point.seriesId}, ${point.time}) IN (
    SELECT ${old.seriesId}, ${old.time} FROM json_each(${before}) given
      CROSS JOIN ${old} ON ${old.seriesId} = given.value ->> 0 AND ${old.time} < given.value ->> 1
    LIMIT ${CLEAR_BATCH}) RETURNING 1 AS gone`);

/** CTE: the slots that may have points to delete; retention has none of them. */
const EARLY = sql`early(slot) AS MATERIALIZED (
    SELECT slots.slot FROM slots
    WHERE slots.slot <= (SELECT max(given.value ->> 1) FROM json_each(${before}) given) / ${SLOT_NS})`;

const recent = row(recentPoint, "recent");
/** The same from `recent_point`. */
export const CLEAR_RECENT = define(CLEARING, () =>
  sql`
  WITH RECURSIVE ${SLOTS}, ${EARLY}
  DELETE FROM ${recentPoint} WHERE (${recentPoint.slot}, ${recentPoint.seriesId}, ${recentPoint.time}) IN (
    SELECT ${recent.slot}, ${recent.seriesId}, ${recent.time} FROM json_each(${before}) given CROSS JOIN early
      CROSS JOIN ${recent} ON ${recent.slot} = early.slot AND ${recent.seriesId} = given.value ->> 0
        AND ${recent.time} < given.value ->> 1
    LIMIT ${CLEAR_BATCH}) RETURNING 1 AS gone`);

/** Series whose blocks a batch deletes, and hours of each. */
const SERIES_AT_ONCE = 20;
const HOURS_AT_ONCE = 250;

const { range, cleared } = rowsOf({ range: blockRange, cleared: blockRange });
/** CTE: some series with blocks to delete, and the last hour of these in this batch. */
const CHOSEN = sql`chosen(series_id, first_hour, until_hour) AS MATERIALIZED (
    SELECT ${range.seriesId}, ${range.firstHour},
      min(${range.lastHour}, (given.value ->> 1) / ${HOUR_NS} - 1, ${range.firstHour} + ${HOURS_AT_ONCE - 1})
    FROM json_each(${before}) given CROSS JOIN ${range} ON ${range.seriesId} = given.value ->> 0
      AND ${range.firstHour} < (given.value ->> 1) / ${HOUR_NS}
    LIMIT ${SERIES_AT_ONCE})`;

/** Deletes some blocks and their hours from the ranges. The first statement returns a row for each block. */
export const CLEAR_BLOCKS = [
  define(CLEARING, () =>
    sql`
    WITH RECURSIVE ${CHOSEN},
    hours(series_id, hour, until_hour) AS (
      SELECT series_id, first_hour, until_hour FROM chosen
      UNION ALL
      SELECT hours.series_id, hours.hour + 1, hours.until_hour FROM hours WHERE hours.hour < hours.until_hour)
    DELETE FROM ${block} WHERE ${block.id} IN (SELECT hour * ${BLOCKS_PER_HOUR} + series_id FROM hours)
    RETURNING 1 AS gone`),
  define(CLEARING, () =>
    sql`
    WITH ${CHOSEN}
    UPDATE ${blockRange} SET ${assigned(blockRange, { firstHour: sql`chosen.until_hour + 1` })} FROM chosen
    WHERE ${blockRange.seriesId} = chosen.series_id`),
  define(CLEARING, () =>
    sql`
    DELETE FROM ${blockRange} WHERE ${blockRange.firstHour} > ${blockRange.lastHour} AND ${blockRange.seriesId} IN (
      SELECT ${cleared.seriesId} FROM json_each(${before}) given
        CROSS JOIN ${cleared} ON ${cleared.seriesId} = given.value ->> 0)`),
] as const;

interface MoreRow {
  readonly hasMore: 0 | 1;
}

/** Whether blocks are left to delete. */
export const HAS_MORE_BLOCKS = rows<MoreRow>()(CLEARING, () =>
  sql`
  WITH ${CHOSEN} SELECT EXISTS (SELECT 1 FROM chosen) AS hasMore`);
