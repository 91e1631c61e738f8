import { createInfluxStore } from "../src/telemetry/influx/influx_store.ts";
import { createSqliteStore } from "../src/telemetry/sqlite/sqlite_store.ts";
import type { TelemetryStore } from "../src/telemetry/store.ts";
import { hasInfluxd, sharedInfluxd } from "../tests/helpers/influxd.ts";
import { openProductionService, type ProductionService } from "../tests/helpers/production_service.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure, ratio } from "./benchmark.ts";
import { bindBatch } from "../src/db/statement.ts";
import { defineStatement } from "../tests/helpers/text_statement.ts";
import { summarize, type Summary } from "./statistics.ts";
import {
  addDevices,
  openTelemetryApp,
  powerAt,
  queryFor,
  recordReads,
  START_MS,
  STEP_MS,
  writePoints,
} from "./telemetry_scene.ts";

const DEVICES = 100;
const POINTS_PER_DEVICE = 10_000;
const QUERIES = 1000;
const POINTS_PER_QUERY = 96;
const HOURS_PER_QUERY = 24;
const ROUNDS = 11;
const RATIO_GOAL = 0.4;
const PERIODS_GOAL = 1.05;

/** Numbers of stored points for which query times are compared. The variable allows ten times as many. */
const GROWTH = [1_000_000, 10_000_000];
const GROWTH_GOAL = 1.5;

/** 1000 queries in one call, writes, and the growth of query time with the number of stored points. */
export const TELEMETRY_BENCH: Benchmark = {
  name: "telemetry",
  summary:
    "1000 telemetry queries in one call against their SQL alone and influxd; writing; growth with stored points",
  async run(note): Promise<BenchmarkResult[]> {
    const results: BenchmarkResult[] = [];
    for (const kind of ["file", "remote"] as const) {
      await using service = await openProductionService(kind);
      note(`${kind}: writing ${DEVICES * POINTS_PER_DEVICE} points`);
      await addDevices(service, DEVICES);
      const store = createSqliteStore(service.deps);
      await writePoints(store, service, { devices: numbers(DEVICES), points: POINTS_PER_DEVICE });
      note(`${kind}: 1000 queries in one call`);
      results.push(await compareCalls(kind, service));
      note(`${kind}: the same with periods`);
      results.push(await comparePeriods(kind, service));
      note(`${kind}: writing over HTTP`);
      results.push(await measureWrites(kind, service, store));
    }
    note("growth");
    results.push(await measureGrowth(note));
    return results;
  },
};

function numbers(count: number, from = 0): number[] {
  return Array.from({ length: count }, (_, i) => from + i);
}

async function compareCalls(kind: string, service: ProductionService): Promise<BenchmarkResult> {
  const figures: Figure[] = [];
  for (const aggregate of [false, true]) {
    const count = aggregate ? HOURS_PER_QUERY : POINTS_PER_QUERY;
    const queries = numbers(QUERIES).map((i) => queryFor(i % DEVICES, count, aggregate));
    const recorded = recordReads(service.database);
    const { collect } = openTelemetryApp(
      service,
      createSqliteStore({ ...service.deps, database: recorded.database }),
    );
    await collect(queries);
    const batch = [...recorded.statements];
    const sides: [string, () => Promise<unknown>][] = [
      ["SQL", () => service.database.readAll(batch)],
      ["call", () => collect(queries)],
    ];
    if (hasInfluxd()) sides.push(["influxd", await influxCall(service, queries)]);
    const [sql, call, influx] = await timeInTurn(sides.map(([, run]) => run));
    const what = aggregate
      ? `${QUERIES} queries of ${count} hourly means`
      : `${QUERIES} queries of ${count} points`;
    figures.push(
      figure(`${what}: one call`, "ms", call as Summary),
      ratio(`… its SQL alone, as one batch, against it`, "ms", [sql as Summary, call as Summary], {
        atLeast: RATIO_GOAL,
      }),
    );
    if (influx !== undefined) {
      figures.push(ratio("… the same call over influxd against it", "ms", [influx, call as Summary]));
    }
  }
  const input =
    `${DEVICES} devices with ${POINTS_PER_DEVICE} points each on ${
      kind === "file" ? "a file" : "sqld"
    }; the call ` +
    "includes its token, session, rights, rate limit and the text of the response";
  return { input, figures };
}

/** Gives every second device a past and a present, which touch, so that a query needs both. */
const SPLIT_PERIODS = [
  defineStatement(`INSERT INTO monitors (id, role_id, device_id, valid_until)
    SELECT 1000000000 + id, role_id, device_id, :at FROM monitors WHERE device_id % 2`),
  defineStatement(`UPDATE monitors SET valid_from = :at WHERE id < 1000000000 AND device_id % 2`),
];

/** Calls about devices with periods, against calls about devices without. */
async function comparePeriods(kind: string, service: ProductionService): Promise<BenchmarkResult> {
  const { collect } = openTelemetryApp(service, createSqliteStore(service.deps));
  await service.database.write(bindBatch(SPLIT_PERIODS, { at: START_MS + 1000 * STEP_MS }));
  const sides = [0, 1].map((odd) =>
    numbers(QUERIES).map((i) => queryFor(2 * (i % (DEVICES / 2)) + odd, POINTS_PER_QUERY))
  );
  const [without, within] = await timeInTurn(sides.map((queries) => () => collect(queries)));
  const input = `${DEVICES / 2} devices with two periods each, and as many without`;
  return {
    input: `${kind}: ${input}`,
    figures: [
      ratio(`${QUERIES} queries of devices with periods, against those without`, "ms", [
        within as Summary,
        without as Summary,
      ], { atMost: PERIODS_GOAL }),
    ],
  };
}

