import { block, blockRange, point, recentPoint } from "../../db/schema/telemetry.ts";
import { int, join, nullable, placeholdersOf, row, type SQL, sql, text } from "../../db/sql.ts";
import { BLOCKS_PER_HOUR, HOUR_NS, SLOT_NS } from "../points/slots.ts";
import { SLOTS } from "../tables/slot_parts.ts";
import { timeText, valueText } from "../tables/value_parts.ts";
import { type Direction, inBothDirections } from "./point_queries.ts";

/**
 * Reads points of series, by the series' ids alone, from the three tables that may have them. One statement serves many
 * asks, because a server plans each anew. It visits them in pieces, and ends after the last ask, or once `turnValues`
 * are spent; the next statement continues there.
 *
 * `asks`: JSON list (`describeAsk`). `at`, `k`: the place in the first ask (`TurnRow`), at first null and 0.
 */
const READING = { asks: text, at: nullable(text), k: int, turnValues: int };
const { asks, at, k, turnValues } = placeholdersOf(READING);

/** The only row of a statement. */
export interface TurnRow {
  /**
   * Two lines per piece: the index of the ask, and the points: their times, separated by commas, then a tab before each
   * value. Null if nothing was found.
   */
  readonly text: string | null;
  /** The cost of the statement, in scanned values. */
  readonly spent: number;
  /** The last ask that it visited … */
  readonly n: number;
  /** … and the place of its next piece (null if there is none), and what was read before that. */
  readonly at: string | null;
  readonly k: number;
}

/** Bytes of points, and of points in blocks, that cost as much as one scanned value. */
const POINT_BYTES = 4;
const BLOCK_BYTES = 8;
/** The cost of looking for recent points of a series where there may be some, and for a block. */
const RECENT_PRICE = 30;
const BLOCK_PRICE = 1;

/** The values spent before a step, including the piece that the previous step read. */
const SPENT = sql`(walk.spent + coalesce(octet_length(walk.text) / ${POINT_BYTES}, 0))`;
const SPENT_ON_BLOCKS = sql`(walk.spent + coalesce(octet_length(walk.text) / ${BLOCK_BYTES}, 0))`;

/** The step goes on to the next ask. */
const ENTERS = sql`(walk.at IS NULL)`;

/** CTE: the asks. */
const ASKED = sql`
  asked(n, series_id, kind, from_time, to_time, row_limit) AS MATERIALIZED (
    SELECT key, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(${asks}))`;

/** Points as the second line of a piece. */
function pointsText(from: SQL): SQL {
  const times = timeText(sql`read.time`);
  const values = valueText(sql`read.value`, sql`asked.kind`);
  return sql`(SELECT group_concat(${times}) || char(9) || group_concat(${values}, char(9)) FROM (${from}) read)`;
}

/** The points of the asked series from the walk's place on. */
function pointsAhead(direction: Direction, ...columns: readonly ("time" | "value")[]): SQL {
  const ahead = row(point, "ahead");
  return sql`SELECT ${join(columns.map((name) => ahead[name]))} FROM ${ahead}
      WHERE ${ahead.seriesId} = asked.series_id AND ${
    direction.between(ahead.time, sql`walk.at`, direction.end)
  }
      ORDER BY ${ahead.time} ${direction.order}`;
}

/** `rows`: the points of a piece, unless fewer remain. */
const POINT_READING = { ...READING, rows: int };
const { rows } = placeholdersOf(POINT_READING);

/**
 * Reads `point`. A row of `walk` has the place of the next piece and the text of the previous one, whose cost therefore
 * counts from the next step on.
 */
export const READ_POINTS = inBothDirections(POINT_READING, (direction) => {
  const next = sql`(${pointsAhead(direction, "time")} LIMIT 1 OFFSET ${rows})`;
  const piece = pointsText(sql`${pointsAhead(direction, "time", "value")} LIMIT +${rows}`);
  return sql`
  WITH RECURSIVE ${ASKED},
  walk(i, n, at, k, spent, text) AS (
    SELECT 0, iif(${at} IS NULL, -1, 0), CAST(${at} AS INTEGER), ${k}, 0, NULL
    UNION ALL
    SELECT walk.i + 1, asked.n,
      CASE WHEN ${ENTERS} THEN ${direction.begin} WHEN walk.k + ${rows} < asked.row_limit THEN ${next} END,
      iif(${ENTERS}, 0, walk.k + ${rows}), ${SPENT},
      CASE WHEN NOT ${ENTERS} THEN asked.n || char(10) || ${piece} END
    FROM walk CROSS JOIN asked ON asked.n = walk.n + ${ENTERS}
    WHERE ${SPENT} < ${turnValues})
  SELECT group_concat(walk.text, char(10)) AS text, ${SPENT} AS spent, max(walk.i), walk.n,
    CAST(walk.at AS TEXT) AS at, walk.k
  FROM walk`;
});

