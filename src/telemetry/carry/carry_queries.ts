import { block, blockRange, carryState, point, recentPoint } from "../../db/schema/telemetry.ts";
import {
  assigned,
  bare,
  define,
  inserted,
  int,
  join,
  placeholdersOf,
  row,
  rows,
  rowsOf,
  type SQL,
  sql,
} from "../../db/sql.ts";
import { BLOCKS_PER_HOUR, HOUR_MS, HOUR_S, SLOTS_PER_HOUR } from "../points/slots.ts";
import { realText } from "../tables/value_parts.ts";

/**
 * Carries the points of an hour over from `recent_point` into blocks, in small steps that other writes pass. First the
 * hour takes no more points: later ones of it go to `point`, and count before those in a block. Then its points are
 * copied, and then deleted, so that a read that looks for recent points first misses none. The state changes in the
 * transaction of each step, so that of several processes one makes it, and a crash loses none.
 */

/** The only row. */
const isOnly = sql`${carryState.id} = 1`;

export interface CarryRow {
  readonly hour: number;
  readonly phase: 0 | 1 | 2;
  readonly copiedTo: number;
}

export const CARRY_STATE = rows<CarryRow>()({}, () =>
  sql`
  SELECT ${carryState.hour} AS hour, ${carryState.phase} AS phase, ${carryState.copiedTo} AS copiedTo
  FROM ${carryState} WHERE ${isOnly}`);

/** Lets an hour and the next one take points, if none did so far. */
export const BEGIN_CARRYING = define({ hour: int }, ({ hour }) => {
  const { names, values } = inserted(carryState, { id: 1, hour, phase: 0, copiedTo: 0 });
  return sql`INSERT INTO ${carryState} (${names}) VALUES (${values}) ON CONFLICT DO NOTHING`;
});

/** Lets the hour take no more points. */
export const SEAL_HOUR = define({ hour: int }, ({ hour }) =>
  sql`
  UPDATE ${carryState} SET ${assigned(carryState, { phase: 1, copiedTo: 0 })}
  WHERE ${isOnly} AND ${carryState.hour} = ${hour} AND ${carryState.phase} = 0`);

const COPYING = { hour: int, copiedTo: int, upTo: int };
const { hour, copiedTo, upTo } = placeholdersOf(COPYING);
const { recent, mark, state } = rowsOf({ recent: recentPoint, mark: recentPoint, state: carryState });

/** CTE: the slots of the hour. */
const SLOTS_OF_HOUR = sql`
  slots(slot) AS MATERIALIZED (
    SELECT ${hour} * ${SLOTS_PER_HOUR}
    UNION ALL
    SELECT slots.slot + 1 FROM slots WHERE slots.slot + 1 < (${hour} + 1) * ${SLOTS_PER_HOUR})`;

/** Maximum points of a step, besides further ones of its last series, and maximum series. */
const STEP_POINTS = 4000;
const STEP_SERIES = 1000;

interface StepRow {
  /** Null if no points remain. */
  readonly upTo: number | null;
}

/** A SELECT for each slot of the hour: the series of its points, in order. */
const REMAINING = Array.from({ length: SLOTS_PER_HOUR }, (_, i) =>
  sql`
      SELECT ${mark.seriesId} AS id FROM ${mark}
      WHERE ${mark.slot} = ${hour} * ${SLOTS_PER_HOUR} + ${i} AND ${mark.seriesId} > ${copiedTo}`);

/** Finds the last series of a step. SQLite merges the slots, so that it reads no more points than those of the step. */
export const NEXT_STEP = rows<StepRow>()({ hour: int, copiedTo: int }, () =>
  sql`
  SELECT max(id) AS upTo FROM (
    SELECT id FROM (${join(REMAINING, " UNION ALL ")}
      ORDER BY id LIMIT ${STEP_POINTS})
    GROUP BY id ORDER BY id LIMIT ${STEP_SERIES})`);

/** The state is as it was when the step was found. */
const IS_NEXT: SQL = sql`EXISTS (
    SELECT 1 FROM ${state} WHERE ${state.id} = 1 AND ${state.hour} = ${hour} AND ${state.phase} = 1
      AND ${state.copiedTo} = ${copiedTo})`;

/** The series of a step. */
const SERIES_OF_STEP = sql`(
    SELECT DISTINCT ${recent.seriesId} AS id FROM slots CROSS JOIN ${recent} ON ${recent.slot} = slots.slot
      AND ${recent.seriesId} > ${copiedTo} AND ${recent.seriesId} <= ${upTo}
    WHERE ${IS_NEXT}) carried`;

const time = sql`own.time`;
/** Seconds in the hour; nanoseconds since 1970 as a JSON string if not whole milliseconds. */
const OFFSET = sql`CASE WHEN ${time} % 1000000000 = 0 THEN ${time} / 1000000000 - ${hour} * ${HOUR_S}
      WHEN ${time} % 1000000 = 0 THEN (${time} / 1000000 - ${hour} * ${HOUR_MS}) / 1000.0
      ELSE '"' || ${time} || '"' END`;
/** A value as JSON; those of booleans are 0 and 1. */
const VALUE = sql`CASE typeof(own.value) WHEN 'real' THEN ${realText(sql`own.value`)}
      WHEN 'text' THEN json_quote(own.value) ELSE own.value END`;

