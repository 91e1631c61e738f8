import type { Clock } from "../core/clock.ts";
import type { Metrics } from "../core/metrics.ts";
import type { Database } from "../db/database.ts";
import type { Bucket } from "./bucket/bucket.ts";
import type { TelemetryStore } from "./store.ts";

/** Dependencies of the telemetry area. */
export interface TelemetryDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly telemetryStore: TelemetryStore;
  readonly telemetryBucket: Bucket;
  /** Maximum bytes of the points of a root, which the store keeps to; undefined without a limit. */
  readonly telemetryBytes?: number | undefined;
  readonly metrics?: Metrics | undefined;
  /** How long a read or a long write waits for its turn, in milliseconds. Default: ten seconds. */
  readonly telemetryTurnMs?: number | undefined;
}
