import type { Database } from "../../db/database.ts";
import { takingTurns } from "../../db/taking_turns.ts";
import { bind } from "../../db/statement.ts";
import { HOUR_NS } from "../points/slots.ts";
import { ColumnReading } from "../reading/column_reading.ts";
import { readPoints } from "../reading/point_reading.ts";
import { ADD_HOURS, type OldSeries } from "./clear_queries.ts";

/** Points of a series that are read at once: a day with one each minute, and some more; less of texts, up to 4 kB each. */
const POINTS_AT_ONCE = { number: 2000, boolean: 2000, string: 200 };

/** Points of a piece, which is read as a whole. */
const PIECE_POINTS = 100;

/** Series that are read at once: other work waits for some 10 ms meanwhile. */
const READ_AT_ONCE = 5;

/** Characters of summaries after which a statement ends: some 10,000 of numbers. */
const CHARACTERS_AT_ONCE = 400_000;

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
    const most = POINTS_AT_ONCE[kind];
    return { id, most, reading: new ColumnReading(query, [id, kind], "summary") };
  });
  while (signal?.aborted !== true) {
    const hungry = columns.filter(({ reading }) => !reading.isAtEnd).slice(0, READ_AT_ONCE);
    if (hungry.length === 0) return;
    const summaries: string[] = [];
    const readings = hungry.map(({ id, most, reading }) => ({
      ask: () => reading.ask(most, PIECE_POINTS),
      settle(): void {
        reading.settle();
        for (let hour = reading.key; hour !== undefined; hour = reading.key) {
          summaries.push(JSON.stringify([id, hour, reading.take()]));
        }
      },
    }));
    await readPoints(points, readings);
    while (summaries.length > 0) {
      let characters = 0;
      const end = summaries.findIndex((one) => (characters += one.length) > CHARACTERS_AT_ONCE) + 1;
      const part = summaries.splice(0, end === 0 ? summaries.length : end);
      await write([bind(ADD_HOURS, { summaries: `[${part.join(",")}]` })]);
    }
  }
}
