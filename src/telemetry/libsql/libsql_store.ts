import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { type ArgsOfAll, bind, bindBatch, type BoundStatement, pickNamed } from "../../db/statement.ts";
import { type ReadLimits, readQueries } from "../reading/point_reading.ts";
import type { Cutoffs } from "../retention.ts";
import { bindCutoffs } from "../series/cutoff_parts.ts";
import { carryPoints, findCarryDelay } from "../carry/carry_service.ts";
import { CLEAR_BATCH } from "../clear/clear_queries.ts";
import { clearAll, clearBlocks } from "../clear/clear_service.ts";
import type { TelemetryStore } from "../store.ts";
import { CLEAR_PAGES, FORGET_DEVICE, IS_READY, OLD_BLOCKS, SERIES_OF_DEVICE } from "./store_queries.ts";
import { SeriesMemory } from "../series/series_memory.ts";
import { runWrite } from "../series/settled_write.ts";
import { WRITE_POINTS, type WrittenRow } from "../series/point_write_queries.ts";
import { PointRouter } from "../series/point_routing.ts";

interface LibsqlStoreDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Maximum bytes of what is remembered of writes, about. */
  readonly memoryBytes?: number | undefined;
  /** Limits in place of those of `readQueries`. */
  readonly limits?: Partial<ReadLimits>;
}

/**
 * Keeps points in the service's own database, file or server. A write and its authorization are one transaction. Reads
 * return text, because a row object costs more than reading its point.
 */
export function createLibsqlStore(deps: LibsqlStoreDeps): TelemetryStore {
  const { database, limits, memoryBytes } = deps;
  const memory = new SeriesMemory(memoryBytes);
  const router = new PointRouter(WRITE_POINTS);
  return {
    read: (queries, budget) => readQueries({ database, points: database }, queries, budget, limits),
    recall: (actor, destination) => memory.of(actor, destination),
    async write(actor, destination, series) {
      await runWrite({ ...deps, memory }, actor, {
        destination,
        series,
        bind: (ids) => router.route(series, ids),
        notice: (row: WrittenRow) => router.notice(row),
      });
    },
    forget: (deviceIds, signal) => forgetDevices(database, deviceIds, signal),
    deleteBefore: (cutoffs, signal) => deleteBefore(database, cutoffs, signal),
    carry: (signal) => carryPoints({ ...deps, points: database }, signal),
    carryDelay: () => findCarryDelay({ ...deps, points: database }),
    async isReady(): Promise<boolean> {
      await database.read(bind(IS_READY, {}));
      return true;
    },
  };
}

async function forgetDevices(
  database: Database,
  deviceIds: readonly number[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  for (const deviceId of deviceIds) {
    const [row] = await database.read(bind(SERIES_OF_DEVICE, { deviceId }));
    await clearAll(database, row?.ids ?? "[]", signal);
    const batch = bindBatch(FORGET_DEVICE, { deviceId });
    for (let isForgotten = false; !isForgotten;) {
      if (signal?.aborted === true) return false;
      isForgotten = (await database.write(batch)).every((rows) => rows.length < CLEAR_BATCH);
    }
  }
  return true;
}

async function deleteBefore(
  database: Database,
  cutoffs: Cutoffs,
  signal: AbortSignal | undefined,
): Promise<number> {
  const given = bindCutoffs(cutoffs);
  let deleted = 0;
  for (const { next, clear } of CLEAR_PAGES) {
    for (let afterId = 0; signal?.aborted !== true;) {
      const [page] = await database.read(bind(next, { afterId }));
      const lastId = page?.lastId ?? null;
      if (lastId === null) break;
      const batch = bindBatch(clear, pickNamed(clear, { afterId, lastId, ...given }));
      // First, since points in `point` count before those in blocks, which would otherwise show again.
      deleted += await clearOldBlocks(database, { afterId, lastId, ...given }, signal);
      deleted += await clearBatches(database, batch, signal);
      afterId = lastId;
    }
  }
  return deleted;
}

/** Deletes old blocks of a page of series. Returns their number. */
async function clearOldBlocks(
  database: Database,
  page: ArgsOfAll<[typeof OLD_BLOCKS]>,
  signal: AbortSignal | undefined,
): Promise<number> {
  const [row] = await database.read(bind(OLD_BLOCKS, page));
  return await clearBlocks(database, row?.before ?? "[]", signal);
}

/** Repeats a batch that deletes up to `CLEAR_BATCH` rows until none are left. Returns the number of deleted points. */
async function clearBatches(
  database: Database,
  batch: readonly BoundStatement[],
  signal: AbortSignal | undefined,
): Promise<number> {
  let deleted = 0;
  while (signal?.aborted !== true) {
    const [rows = []] = await database.write(batch);
    deleted += rows.length;
    if (rows.length < CLEAR_BATCH) break;
  }
  return deleted;
}
