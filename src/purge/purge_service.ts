import type { Database } from "../db/database.ts";
import { bindBatch, pickNamed, type SqlArgs, type Statement } from "../db/statement.ts";
import { deleteOldPoints, forgetDeletedDevices, type RetentionDeps } from "../telemetry/retention_service.ts";
import { BRING_BACK } from "./ahead_queries.ts";
import { PURGES } from "./purge_queries.ts";
import { PURGE_BATCH } from "./retention.ts";

const DAY_MS = 86_400_000;

export interface PurgeDeps extends RetentionDeps {
  /** Days for which the history of the graph is kept. */
  readonly historyDays: number;
}

/** The number of purged rows of one kind. */
export interface PurgeCount {
  readonly what: string;
  /** Undefined if unknown. */
  readonly rows: number | undefined;
  /** Why this kind was not finished: the telemetry engine is unavailable. The next purge continues. */
  readonly error?: unknown;
}

/**
 * Brings back moments that a clock stored while it was ahead, and deletes rows past their retention, in batches, so that other writes get their turn. Several purges may run at once,
 * and one may stop after any batch. Throws the errors of the database.
 */
export async function purge(deps: PurgeDeps, signal?: AbortSignal): Promise<PurgeCount[]> {
  const counts: PurgeCount[] = [];
  for (const [what, batch] of Object.entries({ "moments ahead": BRING_BACK, ...PURGES })) {
    const now = deps.clock();
    const args = { now, historyBefore: now - deps.historyDays * DAY_MS };
    counts.push({ what, rows: await purgeAll(deps.database, [batch].flat(), args, signal) });
  }
  // Last, because the engine may be unavailable or slow.
  counts.push(await countUnlessAway("deleted devices", () => forgetDeletedDevices(deps, signal)));
  counts.push(await countUnlessAway("points", () => deleteOldPoints(deps, signal)));
  const { deleteOrphans } = deps.telemetryStore;
  if (deleteOrphans !== undefined) {
    counts.push(await countUnlessAway("points without a series", () => deleteOrphans(signal)));
  }
  return counts;
}

async function countUnlessAway(
  what: string,
  count: () => Promise<number | undefined>,
): Promise<PurgeCount> {
  try {
    return { what, rows: await count() };
  } catch (error) {
    return { what, rows: undefined, error };
  }
}

async function purgeAll(
  database: Database,
  batch: readonly Statement[],
  args: SqlArgs,
  signal: AbortSignal | undefined,
): Promise<number> {
  let rows = 0;
  while (signal?.aborted !== true) {
    const named = pickNamed(batch, { ...args, opId: crypto.randomUUID() });
    const gone = (await database.write(bindBatch(batch, named))).map(({ length }) => length);
    rows += gone.reduce((sum, count) => sum + count, 0);
    if (Math.max(...gone) < PURGE_BATCH) break;
  }
  return rows;
}