/** The same app over influxd with the same points. */
async function influxCall(
  service: ProductionService,
  queries: readonly unknown[],
): Promise<() => Promise<unknown>> {
  const store = await openInflux(service);
  await writePoints(store, service, { devices: numbers(DEVICES), points: POINTS_PER_DEVICE });
  const { collect } = openTelemetryApp(service, store);
  await collect(queries);
  return () => collect(queries);
}

async function openInflux({ deps }: ProductionService): Promise<TelemetryStore> {
  const { host } = await sharedInfluxd();
  const name = `bench_${crypto.randomUUID().slice(0, 8)}`;
  return createInfluxStore({ ...deps, url: `influxdb://${host}/${name}` });
}

/** Times the sides in turn, so that a busy moment of the machine affects all of them. */
async function timeInTurn(sides: readonly (() => Promise<unknown>)[]): Promise<Summary[]> {
  const times = sides.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [i, run] of sides.entries()) {
      const startedAt = performance.now();
      await run();
      // The first round is a warm-up.
      if (round > 0) times[i]?.push(performance.now() - startedAt);
    }
  }
  return times.map(summarize);
}

const POINTS_PER_WRITE = 50_000;
const WRITES = 5;

async function measureWrites(
  kind: string,
  service: ProductionService,
  store: TelemetryStore,
): Promise<BenchmarkResult> {
  const { app } = openTelemetryApp(service, store);
  const figures: Figure[] = [];
  const forms = [["line protocol", "text/plain", toLine], ["JSON", "application/json", toJson]] as const;
  for (const [f, [name, mediaType, format]] of forms.entries()) {
    const rates: number[] = [];
    for (let round = 0; round < WRITES; round++) {
      const firstStep = 1_000_000 + (f * WRITES + round) * POINTS_PER_WRITE;
      const points = numbers(POINTS_PER_WRITE).map((i) => format(i % DEVICES, firstStep + i));
      const body = mediaType === "text/plain" ? points.join("\n") : `[${points.join(",")}]`;
      const startedAt = performance.now();
      const response = await app.request("/v1/telemetry?db=plant&precision=ms", {
        method: "POST",
        headers: { "Authorization": `Bearer ${service.accessToken}`, "Content-Type": mediaType },
        body,
      }, { remoteAddr: { hostname: "127.0.0.1" } });
      if (response.status !== 204) {
        throw new Error(`A write got status ${response.status}: ${await response.text()}`);
      }
      rates.push(POINTS_PER_WRITE / ((performance.now() - startedAt) / 1000));
    }
    figures.push(figure(`${name}, ${POINTS_PER_WRITE} points a request`, "points/s", summarize(rates)));
  }
  return {
    input: `${WRITES} requests of each form to ${DEVICES} devices on ${kind === "file" ? "a file" : "sqld"}`,
    figures,
  };
}

function toLine(device: number, step: number): string {
  return `energy,nodeId=device-${device} power=${powerAt(device, step)} ${START_MS + step * STEP_MS}`;
}

function toJson(device: number, step: number): string {
  return JSON.stringify({
    measurement: "energy",
    time: START_MS + step * STEP_MS,
    tags: { nodeId: `device-${device}` },
    fields: { power: powerAt(device, step) },
  });
}

const GROWTH_DEVICES = 100;

async function measureGrowth(note: (text: string) => void): Promise<BenchmarkResult> {
  await using service = await openProductionService("file");
  const store = createSqliteStore(service.deps);
  await addDevices(service, GROWTH_DEVICES);
  const { collect } = openTelemetryApp(service, store);
  const summaries: Summary[] = [];
  const figures: Figure[] = [];
  let stored = 0;
  for (const total of growthSteps()) {
    const points = (total - stored) / GROWTH_DEVICES;
    for (const device of numbers(GROWTH_DEVICES)) {
      if (device % 10 === 0) note(`growth: ${stored + device * points} of ${total} points`);
      await writePoints(store, service, { devices: [device], points, firstStep: stored / GROWTH_DEVICES });
    }
    stored = total;
    const queries = numbers(100).map((i) => queryFor(i, POINTS_PER_QUERY));
    const [summary] = await timeInTurn([() => collect(queries)]);
    summaries.push(summary as Summary);
    figures.push(
      figure(`100 queries of ${POINTS_PER_QUERY} points among ${total} stored`, "ms", summary as Summary),
    );
  }
  const [first, last] = [summaries[0] as Summary, summaries.at(-1) as Summary];
  figures.push(ratio("most stored against fewest", "ms", [last, first], { atMost: GROWTH_GOAL }));
  return { input: `${GROWTH_DEVICES} devices on a file`, figures };
}

function growthSteps(): number[] {
  const most = Number(Deno.env.get("ROLEGRID_BENCH_POINTS") ?? GROWTH.at(-1));
  return [...GROWTH, 100_000_000].filter((points) => points <= most);
}
