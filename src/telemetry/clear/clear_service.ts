import type { Database } from "../../db/database.ts";
import { bind, bindBatch, type BoundStatement } from "../../db/statement.ts";
import { CLEAR_BATCH, CLEAR_BLOCKS, CLEAR_POINTS, CLEAR_RECENT, HAS_MORE_BLOCKS } from "./clear_queries.ts";

/** A time after that of all points, as JSON. */
const ALWAYS = "9223372036854775807";

/** Maximum series of a statement that deletes all their points: each is looked for in some 90 slots, 25 ms in all. */
const SERIES_AT_ONCE = 500;

/** Deletes all points of series, in batches. `ids`: JSON list. Like `clearBefore`. */
export async function clearAll(points: Database, ids: string, signal?: AbortSignal): Promise<number> {
  const all = JSON.parse(ids) as number[];
  let deleted = 0;
  for (let at = 0; at < all.length; at += SERIES_AT_ONCE) {
    const part = all.slice(at, at + SERIES_AT_ONCE).map((id) => `[${id},${ALWAYS}]`);
    deleted += await clearBefore(points, `[${part.join(",")}]`, signal);
  }
  return deleted;
}

/**
 * Deletes points of series before a time of each, in batches. `before`: JSON list of `[id, time in nanoseconds]`. Stops
 * early once `signal` is aborted. Returns the number of deleted points, in which a block counts once. Those in `point`
 * go last: they count before others of the same time, which would otherwise show again.
 */
export async function clearBefore(points: Database, before: string, signal?: AbortSignal): Promise<number> {
  if (before === "[]") return 0;
  const recent = await repeat(points, bind(CLEAR_RECENT, { before }), signal);
  const blocks = await clearBlocks(points, before, signal);
  return recent + blocks + await repeat(points, bind(CLEAR_POINTS, { before }), signal);
}

/** The same, of blocks alone. */
export async function clearBlocks(points: Database, before: string, signal?: AbortSignal): Promise<number> {
  let deleted = 0;
  const batch = bindBatch(CLEAR_BLOCKS, { before });
  while (signal?.aborted !== true) {
    const [row] = await points.read(bind(HAS_MORE_BLOCKS, { before }));
    if (row?.hasMore !== 1) break;
    const [gone = []] = await points.write(batch);
    deleted += gone.length;
  }
  return deleted;
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
