import type { Clock } from "../../core/clock.ts";
import type { Database } from "../../db/database.ts";
import { bind, bindBatch } from "../../db/statement.ts";
import { type ReadLimits, readQueries } from "../reading/point_reading.ts";
import type { Cutoffs } from "../retention.ts";
import { bindCutoffs } from "../series/cutoff_parts.ts";
import { carryPoints, findCarryDelay } from "../carry/carry_service.ts";
import { CLEAR_BATCH } from "../clear/clear_queries.ts";
import { clearAll, clearOld } from "../clear/clear_service.ts";
import type { TelemetryStore } from "../store.ts";
import {
  CLEAR_SERIES,
  CLEAR_TAG_SETS,
  FORGET_DEVICE,
  IS_READY,
  SERIES_OF_DEVICE,
  SERIES_PAGE,
  TAG_SET_PAGE,
} from "./store_queries.ts";
import { SeriesMemory } from "../series/series_memory.ts";
import { runWrite } from "../series/settled_write.ts";
import { WRITE_POINTS, type WrittenRow } from "../series/point_write_queries.ts";
import { readCountedBytes } from "../series/counted_bytes.ts";
import { PointRouter } from "../series/point_routing.ts";

interface LibsqlStoreDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Maximum bytes of the points of each root, but for recent ones. None by default. */
  readonly mostBytes?: number | undefined;
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
  const { database, limits, memoryBytes, mostBytes } = deps;
  const memory = new SeriesMemory(memoryBytes);
  const router = new PointRouter(WRITE_POINTS, mostBytes);
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
    countedBytes: (rootId) => readCountedBytes(database, rootId),
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
  for (let afterId = 0; signal?.aborted !== true;) {
    const [page] = await database.read(bind(SERIES_PAGE, { afterId, ...given }));
    const lastId = page?.lastId ?? null;
    if (page === undefined || lastId === null) break;
    deleted += await clearOld(database, page.listed, signal);
    await database.write([bind(CLEAR_SERIES, { afterId, lastId, ...given })]);
    afterId = lastId;
  }
  for (let afterId = 0; signal?.aborted !== true;) {
    const [page] = await database.read(bind(TAG_SET_PAGE, { afterId }));
    const lastId = page?.lastId ?? null;
    if (lastId === null) break;
    await database.write([bind(CLEAR_TAG_SETS, { afterId, lastId })]);
    afterId = lastId;
  }
  return deleted;
}
