import { block, blockRange, hourSummary, point, recentPoint } from "../../db/schema/telemetry.ts";
import {
  int,
  nullable,
  placeholdersOf,
  row,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
  type ValuesOf,
} from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { BLOCKS_PER_HOUR, HOUR_NS, SLOT_NS } from "../points/slots.ts";
import { SLOTS } from "../tables/slot_parts.ts";
import { timeText, valueText } from "../tables/value_parts.ts";
import { type Directed, inBothDirections, type TurnRow } from "./point_queries.ts";

/**
 * Reads points of series, by the series' ids alone, from the tables that may have them. One statement serves many
 * asks, because a server plans each anew. It visits them in pieces, and ends after the last ask, or once `turnValues`
 * are spent; the next statement continues there.
 *
 * `asks`: JSON list (`describeAsk`). `at`, `k`: the place in the first ask (`TurnRow`), at first null and 0.
 */
const READING = { asks: text, at: nullable(text), k: int, turnValues: int };
const { asks, at, k, turnValues } = placeholdersOf(READING);

/** Bytes of points, of points in blocks, and of hours, that cost as much as one scanned value. */
const POINT_BYTES = 4;
const BLOCK_BYTES = 8;
const HOUR_BYTES = 24;
/** The cost of looking for recent points of a series where there may be some, and for a block. */
const RECENT_PRICE = 60;
const BLOCK_PRICE = 10;

/** The values spent before a step, including the piece that the previous step read. */
function spentOf(bytes: number): SQL {
  return sql`(walk.spent + coalesce(octet_length(walk.text) / ${bytes}, 0))`;
}
const SPENT = spentOf(POINT_BYTES);
const SPENT_ON_BLOCKS = spentOf(BLOCK_BYTES);

/** The step goes on to the next ask. */
const ENTERS = sql`(walk.at IS NULL)`;

/** CTE: the asks. */
const ASKED = sql`
  requested(n, series_id, kind, from_time, to_time, row_limit) AS MATERIALIZED (
    SELECT key, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(${asks}))`;

const VALUE = valueText(sql`read.value`, sql`requested.kind`);

const TIME = timeText(sql`read.time`);

/** The second line of a piece, from rows with a time and a value. */
function linesOf(from: SQL, time: SQL = TIME, value: SQL = VALUE): SQL {
  return sql`(SELECT group_concat(${time}) || char(9) || group_concat(${value}, char(9)) FROM (${from}) read)`;
}

/** `rows`: those of a piece, unless fewer remain. */
const SERIES_READING = { ...READING, rows: int };
const { rows } = placeholdersOf(SERIES_READING);

/** A table whose rows follow each other in time within a series. */
interface SeriesTable {
  readonly table: SQL;
  readonly seriesId: Value;
  readonly time: Value;
  readonly value: Value;
  /** Both as text, of `read.time` and `read.value`. */
  readonly timeText: SQL;
  readonly valueText: SQL;
  /** Bytes of it that cost as much as one scanned value. */
  readonly bytes: number;
}

/**
 * Reads rows of series. A row of `walk` has the place of the next piece and the text of the previous one, whose cost
 * therefore counts from the next step on.
 */
function readSeries(of: SeriesTable): Directed<Statement<ValuesOf<typeof SERIES_READING>, TurnRow>> {
  const spent = spentOf(of.bytes);
  return inBothDirections(SERIES_READING, (direction) => {
    const ahead = sql`FROM ${of.table}
      WHERE ${of.seriesId} = requested.series_id AND ${
      direction.between(of.time, sql`walk.at`, direction.end)
    }
      ORDER BY ${of.time} ${direction.order}`;
    const next = sql`(SELECT ${of.time} ${ahead} LIMIT 1 OFFSET ${rows})`;
    const piece = linesOf(
      sql`SELECT ${of.time} AS time, ${of.value} AS value ${ahead} LIMIT +${rows}`,
      of.timeText,
      of.valueText,
    );
    return sql`
  WITH RECURSIVE ${ASKED},
  walk(i, n, at, k, spent, text) AS (
    SELECT 0, iif(${at} IS NULL, -1, 0), CAST(${at} AS INTEGER), ${k}, 0, NULL
    UNION ALL
    SELECT walk.i + 1, requested.n,
      CASE WHEN ${ENTERS} THEN ${direction.begin} WHEN walk.k + ${rows} < requested.row_limit THEN ${next} END,
      iif(${ENTERS}, 0, walk.k + ${rows}), ${spent},
      CASE WHEN NOT ${ENTERS} THEN requested.n || char(10) || ${piece} END
    FROM walk CROSS JOIN requested ON requested.n = walk.n + ${ENTERS}
    WHERE ${spent} < ${turnValues})
  SELECT group_concat(walk.text, char(10)) AS text, ${spent} AS spent, max(walk.i), walk.n,
    CAST(walk.at AS TEXT) AS at, walk.k
  FROM walk`;
  });
}

