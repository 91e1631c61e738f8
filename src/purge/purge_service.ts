import type { Clock } from "../core/clock.ts";
import type { Database } from "../db/database.ts";
import { bind, type Statement } from "../db/statement.ts";
import { PURGES } from "./purge_queries.ts";
import { PURGE_BATCH } from "./retention.ts";

export interface PurgeDeps {
  readonly database: Database;
  readonly clock: Clock;
}

/** What was purged of one kind. */
export interface PurgeCount {
  readonly what: string;
  readonly rows: number;
}

/**
 * Deletes what is past its retention, in batches between which others write. May run several times at once, and be ended
 * at any point: each batch is complete by itself. Throws only what the database throws.
 */
export async function purge({ database, clock }: PurgeDeps, signal?: AbortSignal): Promise<PurgeCount[]> {
  const counts: PurgeCount[] = [];
  for (const [what, statement] of Object.entries(PURGES)) {
    counts.push({ what, rows: await purgeAll(database, statement, clock(), signal) });
  }
  return counts;
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
