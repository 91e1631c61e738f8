/** What tests of devices have in common: a meter, what it measured, and the roles that monitor it. */
import assert from "node:assert/strict";
import type { StoreQuery, TelemetryStore } from "../../src/telemetry/store.ts";
import type { Console } from "./open_console.ts";

export const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
export const SERIES = { database: "plant", retentionPolicy: "rp_one_m", measurement: "energy" };

/** Creates a device, and returns its id. */
export async function addDevice(
  { admin }: Console,
  roleId: number,
  properties: Readonly<Record<string, unknown>>,
): Promise<number> {
  const { device } = await admin.post<{ device: { id: number } }>(`/v1/device?roleId=${roleId}`, {
    properties,
  });
  return device.id;
}

/**
 * Creates a meter that measured its power each minute of the last day, except for an hour, that of a pump, and its
 * state.
 */
export async function addMeter(opened: Console): Promise<number> {
  const fields = ["power_W", "pump", "state"];
  const id = await addDevice(opened, opened.rootId, {
    nodeId: "meter-1",
    name: "House meter",
    nodeType: "meter",
    nodeInfluxSeries: [{ ...SERIES, fields, names: { pump: "=Heat pump" }, units: { pump: "W" } }],
  });
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const times = Array.from({ length: 1440 }, (_, i) => now - i * MINUTE_MS);
  await write(
    opened,
    times.filter((_, i) => i < 600 || i > 660).map((time, i) => ({
      ...SERIES,
      time,
      fields: {
        power_W: 400 + 300 * Math.sin(time / DAY_MS * 2 * Math.PI) + 60 * (i % 5),
        pump: 90,
        state: "on",
      },
    })),
  );
  return id;
}

/** Writes points of the meter by the page's service. */
export async function write(
  { admin, url }: Console,
  points: readonly { measurement: string; time: number; fields: Readonly<Record<string, unknown>> }[],
): Promise<void> {
  const { database, retentionPolicy } = SERIES;
  const response = await fetch(
    new URL(`/v1/telemetry?db=${database}&rp=${retentionPolicy}`, url),
    {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${admin.accessToken}` },
      body: JSON.stringify(points.map(({ measurement, time, fields }) => ({
        measurement,
        time,
        fields,
        tags: { nodeId: "meter-1" },
      }))),
    },
  );
  assert.equal(response.status, 204, await response.text());
}

/** The queries of each call to the store from now on. By default, the store is that of the service. */
export function recordReads(
  { target: { deps } }: Console,
  store: TelemetryStore = deps.telemetryStore,
): (readonly StoreQuery[])[] {
  const reads: (readonly StoreQuery[])[] = [];
  const recording: TelemetryStore = {
    ...store,
    read(queries, budget) {
      reads.push(queries);
      return store.read(queries, budget);
    },
  };
  Object.assign(deps, { telemetryStore: recording });
  return reads;
}

interface Relation {
  readonly roleId: number;
  readonly from?: string;
  readonly until?: string;
}

/** Returns the relations to a device, also those that have ended. */
export async function relationsOf({ admin }: Console, deviceId: number): Promise<readonly Relation[]> {
  const body = { filter: { deviceId: [deviceId] } };
  return (await admin.post<{ monitors: Relation[] }>("/v1/role/*/monitors/query", body)).monitors;
}