const { ofPoint, ofHour } = rowsOf({ ofPoint: point, ofHour: hourSummary });

export const READ_POINTS = readSeries({
  table: sql`${ofPoint}`,
  seriesId: ofPoint.seriesId,
  time: ofPoint.time,
  value: ofPoint.value,
  timeText: TIME,
  valueText: VALUE,
  bytes: POINT_BYTES,
});

/** Reads summaries of hours. Times are hours since 1970, those of asks, too. */
export const READ_HOURS = readSeries({
  table: sql`${ofHour}`,
  seriesId: ofHour.seriesId,
  time: ofHour.hour,
  value: ofHour.summary,
  timeText: sql`read.time`,
  valueText: sql`read.value`,
  bytes: HOUR_BYTES,
});

const recent = row(recentPoint, "recent");

const ofAsk = sql`
        SELECT ${recent.time}, ${recent.value}
        FROM slots CROSS JOIN ${recent} ON ${recent.slot} = slots.slot AND ${recent.seriesId} = requested.series_id
          AND ${recent.time} BETWEEN requested.from_time AND requested.to_time
        WHERE slots.slot BETWEEN requested.from_time / ${SLOT_NS} AND requested.to_time / ${SLOT_NS}`;

/**
 * Reads `recent_point`: an ask for few points is answered with these, and others with one piece of all, in any order,
 * since a series has few there (`MAX_RECENT`). To sort them here costs as much as to find them.
 */
export const READ_RECENT = inBothDirections({ asks: text, rows: int, turnValues: int }, ({ order }) => {
  const firstOfAsk = sql`${ofAsk} ORDER BY ${recent.slot} ${order}, ${recent.time} ${order} LIMIT +${rows}`;
  return sql`
  WITH RECURSIVE ${ASKED}, ${SLOTS},
  walk(n, spent, text) AS (
    SELECT -1, 0, NULL
    UNION ALL
    SELECT requested.n,
      ${SPENT} + iif(requested.to_time / ${SLOT_NS} >= (SELECT slot FROM slots LIMIT 1), ${RECENT_PRICE}, 0),
      requested.n || char(10) || iif(requested.row_limit <= ${rows}, ${linesOf(firstOfAsk)}, ${
    linesOf(ofAsk)
  })
    FROM walk CROSS JOIN requested ON requested.n = walk.n + 1
    WHERE ${SPENT} < ${turnValues})
  SELECT group_concat(walk.text, char(10)) AS text, ${SPENT} AS spent, max(walk.n) AS n, NULL AS at, 0 AS k
  FROM walk`;
});

/**
 * Reads `block`: a piece is an hour, its number and a tab before the points. The limit of an ask is one of blocks. `at`
 * is an hour.
 */
export const READ_BLOCKS = inBothDirections(READING, (direction) => {
  const range = row(blockRange, "range");
  const hour = sql`(SELECT ${block.points} FROM ${block}
        WHERE ${block.id} = walk.at * ${BLOCKS_PER_HOUR} + requested.series_id)`;
  const next = sql`walk.at ${direction.forth}`;
  // Compared by order: retention may have taken the last hour since the turn before.
  const hasNext = direction.between(next, sql`walk.at`, direction.end);
  return sql`
  WITH RECURSIVE
  requested(n, series_id, from_time, to_time, row_limit) AS MATERIALIZED (
    SELECT given.key, ${range.seriesId}, max(${range.firstHour}, (given.value ->> 2) / ${HOUR_NS}),
      min(${range.lastHour}, (given.value ->> 3) / ${HOUR_NS}), given.value ->> 4
    FROM json_each(${asks}) given LEFT JOIN ${range} ON ${range.seriesId} = given.value ->> 0),
  walk(i, n, at, k, spent, text) AS (
    SELECT 0, iif(${at} IS NULL, -1, 0), CAST(${at} AS INTEGER), ${k}, 0, NULL
    UNION ALL
    SELECT walk.i + 1, requested.n,
      CASE WHEN ${ENTERS} THEN iif(requested.from_time <= requested.to_time, ${direction.begin}, NULL)
        WHEN ${hasNext} AND walk.k + (walk.text IS NOT NULL) < requested.row_limit THEN ${next} END,
      iif(${ENTERS}, 0, walk.k + (walk.text IS NOT NULL)), ${SPENT_ON_BLOCKS} + iif(${ENTERS}, 0, ${BLOCK_PRICE}),
      CASE WHEN NOT ${ENTERS} THEN requested.n || char(10) || walk.at || char(9) || ${hour} END
    FROM walk CROSS JOIN requested ON requested.n = walk.n + ${ENTERS}
    WHERE ${SPENT_ON_BLOCKS} < ${turnValues})
  SELECT group_concat(walk.text, char(10)) AS text, ${SPENT_ON_BLOCKS} AS spent, max(walk.i), walk.n,
    CAST(walk.at AS TEXT) AS at, walk.k
  FROM walk`;
});
