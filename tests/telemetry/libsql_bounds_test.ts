/** Limits of queries in SQLite: what they cost, and what one statement reads. */
import assert from "node:assert/strict";
import type { Row } from "../../src/db/database.ts";
import type { BoundStatement } from "../../src/db/statement.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import type { ReadLimits } from "../../src/telemetry/reading/point_reading.ts";
import type { StoreQuery } from "../../src/telemetry/store.ts";
import {
  countingBudget,
  countRows,
  LIBSQL_STORES,
  query,
  type QueryInput,
  readRows,
  rowsOf,
  series,
  seriesOf,
  type TelemetryScene,
  testScene,
  valuesFrom,
  withoutBudget,
} from "./telemetry_scene.ts";

const NOON = 1_767_268_800_000_000_000n;
const ONE_VALUE = new Map([[NOON, 1]]);

/** One value a nanosecond from noon on. */
const values = (count: number) => valuesFrom(NOON, count, (i) => i % 10);

/** What the queries cost, in scanned values. */
async function costOf({ store }: TelemetryScene, ...queries: StoreQuery[]): Promise<number> {
  const budget = countingBudget();
  await store.read(queries, budget);
  return budget.values;
}

/** What statements spent together. */
function spentIn(turns: readonly { readonly spent: number }[]): number {
  return turns.reduce((sum, { spent }) => sum + spent, 0);
}

/** The same store with other limits, and what its statements returned. */
function watch({ target }: TelemetryScene, limits: Partial<ReadLimits> = {}) {
  const { database, clock } = target;
  const turns: { spent: number; text: string | null }[] = [];
  const watched = {
    ...database,
    async read<T = Row>(statement: BoundStatement): Promise<T[]> {
      const rows = await database.read<T>(statement);
      turns.push(rows[0] as typeof turns[number]);
      return rows;
    },
    async readAll(statements: readonly BoundStatement[]): Promise<Row[][]> {
      const lists = await database.readAll(statements);
      for (const [row] of lists) turns.push(row as typeof turns[number]);
      return lists;
    },
  };
  return { store: withoutBudget(createSqliteStore({ database: watched, clock: clock.now, limits })), turns };
}

