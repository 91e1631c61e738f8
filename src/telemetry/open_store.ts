import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Database } from "../db/database.ts";
import { bind } from "../db/statement.ts";
import { HOLDS_POINTS } from "./series/register_queries.ts";
import { createSqliteStore } from "./sqlite/sqlite_store.ts";
import type { TelemetryStore } from "./store.ts";

export interface StoreDeps {
  readonly database: Database;
  /** The file of a URL that names one (`openPointsFile`). */
  readonly points?: Database | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Maximum bytes of the points of each root; see `createSqliteStore`. */
  readonly mostBytes?: number | undefined;
  /** Maximum bytes of what a process remembers of writes, about. */
  readonly memoryBytes?: number | undefined;
}

/**
 * Opens the configured store: `points`, the engine at `url`, or else the database. Connects to an engine on the first
 * call. Throws a `RangeError` if the URL is malformed.
 */
export async function openTelemetryStore(url: string | undefined, deps: StoreDeps): Promise<TelemetryStore> {
  const own = createSqliteStore({ ...deps, points: undefined });
  if (url === undefined) return own;
  const { points } = deps;
  if (points !== undefined) {
    const store = createSqliteStore(deps);
    // The series that lead to former points lead to its own, too: it forgets both.
    return { ...clearingFormer(deps, store, own), forget: store.forget };
  }
  // Most services start without it.
  const { createInfluxStore } = await import("./influx/influx_store.ts");
  return clearingFormer(deps, createInfluxStore({ ...deps, url }), own);
}

/**
 * Returns the store, with deletions extended to points that the database kept before. These are not read any more.
 * The former store is cleared first, because the other may be unavailable.
 */
function clearingFormer(
  { database }: StoreDeps,
  store: TelemetryStore,
  former: TelemetryStore,
): TelemetryStore {
  return {
    ...store,
    async forget(deviceIds, signal) {
      return (await former.forget(deviceIds, signal)) && await store.forget(deviceIds, signal);
    },
    async carry(signal) {
      await former.carry?.(signal);
      await store.carry?.(signal);
    },
    async deleteBefore(cutoffs, signal) {
      const [row] = await database.read(bind(HOLDS_POINTS, {}));
      // Without points, the walk through all series is skipped.
      if (row?.holds === 1) await former.deleteBefore(cutoffs, signal);
      return await store.deleteBefore(cutoffs, signal);
    },
  };
}
