import { bindBatch } from "../src/db/statement.ts";
import { defineStatement } from "../tests/helpers/text_statement.ts";
import { hasInfluxd, sharedInfluxd } from "../tests/helpers/influxd.ts";
import { type ServerProcess, startServer } from "./bench_process.ts";
import { openProductionService } from "../tests/helpers/production_service.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure, type Goal, ratio } from "./benchmark.ts";
import { summarize } from "./statistics.ts";
import { addDevices } from "./telemetry_scene.ts";

/** Rounds after one that registers the series and one that warms up. */
const ROUNDS = 7;
const MINUTE_S = 60;
const HOUR_S = 3600;
/** The present hour, from which on recent points lie by time. */
const HOUR = Math.floor(Date.now() / 1000 / HOUR_S);
const START_S = HOUR * HOUR_S;
const OPEN_HOUR = defineStatement(
  "INSERT INTO carry_state (id, hour, phase, copied_to) VALUES (1, :hour, 0, 0)",
);

/** How a fleet's points arrive. A round writes the next minute of all its devices. */
interface Shape {
  readonly name: string;
  readonly devices: number;
  readonly fields: number;
  /** Points of each device in a round: 1, or as many seconds. */
  readonly points: number;
  readonly devicesPerPost: number;
  readonly connections: number;
  /** Goals of the processor time a value (or, with many posts, a post), and of the rate against influxd's. */
  readonly processor: Goal;
  readonly rate?: Goal;
}

const SHAPES: readonly Shape[] = [
  {
    name: "10,000 devices a post, one point each",
    ...{ devices: 20_000, fields: 1, points: 1, devicesPerPost: 10_000, connections: 2 },
    ...{ processor: { atMost: 12 }, rate: { atLeast: 0.5 } },
  },
  {
    name: "2,000 devices a post, five fields each",
    ...{ devices: 4_000, fields: 5, points: 1, devicesPerPost: 2_000, connections: 2 },
    processor: { atMost: 7 },
  },
  {
    name: "5 devices a post",
    ...{ devices: 10_000, fields: 1, points: 1, devicesPerPost: 5, connections: 64 },
    processor: { atMost: 400 },
  },
  {
    name: "one device a post, 5,000 points",
    ...{ devices: 4, fields: 1, points: 5_000, devicesPerPost: 1, connections: 2 },
    processor: { atMost: 4.2 },
  },
];

/** The service and influxd, each as a process of its own, with the same points in the shapes of a fleet. */
export const FLEET_BENCH: Benchmark = {
  name: "fleet",
  summary: "Writing the points of many devices in the shapes in which they arrive, against raw influxd",
  async run(note): Promise<BenchmarkResult[]> {
    const results: BenchmarkResult[] = [];
    for (const shape of SHAPES) {
      await using service = await openProductionService("file");
      const { env, port, accessToken } = service;
      for (let from = 0; from < shape.devices; from += 10_000) {
        await addDevices(service, Math.min(10_000, shape.devices - from), from);
      }
      // As the job does it a minute after the start.
      await service.database.write(bindBatch([OPEN_HOUR], { hour: HOUR }));
      const unlimited = { ...env, TELEMETRY_BUCKET: "999999999999/1" };
      await using server = await startServer({ script: "main.ts", env: unlimited, port });
      const own: Target = {
        url: `http://127.0.0.1:${port}/v1/telemetry?db=energy&rp=rp&precision=s`,
        headers: { "Authorization": `Bearer ${accessToken}`, "Content-Type": "text/plain" },
        expected: 204,
      };
      results.push(await measureShape(shape, server, own, note));
    }
    return results;
  },
};

interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly expected: number;
}

async function measureShape(
  shape: Shape,
  server: ServerProcess,
  own: Target,
  note: (text: string) => void,
): Promise<BenchmarkResult> {
  const raw = hasInfluxd() ? await influxTarget() : undefined;
  const posts = shape.devices / shape.devicesPerPost;
  const values = shape.devices * shape.fields * shape.points;
  const isByPost = posts > 100;
  const costs: number[] = [];
  const rates: number[] = [];
  const rawRates: number[] = [];
  for (let round = 0; round < ROUNDS + 2; round++) {
    note(`${shape.name}: round ${round + 1} of ${ROUNDS + 2}`);
    const bodies = bodiesOf(shape, round);
    const before = server.processorSeconds() ?? NaN;
    const ms = await post(own, bodies, shape.connections);
    const processorUs = ((server.processorSeconds() ?? NaN) - before) * 1e6;
    const rawMs = raw && await post(raw, bodies, shape.connections);
    if (round < 2) continue;
    costs.push(processorUs / (isByPost ? posts : values));
    rates.push((isByPost ? posts : values) / ms * 1000);
    if (rawMs !== undefined) rawRates.push((isByPost ? posts : values) / rawMs * 1000);
  }
  const figures: Figure[] = [
    figure(`processor time a ${isByPost ? "post" : "value"}`, "us", summarize(costs), shape.processor),
    figure("rate", isByPost ? "requests/s" : "points/s", summarize(rates)),
  ];
  if (rawRates.length > 0) {
    const sides = [summarize(rates), summarize(rawRates)] as const;
    figures.push(ratio("rate / influxd", isByPost ? "requests/s" : "points/s", sides, shape.rate));
  }
  const input = `${shape.name}, ${shape.devices} devices, ${shape.connections} connections, a file`;
  return { input, figures };
}

/** Returns the bodies of a round, in line protocol with times in seconds. */
function bodiesOf({ devices, fields, points, devicesPerPost }: Shape, round: number): string[] {
  const bodies: string[] = [];
  for (let from = 0; from < devices; from += devicesPerPost) {
    const lines: string[] = [];
    for (let device = from; device < from + devicesPerPost; device++) {
      for (let i = 0; i < points; i++) {
        const at = START_S + round * Math.max(MINUTE_S, points) + i;
        const values = Array.from(
          { length: fields },
          (_, f) => `p${f}=${(Math.sin(device + round + i + f) * 1000).toFixed(1)}`,
        );
        lines.push(`energy,nodeId=device-${device} ${values.join(",")} ${at}`);
      }
    }
    bodies.push(lines.join("\n"));
  }
  return bodies;
}

/** Posts bodies over some connections, and returns the milliseconds it took. */
async function post(
  { url, headers, expected }: Target,
  bodies: readonly string[],
  connections: number,
): Promise<number> {
  const remaining = [...bodies];
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: connections }, async () => {
    for (let body = remaining.pop(); body !== undefined; body = remaining.pop()) {
      const response = await fetch(url, { method: "POST", headers, body });
      const text = await response.text();
      if (response.status !== expected) throw new Error(`A write got status ${response.status}: ${text}`);
    }
  }));
  return performance.now() - startedAt;
}

async function influxTarget(): Promise<Target> {
  const { host } = await sharedInfluxd();
  const name = `bench_${crypto.randomUUID().slice(0, 8)}`;
  const made = await fetch(
    `http://${host}/query?q=${encodeURIComponent(`CREATE DATABASE ${name}`)}`,
    { method: "POST" },
  );
  await made.text();
  return { url: `http://${host}/write?db=${name}&precision=s`, headers: {}, expected: 204 };
}
