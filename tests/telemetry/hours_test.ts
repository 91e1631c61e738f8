/** Hours that are kept beyond their points answer as the points did, to the last digit, at any moment. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { TimeRange } from "../../src/telemetry/points/query.ts";
import { MIN_TIME } from "../../src/telemetry/points/time.ts";
import { KEEP_ALL } from "../../src/telemetry/retention.ts";
import type { StoreQuery, TelemetryStore } from "../../src/telemetry/store.ts";
import { queryNumber } from "../helpers/http.ts";
import { readCount, SEQUENCES } from "../helpers/read_count.ts";
import { carry, FIELDS, MINUTE_NS, OPENED, type OpenStores, stopAfter, VALUES } from "./moving_points.ts";
import { assertAgrees } from "./store_conformance.ts";
import { TelemetryModel } from "./telemetry_oracle.ts";
import {
  countRows,
  LIBSQL_STORES,
  NAMESPACE,
  query,
  series,
  type StoreUnderTest,
  testScene,
  withoutBudget,
} from "./telemetry_scene.ts";

const SEED = readCount("ROLEGRID_SEED", 20_260_101);
const RUNS = {
  // A session ends after 90 days, which are some 260 runs.
  file: Math.min(250, Math.ceil(SEQUENCES / 5)),
  remote: Math.ceil(SEQUENCES / 40),
} as const;

const HOUR = 60n * MINUTE_NS;

const write = fc.constantFrom(...FIELDS).chain((field) =>
  fc.record({
    field: fc.constant(field),
    room: fc.constantFrom("a", "b"),
    points: fc.array(
      fc.tuple(
        // Before the present hour are late ones.
        fc.oneof(
          { weight: 3, arbitrary: fc.integer({ min: 0, max: 59 }) },
          fc.integer({ min: -180, max: -1 }),
        ),
        fc.constantFrom(0n, 0n, 1_000_000_000n, 7_001_000n, MINUTE_NS - 1n),
        VALUES[field],
      ),
      { minLength: 1, maxLength: 25 },
    ),
  })
);
const asked = fc.record({
  select: fc.constantFrom(
    ["mean(watts)", "count(note)", "last(on)"],
    ["min(watts)", "max(volts)", "sum(volts)", "sum(watts)"],
    ["first(note)"],
    ["last(watts)", "first(watts)"],
    ["last(note)"],
    ["count(on)", "mean(volts)"],
  ),
  from: fc.option(fc.integer({ min: -4, max: 8 }), { nil: undefined }),
  to: fc.option(fc.integer({ min: -4, max: 8 }), { nil: undefined }),
  /** Whole hours, three apart: the first, and how many. */
  parts: fc.option(
    fc.tuple(fc.integer({ min: 1, max: 2 }), fc.integer({ min: 1, max: 2 })).map(([one, other]) =>
      [[0, one], [3, other]] as const
    ),
    { nil: undefined },
  ),
  window: fc.option(fc.constantFrom(1n, 2n, 3n, 24n), { nil: undefined }),
  descending: fc.boolean(),
  limit: fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }),
});
const scenario = fc.record({
  hours: fc.array(fc.array(write, { maxLength: 5 }), { minLength: 2, maxLength: 6 }),
  asked: fc.array(asked, { minLength: 3, maxLength: 8 }),
  cutoff: fc.integer({ min: -2, max: 7 }),
  writes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
  gone: fc.integer({ min: -4, max: 7 }),
});

function rangeOf(parts: readonly TimeRange[]): Pick<StoreQuery, "from" | "to" | "parts"> {
  return { from: parts[0]?.from, to: parts.at(-1)?.to, parts };
}

