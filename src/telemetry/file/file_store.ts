import type { Clock } from "../../core/clock.ts";
import { LoggableError } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { requireReadable } from "../../db/liveness_queries.ts";
import { typedRows } from "../../db/rows.ts";
import { unavailable } from "../../db/sql_errors.ts";
import { bind, bindBatch } from "../../db/statement.ts";
import { type ReadLimits, readQueries } from "../reading/point_reading.ts";
import { createLibsqlStore } from "../libsql/libsql_store.ts";
import { SERIES_OF_DEVICE } from "../libsql/store_queries.ts";
import { carryPoints, findCarryDelay } from "../carry/carry_service.ts";
import { clearAll, clearOld } from "../clear/clear_service.ts";
import { bindCutoffs } from "../series/cutoff_parts.ts";
import { readCountedBytes } from "../series/counted_bytes.ts";
import { COUNT_SERIES } from "../series/count_queries.ts";
import { createSeriesRegister } from "../series/series_register.ts";
import { type NoticedRow, WRITE_ACCEPTED } from "../series/point_write_queries.ts";
import { PointRouter } from "../series/point_routing.ts";
import type { TelemetryStore } from "../store.ts";
import { LISTED_SERIES, SERIES_WITH_POINTS, UNKNOWN_SERIES } from "./file_queries.ts";

/** Maximum attempts of a write while the hours that take recent points change. */
const ATTEMPTS = 3;

interface FileStoreDeps {
  /** The service's own database, which authorizes writes and registers series. */
  readonly database: Database;
  /** The file that has the points (`openPointsFile`). */
  readonly points: Database;
  readonly clock: Clock;
  /** Maximum bytes of the points of each root, but for recent ones. None by default. */
  readonly mostBytes?: number | undefined;
  /** Maximum bytes of what is remembered of writes, about. */
  readonly memoryBytes?: number | undefined;
  /** Limits in place of those of `readQueries`. */
  readonly limits?: Partial<ReadLimits>;
}

/**
 * Keeps points in a file of their own, so that they and rights do not wait for each other. A write settles its rights
 * first, and its points follow in another transaction: they may arrive after their device was deleted. Such points
 * belong to no series, so that no read finds them, and `deleteOrphans` deletes them.
 */
export function createFileStore(deps: FileStoreDeps): TelemetryStore {
  const { database, points, limits, mostBytes } = deps;
  const register = createSeriesRegister(deps);
  const own = createLibsqlStore(deps);
  const router = new PointRouter(WRITE_ACCEPTED, mostBytes);

  return {
    read: (queries, budget) => readQueries({ database, points }, queries, budget, limits),
    recall: (actor, destination) => register.recall(actor, destination),

    async write(actor, destination, series) {
      const { ids, roots, noteStored } = await register.register(actor, destination, series);
      for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
        const { statements, args } = await router.route(series, ids);
        // Series are counted with their first points.
        const counting = roots === "[]" ? [] : bindBatch(COUNT_SERIES, { roots });
        const lists = await points.write([...counting, ...bindBatch(statements, args)]);
        const [row] = typedRows<NoticedRow>(lists.find(({ length }) => length > 0));
        if (row === undefined) throw new Error("A write returned no row");
        router.notice(row);
        if (row.accepted === 1) return noteStored();
      }
      throw unavailable(
        new LoggableError("The open hours have changed each time before points were written"),
      );
    },

    async forget(deviceIds, signal) {
      for (const deviceId of deviceIds) {
        const [row] = await database.read(bind(SERIES_OF_DEVICE, { deviceId }));
        await clearAll(points, row?.ids ?? "[]", signal);
      }
      // Deletes their series, and points that the database kept before. Returns false if the clearing was broken off, too.
      return await own.forget(deviceIds, signal);
    },

    async deleteBefore(cutoffs, signal) {
      const given = bindCutoffs(cutoffs);
      let deleted = 0;
      for await (const ids of pagesOf(points)) {
        if (signal?.aborted === true) return deleted;
        const [row] = await database.read(bind(LISTED_SERIES, { ids, ...given }));
        deleted += await clearOld(points, row?.listed ?? "[]", signal);
      }
      await register.deleteBefore(cutoffs, signal);
      return deleted;
    },

    async deleteOrphans(signal) {
      let deleted = 0;
      for await (const ids of pagesOf(points)) {
        if (signal?.aborted === true) break;
        // A series is registered before it has points, and its id is not given again: what is not there is deleted.
        const [row] = await database.read(bind(UNKNOWN_SERIES, { ids }));
        deleted += await clearAll(points, row?.ids ?? "[]", signal);
      }
      return deleted;
    },

    carry: (signal) => carryPoints(deps, signal),
    carryDelay: () => findCarryDelay(deps),
    countedBytes: (rootId) => readCountedBytes(points, rootId),

    async isReady() {
      await requireReadable(points);
      return true;
    },
  };
}

/** Yields the ids of all series with points, as JSON lists. */
async function* pagesOf(points: Database): AsyncGenerator<string> {
  for (let afterId = 0;;) {
    const [row] = await points.read(bind(SERIES_WITH_POINTS, { afterId }));
    const lastId = (JSON.parse(row?.ids ?? "[]") as number[]).at(-1);
    if (row === undefined || lastId === undefined) return;
    yield row.ids;
    afterId = lastId;
  }
}
