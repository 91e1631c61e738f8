import type { Database } from "../db/database.ts";
import { bind, type Statement } from "../db/statement.ts";
import { deleteOldPoints, forgetGoneDevices, type RetentionDeps } from "../telemetry/retention_service.ts";
import { PURGES } from "./purge_queries.ts";
import { PURGE_BATCH } from "./retention.ts";

export type PurgeDeps = RetentionDeps;

/** What was purged of one kind. */
export interface PurgeCount {
  readonly what: string;
  /** Undefined where nobody counted. */
  readonly rows: number | undefined;
}

/**
 * Deletes what is past its retention, in batches between which others write. May run several times at once, and be ended
 * at any point: each batch is complete by itself. Throws what the database throws, and `UNAVAILABLE` while the telemetry
 * engine is away: then everything else was purged nevertheless.
 */
export async function purge(deps: PurgeDeps, signal?: AbortSignal): Promise<PurgeCount[]> {
  const counts: PurgeCount[] = [];
  for (const [what, statement] of Object.entries(PURGES)) {
    counts.push({ what, rows: await purgeAll(deps.database, statement, deps.clock(), signal) });
  }
  // Last and one after the other, whatever becomes of the first: the engine may be away, or one deletion take too long.
  const [devices] = await Promise.allSettled([forgetGoneDevices(deps, signal)]);
  const [points] = await Promise.allSettled([deleteOldPoints(deps, signal)]);
  if (devices.status === "rejected") throw devices.reason;
  if (points.status === "rejected") throw points.reason;
  return [...counts, { what: "deleted devices", rows: devices.value }, {
    what: "points",
    rows: points.value,
  }];
}

async function purgeAll(
  database: Database,
  statement: Statement,
  now: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  let rows = 0;
  while (signal?.aborted !== true) {
    const [gone = []] = await database.write([bind(statement, { now })]);
    rows += gone.length;
    if (gone.length < PURGE_BATCH) break;
  }
  return rows;
}
