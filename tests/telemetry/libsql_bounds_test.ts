import assert from "node:assert/strict";
import { createLibsqlStore } from "../../src/telemetry/libsql/libsql_store.ts";
import type { StoreQuery } from "../../src/telemetry/store.ts";
import { NAMESPACE, query, series, type StoreUnderTest, testScene } from "./telemetry_scene.ts";
import { DATABASE_LABELS, DATABASES } from "../helpers/databases.ts";

/** The limits of queries in the libSQL store: what they scan, and what they return. */

const NOON = 1_767_268_800_000_000_000n;
const ONE_VALUE = new Map([[NOON, 1]]);

for (const kind of DATABASES) {
  const under: StoreUnderTest = {
    label: DATABASE_LABELS[kind],
    kind,
    open: ({ database, clock }) => Promise.resolve(createLibsqlStore({ database, clock: clock.now })),
  };

  testScene(
    under,
    "a query looks at so many values and no more, and pays for what it looked at in vain",
    async (scene) => {
      const deviceId = await scene.addDevice("meter");
      const values = new Map(Array.from({ length: 600 }, (_, i) => [NOON + BigInt(i), i]));
      await scene.store.write(scene.owner, NAMESPACE, [series({ nodeId: "meter" }, values)]);
      // Including the tag set and its column: 670 and 470 values.
      const all = query({ nodeId: "meter", deviceId, select: ["mean(watts)"] });
      const some = { ...all, to: NOON + 399n };
      const { database, clock } = scene.target;
      const store = createLibsqlStore({ database, clock: clock.now });
      const refused = { code: "TOO_MUCH_TELEMETRY" };

      const enough = { values: 1200 };
      const results = await store.read([all, some], enough);
      assert.ok(results.every((result) => "series" in result && result.series.length === 1));
      assert.equal(enough.values, 1200 - 670 - 470);
      // Of a budget of 1100, the query that needs more than half runs again. Its first attempt costs 550.
      const tried = { values: 1100 };
      await assert.rejects(store.read([all, some], tried), refused);
      assert.ok(tried.values <= 100, `${tried.values} are left`);
      // The budget is that of the call, across all of its reads.
      const shared = { values: 1000 };
      await store.read([some], shared);
      await store.read([some], shared);
      await assert.rejects(store.read([some], shared), refused);
      // One query alone may not take all of it. Exactly the limit is allowed.
      const one = { values: 10_000 };
      const narrow = createLibsqlStore({ database, clock: clock.now, maxScanned: 600 });
      assert.equal((await narrow.read([all], one)).length, 1);
      const narrower = createLibsqlStore({ database, clock: clock.now, maxScanned: 599 });
      await assert.rejects(narrower.read([all], one), refused);
      assert.equal(one.values, 10_000 - 670 - 599);
    },
  );

  testScene(under, "queries that need little take little from those that need much", async (scene) => {
    const deviceId = await scene.addDevice("meter");
    const values = new Map(Array.from({ length: 600 }, (_, i) => [NOON + BigInt(i), i]));
    await scene.store.write(scene.owner, NAMESPACE, [series({ nodeId: "meter" }, values)]);
    const { database, clock } = scene.target;
    const store = createLibsqlStore({ database, clock: clock.now, maxScanned: 1000 });
    const much = query({ nodeId: "meter", deviceId, select: ["count(watts)"] });
    const nothing = query({ nodeId: "meter", deviceId, measurement: "nothing" });
    const call = [...Array<StoreQuery>(10).fill(much), ...Array<StoreQuery>(90).fill(nothing)];
    const results = await store.read(call, { values: 10_000 });
    assert.equal(results.filter((result) => "series" in result && result.series.length === 1).length, 10);
  });

  testScene(
    under,
    "of tag sets beyond what a query may pay for not even the price is looked for",
    async (scene) => {
      const deviceId = await scene.addDevice("meter");
      const many = Array.from(
        { length: 300 },
        (_, i) => series({ nodeId: "meter", tags: { room: `${i}` } }, ONE_VALUE),
      );
      await scene.store.write(scene.owner, NAMESPACE, many);
      const { database, clock } = scene.target;
      const scanned: unknown[] = [];
      const watched = {
        ...database,
        async readAll(...given: Parameters<typeof database.readAll>) {
          const results = await database.readAll(...given);
          for (const [first] of results) scanned.push(first?.["count"]);
          return results;
        },
      };
      const store = createLibsqlStore({ database: watched, clock: clock.now, maxScanned: 700 });
      const asked = query({ nodeId: "meter", deviceId });
      await assert.rejects(store.read([asked], { values: 100_000 }), { code: "TOO_MUCH_TELEMETRY" });
      // Eleven tag sets with one column each cost 770 values.
      assert.deepEqual(scanned, [11 * (30 + 40)]);
    },
  );

  testScene(under, "a window counts for 50 values of each column", async (scene) => {
    const deviceId = await scene.addDevice("meter");
    const values = new Map(Array.from({ length: 100 }, (_, i) => [NOON + BigInt(i), i]));
    await scene.store.write(scene.owner, NAMESPACE, [series({ nodeId: "meter" }, values)]);
    const windows = query({ nodeId: "meter", deviceId, select: ["max(watts)", "last(watts)"], window: 1n });
    const { database, clock } = scene.target;
    const read = (maxScanned: number, asked: StoreQuery): Promise<unknown> =>
      createLibsqlStore({ database, clock: clock.now, maxScanned }).read([asked], { values: 1_000_000 });
    const scanned = 100 * (2 * 50 + 1);
    await read(scanned, windows);
    await assert.rejects(read(scanned - 1, windows), { code: "TOO_MUCH_TELEMETRY" });
    await read(scanned - 101, { ...windows, limit: 99 });
  });

  testScene(
    under,
    "tag sets count by their number, the columns and the length of what is looked through",
    async (scene) => {
      const deviceId = await scene.addDevice("meter");
      const long = "x".repeat(1000);
      const many = Array.from(
        { length: 100 },
        (_, i) => series({ nodeId: "meter", tags: { long, room: `${i}` } }, ONE_VALUE),
      );
      await scene.store.write(scene.owner, NAMESPACE, many);
      const asked = query({ nodeId: "meter", deviceId, to: NOON - 1n });
      const { database, clock } = scene.target;
      const scannedBy = async (given: StoreQuery, maxScanned = 1_000_000): Promise<number> => {
        const budget = { values: 1_000_000 };
        await createLibsqlStore({ database, clock: clock.now, maxScanned }).read([given], budget);
        return 1_000_000 - budget.values;
      };
      const bare = await scannedBy(asked);
      assert.equal(bare, 100 * (30 + 40));
      for (const select of [["a", "b", "c"], ["count(a)", "mean(b)", "last(c)"]]) {
        assert.equal(await scannedBy(query({ nodeId: "meter", deviceId, select })), bare + 100 * 2 * 40);
      }
      const withTags = { ...asked, tags: new Map([["long", long], ["nodeId", "meter"]]) };
      const scanned = await scannedBy(withTags);
      assert.ok(scanned >= bare + 100 * 1000 / 16, `${scanned}`);
      await assert.rejects(scannedBy(withTags, scanned - 1), { code: "TOO_MUCH_TELEMETRY" });
      assert.equal(await scannedBy(withTags, scanned), scanned);
    },
  );

  testScene(
    under,
    "texts and tags are as bounded as points are, by the bytes of their JSON",
    async (scene) => {
      const deviceId = await scene.addDevice("meter");
      // One character of one byte that takes six in JSON, and one of three bytes.
      const texts = new Map(
        Array.from({ length: 10 }, (_, i) => [NOON + BigInt(i), "\u0001".repeat(10) + "€".repeat(20)]),
      );
      const one = series({ nodeId: "meter", field: "note" }, texts);
      const later = series({ nodeId: "meter" }, new Map([[NOON - 1n, 1], [NOON - 2n, 2]]));
      await scene.store.write(scene.owner, NAMESPACE, [one, later]);
      const plain = query({ nodeId: "meter", deviceId, select: ["note"] });
      const both = query({ nodeId: "meter", deviceId, select: ["note", "watts"] });
      const last = query({ nodeId: "meter", deviceId, select: ["last(note)"], window: 1n });
      const several = query({ nodeId: "meter", deviceId, select: ["first(note)", "count(watts)"] });
      const assertBytes = async (bytes: number, asked: StoreQuery): Promise<void> => {
        const results = await scene.store.read([
          { ...asked, maxText: bytes },
          { ...asked, maxText: bytes - 1 },
        ]);
        const told = results.map((result) =>
          "series" in result ? [result.series.length, result.isCut] : result
        );
        assert.deepEqual(told, [[1, false], [0, true]]);
      };
      const tags = one.tags.length;
      const text = 2 + 60 + 60;
      await assertBytes(tags + 10 * (text + 32), plain);
      await assertBytes(tags + 10 * (text + 32), last);
      await assertBytes(tags + 12 * 2 * 32 + 10 * text, both);
      await assertBytes(tags + 2 * 32 + text, several);
      await assertBytes(tags + 9 * (text + 32), { ...plain, limit: 9 });
      // The returned rows contain no strings.
      await assertBytes(tags + 2 * 2 * 32, { ...both, limit: 2 });
      await assertBytes(tags + 3 * 2 * 32 + text, { ...both, limit: 3 });
    },
  );

  testScene(
    under,
    "texts in windows count by their length, and are not put together where they are too many",
    async (scene) => {
      const deviceId = await scene.addDevice("meter");
      const texts = new Map(Array.from({ length: 100 }, (_, i) => [NOON + BigInt(i), "\u0001".repeat(4000)]));
      await scene.store.write(scene.owner, NAMESPACE, [series({ nodeId: "meter" }, texts)]);
      const { database, clock } = scene.target;
      for (const select of [["last(watts)"], ["first(watts)"], ["count(watts)", "last(watts)"]]) {
        const asked = query({ nodeId: "meter", deviceId, select, window: 1n, maxText: 3_000_000 });
        const refused = createLibsqlStore({ database, clock: clock.now, maxScanned: 100_000 });
        await assert.rejects(refused.read([asked], { values: 1_000_000 }), { code: "TOO_MUCH_TELEMETRY" });
        const [all, cut] = await scene.store.read([asked, { ...asked, maxText: 200_000 }]);
        assert.ok(all !== undefined && "series" in all && cut !== undefined && "series" in cut);
        assert.deepEqual([all.isCut, all.series[0]?.rowCount], [false, 100]);
        assert.deepEqual([cut.isCut, cut.series], [true, []]);
      }
    },
  );

  testScene(
    under,
    "tags are found whatever is in them, and nothing else is taken for them",
    async (scene) => {
      const deviceId = await scene.addDevice("meter");
      const names = [",", ":", "a", "*", "[a]", "?", '"', "\\", '","', "{", "}", "~", "nodeIe", "\n", "😀"];
      const sets: Record<string, string>[] = names.flatMap((name, i) => [
        { [name]: names[(i + 1) % names.length] as string },
        { [name]: ":", [names[(i + 3) % names.length] as string]: "," },
        { [`x${name}`]: name, [`${name},`]: ":" },
      ]);
      sets.push({ "x,": ":", y: "1" }, { ":": "," }, { w: "x,", ":": "y" }, { ",": ":" });
      await scene.store.write(
        scene.owner,
        NAMESPACE,
        sets.map((tags, i) => series({ nodeId: "meter", tags: { ...tags, n: `${i}` } }, ONE_VALUE)),
      );
      const asked = [...sets, { a: "*" }, { a: "?" }, { a: "[*]" }, { "": "1" }, { ":": ":" }];
      const results = await scene.store.read(asked.map((tags) => query({ nodeId: "meter", deviceId, tags })));
      for (const [i, tags] of asked.entries()) {
        const entries = Object.entries(tags);
        const expected = [...sets.keys()].filter((n) =>
          entries.every(([key, value]) => sets[n]?.[key] === value)
        );
        const result = results[i];
        assert.ok(result !== undefined && "series" in result);
        assert.deepEqual(
          result.series.map((one) => Number(one.tags.n)).sort((a, b) => a - b),
          expected,
          JSON.stringify(tags),
        );
      }
    },
  );
}
