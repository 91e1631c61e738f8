import { point } from "../../db/schema/telemetry.ts";
import { int, join, nullable, placeholdersOf, quoted, row, type SQL, sql, text } from "../../db/sql.ts";
import { type Aggregate, AGGREGATES } from "../points/query.ts";
import { type Direction, inBothDirections, realText, timeText, valueText } from "./point_queries.ts";

/**
 * Reads points of series, by the series' ids alone. One statement serves many asks, because a server plans each anew. It
 * visits them in pieces: a few points, or the function of one window. It ends after the last ask, or once `turnValues`
 * are spent; the next statement continues there.
 *
 * `asks`: JSON list (`describeAsk`). `at`, `k`: the place in the first ask (`TurnRow`), at first null and 0. `rows`: those of a
 * piece, unless fewer remain.
 */
const READING = { asks: text, at: nullable(text), k: int, rows: int, turnValues: int };
const reading = placeholdersOf(READING);

/** The only row of a statement. */
export interface TurnRow {
  /**
   * Two lines per piece: `scanned,n`, and the points. `scanned`: the values scanned by a function; `n`: the index of
   * the ask. Null if nothing was found.
   */
  readonly text: string | null;
  /** The cost of the statement, in scanned values. */
  readonly spent: number;
  /** The last ask that it visited … */
  readonly n: number;
  /** … and the time of its next piece, in nanoseconds (null if there is none), and the rows before that. */
  readonly at: string | null;
  readonly k: number;
}

/** The parts that differ between the statements. */
interface WalkParts {
  /** The time of an ask's first piece; null if it has none. */
  readonly first: SQL;
  /** The time of the piece after `walk.at`; null if there is none. */
  readonly next: SQL;
  /** The text of the piece at `walk.at`, or null. `head` is the end of its first line, after `scanned`. */
  piece(head: SQL): SQL;
}

/** The cost of a window, in scanned values. */
const WINDOW_PRICE = 40;
/** Bytes of points that cost as much as one scanned value. */
const ROW_BYTES = 4;

/** The values spent before a step, including the piece that the previous step read. */
const SPENT =
  sql`(walk.spent + coalesce(CAST(walk.text AS INTEGER) + octet_length(walk.text) / ${ROW_BYTES}, 0))`;

/** The step goes on to the next ask. */
const ENTERS = sql`(walk.at IS NULL)`;

/**
 * Builds the statement. A row of `walk` has the place of the next piece and the text of the previous one, whose cost
 * therefore counts from the next step on.
 */
function walkAsks({ first, next, piece }: WalkParts): SQL {
  const { asks, at, k, rows, turnValues } = reading;
  return sql`
  WITH RECURSIVE
  asked(n, series_id, kind, from_time, to_time, row_limit, window, aggregate) AS MATERIALIZED (
    SELECT key, value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6
    FROM json_each(${asks})),
  walk(i, n, at, k, spent, text) AS (
    SELECT 0, iif(${at} IS NULL, -1, 0), CAST(${at} AS INTEGER), ${k}, 0, NULL
    UNION ALL
    SELECT walk.i + 1, asked.n,
      CASE WHEN ${ENTERS} THEN ${first} WHEN walk.k + ${rows} < asked.row_limit THEN ${next} END,
      iif(${ENTERS}, 0, walk.k + ${rows}), ${SPENT},
      CASE WHEN NOT ${ENTERS} THEN ${piece(sql`asked.n || char(10)`)} END
    FROM walk CROSS JOIN asked ON asked.n = walk.n + ${ENTERS}
    WHERE ${SPENT} < ${turnValues})
  SELECT group_concat(walk.text, char(10)) AS text, ${SPENT} AS spent, max(walk.i), walk.n,
    CAST(walk.at AS TEXT) AS at, walk.k
  FROM walk`;
}

/** The points of the asked series from a time on. */
function pointsFrom(from: SQL, direction: Direction, ...columns: readonly ("time" | "value")[]): SQL {
  const ahead = row(point, "ahead");
  return sql`SELECT ${join(columns.map((name) => ahead[name]))} FROM ${ahead}
      WHERE ${ahead.seriesId} = asked.series_id AND ${direction.between(ahead.time, from, direction.end)}
      ORDER BY ${ahead.time} ${direction.order}`;
}

