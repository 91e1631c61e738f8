import { point } from "../../db/schema/telemetry.ts";
import { int, join, nullable, placeholdersOf, row, type SQL, sql, text } from "../../db/sql.ts";
import { type Direction, inBothDirections, timeText, valueText } from "./point_queries.ts";

/**
 * Reads points of series, by the series' ids alone. One statement serves many asks, because a server plans each anew. It
 * visits them in pieces, and ends after the last ask, or once `turnValues` are spent; the next statement continues
 * there.
 *
 * `asks`: JSON list (`describeAsk`). `at`, `k`: the place in the first ask (`TurnRow`), at first null and 0. `rows`:
 * the points of a piece, unless fewer remain.
 */
const READING = { asks: text, at: nullable(text), k: int, rows: int, turnValues: int };
const reading = placeholdersOf(READING);

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
  /** … and the time of its next piece, in nanoseconds (null if there is none), and the points before that. */
  readonly at: string | null;
  readonly k: number;
}

/** Bytes of points that cost as much as one scanned value. */
const POINT_BYTES = 4;

/** The values spent before a step, including the piece that the previous step read. */
const SPENT = sql`(walk.spent + coalesce(octet_length(walk.text) / ${POINT_BYTES}, 0))`;

/** The step goes on to the next ask. */
const ENTERS = sql`(walk.at IS NULL)`;

/** The points of the asked series from the walk's place on. */
function pointsAhead(direction: Direction, ...columns: readonly ("time" | "value")[]): SQL {
  const ahead = row(point, "ahead");
  return sql`SELECT ${join(columns.map((name) => ahead[name]))} FROM ${ahead}
      WHERE ${ahead.seriesId} = asked.series_id AND ${
    direction.between(ahead.time, sql`walk.at`, direction.end)
  }
      ORDER BY ${ahead.time} ${direction.order}`;
}

/**
 * Reads points. A row of `walk` has the place of the next piece and the text of the previous one, whose cost therefore
 * counts from the next step on.
 */
export const READ_POINTS = inBothDirections(READING, (direction) => {
  const { asks, at, k, rows, turnValues } = reading;
  const times = timeText(sql`read.time`);
  const values = valueText(sql`read.value`, sql`asked.kind`);
  const next = sql`(${pointsAhead(direction, "time")} LIMIT 1 OFFSET ${rows})`;
  return sql`
  WITH RECURSIVE
  asked(n, series_id, kind, from_time, to_time, row_limit) AS MATERIALIZED (
    SELECT key, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(${asks})),
  walk(i, n, at, k, spent, text) AS (
    SELECT 0, iif(${at} IS NULL, -1, 0), CAST(${at} AS INTEGER), ${k}, 0, NULL
    UNION ALL
    SELECT walk.i + 1, asked.n,
      CASE WHEN ${ENTERS} THEN ${direction.begin} WHEN walk.k + ${rows} < asked.row_limit THEN ${next} END,
      iif(${ENTERS}, 0, walk.k + ${rows}), ${SPENT},
      CASE WHEN NOT ${ENTERS} THEN asked.n || char(10) || (
        SELECT group_concat(${times}) || char(9) || group_concat(${values}, char(9))
        FROM (${pointsAhead(direction, "time", "value")} LIMIT +${rows}) read) END
    FROM walk CROSS JOIN asked ON asked.n = walk.n + ${ENTERS}
    WHERE ${SPENT} < ${turnValues})
  SELECT group_concat(walk.text, char(10)) AS text, ${SPENT} AS spent, max(walk.i), walk.n,
    CAST(walk.at AS TEXT) AS at, walk.k
  FROM walk`;
});
