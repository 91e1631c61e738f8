import type { Database } from "../../db/database.ts";
import { takingTurns } from "../../db/taking_turns.ts";
import { bind } from "../../db/statement.ts";
import { HOUR_NS } from "../points/slots.ts";
import { ColumnReading } from "../reading/column_reading.ts";
import { readPoints } from "../reading/point_reading.ts";
import { ADD_HOURS, type OldSeries } from "./clear_queries.ts";

/** Points of a series that are read at once: a day with one each minute, and some more. */
const POINTS_AT_ONCE = 2000;

/** Series that are read at once: other work waits for some 10 ms meanwhile. */
const READ_AT_ONCE = 5;

/** Summaries that a statement adds at most. */
const HOURS_AT_ONCE = 1000;

/**
 * Makes summaries of the hours of series before a time of each, which is a whole hour. An hour that has one keeps it:
 * points that were written for it later have missed it. Stops early once `signal` is aborted.
 */
export async function keepHours(
  points: Database,
  series: readonly OldSeries[],
  signal?: AbortSignal,
): Promise<void> {
  const write = takingTurns(points);
  const columns = series.map(([id, kind, time]) => {
    const query = { from: undefined, to: BigInt(time) - 1n, window: BigInt(HOUR_NS), descending: false };
    return { id, reading: new ColumnReading(query, [id, kind], "summary") };
  });
  while (signal?.aborted !== true) {
    const hungry = columns.filter(({ reading }) => !reading.isAtEnd).slice(0, READ_AT_ONCE);
    if (hungry.length === 0) return;
    const summaries: string[] = [];
    const readings = hungry.map(({ id, reading }) => ({
      ask: () => reading.ask(POINTS_AT_ONCE, POINTS_AT_ONCE),
      settle(): void {
        reading.settle();
        for (let hour = reading.key; hour !== undefined; hour = reading.key) {
          summaries.push(JSON.stringify([id, hour, reading.take()]));
        }
      },
    }));
    await readPoints(points, readings);
    for (let at = 0; at < summaries.length; at += HOURS_AT_ONCE) {
      const part = summaries.slice(at, at + HOURS_AT_ONCE);
      await write([bind(ADD_HOURS, { summaries: `[${part.join(",")}]` })]);
    }
  }
}
