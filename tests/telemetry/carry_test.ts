/** Points are read as a plain model has them, wherever they lie on their way into blocks. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { TelemetryStore } from "../../src/telemetry/store.ts";
import { queryNumber } from "../helpers/http.ts";
import { readCount, SEQUENCES } from "../helpers/read_count.ts";
import { carry, FIELDS, MINUTE_NS, OPENED, type OpenStores, VALUES } from "./moving_points.ts";
import { assertAgrees } from "./store_conformance.ts";
import { TelemetryModel } from "./telemetry_oracle.ts";
import { NAMESPACE, query, series, type StoreUnderTest, testScene } from "./telemetry_scene.ts";

const SEED = readCount("ROLEGRID_SEED", 20_260_101);
/** At least 10 on a file: fewer do not have points in all three tables. */
const RUNS = {
  file: Math.max(10, Math.ceil(SEQUENCES / 5)),
  remote: Math.ceil(SEQUENCES / 40),
} as const;

/** A time around the beginning of a run: minutes, and a fraction of one. Few, so that most are written again. */
const moment = fc.record({
  minutes: fc.constantFrom(-400, -61, -20, -1, 0, 1, 2, 5, 20, 59, 61, 75, 119, 121, 200),
  ns: fc.constantFrom(0n, 0n, 0n, 1_000_000_000n, 2_500_000_000n, 7_001_000n),
});
const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("write"),
      parts: fc.array(
        fc.constantFrom(...FIELDS).chain((field) =>
          fc.record({
            field: fc.constant(field),
            room: fc.constantFrom("a", "b"),
            points: fc.array(fc.tuple(moment, VALUES[field]), { minLength: 1, maxLength: 25 }),
          })
        ),
        { minLength: 1, maxLength: 4 },
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("wait"), minutes: fc.integer({ min: 5, max: 45 }) }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("carry"),
      writes: fc.constantFrom(1, 2, 3, 1000, 1000),
      /** Minutes by which the clock of the job is ahead. */
      ahead: fc.constantFrom(0, 0, 0, 0, 90, 200, 100_000),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("read"),
      queries: fc.array(
        fc.record({
          select: fc.constantFrom(
            ["watts"],
            ["watts", "volts"],
            ["note"],
            ["on", "watts", "note"],
            ["mean(watts)", "count(note)", "last(on)"],
            ["min(watts)", "max(volts)", "sum(volts)"],
            ["first(note)"],
            ["last(watts)", "first(watts)"],
          ),
          from: fc.option(moment, { nil: undefined }),
          to: fc.option(moment, { nil: undefined }),
          minutes: fc.option(fc.constantFrom(7, 15, 60, 150), { nil: undefined }),
          descending: fc.boolean(),
          limit: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
  },
);

function testCarrying(under: StoreUnderTest, open: OpenStores): void {
  const runs = RUNS[under.kind];
  testScene(
    under,
    `points are read as written while they are carried over, in ${runs} runs, seed ${SEED}`,
    async (scene) => {
      const { clock, database } = scene.target;
      await using opened = await open(database, clock.now);
      const { points, stores } = opened;
      let run = 0;
      const met = new Set<string>();
      const agrees = fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const meter = await scene.addMeter(`meter ${++run}`);
        const model = new TelemetryModel();
        await carry(points, clock.now, 1000);
        const begin = BigInt(clock.now()) * 1_000_000n / MINUTE_NS;
        const at = ({ minutes, ns }: { minutes: number; ns: bigint }): bigint =>
          (begin + BigInt(minutes)) * MINUTE_NS + ns;
        for (const [i, one] of steps.entries()) {
          const store = stores[i % 2] as TelemetryStore;
          if (one.kind === "wait") clock.advance(one.minutes * 60);
          else if (one.kind === "carry") {
            await carry(points, () => clock.now() + one.ahead * 60_000, one.writes);
          } else if (one.kind === "write") {
            const parts = new Map(one.parts.map(({ field, room, points }) => [
              `${field} ${room}`,
              series(
                { ...meter, field, tags: { room } },
                new Map(points.map(([time, value]) => [at(time), value])),
              ),
            ]));
            await store.write(scene.owner, NAMESPACE, [...parts.values()]);
            model.write([meter], NAMESPACE, [...parts.values()]);
          } else {
            const queries = one.queries.map(({ from, to, minutes, ...given }) =>
              query({
                ...meter,
                ...given,
                from: from && at(from),
                to: to && at(to),
                window: given.select.some((name) => name.includes("(")) && minutes !== undefined
                  ? BigInt(minutes) * MINUTE_NS
                  : undefined,
              })
            );
            await assertAgrees(store, model, queries);
          }
          for (const table of ["point", "recent_point", "block"]) {
            if (await queryNumber({ database: points }, `SELECT count(*) FROM ${table}`) > 0) met.add(table);
          }
        }
        const everything = FIELDS.map((field) => query({ ...meter, select: [field] }));
        for (const store of stores) await assertAgrees(store, model, everything);
      });
      await fc.assert(agrees, { numRuns: runs, seed: SEED, endOnFailure: true });
      if (under.kind === "file") assert.deepEqual([...met].sort(), ["block", "point", "recent_point"]);
    },
  );
}

for (const [under, open] of OPENED) testCarrying(under, open);
