import { KEEP_ALL } from "../../src/telemetry/retention.ts";
import assert from "node:assert/strict";
import fc from "fast-check";
import type { SeriesWrite } from "../../src/telemetry/points/point.ts";
import type { StoreQuery, TelemetryStore } from "../../src/telemetry/store.ts";
import { AppError } from "../../src/core/errors.ts";
import { execute, query as queryRows } from "../helpers/http.ts";
import { readCount, SEQUENCES } from "../helpers/read_count.ts";
import { telemetryRun } from "./telemetry_arbitraries.ts";
import { assertResult, TelemetryModel } from "./telemetry_oracle.ts";
import {
  countingBudget,
  countRows,
  everywhere,
  type Meter,
  NAMESPACE,
  query,
  type QueryInput,
  readRows,
  rowsOf,
  series,
  seriesOf,
  type StoreUnderTest,
  type TelemetryScene,
  testScene,
  UNLIMITED,
  valuesFrom,
} from "./telemetry_scene.ts";

/**
 * The suite for every telemetry store, registered by `testStore`. A store hides the differences between engines. A
 * column has null for a row without a value, and so has a count.
 */

const SECOND = 1_000_000_000n;
const DAY = 86_400n * SECOND;
const NOON = 1_767_268_800n * SECOND;

const SEED = readCount("ROLEGRID_SEED", 20_260_101);
/** Random writes and queries, each of which costs a store several dozen statements, which a server takes longer for. */
const RUNS = {
  file: Math.ceil(SEQUENCES / 5),
  remote: Math.ceil(SEQUENCES / 25),
} as const;

/** Writes to the store and to the model. */
async function write(
  scene: TelemetryScene,
  model: TelemetryModel,
  meter: Meter,
  ...writes: readonly SeriesWrite[]
): Promise<void> {
  await scene.write(writes);
  model.write([meter], NAMESPACE, writes);
}

/** The series that the database knows, with any engine: `tags field` of each, and the number of tag sets. */
async function knownSeries({ target }: TelemetryScene): Promise<{ series: string[]; tagSets: number }> {
  const series = await queryRows<{ name: string }>(
    target,
    `SELECT tags || ' ' || field AS name FROM series JOIN tag_set ON tag_set.id = tag_set_id ORDER BY name`,
  );
  return { series: series.map(({ name }) => name), tagSets: await countRows(target, "tag_set") };
}

/** Compares the results of queries with those of the model. */
export async function assertAgrees(
  store: Pick<TelemetryStore, "read">,
  model: TelemetryModel,
  asked: readonly StoreQuery[],
): Promise<void> {
  const results = await store.read(asked, UNLIMITED);
  assert.equal(results.length, asked.length);
  for (const [i, one] of asked.entries()) {
    const expected = model.resultOf(one);
    try {
      assertResult(results[i], expected, one);
    } catch (error) {
      const told = { query: one, expected, answered: results[i] };
      const message = `A store and its model disagree: ${Deno.inspect(told, { depth: 8 })}`;
      throw new Error(message, { cause: error });
    }
  }
}

