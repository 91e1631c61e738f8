import type { Clock } from "../core/clock.ts";
import type { Database } from "../db/database.ts";
import { bind } from "../db/statement.ts";
import { DELETE_TOMBSTONES, SETTLED_TOMBSTONES } from "../device/tombstone_queries.ts";
import { cutoffsAt, type Retention } from "./retention.ts";
import type { TelemetryStore } from "./store.ts";

export interface RetentionDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly telemetryStore: TelemetryStore;
  readonly telemetryRetention: Retention;
  /** How long summaries of hours are kept beyond it; undefined: none are made. */
  readonly telemetryHourlyRetention?: Retention | undefined;
}

const DEVICES_AT_ONCE = 100;

/**
 * Deletes the points of deleted devices, then frees their nodeIds. Returns the number of devices completed. Safe to
 * run concurrently and to interrupt. Throws like `TelemetryStore.forget`.
 */
export async function forgetDeletedDevices(
  { database, clock, telemetryStore }: Pick<RetentionDeps, "database" | "clock" | "telemetryStore">,
  signal?: AbortSignal,
): Promise<number> {
  let forgotten = 0;
  while (signal?.aborted !== true) {
    const rows = await database.read(
      bind(SETTLED_TOMBSTONES, { now: clock(), limit: DEVICES_AT_ONCE }),
    );
    const deviceIds = rows.map(({ deviceId }) => deviceId);
    if (deviceIds.length === 0 || !(await telemetryStore.forget(deviceIds, signal))) break;
    const [deleted = []] = await database.write([
      bind(DELETE_TOMBSTONES, { deviceIds: JSON.stringify(deviceIds) }),
    ]);
    forgotten += deleted.length;
  }
  return forgotten;
}

/** Deletes points past the retention. Returns their number, or undefined if the engine does not report it. */
export async function deleteOldPoints(
  deps: RetentionDeps,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const cutoffs = cutoffsAt(deps.clock(), deps.telemetryRetention, deps.telemetryHourlyRetention);
  return cutoffs === undefined ? 0 : await deps.telemetryStore.deleteBefore(cutoffs, signal);
}