for (const under of LIBSQL_STORES) {
  testScene(under, "a query pays for tag sets by their number, columns and searched text", async (scene) => {
    const meter = await scene.addMeter();
    const long = "x".repeat(1000);
    const many = Array.from(
      { length: 100 },
      (_, i) => series({ ...meter, tags: { long, room: `${i}` } }, ONE_VALUE),
    );
    await scene.write(many);
    const to = NOON - 1n;
    assert.equal(await costOf(scene, query({ ...meter, measurement: "nothing" })), 0);
    const ofTags = many.reduce((sum, { tags }) => sum + Math.floor(tags.length / 16), 0);
    const everything = query({ ...meter, to });
    assert.equal(await costOf(scene, everything), 100 * (20 + 20) + ofTags);
    for (const select of [["a", "b", "c"], ["count(a)", "mean(b)", "last(c)"]]) {
      const cost = await costOf(scene, query({ ...meter, select, to }));
      assert.equal(cost, 100 * (20 + 3 * 20) + ofTags);
    }
    for (const [tags, times] of [[{ long }, 2], [{ long: "y" }, 1]] as const) {
      const cost = await costOf(scene, query({ ...meter, tags, to }));
      assert.equal(cost, 100 * 40 + times * ofTags);
    }
  });

  testScene(under, "a query is charged for the text of the points that it reads", async (scene) => {
    const meter = await scene.addMeter();
    await scene.write([series(meter, values(600)), series({ ...meter, field: "volts" }, values(60))]);
    // A point has 24 bytes: its time in nanoseconds, its value of one digit, and what separates them.
    const assertCost = async (select: readonly string[], given: Partial<QueryInput>, points: number) => {
      const cost = await costOf(scene, query({ ...meter, select, ...given }));
      const inTexts = cost - (20 + 20 * select.length);
      const expected = points * 24 / 4;
      assert.ok(Math.abs(inTexts - expected) <= 10 + expected / 50, `${select} cost ${cost}`);
    };
    await assertCost(["mean(watts)"], {}, 600);
    await assertCost(["mean(watts)"], { to: NOON + 399n }, 400);
    await assertCost(["max(watts)", "count(volts)", "last(watts)"], { window: 100n }, 1260);
    await assertCost(["max(watts)"], { window: 1n, limit: 5, descending: true }, 200);
    await assertCost(["first(watts)", "last(watts)"], {}, 2);
    const plain = await costOf(scene, query(meter));
    const times = 600 * (19 + 2 + 1);
    assert.ok(plain > 40 + times / 4 && plain < 40 + (times + 600 * 2) / 4 + 100, `${plain}`);
    assert.ok(await costOf(scene, query({ ...meter, limit: 1 })) < 40 + 20);
  });

  testScene(under, "a numeric function scans nothing if it meets other values", async (scene) => {
    const meter = await scene.addMeter();
    await scene.write([series(meter, valuesFrom(NOON, 600, () => "on"))]);
    const { store, turns } = watch(scene);
    await store.read([query({ ...meter, select: ["mean(watts)"] })]);
    assert.ok(spentIn(turns) < 40 + 10);
  });

  testScene(under, "a statement ends soon after its turn, at any position", async (scene) => {
    const meter = await scene.addMeter();
    const rooms = Array.from({ length: 50 }, (_, i) => `${i}`);
    await scene.write(rooms.flatMap((room) => [
      series({ ...meter, tags: { room } }, values(300)),
      series({ ...meter, tags: { room }, field: "volts" }, values(300)),
    ]));
    const asked = [
      query(meter),
      query({ ...meter, select: ["watts", "volts"], descending: true }),
      query({ ...meter, select: ["count(watts)", "max(volts)"], window: 7n }),
      query({ ...meter, tags: { room: "none" } }),
    ];
    const { store, turns } = watch(scene, { turnValues: 5000 });
    const results = await store.read(asked);
    assert.deepEqual(results, await scene.store.read(asked));
    // Beyond its turn, a statement reads no more than one piece.
    for (const { spent } of turns) assert.ok(spent < 5000 + 1000, `a statement spent ${spent}`);
    // The texts of indexes differ.
    const [inTurns, atOnce] = [spentIn(turns), await costOf(scene, ...asked)];
    assert.ok(Math.abs(inTurns - atOnce) < atOnce / 100, `${inTurns} in turns, ${atOnce} at once`);
  });

  testScene(under, "no text of a statement exceeds the server's limit", async (scene) => {
    const meter = await scene.addMeter();
    const longest = (count: number) => valuesFrom(NOON, count, () => "\u0001".repeat(4096));
    const fields = Array.from({ length: 100 }, (_, i) => `f${i}`);
    await scene.write([
      series({ ...meter, field: "note" }, longest(300)),
      ...fields.map((field) => series({ ...meter, field }, longest(1))),
    ]);
    const { store, turns } = watch(scene);
    const results = await store.read([
      query({ ...meter, select: ["note"] }),
      query({ ...meter, select: fields }),
      query({ ...meter, select: fields.map((field) => `last(${field})`) }),
    ]);
    const lengths = results.map((result) => rowsOf(seriesOf(result)[0]).split("\\u0001").length);
    assert.deepEqual(lengths, [300 * 4096 + 1, 100 * 4096 + 1, 100 * 4096 + 1]);
    for (const { text } of turns) {
      assert.ok((text ?? "").length < 3_500_000, `a text has ${text?.length} characters`);
    }
  });

  testScene(under, "tags with special characters are found exactly", async (scene) => {
    const meter = await scene.addMeter();
    const names = [",", ":", "a", "*", "[a]", "?", '"', "\\", '","', "{", "}", "~", "nodeIe", "\n", "😀"];
    const sets: Record<string, string>[] = names.flatMap((name, i) => [
      { [name]: names[(i + 1) % names.length] as string },
      { [name]: ":", [names[(i + 3) % names.length] as string]: "," },
      { [`x${name}`]: name, [`${name},`]: ":" },
    ]);
    sets.push({ "x,": ":", y: "1" }, { ":": "," }, { w: "x,", ":": "y" }, { ",": ":" });
    await scene.write(sets.map((tags, i) => series({ ...meter, tags: { ...tags, n: `${i}` } }, ONE_VALUE)));
    const asked = [...sets, { a: "*" }, { a: "?" }, { a: "[*]" }, { "": "1" }, { ":": ":" }];
    const results = await scene.store.read(asked.map((tags) => query({ ...meter, tags })));
    for (const [i, tags] of asked.entries()) {
      const entries = Object.entries(tags);
      const expected = [...sets.keys()].filter((n) =>
        entries.every(([key, value]) => sets[n]?.[key] === value)
      );
      const found = seriesOf(results[i]).map((one) => Number(JSON.parse(one.tagsJson).n));
      assert.deepEqual(found.sort((a, b) => a - b), expected, JSON.stringify(tags));
    }
  });

  testScene(under, "a write has up to 20,000 recent points, and the rest lies by series", async (scene) => {
    const { clock } = scene.target;
    const meter = await scene.addMeter();
    await scene.store.carry?.();
    const [perSeries, count] = [11, 2000];
    const times = Array.from({ length: perSeries }, (_, i) => BigInt(clock.now() + i) * 1_000_000n);
    const write = (value: number): Promise<void> =>
      scene.write(Array.from(
        { length: count },
        (_, n) => series({ ...meter, field: `${n}` }, new Map(times.map((time) => [time, value + n]))),
      ));
    // The first write tells the store which hours take recent points.
    await scene.write([series(meter, ONE_VALUE)]);
    await write(0);
    const recents = 20_000 - 20_000 % perSeries;
    const lie = async (): Promise<number[]> =>
      await Promise.all(["recent_point", "point"].map((table) => countRows(scene.target, table)));
    assert.deepEqual(await lie(), [recents, perSeries * count - recents + 1]);
    await write(1);
    assert.deepEqual(await lie(), [recents, perSeries * count - recents + 1]);
    const select = [0, 1, count - 1].map((n) => `${n}`);
    const first = await readRows(scene.store, query({ ...meter, select, limit: 1 }));
    assert.equal(first, `["2026-01-01T00:00:00Z",1,2,${count}]`);
  });
}
