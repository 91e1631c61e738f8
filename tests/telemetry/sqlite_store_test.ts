/** The store in SQLite: as every store, and what it promises beyond. */
import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import { findKnown } from "../../src/telemetry/points/point.ts";
import { query as queryRows } from "../helpers/http.ts";
import {
  countingBudget,
  countRows,
  everywhere,
  LIBSQL_STORES,
  NAMESPACE,
  query,
  readRows,
  rowsOf,
  series,
  seriesOf,
  testScene,
  valuesFrom,
} from "./telemetry_scene.ts";
import { IS_LONG } from "../helpers/read_count.ts";
import { testStore } from "./store_conformance.ts";
import { testPeriods } from "./telemetry_periods.ts";

const NOON = 1_767_268_800_000_000_000n;
const ONE_VALUE = new Map([[NOON, 1]]);

// Each step is a statement that reads a row or two, so that reading is interrupted at every possible place.
if (IS_LONG) {
  testStore({
    label: "file, in the smallest steps",
    kind: "file",
    isSlow: true,
    open: ({ deps }) =>
      Promise.resolve(createSqliteStore({ ...deps, limits: { turnValues: 1, pieceValues: 2 } })),
  });
}

for (const under of LIBSQL_STORES) {
  testStore(under);
  testPeriods(under);

  testScene(under, "a remembered series that was deleted is registered anew with a new id", async (scene) => {
    const meter = await scene.addMeter();
    const other = await scene.addMeter("other");
    const elsewhere = createSqliteStore(scene.target.deps);
    const recall = () => scene.store.recall(scene.owner, NAMESPACE).recall("meter");
    /** Writes as a request does, whose text is the nodeId. */
    async function write(value: number): Promise<void> {
      const one = series(meter, new Map([[NOON, value]]));
      await scene.write([{ ...one, text: "meter", known: findKnown(recall(), one.field) }]);
    }
    for (const value of [1, 2]) await write(value);
    assert.ok(recall() !== undefined);
    await elsewhere.deleteBefore(everywhere(NOON + 1n));
    await elsewhere.write(scene.owner, NAMESPACE, [series(other, new Map([[NOON, 3]]))]);
    await write(4);
    assert.equal(await readRows(scene.store, query(meter)), '["2026-01-01T12:00:00Z",4]');
    assert.equal(await readRows(scene.store, query(other)), '["2026-01-01T12:00:00Z",3]');
    const ids = await queryRows<{ id: number }>(scene.target, "SELECT id FROM series ORDER BY id");
    assert.deepEqual(ids, [{ id: 2 }, { id: 3 }]);
  });

  testScene(under, "integers keep 64 bits, and doubles their precision", async (scene) => {
    const meter = await scene.addMeter();
    const integers = ["9223372036854775807", "-9223372036854775808"];
    const doubles = ["5e-324", "1.7976931332623157e308", "1e21", "-0.1"];
    const texts = [...integers, ...doubles];
    const values = new Map(texts.map((text, i) => [NOON + BigInt(i), text]));
    await scene.write([{ ...series(meter, ONE_VALUE), values }]);
    const [plain, sum] = await scene.store.read([
      query(meter),
      query({ ...meter, select: ["sum(watts)", "max(watts)", "min(watts)"], to: NOON + 1n }),
    ]);
    const stored = rowsOf(seriesOf(plain)[0]).match(/[^,]+(?=])/g);
    assert.deepEqual(stored?.slice(0, 2), integers);
    assert.deepEqual(stored?.slice(2).map(Number), doubles.map(Number));
    const expected = '["1970-01-01T00:00:00Z",-1,9223372036854775807,-9223372036854775808]';
    assert.equal(rowsOf(seriesOf(sum)[0]), expected);
  });

  testScene(under, "a sum beyond a double is null", async (scene) => {
    const meter = await scene.addMeter();
    await scene.write([series(meter, valuesFrom(NOON, 2, () => Number.MAX_VALUE))]);
    const asked = query({ ...meter, select: ["sum(watts)", "count(watts)"] });
    assert.equal(await readRows(scene.store, asked), '["1970-01-01T00:00:00Z",null,2]');
  });

  testScene(under, "a function over mixed kinds returns nothing, and others their rows", async (scene) => {
    const meter = await scene.addMeter();
    const two = valuesFrom(NOON, 2, (i) => i + 1);
    await scene.write([
      series({ ...meter, tags: { room: "a" } }, two),
      series({ ...meter, tags: { room: "b" } }, new Map([[NOON, "one"]])),
      series({ ...meter, tags: { room: "c" } }, two),
    ]);
    const asked = { ...meter, window: 1n };
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
  });

  testScene(under, "a device has at most 10,000 series", async (scene) => {
    const meter = await scene.addMeter();
    await scene.addDevice("other");
    const many = Array.from(
      { length: 10_000 },
      (_, i) => series({ ...meter, tags: { room: `${i}` }, line: i + 1 }, ONE_VALUE),
    );
    await scene.write(many);
    await scene.write(many);
    const beyond = [
      series({ nodeId: "other" }, ONE_VALUE),
      series({ ...meter, tags: { room: "one more" } }, ONE_VALUE),
    ];
    await assert.rejects(scene.write(beyond), {
      code: "TELEMETRY_REFUSED",
      message: "A device can have at most 10000 series (combinations of tag set and field)",
    });
    const results = await scene.store.read([query(meter), query({ ...meter, select: ["last(watts)"] })]);
    assert.deepEqual(results.map((result) => "series" in result && result.series.length), [10_000, 10_000]);
  });

  testScene(under, "of two writes that together exceed a device's series, one is refused", async (scene) => {
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
  });

  testScene(under, "simultaneous writes register their series once and keep all points", async (scene) => {
    const meter = await scene.addMeter();
    await Promise.all(Array.from({ length: 8 }, (_, i) =>
      scene.write([
        series(meter, new Map([[BigInt(i), i]])),
        series({ ...meter, tags: { room: "hall" } }, new Map([[BigInt(i), i]])),
      ])));
    const [result] = await scene.store.read([query({ ...meter, select: ["count(watts)"] })]);
    assert.deepEqual(seriesOf(result).map(rowsOf), Array(2).fill('["1970-01-01T00:00:00Z",8]'));
    assert.equal(await countRows(scene.target, "series"), 2);
  });

  testScene(under, "many tag sets that do not match are skipped quickly", async (scene) => {
    const meter = await scene.addMeter();
    const many = Array.from({ length: 3000 }, (_, i) => [
      series({ ...meter, field: "watts", tags: { room: `${i}`, match: "no" } }, ONE_VALUE),
      series({ ...meter, field: "volts", tags: { room: `${i}`, match: "yes" } }, ONE_VALUE),
    ]).flat();
    await scene.write(many);
    const tags = { match: "yes" };
    const asked = query({ ...meter, select: ["watts", "volts"], tags });
    const functions = query({ ...meter, select: ["first(watts)", "first(volts)"], tags });
    const none = { ...asked, to: NOON - 1n };
    const counts = (await scene.store.read([asked, functions, none])).map((result) =>
      "series" in result ? result.series.length : result
    );
    assert.deepEqual(counts, [3000, 3000, 0]);
  });

  testScene(under, "clearing processes many series in parts and keeps those with points", async (scene) => {
    const meter = await scene.addMeter();
    const { database, clock } = scene.target;
    const many = Array.from(
      { length: 5000 },
      (_, i) => series({ ...meter, field: `${i}` }, new Map([[i % 7 === 0 ? NOON : 1n, i]])),
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
    const left = await readRows(scene.store, query({ ...meter, select: ["0", "1"] }));
    assert.equal(left, '["2026-01-01T12:00:00Z",0,null]');
  });
}
