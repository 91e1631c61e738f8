import { freePort } from "../helpers/sqld.ts";
import { openBenchService, seedService } from "./bench_service.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure, ratio } from "./benchmark.ts";
import { putLoad, type ServerProcess, startServer } from "./bench_process.ts";
import type { LoadOrder } from "./http_load.ts";
import { summarize } from "./statistics.ts";

const ROUNDS = 7;
const SECONDS = 2;
const CONNECTIONS = 16;
const RATIO_GOAL = 0.6;

/** The results of one server's rounds. */
interface Rounds {
  readonly perSecond: number[];
  readonly p50Ms: number[];
  readonly p99Ms: number[];
  /** Processor time of the server's process per request, in microseconds. */
  readonly processorUs: number[];
}

/** An authorized query for one role over HTTP, compared with a bare route that does the least possible. */
export const ROLE_QUERY_BENCH: Benchmark = {
  name: "role-query",
  summary:
    "An authorized POST /v1/role/query for one id over HTTP, compared with the least that such a service does",
  async run(note): Promise<BenchmarkResult[]> {
    await using prepared = await openBenchService("file");
    const { hierarchy, rows } = await seedService(prepared, { seed: 1, levels: 3 });
    const { env, port, accessToken } = prepared;
    note("starting both servers");
    await using service = await startServer({ script: "main.ts", env, port });
    await using floor = await startServer({ script: "tests/bench/floor_server.ts", env, port: freePort() });
    const body = JSON.stringify({ filter: { id: [hierarchy.levels.at(-1)?.[500]] } });
    const order = {
      path: "/v1/role/query",
      token: accessToken,
      body,
      connections: CONNECTIONS,
      seconds: SECONDS,
    };
    const sides = [service, floor].map((server) => ({ server, rounds: emptyRounds() }));
    for (let round = 0; round <= ROUNDS; round++) {
      note(`round ${round} of ${ROUNDS}${round === 0 ? ", to warm up" : ""}`);
      for (const { server, rounds } of sides) {
        await runRound(server, { ...order, port: server.port }, round === 0 ? emptyRounds() : rounds);
      }
    }
    const [ofService, ofFloor] = sides.map(({ rounds }) => rounds) as [Rounds, Rounds];
    const input =
      `${rows.roles} roles on a file, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s each in ` +
      "turn. The service logs each request, checks the session and returns rights; it remembers signatures that it " +
      "has verified, the floor does not";
    return [{ input, figures: compare(ofService, ofFloor) }];
  },
};

function emptyRounds(): Rounds {
  return { perSecond: [], p50Ms: [], p99Ms: [], processorUs: [] };
}

async function runRound(server: ServerProcess, order: LoadOrder, rounds: Rounds): Promise<void> {
  const before = server.processorSeconds();
  const report = await putLoad(order);
  const after = server.processorSeconds();
  rounds.perSecond.push(report.requestsPerSecond);
  rounds.p50Ms.push(report.p50Ms);
  rounds.p99Ms.push(report.p99Ms);
  if (before === undefined || after === undefined) return;
  rounds.processorUs.push((after - before) * 1e6 / (report.requestsPerSecond * order.seconds));
}

function compare(service: Rounds, floor: Rounds): Figure[] {
  const perSecond = [summarize(service.perSecond), summarize(floor.perSecond)] as const;
  const figures = [
    figure("service", "requests/s", perSecond[0]),
    figure("floor", "requests/s", perSecond[1]),
    ratio("requests per second, service / floor", "requests/s", perSecond, { atLeast: RATIO_GOAL }),
    figure("p50, service", "ms", summarize(service.p50Ms)),
    figure("p50, floor", "ms", summarize(floor.p50Ms)),
    figure("p99, service", "ms", summarize(service.p99Ms)),
    figure("p99, floor", "ms", summarize(floor.p99Ms)),
  ];
  if (service.processorUs.length === 0) return figures;
  const processor = [summarize(service.processorUs), summarize(floor.processorUs)] as const;
  return [...figures, ratio("processor time per request, service / floor", "us", processor)];
}