const recent = row(recentPoint, "recent");

const ofAsk = sql`
        SELECT ${recent.time}, ${recent.value}
        FROM slots CROSS JOIN ${recent} ON ${recent.slot} = slots.slot AND ${recent.seriesId} = asked.series_id
          AND ${recent.time} BETWEEN asked.from_time AND asked.to_time
        WHERE slots.slot BETWEEN asked.from_time / ${SLOT_NS} AND asked.to_time / ${SLOT_NS}`;

/**
 * Reads `recent_point`: an ask for one point is answered with that, and others with one piece, in any order, since a
 * series has few points there (`MAX_RECENT`). To sort them here costs as much as to find them.
 */
export const READ_RECENT = inBothDirections({ asks: text, turnValues: int }, ({ order }) => {
  const firstOfAsk = sql`${ofAsk} ORDER BY ${recent.slot} ${order}, ${recent.time} ${order} LIMIT 1`;
  return sql`
  WITH RECURSIVE ${ASKED}, ${SLOTS},
  walk(n, spent, text) AS (
    SELECT -1, 0, NULL
    UNION ALL
    SELECT asked.n,
      ${SPENT} + iif(asked.to_time / ${SLOT_NS} >= (SELECT slot FROM slots LIMIT 1), ${RECENT_PRICE}, 0),
      asked.n || char(10) || iif(asked.row_limit = 1, ${pointsText(firstOfAsk)}, ${pointsText(ofAsk)})
    FROM walk CROSS JOIN asked ON asked.n = walk.n + 1
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
        WHERE ${block.id} = walk.at * ${BLOCKS_PER_HOUR} + asked.series_id)`;
  const next = sql`walk.at ${direction.forth}`;
  // Compared by order: retention may have taken the last hour since the turn before.
  const hasNext = direction.between(next, sql`walk.at`, direction.end);
  return sql`
  WITH RECURSIVE
  asked(n, series_id, from_time, to_time, row_limit) AS MATERIALIZED (
    SELECT given.key, ${range.seriesId}, max(${range.firstHour}, (given.value ->> 2) / ${HOUR_NS}),
      min(${range.lastHour}, (given.value ->> 3) / ${HOUR_NS}), given.value ->> 4
    FROM json_each(${asks}) given LEFT JOIN ${range} ON ${range.seriesId} = given.value ->> 0),
  walk(i, n, at, k, spent, text) AS (
    SELECT 0, iif(${at} IS NULL, -1, 0), CAST(${at} AS INTEGER), ${k}, 0, NULL
    UNION ALL
    SELECT walk.i + 1, asked.n,
      CASE WHEN ${ENTERS} THEN iif(asked.from_time <= asked.to_time, ${direction.begin}, NULL)
        WHEN ${hasNext} AND walk.k + (walk.text IS NOT NULL) < asked.row_limit THEN ${next} END,
      iif(${ENTERS}, 0, walk.k + (walk.text IS NOT NULL)), ${SPENT_ON_BLOCKS} + iif(${ENTERS}, 0, ${BLOCK_PRICE}),
      CASE WHEN NOT ${ENTERS} THEN asked.n || char(10) || walk.at || char(9) || ${hour} END
    FROM walk CROSS JOIN asked ON asked.n = walk.n + ${ENTERS}
    WHERE ${SPENT_ON_BLOCKS} < ${turnValues})
  SELECT group_concat(walk.text, char(10)) AS text, ${SPENT_ON_BLOCKS} AS spent, max(walk.i), walk.n,
    CAST(walk.at AS TEXT) AS at, walk.k
  FROM walk`;
});
