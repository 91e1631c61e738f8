import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import { findKnown, type SeriesWrite } from "../../src/telemetry/points/point.ts";
import { query as queryRows } from "../helpers/http.ts";
import {
  countingBudget,
  countRows,
  everywhere,
  LIBSQL_STORES,
  NAMESPACE,
  query,
  rowsOf,
  series,
  seriesOf,
  testScene,
} from "./telemetry_scene.ts";
import { testStore } from "./store_conformance.ts";
import { testPeriods } from "./telemetry_periods.ts";

const NOON = 1_767_268_800_000_000_000n;
const ONE_VALUE = new Map([[NOON, 1]]);

// Each step is a statement that reads a row or two, so that reading is interrupted at every possible place.
testStore({
  label: "file, in the smallest steps",
  kind: "file",
  isSlow: true,
  open: ({ deps }) =>
    Promise.resolve(createSqliteStore({ ...deps, limits: { turnValues: 1, pieceValues: 2 } })),
});

for (const under of LIBSQL_STORES) {
  testStore(under);
  testPeriods(under);

  testScene(under, "a field that changes its kind refuses the whole request", async (scene) => {
    const deviceId = await scene.addDevice("meter");
    await scene.write([series({ nodeId: "meter" }, ONE_VALUE)]);
    const writes = [
      series({ nodeId: "meter", field: "volts", line: 3 }, ONE_VALUE),
      series({ nodeId: "meter", line: 5 }, new Map([[NOON, true]])),
    ];
    await assert.rejects(scene.write(writes), {
      code: "TELEMETRY_REFUSED",
      message: "Line 5 (in JSON: point 5, counted from 1): the field already has the type number",
    });
    const asked = query({ nodeId: "meter", deviceId, select: ["volts"] });
    assert.deepEqual(await scene.store.read([asked]), [{ series: [] }]);
  });

  testScene(
    under,
    "a remembered series that was deleted is registered anew, and its id is not given again",
    async (scene) => {
      const deviceId = await scene.addDevice("meter");
      const others = await scene.addDevice("other");
      const elsewhere = createSqliteStore(scene.target.deps);
      /** Writes as a request does, whose text is the nodeId. */
      async function write(nodeId: string, value: number): Promise<void> {
        const { recall } = scene.store.recall(scene.owner, NAMESPACE);
        const one = series({ nodeId }, new Map([[NOON, value]]));
        await scene.write([{ ...one, text: nodeId, known: findKnown(recall(nodeId), one.field) }]);
      }
      await write("meter", 1);
      await write("meter", 2);
      assert.ok(scene.store.recall(scene.owner, NAMESPACE).recall("meter") !== undefined);
      await elsewhere.deleteBefore(everywhere(NOON + 1n));
      await elsewhere.write(scene.owner, NAMESPACE, [series({ nodeId: "other" }, new Map([[NOON, 3]]))]);
      await write("meter", 4);
      const asked = (nodeId: string, deviceId: number) => query({ nodeId, deviceId });
      const read = await scene.store.read([asked("meter", deviceId), asked("other", others)]);
      const rows = read.map((result) => rowsOf(seriesOf(result)[0]));
      assert.deepEqual(rows, ['["2026-01-01T12:00:00Z",4]', '["2026-01-01T12:00:00Z",3]']);
      const ids = await queryRows<{ id: number }>(scene.target, "SELECT id FROM series ORDER BY id");
      assert.deepEqual(ids, [{ id: 2 }, { id: 3 }]);
    },
  );

  testScene(under, "integers keep 64 bits, and doubles their precision", async (scene) => {
    const deviceId = await scene.addDevice("meter");
    const texts = [
      "9223372036854775807",
      "-9223372036854775808",
      "5e-324",
      "1.7976931332623157e308",
      "1e21",
      "-0.1",
    ];
    const values = new Map(texts.map((text, i) => [NOON + BigInt(i), text]));
    const one: SeriesWrite = { ...series({ nodeId: "meter" }, ONE_VALUE), values };
    await scene.write([one]);
    const [plain, sum] = await scene.store.read([
      query({ nodeId: "meter", deviceId }),
      query({ nodeId: "meter", deviceId, select: ["sum(watts)", "max(watts)", "min(watts)"], to: NOON + 1n }),
    ]);
    const stored = rowsOf(seriesOf(plain)[0]).match(/[^,]+(?=])/g);
    assert.deepEqual(stored?.slice(0, 2), texts.slice(0, 2));
    assert.deepEqual(stored?.slice(2).map(Number), texts.slice(2).map(Number));
    const expected = '["1970-01-01T00:00:00Z",-1,9223372036854775807,-9223372036854775808]';
    assert.equal(rowsOf(seriesOf(sum)[0]), expected);
  });

  testScene(under, "a sum beyond a double is null", async (scene) => {
    const deviceId = await scene.addDevice("meter");
    const values = new Map([[NOON, Number.MAX_VALUE], [NOON + 1n, Number.MAX_VALUE]]);
    await scene.write([series({ nodeId: "meter" }, values)]);
    const select = ["sum(watts)", "count(watts)"];
    const [result] = await scene.store.read([query({ nodeId: "meter", deviceId, select })]);
    assert.equal(rowsOf(seriesOf(result)[0]), '["1970-01-01T00:00:00Z",null,2]');
  });

  testScene(
    under,
    "a function over mixed kinds returns nothing and does not affect other queries",
    async (scene) => {
      const deviceId = await scene.addDevice("meter");
      const two = new Map([[NOON, 1], [NOON + 1n, 2]]);
      await scene.write([
        series({ nodeId: "meter", tags: { room: "a" } }, two),
        series({ nodeId: "meter", tags: { room: "b" } }, new Map([[NOON, "one"]])),
        series({ nodeId: "meter", tags: { room: "c" } }, two),
      ]);
      const asked = { nodeId: "meter", deviceId, window: 1n };
      const fine = query({ ...asked, select: ["sum(watts)"], tags: { room: "c" } });
      for (const select of [["mean(watts)"], ["count(watts)", "max(watts)"]]) {
        const mixed = query({ ...asked, select });
        const budget = countingBudget();
        const results = await scene.store.read([mixed, fine, mixed], budget);
        assert.deepEqual(results.map((result) => "invalid" in result), [true, false, true]);
        const characters =
          '{"nodeId":"meter","room":"c"}["2026-01-01T12:00:00Z",1]["2026-01-01T12:00:00.000000001Z",2],,';
        assert.deepEqual([budget.points, budget.characters], [2, characters.length]);
      }
    },
  );

  testScene(under, "a device has at most 10,000 series", async (scene) => {
    const deviceId = await scene.addDevice("meter");
    await scene.addDevice("other");
    const many = Array.from(
      { length: 10_000 },
      (_, i) => series({ nodeId: "meter", tags: { room: `${i}` }, line: i + 1 }, ONE_VALUE),
    );
    await scene.write(many);
    await scene.write(many);
    const beyond = [
      series({ nodeId: "other" }, ONE_VALUE),
      series({ nodeId: "meter", tags: { room: "one more" } }, ONE_VALUE),
    ];
    await assert.rejects(scene.write(beyond), {
      code: "TELEMETRY_REFUSED",
      message: "A device can have at most 10000 series (combinations of tag set and field)",
    });
    const asked = query({ nodeId: "meter", deviceId, select: ["watts"] });
    const aggregated = query({ nodeId: "meter", deviceId, select: ["last(watts)"] });
    const results = await scene.store.read([asked, aggregated]);
    assert.deepEqual(results.map((result) => "series" in result && result.series.length), [10_000, 10_000]);
  });

  testScene(
    under,
    "of two writes that together exceed a device's series, one is refused",
    async (scene) => {
      await scene.addDevice("meter");
      const writes = ["a", "b"].map((prefix) =>
        scene.write(Array.from(
          { length: 6000 },
          (_, i) => series({ nodeId: "meter", tags: { room: `${prefix}${i}` }, line: i + 1 }, ONE_VALUE),
        ))
      );
      const refused = (await Promise.allSettled(writes)).flatMap((write) =>
        write.status === "rejected" ? [write.reason] : []
      );
      assert.ok(refused.length >= 1);
      for (const { code } of refused) assert.equal(code, "TELEMETRY_REFUSED");
      for (const table of ["series", "point"]) assert.ok(await countRows(scene.target, table) <= 10_000);
    },
  );

  testScene(
    under,
    "simultaneous writes register their series once and keep all points",
    async (scene) => {
      const deviceId = await scene.addDevice("meter");
      await Promise.all(Array.from({ length: 8 }, (_, i) =>
        scene.write([
          series({ nodeId: "meter" }, new Map([[BigInt(i), i]])),
          series({ nodeId: "meter", tags: { room: "hall" } }, new Map([[BigInt(i), i]])),
        ])));
      const [result] = await scene.store.read([
        query({ nodeId: "meter", deviceId, select: ["count(watts)"] }),
      ]);
      assert.deepEqual(seriesOf(result).map(rowsOf), Array(2).fill('["1970-01-01T00:00:00Z",8]'));
      assert.equal(await countRows(scene.target, "series"), 2);
    },
  );

  testScene(under, "many tag sets that do not match are skipped quickly", async (scene) => {
    const deviceId = await scene.addDevice("meter");
    const many = Array.from({ length: 3000 }, (_, i) => [
      series({ nodeId: "meter", field: "watts", tags: { room: `${i}`, match: "no" } }, ONE_VALUE),
      series({ nodeId: "meter", field: "volts", tags: { room: `${i}`, match: "yes" } }, ONE_VALUE),
    ]).flat();
    await scene.write(many);
    const tags = { match: "yes" };
    const asked = query({ nodeId: "meter", deviceId, select: ["watts", "volts"], tags });
    const functions = query({ nodeId: "meter", deviceId, select: ["first(watts)", "first(volts)"], tags });
    const none = { ...asked, to: NOON - 1n };
    const counts = (await scene.store.read([asked, functions, none])).map((result) =>
      "series" in result ? result.series.length : result
    );
    assert.deepEqual(counts, [3000, 3000, 0]);
  });

  testScene(
    under,
    "clearing processes many series in parts and keeps those with points",
    async (scene) => {
      const deviceId = await scene.addDevice("meter");
      const { database, clock } = scene.target;
      const many = Array.from(
        { length: 5000 },
        (_, i) => series({ nodeId: "meter", field: `${i}` }, new Map([[i % 7 === 0 ? NOON : 1n, i]])),
      );
      await scene.write(many);
      let batches = 0;
      const counting: Database = {
        ...database,
        write: (statements) => (batches++, database.write(statements)),
      };
      const store = createSqliteStore({ database: counting, clock: clock.now });
      const old = many.filter(({ values }) => values.has(1n)).length;
      assert.equal(await store.deleteBefore(everywhere(NOON)), old);
      assert.ok(batches >= 3, `${batches} batches looked through 5000 series`);
      assert.equal(await countRows(scene.target, "series"), 5000 - old);
      const [left] = await scene.store.read([query({ nodeId: "meter", deviceId, select: ["0", "1"] })]);
      assert.equal(rowsOf(seriesOf(left)[0]), '["2026-01-01T12:00:00Z",0,null]');
    },
  );
}
