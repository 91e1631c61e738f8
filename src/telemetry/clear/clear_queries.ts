import { block, blockRange, hourSummary, point, recentPoint } from "../../db/schema/telemetry.ts";
import { assigned, define, inserted, placeholdersOf, row, rows, rowsOf, sql, text } from "../../db/sql.ts";
import type { FieldKind } from "../points/point.ts";
import { BLOCKS_PER_HOUR, HOUR_NS } from "../points/slots.ts";
import { SLOTS } from "../tables/slot_parts.ts";

/** Deletes points of series, and summaries of their hours, by the series' ids alone. */

/** Maximum number of rows per deleting statement: other writes wait for it. */
export const CLEAR_BATCH = 5000;

/**
 * `before`: JSON list of `[id of a series, time]`; rows before the time are deleted, of blocks whole hours. A third
 * element 1 spares points whose hour has no summary.
 */
const CLEARING = { before: text };
const { before } = placeholdersOf(CLEARING);

const { old, kept, early } = rowsOf({ old: point, kept: hourSummary, early: hourSummary });
/** Deletes up to a batch from `point`. Returns a row for each. */
export const CLEAR_POINTS = define(CLEARING, () =>
  sql`
  DELETE FROM ${point} WHERE (${point.seriesId}, ${point.time}) IN (
    SELECT ${old.seriesId}, ${old.time} FROM json_each(${before}) given
      CROSS JOIN ${old} ON ${old.seriesId} = given.value ->> 0 AND ${old.time} < given.value ->> 1
    WHERE given.value ->> 2 IS NULL OR EXISTS (
      SELECT 1 FROM ${kept} WHERE ${kept.seriesId} = given.value ->> 0
        AND ${kept.hour} = (${old.time} - (${old.time} % ${HOUR_NS} + ${HOUR_NS}) % ${HOUR_NS}) / ${HOUR_NS})
    LIMIT ${CLEAR_BATCH}) RETURNING 1 AS gone`);

/** The same from the summaries of hours; each time is an hour since 1970. */
export const CLEAR_HOURS = define(CLEARING, () =>
  sql`
  DELETE FROM ${hourSummary} WHERE (${hourSummary.seriesId}, ${hourSummary.hour}) IN (
    SELECT ${early.seriesId}, ${early.hour} FROM json_each(${before}) given
      CROSS JOIN ${early} ON ${early.seriesId} = given.value ->> 0 AND ${early.hour} < given.value ->> 1
    LIMIT ${CLEAR_BATCH}) RETURNING 1 AS gone`);

const recent = row(recentPoint, "recent");
/** The same from `recent_point`. */
export const CLEAR_RECENT = define(CLEARING, () =>
  sql`
  WITH RECURSIVE ${SLOTS}
  DELETE FROM ${recentPoint} WHERE (${recentPoint.slot}, ${recentPoint.seriesId}, ${recentPoint.time}) IN (
    SELECT ${recent.slot}, ${recent.seriesId}, ${recent.time} FROM json_each(${before}) given CROSS JOIN slots
      CROSS JOIN ${recent} ON ${recent.slot} = slots.slot AND ${recent.seriesId} = given.value ->> 0
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

interface OldRow {
  /** JSON list of `OldSeries`. */
  readonly old: string;
}

/**
 * A series with rows to delete: points before `time`, in nanoseconds, which a number would round; summaries before the
 * hour `hours`.
 */
export type OldSeries = readonly [id: number, kind: FieldKind, time: string, hours: number];

/** Finds series with rows to delete. `listed`: JSON list of all in question, each like `OldSeries` with times as numbers. */
export const OLD_SERIES = rows<OldRow>()({ listed: text }, ({ listed }) => {
  return sql`
  SELECT json_group_array(json_array(one.id, one.kind, CAST(one.time AS TEXT), one.hours)) AS old
  FROM (
    SELECT given.value ->> 0 AS id, given.value ->> 1 AS kind, given.value ->> 2 AS time, given.value ->> 3 AS hours
    FROM json_each(${listed}) given) one
  WHERE EXISTS (SELECT 1 FROM ${old} WHERE ${old.seriesId} = one.id AND ${old.time} < one.time)
    OR EXISTS (
      SELECT 1 FROM ${range} WHERE ${range.seriesId} = one.id AND (${range.firstHour} + 1) * ${HOUR_NS} <= one.time)
    OR EXISTS (SELECT 1 FROM ${early} WHERE ${early.seriesId} = one.id AND ${early.hour} < one.hours)`;
});

/** Adds summaries, except of hours that have one. `summaries`: JSON list of `[id, hour, HourSummary as text]`. */
export const ADD_HOURS = define({ summaries: text }, ({ summaries }) => {
  const { names, values } = inserted(hourSummary, {
    seriesId: sql`given.value ->> 0`,
    hour: sql`given.value ->> 1`,
    summary: sql`given.value ->> 2`,
  });
  return sql`
  INSERT INTO ${hourSummary} (${names}) SELECT ${values} FROM json_each(${summaries}) given WHERE true
  ON CONFLICT DO NOTHING`;
});
