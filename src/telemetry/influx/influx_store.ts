import { type Clock, SECOND_MS } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { runWithLimit } from "../../core/deadline.ts";
import { Shares } from "../../core/shares.ts";
import type { Database } from "../../db/database.ts";
import { createInfluxClient, type InfluxClient } from "./influx_client.ts";
import { readFromInflux } from "./influx_reading.ts";
import { createSeriesRegister } from "../series/series_register.ts";
import { deleteBeforeStatements, forgetStatement, formatLines, measurementPrefix } from "./influxql.ts";
import type { Namespace } from "../points/point.ts";
import type { TelemetryStore } from "../store.ts";
import { parseInfluxUrl } from "./influx_url.ts";

export interface InfluxStoreOptions {
  /** `influxdb://…`, see `parseInfluxUrl`. */
  readonly url: string;
  /** The service's own database, which authorizes writes and registers series. */
  readonly database: Database;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  /** Replaces the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Time limit for a call to the server (10 seconds by default); deletions get six times as long. */
  readonly timeoutMs?: number | undefined;
}

/** Maximum number of concurrent reads: arriving data is in memory besides the kept rows. */
const READS_AT_ONCE = 4;
const DEVICES_AT_ONCE = 100;
const TIMEOUT_MS = 10 * SECOND_MS;
/** Time limit of a deletion, as a multiple of a call's: it scans all data. */
const DELETION_TIMEOUTS = 6;
const REFUSAL_LENGTH = 300;

/**
 * Keeps points in InfluxDB, through its 1.x HTTP interface. The engine cannot take part in the transaction that
 * authorizes: rights are settled first, and the points sent afterwards. Each device, database, policy and measurement has
 * a measurement of its own, because the engine fixes a field's type for each, and no tenant may spoil another's. Throws a
 * `RangeError` if the URL is malformed.
 */
export function createInfluxStore(options: InfluxStoreOptions): TelemetryStore {
  const { log, timeoutMs = TIMEOUT_MS } = options;
  const seriesRegister = createSeriesRegister(options);
  const client = createInfluxClient(parseInfluxUrl(options.url), { log, fetch: options.fetch ?? fetch });

  // One per process. The queue needs no bound, because calls wait at most for the time limit.
  const reads = new Shares({ size: READS_AT_ONCE, waiting: Infinity, timeoutMs });

  async function run(statement: string, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await runWithLimit(
        DELETION_TIMEOUTS * timeoutMs,
        (limit) => readAll(client, statement, limit),
        signal,
      );
      return true;
    } catch (error) {
      if (signal?.aborted === true) return false;
      throw error;
    }
  }

  return {
    // InfluxDB does not report how many values functions scan, so their time is charged. Its administrator can limit
    // them (`max-select-…`), and so does the time limit.
    async read(queries, budget) {
      return await reads.run(async (deadline) => {
        const startedAt = performance.now();
        try {
          return await runWithLimit(
            deadline - startedAt,
            (signal) => readFromInflux(client, queries, { budget, signal }),
          );
        } finally {
          budget.wait(performance.now() - startedAt);
        }
      });
    },

    recall: (actor, destination) => seriesRegister.recall(actor, destination),

    async write(actor, destination, series) {
      const { deviceIds, noteStored } = await seriesRegister.register(actor, destination, series);
      const lines = await formatLines(series, destination, deviceIds);
      const refusal = await runWithLimit(timeoutMs, (signal) => client.write(lines, signal));
      if (refusal !== undefined) throw refused(refusal, destination, [...deviceIds.values()]);
      noteStored();
    },

    async forget(deviceIds, signal) {
      for (let at = 0; at < deviceIds.length; at += DEVICES_AT_ONCE) {
        if (signal?.aborted === true) return false;
        const statement = forgetStatement(deviceIds.slice(at, at + DEVICES_AT_ONCE));
        if (!(await run(statement, signal))) return false;
      }
      return await seriesRegister.forget(deviceIds, signal);
    },

    async deleteBefore(cutoffs, signal) {
      // One per call: each scans all data, and has the time limit to itself.
      for (const statement of deleteBeforeStatements(cutoffs)) {
        if (signal?.aborted === true || !(await run(statement, signal))) return undefined;
      }
      await seriesRegister.deleteBefore(cutoffs, signal);
      // InfluxDB does not report how many points it deleted.
      return undefined;
    },

    isReady: () => runWithLimit(timeoutMs, (signal) => client.isReady(signal)),
  };
}

async function readAll(client: InfluxClient, statements: string, signal: AbortSignal): Promise<void> {
  for await (const _ of client.query(statements, { signal })) {
    // Deletions return no rows.
  }
}

/** Returns the error with the engine's message, without the internal prefixes of measurements. */
function refused(text: string, namespace: Namespace, deviceIds: readonly number[]): AppError {
  // Longest first: the prefix of device 1 is the end of that of device 11.
  const prefixes = deviceIds.map((id) => measurementPrefix(id, namespace)).sort((a, b) =>
    b.length - a.length
  );
  const said = prefixes.reduce((shown, prefix) => shown.replaceAll(prefix, ""), text);
  const message = `The telemetry engine refused points: ${said.slice(0, REFUSAL_LENGTH)}`;
  return new AppError("TELEMETRY_REFUSED", { message });
}
