/** The purge deletes points of deleted devices and past their retention, and can keep their hours. */
import assert from "node:assert/strict";
import { purge } from "../../src/purge/purge_service.ts";
import { readConfig } from "../../src/service/config.ts";
import { cutoffsAt, KEEP_ALL, parseRetention } from "../../src/telemetry/retention.ts";
import { forgetDeletedDevices } from "../../src/telemetry/retention_service.ts";
import { execute, forEachApp } from "../helpers/http.ts";
import { type Person } from "../helpers/person.ts";
import {
  addDevice,
  collect,
  powerOf,
  valuesOf,
  writeLines,
  writeMinutes,
} from "../every_operation/telemetry_requests.ts";
import { bootstrapMeter, countRows } from "./telemetry_scene.ts";

const DAY_SECONDS = 86_400;

/** Purges, and returns how many points went. */
async function purgedPoints(deps: Parameters<typeof purge>[0]): Promise<number | undefined> {
  return (await purge(deps)).find(({ what }) => what === "points")?.rows;
}

async function detach(admin: Person, roleId: number, deviceId: number): Promise<void> {
  const path = `/v1/role/${roleId}/monitors`;
  const filter = { deviceId: [deviceId] };
  const { monitors } = await admin.post<{ monitors: { id: number }[] }>(`${path}/query`, { filter });
  await admin.delete(`${path}/${monitors[0]?.id}?permanent=true`);
}

forEachApp("a deleted device's nodeId is free once its points are gone", async (target) => {
  const { admin, rootId, deviceId: old } = await bootstrapMeter(target);
  await writeMinutes(admin, "meter", 3);
  await detach(admin, rootId, old);
  const create = { properties: { nodeId: "meter" } };
  assert.equal((await admin.ask("POST", `/v1/device?roleId=${rootId}`, create)).status, 409);
  // A write that was authorized just before may still be on its way.
  assert.equal(await forgetDeletedDevices(target.deps), 0);
  target.clock.advance(61);
  assert.equal(await forgetDeletedDevices(target.deps), 1);
  assert.deepEqual([await countRows(target, "point"), await countRows(target, "series")], [0, 0]);
  const { device } = await admin.post<{ device: { id: number } }>(`/v1/device?roleId=${rootId}`, create);
  assert.notEqual(device.id, old);
  assert.deepEqual(await collect(admin, [powerOf("meter")]), [{ statement_id: 0 }]);
});

forEachApp("a device without points frees its nodeId at once", async (target) => {
  const { admin, rootId, deviceId } = await bootstrapMeter(target);
  await detach(admin, rootId, deviceId);
  await addDevice(admin, rootId, "meter");
});

forEachApp("the purge deletes points past their retention, and old buckets", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const day = (n: number): number => target.clock.now() - n * DAY_SECONDS * 1000;
  const lines = [40, 31, 30, 29, 0].map((age) => `energy,nodeId=meter power=${age} ${day(age)}`);
  lines.push(`energy,nodeId=meter,phase=L1 power=99 ${day(99)}`);
  assert.equal((await writeLines(admin, lines)).status, 204);
  await collect(admin, [powerOf("meter")]);
  assert.equal(await purgedPoints(target.deps), 0);
  assert.equal(await purgedPoints({ ...target.deps, telemetryRetention: { others: 30, named: [] } }), 3);
  const [result] = await collect(admin, [powerOf("meter")]);
  assert.deepEqual(valuesOf(result).map(([, power]) => power), [30, 29, 0]);
  assert.equal(await countRows(target, "series"), 1, "the series without points went");
  assert.equal(await countRows(target, "rate_bucket"), 1);
  target.clock.advance(DAY_SECONDS);
  await purge(target.deps);
  assert.equal(await countRows(target, "rate_bucket"), 0);
});

forEachApp("a series of points in an engine is kept until these are past retention", async (target) => {
  const { admin } = await bootstrapMeter(target);
  await writeMinutes(admin, "meter", 3);
  const today = Math.floor(target.clock.now() / (DAY_SECONDS * 1000));
  const series: number[] = [];
  for (const lastDay of [today - 29, today - 31]) {
    await execute(target, [`UPDATE series SET last_day = ${lastDay}`, "DELETE FROM point"]);
    await purge({ ...target.deps, telemetryRetention: { others: 30, named: [] } });
    series.push(await countRows(target, "series"));
  }
  assert.deepEqual(series, [1, 0]);
});