/** Reads points: a piece is one line with the times, separated by commas, then a tab before each value. */
export const READ_POINTS = inBothDirections(READING, (direction) =>
  walkAsks({
    first: direction.begin,
    next: sql`(${pointsFrom(sql`walk.at`, direction, "time")} LIMIT 1 OFFSET ${reading.rows})`,
    piece: (head) => {
      const times = timeText(sql`read.time`);
      const values = valueText(sql`read.value`, sql`asked.kind`);
      return sql`'0,' || ${head} || (
      SELECT group_concat(${times}) || char(9) || group_concat(${values}, char(9))
      FROM (${pointsFrom(sql`walk.at`, direction, "time", "value")} LIMIT +${reading.rows}) read)`;
    },
  }));

/** The far end of the current window, or of the range without windows. */
function windowEnd(direction: Direction): SQL {
  return sql`coalesce(${direction.windowEnd(sql`walk.at`)}, ${direction.end})`;
}

/** Returns the function of the points `inside`, as JSON; null if it overflows a double. */
function cell(inside: SQL): SQL {
  const [made, number] = [sql`made.value`, sql`CAST(${point.value} AS REAL)`];
  const computed = (expression: SQL): SQL =>
    sql`(
    SELECT CASE WHEN abs(${made}) <= 1.7976931348623157e308 THEN ${realText(made)} END
    FROM (SELECT ${expression} AS value FROM ${point} WHERE ${inside}) made)`;
  const picked = (expression: SQL): SQL =>
    sql`(
    SELECT ${valueText(made, sql`asked.kind`)}
    FROM (SELECT ${expression} AS value FROM ${point} WHERE ${inside}) made)`;
  const endmost = (order: SQL): SQL =>
    sql`(
    SELECT ${valueText(point.value, sql`asked.kind`)}
    FROM ${point} WHERE ${inside} ORDER BY ${point.time} ${order} LIMIT 1)`;
  const cells: Readonly<Record<Aggregate, SQL>> = {
    sum: computed(sql`sum(${number})`),
    mean: computed(sql`avg(${number})`),
    min: picked(sql`min(${point.value})`),
    max: picked(sql`max(${point.value})`),
    count: sql`(SELECT count(*) FROM ${point} WHERE ${inside})`,
    first: endmost(sql``),
    last: endmost(sql`DESC`),
  };
  const cases = AGGREGATES.map((name) => sql`WHEN ${quoted(name)} THEN ${cells[name]}`);
  return sql`CASE asked.aggregate ${join(cases, " ")} END`;
}

/** The number of the current window since 1970, rounded down, while `/` truncates. */
const WINDOW_NUMBER = sql`walk.at / asked.window - (walk.at % asked.window < 0)`;

const FUNCTIONS = { ...READING, cellValues: int };
const { cellValues } = placeholdersOf(FUNCTIONS);

/**
 * Reads functions: a piece is one window, or the whole range. Its line has the window's number since 1970 (empty without
 * windows), a comma and the value. It is empty if the function would scan more than `cellValues` values; counting
 * costs a fraction of reading. The walk goes to the first point beyond each window, so that empty windows, and points
 * beyond a limit, cost nothing.
 */
export const READ_FUNCTIONS = inBothDirections(FUNCTIONS, (direction) => {
  const inside = sql`${point.seriesId} = asked.series_id
        AND ${direction.between(point.time, sql`walk.at`, windowEnd(direction))}`;
  const beyondWindow = sql`${direction.windowEnd(sql`walk.at`)} ${direction.forth}`;
  return walkAsks({
    first: sql`(${pointsFrom(direction.begin, direction, "time")} LIMIT 1)`,
    next: sql`CASE WHEN asked.window IS NOT NULL THEN (
        ${pointsFrom(beyondWindow, direction, "time")} LIMIT 1) END`,
    piece: (head) =>
      sql`(
      SELECT (counted.scanned + ${WINDOW_PRICE}) || ',' || ${head} || iif(counted.scanned > ${cellValues}, '',
        coalesce(${WINDOW_NUMBER}, '') || ',' || coalesce(${cell(inside)}, 'null'))
      FROM (
        SELECT count(*) AS scanned FROM (
          SELECT 1 FROM ${point} WHERE asked.aggregate NOT IN ('first', 'last') AND ${inside}
          LIMIT +${cellValues} + 1)) counted)`,
  });
});
