import { DISCOUNT_SERIES } from "../series/count_queries.ts";
import type { Database } from "../../db/database.ts";
import { bind, bindBatch, type BoundStatement } from "../../db/statement.ts";
import { hourOf } from "../points/time.ts";
import {
  CLEAR_BATCH,
  CLEAR_BLOCKS,
  CLEAR_HOURS,
  CLEAR_POINTS,
  CLEAR_RECENT,
  HAS_MORE_BLOCKS,
  OLD_SERIES,
  type OldSeries,
} from "./clear_queries.ts";
import { keepHours } from "./hour_keeping.ts";

/** A time after that of all points, as JSON. */
const ALWAYS = "9223372036854775807";

/** Maximum series of a statement that deletes all their points: each is looked for in some 90 slots, 25 ms in all. */
const SERIES_AT_ONCE = 500;

/** Series whose old points are read and deleted at once: a day of them is some 30,000 points. */
const OLD_AT_ONCE = 20;

/**
 * Deletes all points and summaries of series, in batches. `ids`: JSON list. Stops early once `signal` is aborted.
 * Returns the number of deleted points, in which a block counts once.
 */
export async function clearAll(points: Database, ids: string, signal?: AbortSignal): Promise<number> {
  const all = JSON.parse(ids) as number[];
  let deleted = 0;
  for (let at = 0; at < all.length; at += SERIES_AT_ONCE) {
    const before = listTexts(all.slice(at, at + SERIES_AT_ONCE), (id) => `[${id},${ALWAYS}]`);
    deleted += await repeat(points, bind(CLEAR_RECENT, { before }), signal);
    deleted += await clearPoints(points, before, signal);
    await repeat(points, bind(CLEAR_HOURS, { before }), signal);
  }
  // Last: until then, what is deleted is given back to the roots.
  if (signal?.aborted !== true) await points.write([bind(DISCOUNT_SERIES, { ids })]);
  return deleted;
}

/**
 * Deletes what is old of series, after it has made summaries of what is to be kept as such. `listed`: JSON list of
 * `OldSeries` with times as numbers. Stops and counts like `clearAll`. Leaves recent points alone.
 */
export async function clearOld(points: Database, listed: string, signal?: AbortSignal): Promise<number> {
  const [row] = await points.read(bind(OLD_SERIES, { listed }));
  const old = JSON.parse(row?.old ?? "[]") as OldSeries[];
  let deleted = 0;
  for (let at = 0; at < old.length && signal?.aborted !== true; at += OLD_AT_ONCE) {
    const part = old.slice(at, at + OLD_AT_ONCE);
    await keepHours(points, part.filter(isSummarized), signal);
    // Points of a summary alone: one that arrived since is for the next run.
    const before = listTexts(part, (one) => `[${one[0]},${one[2]}${isSummarized(one) ? ",1" : ""}]`);
    deleted += await clearPoints(points, before, signal);
    const hours = listTexts(part, ([id, , , time]) => `[${id},${time}]`);
    await repeat(points, bind(CLEAR_HOURS, { before: hours }), signal);
  }
  return deleted;
}

function isSummarized([, , time, hours]: OldSeries): boolean {
  return hours < hourOf(BigInt(time));
}

/** Formats a JSON list: times have 64 bits. */
function listTexts<T>(items: readonly T[], format: (item: T) => string): string {
  return `[${items.map(format).join(",")}]`;
}

/** Those in `point` go last: they count before others of the same time, which would otherwise show again. */
async function clearPoints(
  points: Database,
  before: string,
  signal: AbortSignal | undefined,
): Promise<number> {
  let deleted = 0;
  const batch = bindBatch(CLEAR_BLOCKS, { before });
  while (signal?.aborted !== true) {
    const [row] = await points.read(bind(HAS_MORE_BLOCKS, { before }));
    if (row?.hasMore !== 1) break;
    const [gone = []] = await points.write(batch);
    deleted += gone.length;
  }
  return deleted + await repeat(points, bind(CLEAR_POINTS, { before }), signal);
}

/** Repeats a statement that deletes up to a batch of rows until none are left. Returns their number. */
async function repeat(
  points: Database,
  statement: BoundStatement,
  signal: AbortSignal | undefined,
): Promise<number> {
  let deleted = 0;
  while (signal?.aborted !== true) {
    const [rows = []] = await points.write([statement]);
    deleted += rows.length;
    if (rows.length < CLEAR_BATCH) break;
  }
  return deleted;
}
