/** Points in blocks are read beside those that lie elsewhere, also while they are deleted. */
import assert from "node:assert/strict";
import { DAY_MS } from "../../src/core/clock.ts";
import type { Database } from "../../src/db/database.ts";
import { createSqliteStore } from "../../src/telemetry/sqlite/sqlite_store.ts";
import { BLOCKS_PER_HOUR, HOUR_MS, HOUR_NS } from "../../src/telemetry/points/slots.ts";
import { type Cutoffs, cutoffsAt } from "../../src/telemetry/retention.ts";
import { openTestPoints } from "../helpers/databases.ts";
import { execute } from "../helpers/http.ts";
import {
  countingBudget,
  everywhere,
  LIBSQL_STORES,
  NAMESPACE,
  query,
  rowsOf,
  series,
  seriesOf,
  type TelemetryScene,
  testScene,
  type Value,
  withoutBudget,
} from "./telemetry_scene.ts";

const HOUR = BigInt(HOUR_NS);
const MINUTE = HOUR / 60n;

/** Writes a point into each of some hours from the present one on, and carries them into blocks. Returns their begin. */
async function writeBlocks(
  scene: TelemetryScene,
  store: Pick<TelemetryScene["store"], "write" | "carry">,
  field: string,
  values: readonly Value[],
): Promise<bigint> {
  const { clock } = scene.target;
  const write = (time: bigint, value: Value): Promise<void> => {
    const written = series({ nodeId: "meter", field }, new Map([[time, value]]));
    return store.write(scene.owner, NAMESPACE, [written]);
  };
  const begin = BigInt(clock.now()) * 1_000_000n / HOUR * HOUR;
  await store.carry?.();
  // A first write tells the store which hours take recent points.
  await write(0n, values[0] as Value);
  for (const [i, value] of values.entries()) {
    await write(begin + BigInt(i) * HOUR + MINUTE, value);
    clock.advance(i === 0 ? 4300 : 3600);
    await store.carry?.();
  }
  return begin;
}