forEachApp("the purge keeps points as long as their database and policy are set to", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const left: Record<string, readonly unknown[]> = {
    "lumenveld rp_one_m": [20, 10, 1],
    "metrics autogen": [30, 20, 10, 1],
    "metrics raw": [1],
    "audit autogen": [99, 30, 20, 10, 1],
    "audit brief": [10, 1],
  };
  const places = Object.keys(left).map((place) => place.split(" "));
  for (const [db = "", rp = ""] of places) {
    const lines = [99, 30, 20, 10, 1].map((age) =>
      `energy,nodeId=meter power=${age} ${target.clock.now() - age * DAY_SECONDS * 1000}`
    );
    const path = `/v1/telemetry?precision=ms&db=${db}&rp=${rp}`;
    const response = await admin.ask("POST", path, undefined, {
      rawBody: lines.join("\n"),
      headers: { "Content-Type": "text/plain" },
    });
    assert.equal(response.status, 204);
  }
  const { telemetryRetention } = readConfig(
    { TELEMETRY_RETENTION_DAYS: "20, metrics=30, metrics/raw=9, audit=forever, audit/brief=10" },
    "development",
  );
  assert.equal(await purgedPoints({ ...target.deps, telemetryRetention }), 2 + 1 + 4 + 0 + 3);
  const results = await collect(
    admin,
    places.map(([database, retentionPolicy]) =>
      powerOf("meter", { from: { measurement: "energy", database, retentionPolicy } })
    ),
  );
  assert.deepEqual(results.map((result) => valuesOf(result).map(([, power]) => power)), Object.values(left));
});

forEachApp("hours are kept beyond their points, and count nothing written later", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const hourMs = 3_600_000;
  const day = Math.floor(target.clock.now() / 1000 / DAY_SECONDS) * DAY_SECONDS * 1000;
  const hour = day - 40 * DAY_SECONDS * 1000;
  const line = (ms: number, power: number): string => `energy,nodeId=meter power=${power} ${ms}`;
  const lines = [line(hour, 0.1), line(hour + 60_000, 0.2), line(hour + hourMs, 0.3), line(day, 7)];
  assert.equal((await writeLines(admin, lines)).status, 204);
  const names = ["count", "sum", "mean", "min", "max", "first", "last"];
  const select = names.map((name) => ({ field: "power", function: name }));
  const between = (from: number): object => ({
    tags: { nodeId: "meter" },
    time: [{ operator: ">=", value: from }, { operator: "<", value: day }],
  });
  const asked = [
    powerOf("meter", { select, groupBy: { time: "1h" } }),
    powerOf("meter", { select, groupBy: { time: "1d" } }),
    powerOf("meter", { select, where: between(hour) }),
  ];
  const before = await collect(admin, asked);
  assert.equal(valuesOf(before[0]).length, 3, JSON.stringify(before));
  const retention = {
    ...target.deps,
    telemetryRetention: { others: 30, named: [] },
    telemetryHourlyRetention: { others: undefined, named: [] },
  };
  assert.equal(await purgedPoints(retention), 3);
  assert.deepEqual(await collect(admin, asked), before);
  const [plain, halves, part] = await collect(admin, [
    powerOf("meter"),
    powerOf("meter", { select, groupBy: { time: "30m" } }),
    // An hour counts as a whole or not at all.
    powerOf("meter", { select, where: between(hour + 1) }),
  ]);
  assert.equal(valuesOf(plain).length, 1);
  assert.equal(valuesOf(halves).length, 1);
  assert.deepEqual(valuesOf(part)[0]?.slice(1), [1, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3]);
  assert.equal((await writeLines(admin, [line(hour + 5, 99), line(hour + 2 * hourMs, 5)])).status, 204);
  assert.deepEqual(valuesOf((await collect(admin, asked))[0]).map((row) => row[1]), [2, 1, 1, 1]);
  await purge(retention);
  assert.deepEqual(valuesOf((await collect(admin, asked))[0]).map((row) => row[1]), [2, 1, 1, 1]);
  assert.equal(await countRows(target, "point"), 1);
  // A setting that keeps hours less long than points keeps none.
  await purge({ ...retention, telemetryHourlyRetention: { others: 30, named: [] } });
  assert.equal(valuesOf((await collect(admin, asked))[0]).length, 1);
  assert.equal(await countRows(target, "hour_summary"), 0);
});

Deno.test("cutoffs of points and of hours are those of the most specific entries, in whole hours and days", () => {
  const now = Date.UTC(2026, 5, 30, 12, 34, 56, 789);
  const at = (text: string): bigint => BigInt(Date.parse(text)) * 1_000_000n;
  const points = parseRetention("10, metrics=20, metrics/raw=2, audit=forever");
  const hours = parseRetention("100, metrics=forever, brief/a=5");
  assert.deepEqual(cutoffsAt(now, points, undefined), {
    others: { time: at("2026-06-20T12:00:00Z") },
    named: [
      { database: "metrics", retentionPolicy: undefined, time: at("2026-06-10T12:00:00Z") },
      { database: "metrics", retentionPolicy: "raw", time: at("2026-06-28T12:00:00Z") },
      { database: "audit", retentionPolicy: undefined, time: KEEP_ALL },
    ],
  });
  assert.deepEqual(cutoffsAt(now, points, hours), {
    others: { time: at("2026-06-20T00:00:00Z"), hours: at("2026-03-22T12:00:00Z") },
    named: [
      { database: "metrics", retentionPolicy: undefined, time: at("2026-06-10T00:00:00Z"), hours: KEEP_ALL },
      { database: "metrics", retentionPolicy: "raw", time: at("2026-06-28T00:00:00Z"), hours: KEEP_ALL },
      { database: "audit", retentionPolicy: undefined, time: KEEP_ALL },
      { database: "brief", retentionPolicy: "a", time: at("2026-06-20T12:00:00Z") },
    ],
  });
  assert.equal(cutoffsAt(now, parseRetention("forever"), hours), undefined);
});