function testHours(under: StoreUnderTest, open: OpenStores): void {
  const runs = RUNS[under.kind];
  testScene(under, `hours answer as their points did, in ${runs} runs, seed ${SEED}`, async (scene) => {
    const { clock, database } = scene.target;
    await using opened = await open(database, clock.now);
    const { points, stores } = opened;
    let run = 0;
    let summaries = 0;
    const met = new Set<string>();
    const agrees = fc.asyncProperty(scenario, async (given) => {
      const meter = await scene.addMeter(`meter ${++run}`);
      const model = new TelemetryModel();
      const begin = BigInt(clock.now()) * 1_000_000n / HOUR + 1n;
      const hour = (n: number): bigint => (begin + BigInt(n)) * HOUR;
      clock.advance((Number(hour(0) / 1_000_000n) - clock.now()) / 1000 + 60);
      await carry(points, clock.now, 1000);
      for (const [n, writes] of given.hours.entries()) {
        const parts = new Map(writes.map(({ field, room, points: at }) => [
          `${field} ${room}`,
          series(
            { ...meter, field, tags: { room } },
            new Map(at.map(([minute, ns, value]) => [hour(n) + BigInt(minute) * MINUTE_NS + ns, value])),
          ),
        ]));
        const one = stores[n % 2] as TelemetryStore;
        // The first write of an hour learns from it which hours are open.
        for (const part of parts.values()) {
          await one.write(scene.owner, NAMESPACE, [part]);
          model.write([meter], NAMESPACE, [part]);
        }
        clock.advance(3600);
        await carry(points, clock.now, 1000);
      }
      clock.advance(3 * 3600);
      await carry(points, clock.now, 1000);
      const queries = given.asked.map(({ from, to, window, parts, ...rest }): StoreQuery =>
        query({
          ...meter,
          ...rest,
          ...(parts === undefined
            ? {
              from: from === undefined ? undefined : hour(from),
              to: to === undefined ? undefined : hour(to) - 1n,
            }
            : rangeOf(
              parts.map(([first, hours]) => ({ from: hour(first), to: hour(first + hours) - 1n })),
            )),
          window: window && window * HOUR,
        })
      );
      for (const table of ["point", "block"]) {
        if (await queryNumber({ database: points }, `SELECT count(*) FROM ${table}`) > 0) met.add(table);
      }
      const [first, second] = stores as [TelemetryStore, TelemetryStore];
      const answers = async (store: TelemetryStore, asked: readonly StoreQuery[]): Promise<string> =>
        JSON.stringify(await withoutBudget(store).read(asked), undefined, 1);
      await assertAgrees(first, model, queries);
      const before = await answers(first, queries);
      const time = hour(given.cutoff);
      const cutoffs = { others: { time, hours: KEEP_ALL }, named: [] };
      for (const writes of [...given.writes, 1000]) {
        await stopAfter(points, writes, async (counting, signal) => {
          await using again = await open(database, clock.now, counting);
          await again.stores[0]?.deleteBefore(cutoffs, signal);
        });
        assert.equal(await answers(first, queries), before);
        assert.equal(await answers(second, queries), before);
      }
      summaries += await queryNumber({ database: points }, "SELECT count(*) FROM hour_summary");
      const recent = FIELDS.map((field) => query({ ...meter, select: [field], from: time }));
      await assertAgrees(first, model, recent);
      const old = FIELDS.map((field) => query({ ...meter, select: [field], to: time - 1n }));
      await assertAgrees(first, new TelemetryModel(), old);
      // Hours go, too.
      const gone = hour(Math.min(given.gone, given.cutoff));
      const left = queries.map((one) => ({
        ...one,
        from: gone,
        to: undefined,
        parts: undefined,
        window: HOUR,
      }));
      const expected = await answers(first, left);
      await second.deleteBefore({ others: { time, hours: gone }, named: [] });
      const everything = left.map((one) => ({ ...one, from: undefined }));
      assert.equal(await answers(first, everything), expected);
      assert.equal(await answers(second, left), expected);
      await second.deleteBefore({ others: { time: hour(20), hours: hour(20) }, named: [] });
      assert.equal(await queryNumber({ database: points }, "SELECT count(*) FROM hour_summary"), 0);
    });
    await fc.assert(agrees, { numRuns: runs, seed: SEED, endOnFailure: true });
    if (under.kind === "file") assert.deepEqual([summaries > runs, met.size], [true, 2]);
  });
}

for (const [under, open] of OPENED) testHours(under, open);

for (const under of LIBSQL_STORES) {
  testScene(under, "the first hour of all is kept like others", async (scene) => {
    const meter = await scene.addMeter();
    const values = new Map([[MIN_TIME, 1], [MIN_TIME + HOUR, 2], [-1n, 3], [0n, 4]]);
    await scene.write([series(meter, values)]);
    const asked = (window: bigint | undefined): StoreQuery =>
      query({ ...meter, select: ["count(watts)", "sum(watts)", "first(watts)"], window });
    const queries = [undefined, HOUR, 24n * HOUR].map(asked);
    const before = await scene.store.read(queries);
    assert.equal(await scene.store.deleteBefore({ others: { time: 0n, hours: KEEP_ALL }, named: [] }), 3);
    assert.deepEqual(await scene.store.read(queries), before);
    assert.equal(await scene.store.deleteBefore({ others: { time: 0n, hours: KEEP_ALL }, named: [] }), 0);
    assert.deepEqual(await scene.store.read(queries), before);
    assert.equal(await countRows(scene.target, "hour_summary"), 3);
  });
}
