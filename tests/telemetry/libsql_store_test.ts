import assert from "node:assert/strict";
import { createLibsqlStore } from "../../src/telemetry/libsql_store.ts";
import type { SeriesWrite } from "../../src/telemetry/point.ts";
import type { StoreQuery } from "../../src/telemetry/store.ts";
import { NAMESPACE, query, series, type StoreUnderTest, testScene } from "../helpers/telemetry_scene.ts";
import { testStore } from "./store_conformance.ts";

const NOON = 1_767_268_800_000_000_000n;
const ONE_VALUE = new Map([[NOON, 1]]);

for (const kind of ["file", "remote"] as const) {
  const under: StoreUnderTest = {
    label: kind === "file" ? "file" : "sqld",
    kind,
    open: ({ database, clock }) => Promise.resolve(createLibsqlStore({ database, clock: clock.now })),
  };
  testStore(under);

  testScene(under, "a field that changes its kind keeps the request from being written", async (scene) => {
    const deviceId = await scene.addDevice("meter");
    await scene.store.write(scene.owner, NAMESPACE, [series({ nodeId: "meter" }, ONE_VALUE)]);
    const writes = [
      series({ nodeId: "meter", field: "volts", line: 3 }, ONE_VALUE),
      series({ nodeId: "meter", line: 5 }, new Map([[NOON, true]])),
    ];
    await assert.rejects(scene.store.write(scene.owner, NAMESPACE, writes), {
      code: "TELEMETRY_REFUSED",
      message: "Line 5 (of JSON: point 5, from 1): the field was written as a number before",
    });
    assert.deepEqual(await scene.store.read([query({ nodeId: "meter", deviceId, select: ["volts"] })]), [
      { series: [], isCut: false },
    ]);
  });

  testScene(under, "integers keep all of their 64 bits, doubles all of theirs", async (scene) => {
    const deviceId = await scene.addDevice("meter");
    const texts = [
      "9223372036854775807",
      "-9223372036854775808",
      "5e-324",
      "1.7976931348623157e308",
      "1e21",
      "-0.1",
    ];
    const values = new Map(texts.map((text, i) => [NOON + BigInt(i), text]));
    const one: SeriesWrite = { ...series({ nodeId: "meter" }, ONE_VALUE), values };
    await scene.store.write(scene.owner, NAMESPACE, [one]);
    const [plain, sum] = await scene.store.read([
      query({ nodeId: "meter", deviceId }),
      query({ nodeId: "meter", deviceId, select: ["sum(watts)", "max(watts)", "min(watts)"], to: NOON + 1n }),
    ]);
    assert.ok(plain !== undefined && "series" in plain && sum !== undefined && "series" in sum);
    const stored = plain.series[0]?.rowsJson.match(/[^,]+(?=])/g);
    assert.deepEqual(stored?.slice(0, 2), texts.slice(0, 2));
    assert.deepEqual(stored?.slice(2).map(Number), texts.slice(2).map(Number));
    assert.equal(
      sum.series[0]?.rowsJson,
      '["1970-01-01T00:00:00Z",0,9223372036854775807,-9223372036854775808]',
    );
  });

  testScene(under, "a sum beyond a double is null", async (scene) => {
    const deviceId = await scene.addDevice("meter");
    const values = new Map([[NOON, Number.MAX_VALUE], [NOON + 1n, Number.MAX_VALUE]]);
    await scene.store.write(scene.owner, NAMESPACE, [series({ nodeId: "meter" }, values)]);
    const select = ["sum(watts)", "count(watts)"];
    const [result] = await scene.store.read([query({ nodeId: "meter", deviceId, select })]);
    assert.ok(result !== undefined && "series" in result);
    assert.equal(result.series[0]?.rowsJson, '["1970-01-01T00:00:00Z",null,2]');
  });

  testScene(under, "a device has 10,000 series at most", async (scene) => {
    const deviceId = await scene.addDevice("meter");
    await scene.addDevice("other");
    const many = Array.from(
      { length: 10_000 },
      (_, i) => series({ nodeId: "meter", tags: { room: `${i}` }, line: i + 1 }, ONE_VALUE),
    );
    await scene.store.write(scene.owner, NAMESPACE, many);
    await scene.store.write(scene.owner, NAMESPACE, many);
    const beyond = [
      series({ nodeId: "other" }, ONE_VALUE),
      series({ nodeId: "meter", tags: { room: "one more" } }, ONE_VALUE),
    ];
    await assert.rejects(scene.store.write(scene.owner, NAMESPACE, beyond), {
      code: "TELEMETRY_REFUSED",
      message: "A device can have 10000 series (tag sets times fields) at most",
    });
    const asked = query({ nodeId: "meter", deviceId, select: ["watts"] });
    const aggregated = query({ nodeId: "meter", deviceId, select: ["last(watts)"] });
    const results = await scene.store.read([asked, aggregated, { ...asked, maxRows: 9999 }]);
    const counts = results.map((result) =>
      "series" in result ? [result.series.length, result.isCut] : result
    );
    assert.deepEqual(counts, [[10_000, false], [10_000, false], [0, true]]);
  });

  testScene(under, "functions look at so many values and no more", async (scene) => {
    const deviceId = await scene.addDevice("meter");
    const values = new Map(Array.from({ length: 600 }, (_, i) => [NOON + BigInt(i), i]));
    await scene.store.write(scene.owner, NAMESPACE, [series({ nodeId: "meter" }, values)]);
    // With the tag set that is looked through, 610 and 410.
    const all = query({ nodeId: "meter", deviceId, select: ["mean(watts)"] });
    const some = { ...all, to: NOON + 399n };
    const { database, clock } = scene.target;
    const store = createLibsqlStore({ database, clock: clock.now });
    const refused = { code: "TOO_MUCH_TELEMETRY" };

    const enough = { values: 1020 };
    const results = await store.read([all, some], enough);
    assert.ok(results.every((result) => "series" in result && result.series.length === 1));
    assert.equal(enough.values, 0);
    await assert.rejects(store.read([all, some], { values: 1019 }), refused);
    // The budget is the call's, however many reads it takes.
    const shared = { values: 1000 };
    await store.read([some], shared);
    await store.read([some], shared);
    await assert.rejects(store.read([some], shared), refused);
    // And one query alone may not take all of it.
    const narrow = createLibsqlStore({ database, clock: clock.now, maxLooked: 600 });
    await assert.rejects(narrow.read([all], { values: 1_000_000 }), refused);
    const ends = query({ nodeId: "meter", deviceId, select: ["first(watts)", "last(watts)"] });
    assert.equal((await narrow.read(Array.from({ length: 400 }, () => ends), { values: 4800 })).length, 400);
  });

  testScene(under, "texts and tags are as bounded as points are", async (scene) => {
    const deviceId = await scene.addDevice("meter");
    const texts = new Map(Array.from({ length: 10 }, (_, i) => [NOON + BigInt(i), "x".repeat(100)]));
    const one = series({ nodeId: "meter", field: "note" }, texts);
    await scene.store.write(scene.owner, NAMESPACE, [one]);
    const plain = query({ nodeId: "meter", deviceId, select: ["note"] });
    const both = query({ nodeId: "meter", deviceId, select: ["note", "watts"] });
    const last = query({ nodeId: "meter", deviceId, select: ["last(note)"] });
    const cut = async (maxText: number, ...queries: StoreQuery[]): Promise<unknown[]> =>
      (await scene.store.read(queries.map((asked) => ({ ...asked, maxText })))).map((result) =>
        "series" in result ? [result.series.length, result.isCut] : result
      );
    const tags = one.tags.length;
    assert.deepEqual(await cut(1000 + tags, plain, both), [[1, false], [1, false]]);
    assert.deepEqual(await cut(999 + tags, plain, both), [[0, true], [0, true]]);
    assert.deepEqual(await cut(1000, { ...plain, limit: 9 }, last), [[1, false], [1, false]]);
    assert.deepEqual(await cut(50, last), [[0, true]]);
  });

  testScene(under, "many tag sets that do not match hold nobody up", async (scene) => {
    const deviceId = await scene.addDevice("meter");
    const many = Array.from({ length: 3000 }, (_, i) => [
      series({ nodeId: "meter", field: "watts", tags: { room: `${i}`, match: "no" } }, ONE_VALUE),
      series({ nodeId: "meter", field: "volts", tags: { room: `${i}`, match: "yes" } }, ONE_VALUE),
    ]).flat();
    await scene.store.write(scene.owner, NAMESPACE, many);
    const tags = { match: "yes" };
    const asked = query({ nodeId: "meter", deviceId, select: ["watts", "volts"], tags });
    const functions = query({ nodeId: "meter", deviceId, select: ["first(watts)", "first(volts)"], tags });
    const none = { ...asked, to: NOON - 1n };
    const counts = (await scene.store.read([asked, functions, none])).map((result) =>
      "series" in result ? result.series.length : result
    );
    assert.deepEqual(counts, [3000, 3000, 0]);
  });
}
