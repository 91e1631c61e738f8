import assert from "node:assert/strict";
import fc from "fast-check";
import { createApp } from "../../src/app.ts";
import type { Aggregate } from "../../src/telemetry/points/query.ts";
import { MAX_TIME, MIN_TIME } from "../../src/telemetry/points/time.ts";
import type { StoreQuery } from "../../src/telemetry/store.ts";
import { execute } from "../helpers/http.ts";
import { readCount, SEQUENCES } from "../helpers/read_count.ts";
import { Person } from "../helpers/person.ts";
import { requestsTo } from "../helpers/test_app.ts";
import { COLLECT, type QueryResult, WRITE } from "../every_operation/telemetry_requests.ts";
import { assertResult, TelemetryModel } from "./telemetry_oracle.ts";
import {
  canonicalTags,
  type Meter,
  NAMESPACE,
  query,
  series,
  type StoreUnderTest,
  testScene,
} from "./telemetry_scene.ts";

/** Telemetry of devices with periods, through the API, against a model that marks every millisecond. */

const SEED = readCount("ROLEGRID_SEED", 20_260_101);
const RUNS = {
  file: Math.ceil(SEQUENCES / 5),
  remote: Math.ceil(SEQUENCES / 40),
} as const;

/** Milliseconds from now to either side at which all times of a run lie. */
const REACH = 10;
const NS_PER_MS = 1_000_000n;
/** Times in half milliseconds from now. */
const half = fc.integer({ min: -2 * REACH, max: 2 * REACH });
const bound = fc.option(fc.integer({ min: -REACH, max: REACH }), { freq: 4 });
/** Mostly short, so that there are gaps. */
const relation = fc.record({
  role: fc.nat({ max: 2 }),
  from: bound,
  length: fc.option(fc.integer({ min: 1, max: 6 }), { freq: 6 }),
}).map(({ role, from, length }) => ({
  role,
  from,
  until: length === null ? null : (from ?? -REACH) + length,
}));

