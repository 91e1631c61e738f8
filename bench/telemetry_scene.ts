import type { Hono } from "hono";
import { createApp } from "../src/app.ts";
import type { Database } from "../src/db/database.ts";
import { bindBatch, type BoundStatement } from "../src/db/statement.ts";
import type { AppEnv } from "../src/http/env.ts";
import type { SeriesWrite } from "../src/telemetry/points/point.ts";
import type { TelemetryStore } from "../src/telemetry/store.ts";
import { defineStatement } from "../tests/helpers/text_statement.ts";
import type { ProductionService } from "../tests/helpers/production_service.ts";

/** Telemetry for benchmarks: devices of the root role, each with a power reading every 15 minutes from 2026 on. */

export const STEP_MS = 15 * 60_000;
export const START_MS = Date.UTC(2026, 0, 1);
const NS_PER_MS = 1_000_000n;
const NAMESPACE = { database: "plant", retentionPolicy: "autogen" };
const POINTS_AT_ONCE = 50_000;

const ADD_DEVICES = [
  defineStatement(`INSERT INTO device (id, node_id, properties, updated_at)
    SELECT 900000000 + value, 'device-' || value, json_object('nodeId', 'device-' || value), 0 FROM json_each(:numbers)`),
  defineStatement(`INSERT INTO monitors (id, role_id, device_id)
    SELECT 900000000 + value, :roleId, 900000000 + value FROM json_each(:numbers)`),
];

export async function addDevices(
  { database, rootId }: ProductionService,
  count: number,
  from = 0,
): Promise<void> {
  const numbers = JSON.stringify(Array.from({ length: count }, (_, i) => from + i));
  await database.write(bindBatch(ADD_DEVICES, { numbers, roleId: rootId }));
}

/** A smooth daily curve with some deterministic noise: no two neighbours are equal. */
export function powerAt(device: number, i: number): number {
  return Math.round((3 + 2 * Math.sin(i / 15) + ((i * 7919 + device * 104_729) % 1000) / 1000) * 1000) / 1000;
}

/** Writes `points` points from `firstStep` on for each device. */
export async function writePoints(
  store: TelemetryStore,
  { actor }: ProductionService,
  { devices, points, firstStep = 0 }: { devices: readonly number[]; points: number; firstStep?: number },
): Promise<void> {
  for (const device of devices) {
    for (let at = 0; at < points; at += POINTS_AT_ONCE) {
      const values = new Map<bigint, string>();
      for (let i = at; i < Math.min(points, at + POINTS_AT_ONCE); i++) {
        const step = firstStep + i;
        values.set(BigInt(START_MS + step * STEP_MS) * NS_PER_MS, String(powerAt(device, step)));
      }
      await store.write(actor, NAMESPACE, [seriesOf(device, values)]);
    }
  }
}

export function seriesOf(device: number, values: ReadonlyMap<bigint, string>): SeriesWrite {
  const nodeId = `device-${device}`;
  return {
    nodeId,
    measurement: "energy",
    tags: JSON.stringify({ nodeId }),
    field: "power",
    kind: "number",
    line: 1,
    values,
  };
}

/** A query for `points` points of a device, or for this many hourly means. */
export function queryFor(device: number, points: number, aggregate = false): Record<string, unknown> {
  const steps = aggregate ? points * 4 : points;
  const from = START_MS + ((device * 31) % 500) * 4 * STEP_MS;
  return {
    select: aggregate ? [{ field: "power", function: "mean" }] : ["power"],
    from: { measurement: "energy", database: "plant" },
    where: {
      tags: { nodeId: `device-${device}` },
      time: [{ operator: ">=", value: from }, { operator: "<", value: from + steps * STEP_MS }],
    },
    ...(aggregate && { groupBy: { time: "1h" } }),
  };
}

/** The app with this store and a bucket that never fills. Its database reads are recorded. */
export function openTelemetryApp(
  service: ProductionService,
  telemetryStore: TelemetryStore,
): { collect: (queries: readonly unknown[]) => Promise<string>; app: Hono<AppEnv> } {
  const telemetryBucket = { capacity: 1e15, drainSeconds: 1 };
  const app = createApp({ ...service.deps, telemetryStore, telemetryBucket });
  const headers = { "Authorization": `Bearer ${service.accessToken}`, "Content-Type": "application/json" };
  return {
    app,
    async collect(queries): Promise<string> {
      const response = await app.request("/v1/telemetry/query", {
        method: "POST",
        headers,
        body: JSON.stringify(queries),
      }, { remoteAddr: { hostname: "127.0.0.1" } });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`A call got status ${response.status}: ${text}`);
      return text;
    },
  };
}

/** Wraps a database to record the statements that read points. */
export function recordReads(database: Database): { database: Database; statements: BoundStatement[] } {
  const statements: BoundStatement[] = [];
  return {
    statements,
    database: {
      ...database,
      read(statement) {
        statements.push(statement);
        return database.read(statement);
      },
    },
  };
}