for (const under of LIBSQL_STORES) {
  testScene(under, "texts of the same hour outside the range refuse no numeric function", async (scene) => {
    const meter = await scene.addMeter();
    const begin = await writeBlocks(scene, scene.store, "note", ["a", "b"]);
    const asked = (minutes: readonly [bigint, bigint]) => {
      const [from, to] = minutes.map((minute) => begin + minute * MINUTE);
      return query({ ...meter, select: ["mean(note)"], from, to });
    };
    const [between, around] = await scene.store.read([asked([30n, 60n]), asked([30n, 61n])]);
    assert.deepEqual(between, { series: [] });
    assert.ok(around !== undefined && "invalid" in around);
  });

  testScene(under, "a read towards the past ends at hours that are deleted meanwhile", async (scene) => {
    const { clock, database } = scene.target;
    const meter = await scene.addMeter();
    const begin = await writeBlocks(scene, scene.store, "watts", [1, 2, 3, 4, 5, 6]);
    let turns = 0;
    const deleting: Database = {
      ...database,
      async read(statement) {
        turns++;
        const isDue = statement.args["at"] === String(begin / HOUR + 2n);
        if (isDue) await scene.store.deleteBefore(everywhere(begin + 4n * HOUR));
        return await database.read(statement);
      },
    };
    const limits = { turnValues: 1, pieceValues: 1 };
    const store = createSqliteStore({ database: deleting, clock: clock.now, limits });
    const budget = { ...countingBudget(), scan: () => assert.ok(turns < 100, "the read does not end") };
    const [result] = await store.read([query({ ...meter, descending: true })], budget);
    assert.ok(rowsOf(seriesOf(result)[0]).startsWith('["2026-01-01T05:01:00Z",6],'));
  });

  testScene(under, "what is read of dense blocks is used before more is read", async (scene) => {
    const { clock, database } = scene.target;
    const meter = await scene.addMeter();
    const rooms = Array.from({ length: 20 }, (_, i) => `${i}`);
    await scene.write(rooms.map((room) => series({ ...meter, tags: { room } }, new Map([[0n, 1]]))));
    const points = `${Array.from({ length: 480 }, (_, i) => i * 7).join(",")}${"\t1".repeat(480)}`;
    const fill = [
      `INSERT INTO block (id, points) SELECT ${BLOCKS_PER_HOUR} + id, :points FROM series`,
      "INSERT INTO block_range (series_id, first_hour, last_hour) SELECT id, 1, 1 FROM series",
    ];
    await execute(scene.target, fill, { points });
    const limits = { turnValues: 1000, pieceValues: 100 };
    const store = createSqliteStore({ database, clock: clock.now, limits });
    let [scans, most] = [0, 0];
    const noting = {
      ...countingBudget(),
      scan: () => void (most = Math.max(most, ++scans)),
      keep: (points: number) => void (scans = points > 0 ? 0 : scans),
    };
    const select = ["count(watts)"];
    const [result] = await store.read([query({ ...meter, select })], noting);
    assert.deepEqual(seriesOf(result).map(rowsOf), rooms.map(() => '["1970-01-01T00:00:00Z",481]'));
    // That of tag sets, a turn for each of four tables, and one more.
    assert.ok(most <= 6, `${most} statements were read at once`);
  });

  testScene(under, "the first and last of many recent points are read alone", async (scene) => {
    const { clock } = scene.target;
    const meter = await scene.addMeter();
    await scene.store.carry?.();
    const begin = BigInt(clock.now()) * 1_000_000n;
    const write = (minute: bigint): Promise<void> => {
      const times = Array.from(
        { length: 16 },
        (_, i) => begin + minute * MINUTE + BigInt(i) * 1_000_000_000n,
      );
      return scene.write([series(meter, new Map(times.map((time, i) => [time, i])))]);
    };
    for (let minute = 0n; minute < 60n; minute += 2n) await write(minute);
    for (const select of ["first(watts)", "last(watts)"]) {
      const budget = countingBudget();
      const asked = query({ ...meter, select: [select], from: begin + 2n * MINUTE });
      const [result] = await scene.store.read([asked], budget);
      const expected = `["2026-01-01T00:02:00Z",${select === "first(watts)" ? 0 : 15}]`;
      assert.deepEqual([rowsOf(seriesOf(result)[0]), budget.values < 150], [expected, true]);
    }
  });

  for (const isApart of [false, true]) {
    testScene(
      { ...under, label: `${isApart ? "points' file, " : ""}${under.label}` },
      "at no moment of a deletion does a value show that was written over",
      async (scene) => {
        const { clock, database } = scene.target;
        await using file = isApart ? await openTestPoints(database) : undefined;
        const watched: Database = {
          ...file?.database ?? database,
          async write(statements) {
            const results = await (file?.database ?? database).write(statements);
            if (isDeleting) moments.push(await read());
            return results;
          },
        };
        const deps = { database: isApart ? database : watched, points: watched, clock: clock.now };
        const store = isApart ? createSqliteStore(deps) : createSqliteStore(deps);
        const moments: string[] = [];
        let isDeleting = false;
        const meter = await scene.addMeter();
        const read = async (): Promise<string> => {
          const asked = query({ ...meter, select: ["first(watts)"], from: begin });
          const [result] = await withoutBudget(store).read([asked]);
          return rowsOf(seriesOf(result)[0]);
        };
        const begin = await writeBlocks(scene, store, "watts", [1]);
        const newer = series(meter, new Map([[begin + MINUTE, 2]]));
        await store.write(scene.owner, NAMESPACE, [newer]);
        isDeleting = true;
        await store.deleteBefore(
          cutoffsAt(clock.now() + DAY_MS - HOUR_MS, { others: 1, named: [] }) as Cutoffs,
        );
        assert.ok(moments.length > 0);
        assert.deepEqual([...new Set(moments)], ['["2026-01-01T00:00:00Z",2]']);
        await store.deleteBefore(everywhere(begin + HOUR));
        assert.deepEqual([...new Set(moments)], ['["2026-01-01T00:00:00Z",2]', ""]);
      },
    );
  }
}
