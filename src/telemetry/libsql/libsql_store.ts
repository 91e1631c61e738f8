import type { Actor } from "../../core/actor.ts";
import type { Clock } from "../../core/clock.ts";
import { yieldToEventLoop } from "../../core/yield_to_event_loop.ts";
import type { Database } from "../../db/database.ts";
import { bind, bindBatch, type BoundStatement, pickNamed } from "../../db/statement.ts";
import { MAX_SCANNED_OF_QUERY, readQueries } from "./libsql_reading.ts";
import type { Namespace, SeriesWrite } from "../points/point.ts";
import type { ReadBudget, StoreQuery, StoreResult, TelemetryStore } from "../store.ts";
import { CLEAR_BATCH, CLEAR_PAGES, FORGET_DEVICES, IS_READY } from "./store_queries.ts";
import { describeSeries, runWrite } from "../series/series_registration.ts";
import { bindValues } from "../series/write_parts.ts";
import { WRITE_POINTS } from "../series/write_queries.ts";

interface LibsqlStoreDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Replaces the number of values that the functions of one query may scan. */
  readonly maxScanned?: number;
}

/** Keeps points in the service's own database, file or server. */
export function createLibsqlStore(deps: LibsqlStoreDeps): TelemetryStore {
  const { database, maxScanned = MAX_SCANNED_OF_QUERY } = deps;
  return {
    read: (queries: readonly StoreQuery[], budget: ReadBudget): Promise<StoreResult[]> =>
      readQueries(database, queries, { budget, maxScanned }),
    write: (actor, namespace, series) => writeSeries(deps, actor, { namespace, series }),
    forget: (deviceIds, signal) => forgetDevices(database, deviceIds, signal),
    deleteBefore: (time, signal) => deleteBefore(database, time, signal),
    async isReady(): Promise<boolean> {
      await database.read(bind(IS_READY, {}));
      return true;
    },
  };
}

interface WriteInput {
  readonly namespace: Namespace;
  readonly series: readonly SeriesWrite[];
}

async function writeSeries(
  { database, clock }: LibsqlStoreDeps,
  actor: Actor,
  { namespace, series }: WriteInput,
): Promise<void> {
  const batch = bindBatch(WRITE_POINTS, {
    now: clock(),
    actorId: actor.userId,
    sessionId: actor.sessionId,
    ...describeSeries(namespace, series),
    ...bindValues(series),
  });
  await runWrite(database, batch);
}

async function forgetDevices(
  database: Database,
  deviceIds: readonly number[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const batch = bindBatch(FORGET_DEVICES, { deviceIds: JSON.stringify(deviceIds) });
  while (signal?.aborted !== true) {
    await yieldToEventLoop();
    const results = await database.write(batch);
    if (results.every((rows) => rows.length < CLEAR_BATCH)) return true;
  }
  return false;
}

async function deleteBefore(
  database: Database,
  time: bigint,
  signal: AbortSignal | undefined,
): Promise<number> {
  let deleted = 0;
  for (const { next, clear } of CLEAR_PAGES) {
    for (let afterId = 0; signal?.aborted !== true;) {
      const [page] = await database.read<{ lastId: number | null }>(bind(next, { afterId }));
      const lastId = page?.lastId ?? null;
      if (lastId === null) break;
      const batch = bindBatch(clear, pickNamed(clear, { afterId, lastId, time }));
      deleted += await clearBatches(database, batch, signal);
      afterId = lastId;
    }
  }
  return deleted;
}

/** Runs a batch that deletes a part of what is to go until nothing is left; answers how many points went. */
async function clearBatches(
  database: Database,
  batch: readonly BoundStatement[],
  signal: AbortSignal | undefined,
): Promise<number> {
  let deleted = 0;
  while (signal?.aborted !== true) {
    // On a file nothing else is served while a batch runs.
    await yieldToEventLoop();
    const [gone = []] = await database.write(batch);
    deleted += gone.length;
    if (gone.length < CLEAR_BATCH) break;
  }
  return deleted;
}