interface Drawn {
  /** Of which of the three roles, and when, in milliseconds from now. */
  readonly relations: readonly {
    readonly role: number;
    readonly from: number | null;
    readonly until: number | null;
  }[];
  readonly stored: readonly number[];
  readonly writes: readonly (readonly number[])[];
  readonly queries: readonly {
    readonly from: number | undefined;
    readonly to: number | undefined;
    readonly aggregate: Aggregate | undefined;
    readonly isWindowed: boolean;
    readonly descending: boolean;
  }[];
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  relations: fc.array(relation, { minLength: 1, maxLength: 8 }),
  stored: fc.uniqueArray(half, { minLength: 5, maxLength: 30 }),
  writes: fc.array(fc.uniqueArray(half, { minLength: 1, maxLength: 3 }), { maxLength: 2 }),
  queries: fc.array(
    fc.record({
      from: fc.option(half, { nil: undefined }),
      to: fc.option(half, { nil: undefined }),
      aggregate: fc.constantFrom(undefined, undefined, "count", "sum", "first"),
      isWindowed: fc.boolean(),
      descending: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  ),
});

const SET_RELATIONS = [
  "DELETE FROM monitors WHERE device_id = :deviceId",
  `INSERT INTO monitors (id, role_id, device_id, valid_from, valid_until)
   SELECT :deviceId * 10 + key, value ->> 0, :deviceId, value ->> 1, value ->> 2 FROM json_each(:relations)`,
];

/** The people of a run: by the roles of which they are members. */
const PEOPLE = [[0], [1], [0, 1], [0, 1, 2]] as const;

export function testPeriods(under: StoreUnderTest): void {
  const runs = RUNS[under.kind];
  testScene(under, `reads and writes keep to periods over ${runs} runs, seed ${SEED}`, async (scene) => {
    const { target, owner, store } = scene;
    const admin = new Person(target, await target.accessToken(owner.userId));
    const app = createApp({
      ...target.deps,
      telemetryStore: store,
      telemetryBucket: { capacity: 1e12, drainSeconds: 1 },
    });
    const request = requestsTo(app);
    const roleIds: number[] = [];
    for (const name of ["A", "B", "C"]) roleIds.push(await admin.create(scene.roleOf(owner), name));
    const people: Person[] = [];
    for (const [i, roles] of PEOPLE.entries()) {
      const email = `person${i}@example.com`;
      const { accessToken } = await target.createUser(email);
      for (const role of roles) await admin.put(`/v1/role/${roleIds[role]}/member?userEmail=${email}`);
      people.push(new Person({ request }, accessToken));
    }
    const now = target.clock.now();
    const atNs = (halves: number): bigint => BigInt(now) * NS_PER_MS + BigInt(halves) * NS_PER_MS / 2n;
    let run = 0;
    const keeps = fc.asyncProperty(drawn, async ({ relations, stored, writes, queries }) => {
      const meter = await scene.addMeter(`meter ${++run}`);
      const model = new TelemetryModel();
      const seriesAt = (
        halves: readonly number[],
      ) => [series(meter, new Map(halves.map((at) => [atNs(at), at])))];
      await scene.write(seriesAt(stored));
      model.write([meter], NAMESPACE, seriesAt(stored));
      const rows = relations.filter(({ from, until }) => (from ?? -Infinity) < (until ?? Infinity));
      const time = (ms: number | null): number | null => ms === null ? null : now + ms;
      await execute(target, SET_RELATIONS, {
        deviceId: meter.deviceId,
        relations: JSON.stringify(
          rows.map((each) => [roleIds[each.role], time(each.from), time(each.until)]),
        ),
      });
      for (const [i, person] of people.entries()) {
        const own = rows.filter(({ role }) => (PEOPLE[i] as readonly number[]).includes(role));
        for (const halves of writes) {
          const points = halves.map((at) => ({
            measurement: "power",
            time: iso(atNs(at)),
            tags: { nodeId: meter.nodeId },
            fields: { watts: at },
          }));
          // With a role that has the device now, points of its earlier periods are written, too.
          const open = own.filter((each) => covers(each, 0));
          const isOver = ({ until }: typeof own[number]): boolean => until !== null && until <= 0;
          const writable = marked(
            own.filter((each) =>
              open.includes(each) || (isOver(each) && open.some(({ role }) => role === each.role))
            ),
          );
          const status = writable.size === 0
            ? 403
            : halves.every((at) => writable.has(Math.floor(at / 2)))
            ? 204
            : 422;
          const answer = await person.ask("POST", WRITE, points);
          assert.equal(answer.status, status, `${JSON.stringify({ own, halves })}: ${answer.text}`);
          if (status === 204) model.write([meter], NAMESPACE, seriesAt(halves));
        }
        const asked = queries.map((query) => toQuery(query, meter, atNs));
        const results = await person.post<readonly (QueryResult & { clipped?: boolean })[]>(
          COLLECT,
          asked.map(wire),
        );
        for (const [k, query] of asked.entries()) {
          const result = results[k];
          assert.ok(result !== undefined);
          const told = () => Deno.inspect({ own, query, result }, { depth: 6 });
          const part = readable(marked(own), query, now);
          if (part === undefined) {
            assert.equal(result.error, "Unauthorized", told());
            continue;
          }
          assert.equal(result.clipped ?? false, part.clipped, told());
          try {
            assertResult(toStoreResult(result), model.resultOf({ ...query, ...part }), query);
          } catch (error) {
            throw new Error(told(), { cause: error });
          }
        }
      }
    });
    await fc.assert(keeps, { numRuns: runs, seed: SEED, endOnFailure: true });
  });
}

type Relation = Drawn["relations"][number];

function covers({ from, until }: Relation, ms: number): boolean {
  return (from === null || from <= ms) && (until === null || ms < until);
}

/** Milliseconds further from now than any bound: they stand for all before and after. */
const [FIRST, LAST] = [-REACH - 2, REACH + 2];

/** The milliseconds from now that one of the relations has. */
function marked(relations: readonly Relation[]): Set<number> {
  const ms = Array.from({ length: LAST - FIRST + 1 }, (_, i) => FIRST + i);
  return new Set(ms.filter((each) => relations.some((relation) => covers(relation, each))));
}

/** The parts of the query's range that are read: all stretches of marked milliseconds that meet it. */
function readable(
  marks: ReadonlySet<number>,
  { from, to }: StoreQuery,
  now: number,
): Pick<StoreQuery, "from" | "to" | "parts"> & { clipped: boolean } | undefined {
  const msFromNow = (ns: bigint): number => Math.floor(Number(ns - BigInt(now) * NS_PER_MS) / 1e6);
  const nsAt = (ms: number): bigint => BigInt(now + ms) * NS_PER_MS;
  if (marks.size === 0) return undefined;
  if (from !== undefined && to !== undefined && from > to) return { from, to, clipped: false };
  const [first, last] = [
    from === undefined ? FIRST : msFromNow(from),
    to === undefined ? LAST : msFromNow(to),
  ];
  const asked = Array.from({ length: last - first + 1 }, (_, i) => first + i);
  const read = asked.filter((ms) => marks.has(ms));
  const [begin] = read;
  if (begin === undefined) return undefined;
  return {
    from: begin > first ? nsAt(begin) : from,
    to: undefined,
    parts: read.map((ms) => ({
      from: ms === FIRST ? MIN_TIME : ms === first ? from ?? MIN_TIME : nsAt(ms),
      to: ms === LAST ? MAX_TIME : ms === last ? to ?? MAX_TIME : nsAt(ms + 1) - 1n,
    })),
    clipped: read.length < asked.length,
  };
}

function toQuery(
  { from, to, aggregate, isWindowed, descending }: Drawn["queries"][number],
  meter: Meter,
  atNs: (halves: number) => bigint,
): StoreQuery {
  return query({
    ...meter,
    select: [aggregate === undefined ? "watts" : `${aggregate}(watts)`],
    from: from === undefined ? undefined : atNs(from),
    to: to === undefined ? undefined : atNs(to),
    window: aggregate !== undefined && isWindowed ? 1_000_000_000n : undefined,
    descending,
  });
}

function wire(
  { columns: [{ field, aggregate }], nodeId, from, to, window, descending }: StoreQuery,
): unknown {
  const time = [
    ...(from === undefined ? [] : [{ operator: ">=", value: iso(from) }]),
    ...(to === undefined ? [] : [{ operator: "<=", value: iso(to) }]),
  ];
  return {
    select: [aggregate === undefined ? field : { field, function: aggregate }],
    from: { measurement: "power", ...NAMESPACE },
    where: { tags: { nodeId }, ...(time.length === 0 ? {} : { time }) },
    ...(window === undefined ? {} : { groupBy: { time: "1s" } }),
    orderBy: descending ? "DESC" : "ASC",
  };
}

function iso(ns: bigint): string {
  const text = new Date(Number(ns / NS_PER_MS)).toISOString();
  return `${text.slice(0, -1)}${String(ns % NS_PER_MS).padStart(6, "0")}Z`;
}

/** A result of the API in the form in which stores have it. */
function toStoreResult({ series = [] }: QueryResult) {
  return {
    series: series.map(({ tags, values }) => ({
      tagsJson: canonicalTags(tags),
      rows: values.map((row) => JSON.stringify(row)),
    })),
  };
}
