import { ALL_RIGHTS, toRights } from "../src/graph/rights.ts";
import { freePort } from "../tests/helpers/sqld.ts";
import { openProductionService, type ProductionService } from "../tests/helpers/production_service.ts";
import { seedService } from "./bench_service.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure, ratio } from "./benchmark.ts";
import {
  databasePidOf,
  processorSecondsOf,
  putLoad,
  type ServerProcess,
  startServer,
} from "./bench_process.ts";
import type { LoadOrder } from "./http_load.ts";
import { summarize, type Summary } from "./statistics.ts";

const INSTANCES = [1, 2, 4];
const ROUNDS = 5;
const SECONDS = 2;
/** Per instance. */
const CONNECTIONS = 8;

type Request = Pick<LoadOrder, "path" | "body">;

/** The results of the rounds with this many instances. */
interface Rounds {
  readonly perSecond: number[];
  readonly p50Ms: number[];
  /** Processor time per request, in microseconds. */
  readonly serviceUs: number[];
  readonly databaseUs: number[];
}

/** Several processes of the service on one database server: the cost of a request for them and for the server. */
export const INSTANCES_BENCH: Benchmark = {
  name: "instances",
  summary:
    "1, 2 and 4 processes of the service on one database server: processor time of each side per request",
  async run(note): Promise<BenchmarkResult[]> {
    await using prepared = await openProductionService("remote");
    const { hierarchy, rows } = await seedService(prepared, { seed: 1, levels: 4 });
    const parents = hierarchy.levels.at(-2) ?? [];
    const rights = toRights(ALL_RIGHTS);
    const body = { manages: rights, role: { name: "made under load", selfRights: rights } };
    const requests: Record<string, Request> = {
      "query for one role": {
        path: "/v1/role/query",
        body: JSON.stringify({ filter: { id: [hierarchy.levels.at(-1)?.[0]] } }),
      },
      "creation of a role": { path: `/v1/role?parentRoleId=${parents[0]}`, body: JSON.stringify(body) },
    };
    await using stack = new AsyncDisposableStack();
    const servers: ServerProcess[] = [];
    for (let i = 0; i < Math.max(...INSTANCES); i++) {
      const port = i === 0 ? prepared.port : freePort();
      servers.push(stack.use(await startServer({ script: "main.ts", env: prepared.env, port })));
    }
    const results: BenchmarkResult[] = [];
    for (const [name, request] of Object.entries(requests)) {
      const sides = await measure(prepared, servers, request, (text) => note(`${name}: ${text}`));
      results.push({
        input:
          `${name}, ${rows.roles} roles on sqld on this machine, ${CONNECTIONS} connections per instance, ` +
          `${ROUNDS} rounds of ${SECONDS} s in turn`,
        figures: describe(sides),
      });
    }
    return results;
  },
};

async function measure(
  { env, accessToken: token }: ProductionService,
  servers: readonly ServerProcess[],
  request: Request,
  note: (text: string) => void,
): Promise<Rounds[]> {
  const sides = INSTANCES.map((): Rounds => ({ perSecond: [], p50Ms: [], serviceUs: [], databaseUs: [] }));
  const databasePid = databasePidOf(env["TURSO_DATABASE_URL"] ?? "");
  const order = { ...request, token, connections: CONNECTIONS, seconds: SECONDS };
  for (let round = 0; round <= ROUNDS; round++) {
    note(`round ${round} of ${ROUNDS}${round === 0 ? ", to warm up" : ""}`);
    for (const [i, count] of INSTANCES.entries()) {
      const used = servers.slice(0, count);
      const processorSeconds = (): [service: number, database: number] => [
        used.reduce((sum, server) => sum + (server.processorSeconds() ?? NaN), 0),
        processorSecondsOf(databasePid) ?? NaN,
      ];
      const before = processorSeconds();
      const reports = await Promise.all(used.map(({ port }) => putLoad({ ...order, port })));
      const after = processorSeconds();
      if (round === 0) continue;
      const perSecond = reports.reduce((sum, report) => sum + report.requestsPerSecond, 0);
      const [serviceUs, databaseUs] = after.map((seconds, n) =>
        (seconds - (before[n] ?? NaN)) * 1e6 / (perSecond * SECONDS)
      ) as [number, number];
      sides[i]?.perSecond.push(perSecond);
      sides[i]?.p50Ms.push(summarize(reports.map(({ p50Ms }) => p50Ms)).median);
      sides[i]?.serviceUs.push(serviceUs);
      sides[i]?.databaseUs.push(databaseUs);
    }
  }
  return sides;
}

function describe(sides: readonly Rounds[]): Figure[] {
  const figures = sides.flatMap(({ perSecond, p50Ms, serviceUs, databaseUs }, i) => {
    const name = INSTANCES[i] === 1 ? "1 instance" : `${INSTANCES[i]} instances`;
    return [
      figure(name, "requests/s", summarize(perSecond)),
      figure(`p50, ${name}`, "ms", summarize(p50Ms)),
      figure(`processor time of the instances per request, ${name}`, "us", summarize(serviceUs)),
      figure(`processor time of the database server per request, ${name}`, "us", summarize(databaseUs)),
    ];
  });
  const most = INSTANCES.at(-1);
  const costs = [sides.at(-1), sides[0]].map((side) => summarize(side?.databaseUs ?? [])) as [
    Summary,
    Summary,
  ];
  return [...figures, ratio(`processor time of the server per request, ${most} / 1`, "us", costs)];
}
