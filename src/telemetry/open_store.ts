import type { Clock } from "../core/clock.ts";
import type { Log } from "../core/log.ts";
import type { Database } from "../db/database.ts";
import { bind } from "../db/statement.ts";
import { HOLDS_POINTS } from "./influx/influx_queries.ts";
import { createInfluxStore } from "./influx/influx_store.ts";
import { createLibsqlStore } from "./libsql/libsql_store.ts";
import type { TelemetryStore } from "./store.ts";

export interface StoreDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/** The store that the configuration names: an engine by its URL, or the database itself. Connects at the first call. */
export function openTelemetryStore(url: string | undefined, deps: StoreDeps): TelemetryStore {
  const own = createLibsqlStore(deps);
  return url === undefined ? own : clearingFormer(deps, createInfluxStore({ ...deps, url }), own);
}

/**
 * A store that deletes from a former one, too: points that the database kept before an engine was configured are no longer
 * read, but go with their devices and after their time all the same. From the former first: the engine may be away.
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
    async deleteBefore(time, signal) {
      const [row] = await database.read<{ holds: number }>(bind(HOLDS_POINTS, {}));
      // Else there is nothing to look for.
      if (row?.holds === 1) await former.deleteBefore(time, signal);
      return await store.deleteBefore(time, signal);
    },
  };
}