const BLOCKS = inserted(block, {
  id: sql`${hour} * ${BLOCKS_PER_HOUR} + carried.id`,
  points: sql`(
      SELECT group_concat(${OFFSET}) || char(9) || group_concat(${VALUE}, char(9)) FROM (
        SELECT ${mark.time} AS time, ${mark.value} AS value
        FROM slots CROSS JOIN ${mark} ON ${mark.slot} = slots.slot AND ${mark.seriesId} = carried.id
        ORDER BY ${mark.time}) own)`,
});
const RANGES = inserted(blockRange, { seriesId: sql`carried.id`, firstHour: hour, lastHour: hour });

const { already, same } = rowsOf({ already: block, same: block });
/** The hour has blocks of series that are still to be copied: a clock ahead of time had it carried over before its end. */
const IS_AGAIN =
  sql`EXISTS (SELECT 1 FROM ${already} WHERE ${already.id} > ${hour} * ${BLOCKS_PER_HOUR} + ${copiedTo}
      AND ${already.id} <= ${hour} * ${BLOCKS_PER_HOUR} + ${upTo})`;
const BESIDE = inserted(point, { seriesId: recent.seriesId, time: recent.time, value: recent.value });

/** Copies the points of the series after `copiedTo` up to `upTo`: to `point`, if the series has a block of the hour. */
export const COPY_STEP = [
  define(COPYING, () =>
    sql`
  WITH RECURSIVE ${SLOTS_OF_HOUR}
  INSERT INTO ${point} (${BESIDE.names})
  SELECT ${BESIDE.values} FROM slots CROSS JOIN ${recent} ON ${recent.slot} = slots.slot
    AND ${recent.seriesId} > ${copiedTo} AND ${recent.seriesId} <= ${upTo}
  WHERE ${IS_NEXT} AND ${IS_AGAIN} AND EXISTS (
    SELECT 1 FROM ${same} WHERE ${same.id} = ${hour} * ${BLOCKS_PER_HOUR} + ${recent.seriesId})
  ON CONFLICT DO NOTHING`),
  define(COPYING, () =>
    sql`
  WITH RECURSIVE ${SLOTS_OF_HOUR}
  INSERT INTO ${block} (${BLOCKS.names})
  SELECT ${BLOCKS.values} FROM ${SERIES_OF_STEP} WHERE true ON CONFLICT DO NOTHING`),
  define(COPYING, () => {
    const { firstHour, lastHour } = blockRange;
    return sql`
  WITH RECURSIVE ${SLOTS_OF_HOUR}
  INSERT INTO ${blockRange} (${RANGES.names})
  SELECT ${RANGES.values} FROM ${SERIES_OF_STEP} WHERE true
  ON CONFLICT (${bare(blockRange.seriesId)}) DO UPDATE SET ${
      assigned(blockRange, {
        firstHour: sql`min(${firstHour}, excluded.first_hour)`,
        lastHour: sql`max(${lastHour}, excluded.last_hour)`,
      })
    }`;
  }),
  define(COPYING, () =>
    sql`
  UPDATE ${carryState} SET ${assigned(carryState, { copiedTo: upTo })} WHERE ${isOnly} AND ${IS_NEXT}`),
] as const;

/** All points of the hour are copied. */
export const END_COPYING = define({ hour: int, copiedTo: int }, () =>
  sql`
  UPDATE ${carryState} SET ${assigned(carryState, { phase: 2 })} WHERE ${isOnly} AND ${IS_NEXT}`);

/** Maximum points that a statement deletes. */
export const DELETE_BATCH = 5000;

/** Deletes copied points, the first ones. Returns a row for each. */
export const DELETE_COPIED = define({ hour: int }, () => {
  const old = row(recentPoint, "old");
  return sql`
  DELETE FROM ${recentPoint} WHERE (${recentPoint.slot}, ${recentPoint.seriesId}, ${recentPoint.time}) IN (
    SELECT ${old.slot}, ${old.seriesId}, ${old.time} FROM ${old}
    WHERE ${old.slot} < (${hour} + 1) * ${SLOTS_PER_HOUR} AND EXISTS (
      SELECT 1 FROM ${state} WHERE ${state.id} = 1 AND ${state.hour} = ${hour} AND ${state.phase} = 2)
    ORDER BY ${old.slot}, ${old.seriesId}, ${old.time} LIMIT ${DELETE_BATCH}) RETURNING 1 AS gone`;
});

/** Goes on with the next hour that may have points, at most the present one. */
export const NEXT_HOUR = define({ hour: int, presentHour: int }, ({ presentHour }) => {
  const first = row(recentPoint, "first");
  const withPoints = sql`(SELECT min(${first.slot}) / ${SLOTS_PER_HOUR} FROM ${first})`;
  return sql`
  UPDATE ${carryState} SET ${
    assigned(carryState, {
      hour: sql`max(${hour} + 1, min(${presentHour}, coalesce(${withPoints}, ${presentHour})))`,
      phase: 0,
      copiedTo: 0,
    })
  }
  WHERE ${isOnly} AND ${carryState.hour} = ${hour} AND ${carryState.phase} = 2
    AND NOT EXISTS (SELECT 1 FROM ${first} WHERE ${first.slot} < (${hour} + 1) * ${SLOTS_PER_HOUR})`;
});

/** Goes back to the present hour from one that a clock ahead of time has chosen. */
export const RETURN_TO_PRESENT = define({ hour: int, presentHour: int }, ({ hour, presentHour }) =>
  sql`
  UPDATE ${carryState} SET ${assigned(carryState, { hour: presentHour })}
  WHERE ${isOnly} AND ${carryState.hour} = ${hour} AND ${carryState.phase} = 0`);
