import type { Clock } from "../../core/clock.ts";
import { LoggableError } from "../../core/errors.ts";
import type { Database } from "../../db/database.ts";
import { requireReadable } from "../../db/liveness_queries.ts";
import { typedRows } from "../../db/rows.ts";
import { unavailable } from "../../db/sql_errors.ts";
import { bind, bindBatch } from "../../db/statement.ts";
import { carryPoints, findCarryDelay } from "../carry/carry_service.ts";
import { clearAll, clearOld } from "../clear/clear_service.ts";
import { type ReadLimits, readQueries } from "../reading/point_reading.ts";
import type { Cutoffs } from "../retention.ts";
import { COUNT_SERIES } from "../series/count_queries.ts";
import { readCountedBytes } from "../series/counted_bytes.ts";
import { bindCutoffs } from "../series/cutoff_parts.ts";
import {
  type NoticedRow,
  WRITE_ACCEPTED,
  WRITE_POINTS,
  type WrittenRow,
} from "../series/point_write_queries.ts";
import { PointRouter } from "../series/point_routing.ts";
import { createSeriesRegister, forgetSeries } from "../series/series_register.ts";
import { SeriesMemory } from "../series/series_memory.ts";
import { runWrite } from "../series/settled_write.ts";
import type { TelemetryStore } from "../store.ts";
import {
  CLEAR_SERIES,
  CLEAR_TAG_SETS,
  LISTED_SERIES,
  SERIES_OF_DEVICE,
  SERIES_PAGE,
  SERIES_WITH_POINTS,
  TAG_SET_PAGE,
  UNKNOWN_SERIES,
} from "./store_queries.ts";

/** Maximum attempts of a write while the hours that take recent points change. */
const ATTEMPTS = 3;

export interface SqliteStoreDeps {
  /** The service's own database, which authorizes writes and registers series. */
  readonly database: Database;
  /** A file of their own for the points (`openPointsFile`). By default, `database` has them. */
  readonly points?: Database | undefined;
  readonly clock: Clock;
  /** Maximum bytes of the points of each root, but for recent ones. None by default. */
  readonly mostBytes?: number | undefined;
  /** Maximum bytes of what is remembered of writes, about. */
  readonly memoryBytes?: number | undefined;
  /** Limits in place of those of `readQueries`. */
  readonly limits?: Partial<ReadLimits>;
}

/**
 * Keeps points in SQLite: in the service's own database, file or server, or in a file of their own, so that they and
 * rights do not wait for each other. Reads return text, because a row object costs more than reading its point.
 */
export function createSqliteStore(deps: SqliteStoreDeps): TelemetryStore {
  const { database, points = database, clock, limits } = deps;
  const places = { database, points, clock };
  return {
    read: (queries, budget) => readQueries(places, queries, budget, limits),
    async forget(deviceIds, signal) {
      for (const deviceId of deviceIds) {
        const [row] = await database.read(bind(SERIES_OF_DEVICE, { deviceId }));
        await clearAll(points, row?.ids ?? "[]", signal);
        // The database may have kept them before.
        if (points !== database) await clearAll(database, row?.ids ?? "[]", signal);
        if (!await forgetSeries(database, deviceId, signal)) return false;
      }
      return true;
    },
    carry: (signal) => carryPoints(places, signal),
    carryDelay: () => findCarryDelay(places),
    countedBytes: (rootId) => readCountedBytes(points, rootId),
    async isReady() {
      await requireReadable(points);
      return true;
    },
    ...(deps.points === undefined ? inOneTransaction(deps) : inTwoTransactions(deps, deps.points)),
  };
}

type Writing = Pick<TelemetryStore, "recall" | "write" | "deleteBefore" | "deleteOrphans">;

/** A write and its authorization are one transaction. */
function inOneTransaction(deps: SqliteStoreDeps): Writing {
  const { database, memoryBytes, mostBytes } = deps;
  const memory = new SeriesMemory(memoryBytes);
  const router = new PointRouter(WRITE_POINTS, mostBytes);
  return {
    recall: (actor, destination) => memory.of(actor, destination),
    async write(actor, destination, series) {
      await runWrite({ ...deps, memory }, actor, {
        destination,
        series,
        bind: (ids) => router.route(series, ids),
        notice: (row: WrittenRow) => router.notice(row),
      });
    },
    async deleteBefore(cutoffs, signal) {
      const deleted = await clearOldPoints(database, database, cutoffs, signal);
      await clearEmptySeries(database, cutoffs, signal);
      return deleted;
    },
  };
}

/**
 * A write settles its rights first, and its points follow in another transaction: they may arrive after their device was
 * deleted. Such points belong to no series, so that no read finds them, and `deleteOrphans` deletes them.
 */
function inTwoTransactions(deps: SqliteStoreDeps, points: Database): Writing {
  const { database, mostBytes } = deps;
  const register = createSeriesRegister(deps);
  const router = new PointRouter(WRITE_ACCEPTED, mostBytes);
  return {
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
    async deleteBefore(cutoffs, signal) {
      const deleted = await clearOldPoints(database, points, cutoffs, signal);
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
  };
}

async function clearOldPoints(
  database: Database,
  points: Database,
  cutoffs: Cutoffs,
  signal: AbortSignal | undefined,
): Promise<number> {
  const given = bindCutoffs(cutoffs);
  let deleted = 0;
  for await (const ids of pagesOf(points)) {
    if (signal?.aborted === true) break;
    const [row] = await database.read(bind(LISTED_SERIES, { ids, ...given }));
    deleted += await clearOld(points, row?.listed ?? "[]", signal);
  }
  return deleted;
}

/** Deletes the series without points, and then the tag sets without series. */
async function clearEmptySeries(
  database: Database,
  cutoffs: Cutoffs,
  signal: AbortSignal | undefined,
): Promise<void> {
  const given = bindCutoffs(cutoffs);
  for await (const page of stretchesOf(database, SERIES_PAGE)) {
    if (signal?.aborted === true) return;
    await database.write([bind(CLEAR_SERIES, { ...page, ...given })]);
  }
  for await (const page of stretchesOf(database, TAG_SET_PAGE)) {
    if (signal?.aborted === true) return;
    await database.write([bind(CLEAR_TAG_SETS, page)]);
  }
}

/** Yields the stretches of ids of a table. */
async function* stretchesOf(
  database: Database,
  page: typeof SERIES_PAGE,
): AsyncGenerator<{ afterId: number; lastId: number }> {
  for (let afterId = 0;;) {
    const [row] = await database.read(bind(page, { afterId }));
    const lastId = row?.lastId ?? null;
    if (lastId === null) return;
    yield { afterId, lastId };
    afterId = lastId;
  }
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
