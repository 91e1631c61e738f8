import { type Clock, SECOND_MS } from "../../core/clock.ts";
import { AppError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { runWithLimit } from "../../core/deadline.ts";
import { createLimiter } from "../../core/limiter.ts";
import type { Database } from "../../db/database.ts";
import { createInfluxClient, type InfluxClient } from "./influx_client.ts";
import { readFromInflux } from "./influx_reading.ts";
import { createSeriesRegister } from "./influx_series.ts";
import { deleteBeforeStatement, forgetStatement, formatLines, measurementPrefix } from "./influxql.ts";
import type { Namespace } from "../points/point.ts";
import type { TelemetryStore } from "../store.ts";
import { parseInfluxUrl } from "./telemetry_url.ts";

export interface InfluxStoreOptions {
  /** `influxdb://…`, as `parseInfluxUrl` reads it. */
  readonly url: string;
  /** The service's own database: who may write is settled there. */
  readonly database: Database;
  readonly clock: Clock;
  readonly log?: Log | undefined;
  /** Replaces the `fetch` that reaches the server. */
  readonly fetch?: typeof fetch | undefined;
  /** How long the server may take for a call (10 seconds by default); for deletions six times as long. */
  readonly timeoutMs?: number | undefined;
}

/** Calls that read at the same time: what arrives is in memory besides what is kept of it. */
const READS_AT_ONCE = 4;
const DEVICES_AT_ONCE = 100;
const TIMEOUT_MS = 10 * SECOND_MS;
/** A deletion goes through all that is stored. */
const DELETION_TIMEOUTS = 6;
const REFUSAL_LENGTH = 300;
/** Keeps points in InfluxDB by its 1.x HTTP interface. Throws a `RangeError` on a URL that is none. */
export function createInfluxStore(options: InfluxStoreOptions): TelemetryStore {
  const { database, clock, log, timeoutMs = TIMEOUT_MS } = options;
  const seriesRegister = createSeriesRegister(database, clock);
  const client = createInfluxClient(parseInfluxUrl(options.url), { log, fetch: options.fetch ?? fetch });

  // A process has one store. Nobody waits beyond the time limit: whoever was before him ends within his own.
  const reads = createLimiter({ running: READS_AT_ONCE, waiting: Infinity, timeoutMs });

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
    // InfluxDB does not tell how many values functions scan. Instead of the budget its administrator's own limits apply
    // (`max-select-…`), and the time limit.
    async read(queries, _budget) {
      return await reads.run((deadline) =>
        runWithLimit(deadline - performance.now(), (signal) => readFromInflux(client, queries, signal))
      );
    },

    async write(actor, namespace, series) {
      const deviceIds = await seriesRegister.register(actor, namespace, series);
      const lines = formatLines(series, namespace, deviceIds);
      if (lines === "") return;
      const refusal = await runWithLimit(timeoutMs, (signal) => client.write(lines, signal));
      if (refusal !== undefined) throw refused(refusal, namespace, [...deviceIds.values()]);
    },

    async forget(deviceIds, signal) {
      for (let at = 0; at < deviceIds.length; at += DEVICES_AT_ONCE) {
        if (signal?.aborted === true) return false;
        const statement = forgetStatement(deviceIds.slice(at, at + DEVICES_AT_ONCE));
        if (!(await run(statement, signal))) return false;
      }
      return await seriesRegister.forget(deviceIds, signal);
    },

    async deleteBefore(time, signal) {
      if (signal?.aborted !== true && await run(deleteBeforeStatement(time), signal)) {
        await seriesRegister.deleteBefore(time, signal);
      }
      // InfluxDB does not tell.
      return undefined;
    },

    isReady: () => runWithLimit(timeoutMs, (signal) => client.isReady(signal)),
  };
}

async function readAll(client: InfluxClient, statements: string, signal: AbortSignal): Promise<void> {
  for await (const _ of client.query(statements, { signal })) {
    // Deletions answer nothing.
  }
}

/** Says what the engine said, without the part of measurements' names that is its own business. */
function refused(text: string, namespace: Namespace, deviceIds: readonly number[]): AppError {
  // The longest first: device 1's is the end of device 11's.
  const prefixes = deviceIds.map((id) => measurementPrefix(id, namespace)).sort((a, b) =>
    b.length - a.length
  );
  const said = prefixes.reduce((shown, prefix) => shown.replaceAll(prefix, ""), text);
  const message = `The telemetry engine refused points: ${said.slice(0, REFUSAL_LENGTH)}`;
  return new AppError("TELEMETRY_REFUSED", { message });
}
