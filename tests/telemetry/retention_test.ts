import assert from "node:assert/strict";
import { purge } from "../../src/purge/purge_service.ts";
import { readConfig } from "../../src/service/config.ts";
import { forgetDeletedDevices } from "../../src/telemetry/retention_service.ts";
import { forEachApp } from "../helpers/http.ts";
import { bootstrap, type Person } from "../helpers/person.ts";
import {
  addDevice,
  collect,
  powerOf,
  valuesOf,
  writeLines,
  writeMinutes,
} from "../every_operation/telemetry_requests.ts";
import { countRows } from "./telemetry_scene.ts";

const DAY_SECONDS = 86_400;

async function detach(admin: Person, roleId: number, deviceId: number): Promise<void> {
  const path = `/v1/role/${roleId}/monitors`;
  const filter = { deviceId: [deviceId] };
  const { monitors } = await admin.post<{ monitors: { id: number }[] }>(`${path}/query`, { filter });
  await admin.delete(`${path}/${monitors[0]?.id}?permanent=true`);
}

forEachApp(
  "a deleted device's nodeId is free after its points are gone, and finds none of them",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    const old = await addDevice(admin, rootId, "meter");
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
  },
);

forEachApp("a device without points frees its nodeId at once", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await detach(admin, rootId, await addDevice(admin, rootId, "meter"));
  await addDevice(admin, rootId, "meter");
});

forEachApp("the purge deletes points past their retention, and old buckets", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  const day = (n: number): number => target.clock.now() - n * DAY_SECONDS * 1000;
  const lines = [40, 31, 30, 29, 0].map((age) => `energy,nodeId=meter power=${age} ${day(age)}`);
  lines.push(`energy,nodeId=meter,phase=L1 power=99 ${day(99)}`);
  assert.equal((await writeLines(admin, lines)).status, 204);
  await collect(admin, [powerOf("meter")]);
  const forEver = await purge(target.deps);
  assert.equal(forEver.find(({ what }) => what === "points")?.rows, 0);
  const counts = await purge({ ...target.deps, telemetryRetention: { others: 30, named: [] } });
  assert.equal(counts.find(({ what }) => what === "points")?.rows, 3);
  const [result] = await collect(admin, [powerOf("meter")]);
  assert.deepEqual(valuesOf(result).map(([, power]) => power), [30, 29, 0]);
  assert.equal(await countRows(target, "series"), 1, "the series without points went");
  assert.equal(await countRows(target, "rate_bucket"), 1);
  target.clock.advance(DAY_SECONDS);
  await purge(target.deps);
  assert.equal(await countRows(target, "rate_bucket"), 0);
});

forEachApp(
  "a series whose points an engine stores is kept until they are past their retention",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    await addDevice(admin, rootId, "meter");
    await writeMinutes(admin, "meter", 3);
    const today = Math.floor(target.clock.now() / (DAY_SECONDS * 1000));
    const series: number[] = [];
    for (const lastDay of [today - 29, today - 31]) {
      const sql = `UPDATE series SET last_day = ${lastDay}`;
      await target.database.write([{ sql, args: {} }, { sql: "DELETE FROM point", args: {} }]);
      await purge({ ...target.deps, telemetryRetention: { others: 30, named: [] } });
      series.push(await countRows(target, "series"));
    }
    assert.deepEqual(series, [1, 0]);
  },
);

forEachApp(
  "the purge keeps points as long as their database and retention policy are set to",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    await addDevice(admin, rootId, "meter");
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
    const counts = await purge({ ...target.deps, telemetryRetention });
    assert.equal(counts.find(({ what }) => what === "points")?.rows, 2 + 1 + 4 + 0 + 3);
    const results = await collect(
      admin,
      places.map(([database, retentionPolicy]) =>
        powerOf("meter", { from: { measurement: "energy", database, retentionPolicy } })
      ),
    );
    assert.deepEqual(
      results.map((result) => valuesOf(result).map(([, power]) => power)),
      Object.values(left),
    );
  },
);
