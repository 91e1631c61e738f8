/** Once a store is set up anew, points from before are deleted like the new ones. */
import assert from "node:assert/strict";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import { openTelemetryStore } from "../../src/telemetry/open_store.ts";
import type { TelemetryStore } from "../../src/telemetry/store.ts";
import { found } from "./influx_scene.ts";
import { hasInfluxd, sharedInfluxd } from "../helpers/influxd.ts";
import { openTestPoints } from "../helpers/databases.ts";
import { freePort } from "../helpers/sqld.ts";
import {
  countRows,
  everywhere,
  NAMESPACE,
  query,
  series,
  type StoreUnderTest,
  testScene,
  withoutBudget,
} from "./telemetry_scene.ts";
import type { TestApp } from "../helpers/test_app.ts";

const VALUES = new Map([[0n, 1], [1n, 2]]);

/** The store of a service for which an engine has just been configured. */
function openOn({ database, deps: { clock, log } }: TestApp, host: string): Promise<TelemetryStore> {
  const name = `open_${crypto.randomUUID()}`;
  return openTelemetryStore(`influxdb://${host}/${name}`, { database, clock, log });
}

const WITH_ENGINE: StoreUnderTest = {
  label: "InfluxDB after a file",
  kind: "file",
  ignore: !hasInfluxd(),
  open: async (target) => openOn(target, (await sharedInfluxd()).host),
};

const WITH_FILE: StoreUnderTest = {
  label: "points' file after a file",
  kind: "file",
  open: async (target) => {
    const { database, deps: { clock, log } } = target;
    const file = await openTestPoints(database);
    const store = await openTelemetryStore(file.url, { database, points: file.database, clock, log });
    return {
      ...store,
      async forget(deviceIds, signal) {
        const isForgotten = await store.forget(deviceIds, signal);
        assert.equal(await store.deleteOrphans?.(), 0, "points whose series was deleted before them");
        return isForgotten;
      },
      [Symbol.asyncDispose]: () => file[Symbol.asyncDispose](),
    };
  },
};

const ENGINE_AWAY: StoreUnderTest = {
  label: "no InfluxDB after a file",
  kind: "file",
  open: (target) => openOn(target, `127.0.0.1:${freePort()}`),
};

for (const under of [WITH_ENGINE, WITH_FILE]) {
  testScene(under, "points from before are deleted with their device, like the new ones", async (scene) => {
    const former = createSqliteStore(scene.target.deps);
    const kept = await scene.addMeter("kept");
    const gone = await scene.addMeter("gone");
    const written = [series(kept, VALUES), series(gone, VALUES)];
    for (const store of [former, scene.store]) await store.write(scene.owner, NAMESPACE, written);
    assert.equal(await scene.store.forget([gone.deviceId], AbortSignal.abort()), false);
    assert.equal(await countRows(scene.target, "point"), 4);
    assert.equal(await scene.store.forget([gone.deviceId]), true);
    const both = [query(kept), query(gone)];
    const expected = [
      found({ nodeId: "kept" }, '["1970-01-01T00:00:00Z",1]', '["1970-01-01T00:00:00.000000001Z",2]'),
      { series: [] },
    ];
    assert.deepEqual(await scene.store.read(both), expected);
    assert.deepEqual(await withoutBudget(former).read(both), expected);
  });

  testScene(under, "points from before are deleted by age, like the new ones", async (scene) => {
    const former = createSqliteStore(scene.target.deps);
    const meter = await scene.addMeter();
    const written = [series(meter, VALUES)];
    for (const store of [former, scene.store]) await store.write(scene.owner, NAMESPACE, written);
    await scene.store.deleteBefore(everywhere(1n));
    const expected = [found({ nodeId: "meter" }, '["1970-01-01T00:00:00.000000001Z",2]')];
    assert.deepEqual(await scene.store.read([query(meter)]), expected);
    assert.deepEqual(await withoutBudget(former).read([query(meter)]), expected);
  });
}

testScene(ENGINE_AWAY, "points from before the engine are deleted even while it is away", async (scene) => {
  const former = createSqliteStore(scene.target.deps);
  const meter = await scene.addMeter();
  await former.write(scene.owner, NAMESPACE, [series(meter, VALUES)]);
  await assert.rejects(scene.store.deleteBefore(everywhere(1n)), { code: "UNAVAILABLE" });
  assert.equal(await countRows(scene.target, "point"), 1);
  await assert.rejects(scene.store.forget([meter.deviceId]), { code: "UNAVAILABLE" });
  assert.equal(await countRows(scene.target, "point"), 0);
});
