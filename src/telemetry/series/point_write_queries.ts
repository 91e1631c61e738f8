import { carryState, point, recentPoint } from "../../db/schema/telemetry.ts";
import {
  bare,
  type Declared,
  define,
  inserted,
  int,
  placeholdersOf,
  rowsOf,
  type SQL,
  sql,
  takenOver,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { SLOT_NS } from "../points/slots.ts";
import { IS_FULL, LIMIT } from "./count_queries.ts";
import { PARTS } from "./write_parts.ts";
import { ACCEPTED, elementsOf, SETTLED, SETTLED_COLUMNS, type SettledRow } from "./write_queries.ts";

/**
 * Writes points: those of the open hours to `recent_point`, others to `point`. Points in `point` count before others of
 * the same time: a time that is there is written there again.
 */

/**
 * `openFrom`: the first hour that takes recent points, as the writer knows it; -1 if it writes none of them. `recents`:
 * the number of recent points.
 */
const WRITING = { openFrom: int, recents: int };
const { openFrom, recents } = placeholdersOf(WRITING);

/** The hours since 1970 that take recent points; -1 if none does. */
export interface OpenHours {
  readonly openFrom: number;
  readonly openUntil: number;
}

const { hour, phase } = carryState;
const FIRST_OPEN =
  sql`coalesce((SELECT ${hour} + (${phase} > 0) FROM ${carryState} WHERE ${carryState.id} = 1), -1)`;
const OPEN_COLUMNS = sql`${FIRST_OPEN} AS openFrom,
    coalesce((SELECT ${hour} + 1 FROM ${carryState} WHERE ${carryState.id} = 1), -1) AS openUntil`;

/** CTE: a row if the write is accepted, the hours that it takes for open are, and its roots have room. */
const TAKEN = sql`taken AS MATERIALIZED (
    SELECT 1 FROM accepted WHERE (${openFrom} = -1 OR ${openFrom} = ${FIRST_OPEN}) AND NOT ${IS_FULL})`;

/** Maximum points of a series in a slot of `recent_point`. More lie well in `point`, and a read takes all at once. */
export const MAX_RECENT = 16;

const [id, at] = [sql`CAST(given.key AS INTEGER)`, sql`CAST(of_time.key AS INTEGER)`];
/** A FROM clause: the elements of `recent`: objects with an object for each time, which has a value for each series. */
const RECENT_ELEMENTS = sql`(VALUES (${placeholdersOf(PARTS.recent).recent0}), (${
  placeholdersOf(PARTS.recent).recent1
}), (${placeholdersOf(PARTS.recent).recent2})) part
      CROSS JOIN json_each(part.column1) of_time CROSS JOIN json_each(of_time.value) given`;

const { there, held } = rowsOf({ there: point, held: recentPoint });
/** The point belongs to `point`: its time is there, or its slot is full. */
const IS_DIVERTED: SQL = sql`(EXISTS (
      SELECT 1 FROM ${there} WHERE ${there.seriesId} = ${id} AND ${there.time} = ${at})
    OR EXISTS (SELECT 1 FROM ${held} WHERE ${held.slot} = ${at} / ${SLOT_NS} AND ${held.seriesId} = ${id}
      LIMIT 1 OFFSET ${MAX_RECENT - 1}))`;

const RECENT = inserted(recentPoint, {
  slot: sql`${at} / ${SLOT_NS}`,
  seriesId: id,
  time: at,
  value: sql`given.value`,
});
const DIVERTED = inserted(point, { seriesId: id, time: at, value: sql`given.value` });
const WRITTEN = inserted(point, {
  // The number that the text begins with.
  seriesId: id,
  time: sql`CAST(substr(given.key, instr(given.key, ' ') + 1) AS INTEGER)`,
  value: sql`given.value`,
});

/** The point takes the place of one with the same time. */
const REPLACES = sql`ON CONFLICT (${bare(point.seriesId, point.time)}) DO UPDATE SET ${
  takenOver(point.value)
}`;

/** The batches of a write, by the lists that it has. One statement of each returns the row. */
export interface PointWrites {
  readonly recent: readonly Statement[];
  readonly points: readonly Statement[];
  readonly both: readonly Statement[];
}

/**
 * Returns the batches. `accepted`: a CTE with a row if the write is accepted, and its arguments. `columns`: of the
 * returned row, besides whether the write took effect and the open hours. SQLite parses about one in 6000 decimals of 17
 * digits as a neighbour of the nearest double.
 */
function pointWrites(accepted: SQL, declared: Declared, columns: SQL): PointWrites {
  const given = { ...declared, ...LIMIT, openFrom: int };
  const writeRecent = define({ ...given, ...PARTS.recent }, () =>
    sql`
    WITH ${accepted}, ${TAKEN}
    INSERT INTO ${recentPoint} (${RECENT.names})
    SELECT ${RECENT.values} FROM taken CROSS JOIN ${RECENT_ELEMENTS} WHERE NOT ${IS_DIVERTED}
    ON CONFLICT (${bare(recentPoint.slot, recentPoint.seriesId, recentPoint.time)})
    DO UPDATE SET ${takenOver(recentPoint.value)}`);
  // Right after a statement that writes points: without a change it looks once more.
  const outcome = define(given, () =>
    sql`
    WITH ${accepted}, ${TAKEN}
    SELECT CASE WHEN changes() > 0 THEN 1 ELSE EXISTS (SELECT 1 FROM taken) END AS accepted, CASE WHEN changes() = 0 THEN ${IS_FULL} ELSE 0 END AS isFull, ${columns}${OPEN_COLUMNS}`);
  // Those that the first statement left out. Its changes show that it was accepted; rights are judged again without any.
  const divert = define({ ...given, ...WRITING, ...PARTS.recent }, () =>
    sql`
    WITH ${accepted}, ${TAKEN}
    INSERT INTO ${point} (${DIVERTED.names})
    SELECT ${DIVERTED.values}
    FROM (SELECT 1 WHERE changes() <> ${recents} AND (changes() > 0 OR EXISTS (SELECT 1 FROM taken)))
      CROSS JOIN ${RECENT_ELEMENTS}
    WHERE ${IS_DIVERTED} ${REPLACES}`);
  const writePoints = define({ ...given, ...PARTS.points }, () =>
    sql`
    WITH ${accepted}, ${TAKEN}
    INSERT INTO ${point} (${WRITTEN.names})
    SELECT ${WRITTEN.values} FROM taken CROSS JOIN ${elementsOf("points")} WHERE true ${REPLACES}`);
  // Right after `divert`, which may make a root full: its changes show that the write was accepted. Without any, the
  // bytes are still those that the first statement saw.
  const writeOthers = define({ ...given, ...PARTS.points }, () =>
    sql`
    WITH ${accepted}, ${TAKEN}
    INSERT INTO ${point} (${WRITTEN.names})
    SELECT ${WRITTEN.values} FROM (SELECT 1 WHERE changes() > 0 OR EXISTS (SELECT 1 FROM taken))
      CROSS JOIN ${elementsOf("points")} WHERE true ${REPLACES}`);
  return {
    recent: [writeRecent, outcome, divert],
    points: [writePoints, outcome],
    both: [writeRecent, outcome, divert, writeOthers],
  };
}

/** What a store notices of a write. */
export interface NoticedRow extends OpenHours {
  readonly accepted: 0 | 1;
  /** A root that the write counts to is full: if the write is not accepted, this is why. */
  readonly isFull: 0 | 1;
}

/** The row that a write returns. */
export type WrittenRow = SettledRow & NoticedRow;

/** Writes points and their authorization in one transaction. Returns a `WrittenRow`. */
export const WRITE_POINTS = pointWrites(ACCEPTED, SETTLED, sql`${SETTLED_COLUMNS}, `);

/** Writes points whose request another database has accepted. Returns a `NoticedRow`. */
export const WRITE_ACCEPTED = pointWrites(sql`accepted AS MATERIALIZED (SELECT 1)`, {}, sql``);