export function testStore(under: StoreUnderTest): void {
  testScene(under, "written points are read back, and the last value of a time counts", async (scene) => {
    const meter = await scene.addMeter();
    const model = new TelemetryModel();
    await write(scene, model, meter, series(meter, new Map([[NOON, 1.5], [NOON + SECOND, 0.1]])));
    await write(scene, model, meter, series(meter, new Map([[NOON, 2.5]])));
    await assertAgrees(scene.store, model, [query(meter)]);
    const expected = '["2026-01-01T12:00:00Z",2.5],["2026-01-01T12:00:01Z",0.1]';
    assert.equal(await readRows(scene.store, query(meter)), expected);
  });

  testScene(under, "one foreign or unknown device among many refuses the whole request", async (scene) => {
    const meter = await scene.addMeter();
    const foreign = await scene.addMeter("foreign", scene.stranger);
    const values = new Map([[NOON, 1]]);
    for (const { nodeId } of [foreign, { nodeId: "nowhere" }]) {
      const writes = [series(meter, values), series({ nodeId, line: 2 }, values)];
      await assert.rejects(scene.write(writes), { code: "FORBIDDEN" });
    }
    await assertAgrees(scene.store, new TelemetryModel(), [query(meter), query(foreign)]);
  });

  testScene(under, "a write for a role reaches only devices below it", async (scene) => {
    const meter = await scene.addMeter();
    const writes = [series(meter, new Map([[NOON, 1]]))];
    const write = (roleId: number): Promise<void> =>
      scene.store.write(scene.owner, { ...NAMESPACE, roleId }, writes);
    await assert.rejects(write(scene.roleOf(scene.stranger)), { code: "FORBIDDEN" });
    await assertAgrees(scene.store, new TelemetryModel(), [query(meter)]);
    await write(scene.roleOf(scene.owner));
  });

  testScene(under, "an ended session writes nothing", async (scene) => {
    const meter = await scene.addMeter();
    const { store, stranger, owner } = scene;
    const writes = [series(meter, new Map([[NOON, 1]]))];
    for (const actor of [{ ...owner, sessionId: stranger.sessionId }, { ...owner, sessionId: "none" }]) {
      await assert.rejects(store.write(actor, NAMESPACE, writes), { code: "TOKEN_INVALID" });
    }
    scene.target.clock.advance(366 * 24 * 3600);
    await assert.rejects(store.write(owner, NAMESPACE, writes), { code: "TOKEN_INVALID" });
    await assertAgrees(scene.store, new TelemetryModel(), [query(meter)]);
  });

  testScene(under, "a field that changes its kind refuses the whole request", async (scene) => {
    const meter = await scene.addMeter();
    await scene.write([series(meter, new Map([[NOON, 1]]))]);
    for (const value of [true, "one"]) {
      const writes = [
        series({ ...meter, field: "volts", line: 3 }, new Map([[NOON, 1]])),
        series({ ...meter, line: 5 }, new Map([[NOON, value]])),
      ];
      const message = "Line 5 (in JSON: point 5, counted from 1): the field already has the type number";
      await assert.rejects(scene.write(writes), { code: "TELEMETRY_REFUSED", message });
    }
    const asked = query({ ...meter, select: ["volts"] });
    await assertAgrees(scene.store, new TelemetryModel(), [asked]);
  });

  testScene(under, "a write marks its device as having points", async (scene) => {
    await scene.addDevice("meter");
    await scene.addDevice("silent");
    await scene.write([series({ nodeId: "meter" }, new Map([[NOON, 1]]))]);
    const sql = "SELECT node_id AS nodeId FROM device WHERE has_points = 1";
    assert.deepEqual(await queryRows(scene.target, sql), [{ nodeId: "meter" }]);
  });

  testScene(under, "forgetting a device deletes its points and series, and no others", async (scene) => {
    const [gone, kept] = [await scene.addMeter("gone"), await scene.addMeter("kept")];
    const model = new TelemetryModel();
    // More than one statement deletes.
    const values = valuesFrom(NOON, 6000);
    await scene.write(["a", "b"].map((room) => series({ ...gone, tags: { room } }, values)));
    const fields = ["a", "b"];
    const many = Array.from(
      { length: 3000 },
      (_, i) =>
        fields.map((field) => series({ ...gone, tags: { room: `${i}` }, field }, new Map([[NOON, 1]]))),
    );
    await scene.write(many.flat());
    await write(scene, model, kept, series(kept, new Map([[NOON, 1]])));
    assert.equal(await scene.store.forget([gone.deviceId], AbortSignal.abort()), false);
    assert.equal(await scene.store.forget([gone.deviceId]), true);
    assert.equal(await scene.store.forget([gone.deviceId]), true);
    await assertAgrees(scene.store, model, [query(gone), query({ ...gone, select: fields }), query(kept)]);
    assert.deepEqual(await knownSeries(scene), { series: ['{"nodeId":"kept"} watts'], tagSets: 1 });
  });

  testScene(under, "a device that takes over a nodeId sees no points of its predecessor", async (scene) => {
    const before = await scene.addMeter();
    await scene.write([series(before, new Map([[NOON, 1]]))]);
    const gone = { before: before.deviceId };
    await execute(scene.target, "DELETE FROM device WHERE id = :before", gone);
    await execute(scene.target, "DELETE FROM monitors WHERE device_id = :before", gone);
    const after = await scene.addMeter();
    const model = new TelemetryModel();
    await assertAgrees(scene.store, model, [query(after)]);
    await write(scene, model, after, series(after, new Map([[NOON, "another kind"]])));
    assert.equal(await scene.store.forget([before.deviceId]), true);
    await assertAgrees(scene.store, model, [query(after)]);
  });

  testScene(
    under,
    "points before a time are deleted on all devices, and none at that time",
    async (scene) => {
      const meter = await scene.addMeter();
      const foreign = await scene.addMeter("foreign", scene.stranger);
      const other = { ...NAMESPACE, database: "other" };
      await scene.write([series({ ...meter, tags: { room: "a" } }, new Map([[-1n, 1], [NOON - 1n, 2]]))]);
      await scene.store.write(scene.stranger, other, [series(foreign, new Map([[NOON - 1n, 2]]))]);
      const model = new TelemetryModel();
      await write(scene, model, meter, series(meter, new Map([[NOON, 3], [NOON + 1n, 4]])));
      const kept = [series(foreign, new Map([[NOON, 5]]))];
      await scene.store.write(scene.stranger, other, kept);
      model.write([foreign], other, kept);
      assert.ok([3, undefined].includes(await scene.store.deleteBefore(everywhere(NOON))));
      await assertAgrees(scene.store, model, [query(meter), query({ ...foreign, ...other })]);
      assert.ok([0, undefined].includes(await scene.store.deleteBefore(everywhere(NOON))));
    },
  );

  testScene(under, "each database and policy has its own cutoff, the most specific one", async (scene) => {
    const meter = await scene.addMeter();
    const times = [NOON - 3n * DAY, NOON - 2n * DAY, NOON - DAY - 1n, NOON - DAY, NOON - 1n, NOON];
    const values = new Map(times.map((time, i) => [time, i]));
    const odd = `a.b/(c)%,"='é`;
    const named = [
      { database: "metrics", retentionPolicy: undefined, time: NOON - DAY },
      { database: "metrics", retentionPolicy: "raw", time: NOON },
      { database: "metrics", retentionPolicy: "kept", time: KEEP_ALL },
      { database: "audit", retentionPolicy: undefined, time: KEEP_ALL },
      { database: "audit", retentionPolicy: "brief", time: NOON },
      { database: odd, retentionPolicy: odd, time: NOON - 2n * DAY },
    ];
    /** The first value that is left, in each place. */
    const expected: readonly (readonly [string, string, number | undefined])[] = [
      ["metrics", "autogen", 3],
      ["metrics", "raw", 5],
      ["metrics", "raw2", 3],
      ["metrics", "kept", 0],
      ["metrics2", "raw", 4],
      ["Metrics", "raw", 4],
      ["raw", "metrics", 4],
      ["audit", "autogen", 0],
      ["audit", "brief", 5],
      [odd, odd, 1],
      [odd, "autogen", 4],
      ["a", "b", 4],
    ];
    for (const [database, retentionPolicy] of expected) {
      const place = { database, retentionPolicy };
      await scene.write([series(meter, values)], place);
      await scene.write([series({ ...meter, field: "old" }, new Map([[NOON - 4n * DAY, 1]]))], place);
    }
    const firstValues = async (): Promise<unknown[]> => {
      const asked = expected.map(([database, retentionPolicy]) =>
        query({ ...meter, database, retentionPolicy })
      );
      const results = await scene.store.read(asked);
      return results.map((result, i) => {
        const rows = JSON.parse(`[${rowsOf(seriesOf(result)[0])}]`) as [string, number][];
        const [database, policy] = expected[i] ?? [];
        const first = rows[0]?.[1] ?? NaN;
        assert.equal(rows.length, times.length - first);
        return [database, policy, first];
      });
    };
    await scene.store.deleteBefore({ others: { time: KEEP_ALL }, named });
    const isNamed = (name: string, policy: string): boolean =>
      named.some(({ database, retentionPolicy = policy }) => database === name && retentionPolicy === policy);
    assert.deepEqual(
      await firstValues(),
      expected.map(([name, policy, first]) => [name, policy, isNamed(name, policy) ? first : 0]),
    );
    await scene.store.deleteBefore({ others: { time: NOON - 1n }, named });
    assert.deepEqual(await firstValues(), expected);
    // The series of old points went with them, except where all are kept.
    const kept =
      "SELECT database, retention_policy AS policy FROM tag_set JOIN series ON tag_set_id = tag_set.id " +
      "WHERE field = 'old' ORDER BY 1, 2";
    assert.deepEqual(await queryRows(scene.target, kept), [
      { database: "audit", policy: "autogen" },
      { database: "metrics", policy: "kept" },
    ]);
  });

  testScene(under, "series are deleted behind more than a page of others that are kept", async (scene) => {
    await scene.addDevice("meter");
    const values = new Map([[NOON - 3n * DAY, 1]]);
    const kept = Array.from({ length: 2500 }, (_, i) => series({ nodeId: "meter", field: `${i}` }, values));
    await scene.write(kept, { ...NAMESPACE, database: "audit" });
    await scene.write([series({ nodeId: "meter" }, values)]);
    const named = [{ database: "audit", retentionPolicy: undefined, time: KEEP_ALL }];
    assert.ok([1, undefined].includes(await scene.store.deleteBefore({ others: { time: NOON }, named })));
    assert.equal(await countRows(scene.target, "series"), 2500);
    assert.equal(await countRows(scene.target, "tag_set"), 1);
  });

  testScene(under, "series with only expired points are deleted and make room for others", async (scene) => {
    const meter = await scene.addMeter();
    const tooOld = new Map([[NOON - 3n * DAY, 1], [NOON - 2n * DAY, 2]]);
    const many = Array.from({ length: 9998 }, (_, i) => series({ ...meter, tags: { room: `${i}` } }, tooOld));
    // A tag set of which only one field has newer points, written before its older ones.
    const mixed = new Map([[NOON, 4], [NOON - 2n * DAY, 3]]);
    many.push(series(meter, mixed), series({ ...meter, field: "volts" }, tooOld));
    await scene.write(many);
    // Older points do not reset the age of a series.
    await scene.write([series(meter, tooOld)]);
    const other = series({ ...meter, field: "amperes" }, new Map([[NOON, 5]]));
    await assert.rejects(scene.write([other]), { code: "TELEMETRY_REFUSED" });
    await scene.store.deleteBefore(everywhere(NOON - 2n * DAY));
    assert.equal((await knownSeries(scene)).tagSets, 9999);
    await scene.store.deleteBefore(everywhere(NOON));
    assert.deepEqual(await knownSeries(scene), { series: ['{"nodeId":"meter"} watts'], tagSets: 1 });
    await scene.write([other]);
    const asked = query({ ...meter, select: ["watts", "amperes"] });
    assert.equal(await readRows(scene.store, asked), '["2026-01-01T12:00:00Z",4,5]');
  });

  const each = under.isSlow ? 500 : 10_000;
  testScene(under, `a request of ${10 * each} points is written and counted`, async (scene) => {
    const meters: Meter[] = [];
    for (let i = 0; i < 10; i++) meters.push(await scene.addMeter(`meter ${i}`));
    const values = new Map(Array.from({ length: each }, (_, i) => [NOON + BigInt(i) * SECOND, i / 10]));
    await scene.write(meters.map((meter) => series(meter, values)));
    const select = ["count(watts)", "max(watts)"];
    for (const result of await scene.store.read(meters.map((meter) => query({ ...meter, select })))) {
      assert.equal(rowsOf(seriesOf(result)[0]), `["1970-01-01T00:00:00Z",${each},${(each - 1) / 10}]`);
    }
  });

  testScene(under, "returned points and characters count exactly against the budget", async (scene) => {
    const meter = await scene.addMeter();
    const texts = valuesFrom(NOON, 2500, (i) => i % 2 === 0 ? '"\n' : "é");
    const numbers = new Map(Array.from({ length: 40 }, (_, i) => [NOON + BigInt(i) * SECOND, i]));
    for (const room of ["a", "b"]) {
      const given = { ...meter, tags: { room } };
      await scene.write([series({ ...given, field: "note" }, texts), series(given, numbers)]);
    }
    const calls: [number, readonly string[], Partial<QueryInput>][] = [
      [2 * 2500, ["note"], {}],
      [2 * 7, ["note"], { limit: 7 }],
      [2 * 120, ["note"], { limit: 120, descending: true }],
      [2 * 2 * (2500 + 39), ["note", "watts"], {}],
      [2 * 2 * 2, ["note", "watts"], { limit: 2 }],
      [2 * 40 * 2, ["max(watts)", "last(note)"], { window: SECOND }],
      [2, ["mean(watts)"], {}],
    ];
    for (const [points, select, given] of calls) {
      const budget = countingBudget();
      const asked = query({ ...meter, select, ...given });
      const [result] = await scene.store.read([asked], budget);
      const characters = seriesOf(result).map((one) => one.tagsJson.length + rowsOf(one).length + 1);
      const kept = [budget.points, budget.characters];
      assert.deepEqual(kept, [points, characters.reduce((a, b) => a + b)], `${select}`);
    }
  });

  testScene(under, "reading ends when the budget is used up", async (scene) => {
    const meter = await scene.addMeter();
    await scene.write([series(meter, valuesFrom(NOON, 20_000))]);
    const all = query(meter);
    const budget = {
      ...countingBudget(),
      keep(points: number): void {
        this.points += points;
        if (this.points > 5000) throw new AppError("TOO_MUCH_TELEMETRY");
      },
    };
    await assert.rejects(scene.store.read([all, all], budget), { code: "TOO_MUCH_TELEMETRY" });
    assert.ok(budget.points <= 6000, `${budget.points} points were kept`);
  });

  testScene(under, "a working store is ready", async ({ store }) => {
    assert.equal(await store.isReady(), true);
  });

  const runs = RUNS[under.kind];
  testScene(under, `store and model agree over ${runs} runs, seed ${SEED}`, async (scene) => {
    let run = 0;
    const agrees = fc.asyncProperty(telemetryRun, async ({ writes, queries }) => {
      run++;
      const meters = [await scene.addMeter(`meter "${run}"`), await scene.addMeter(`other \\${run}`)];
      const model = new TelemetryModel();
      for (const makeWrite of writes) {
        const { namespace, series } = makeWrite(meters);
        await scene.write(series, namespace);
        model.write(meters, namespace, series);
      }
      await assertAgrees(scene.store, model, queries.map((makeQuery) => makeQuery(meters)));
    });
    // Each step of shrinking takes as long as a run, and the failure reports the whole disagreement.
    await fc.assert(agrees, { numRuns: runs, seed: SEED, endOnFailure: true });
  });
}
