import { freePort } from "../tests/helpers/sqld.ts";
import { startServer } from "./bench_process.ts";
import { openProductionService } from "../tests/helpers/production_service.ts";
import { seedService } from "./bench_service.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure, ratio } from "./benchmark.ts";
import { type LoadRounds, runInTurn } from "./load_rounds.ts";
import { checkOf } from "./http_load.ts";
import { summarize } from "./statistics.ts";

const ROUNDS = 7;
const SECONDS = 2;
const CONNECTIONS = 16;
/** Of the processor time for a request: 60 us where the floor takes 17. */
const GOAL = { atMost: 3.5 };

/** A check and a query for one role over HTTP, compared with a bare route that does the least possible. */
export const HTTP_FLOOR_BENCH: Benchmark = {
  name: "http-floor",
  summary: "A check and a query for one role over HTTP, compared with the least that such a service does",
  async run(note): Promise<BenchmarkResult[]> {
    await using prepared = await openProductionService("file");
    const { hierarchy, rows } = await seedService(prepared, { seed: 1, levels: 3 });
    const { env, port, accessToken: token } = prepared;
    note("starting both servers");
    await using service = await startServer({ script: "main.ts", env, port });
    await using floor = await startServer({ script: "bench/floor_server.ts", env, port: freePort() });
    const roleId = hierarchy.levels.at(-1)?.[500];
    const query = { path: "/v1/role/query", body: JSON.stringify({ filter: { id: [roleId] } }) };
    const common = { token, connections: CONNECTIONS, seconds: SECONDS };
    const [ofQuery, ofCheck, ofFloor] = await runInTurn([
      { name: "query", order: { ...common, ...query, port }, pid: service.pid },
      { name: "check", order: { ...common, ...checkOf(roleId), port }, pid: service.pid },
      { name: "floor", order: { ...common, ...query, port: floor.port }, pid: floor.pid },
    ], { rounds: ROUNDS, note }) as [LoadRounds, LoadRounds, LoadRounds];
    const input =
      `${rows.roles} roles on a file, ${CONNECTIONS} connections, ${ROUNDS} rounds of ${SECONDS} s each in ` +
      "turn. The service logs each request, and checks the session and the rights";
    return [{
      input,
      figures: [
        ...describe("floor", ofFloor),
        ...compare("query for one role", ofQuery, ofFloor),
        ...compare("check", ofCheck, ofFloor),
      ],
    }];
  },
};

function describe(name: string, { perSecond, p50Ms, p99Ms }: LoadRounds): Figure[] {
  return [
    figure(name, "requests/s", summarize(perSecond)),
    figure(`${name}, p50`, "ms", summarize(p50Ms)),
    figure(`${name}, p99`, "ms", summarize(p99Ms)),
  ];
}

function compare(name: string, rounds: LoadRounds, floor: LoadRounds): Figure[] {
  const perSecond = [summarize(rounds.perSecond), summarize(floor.perSecond)] as const;
  const processor = [summarize(rounds.processorMs), summarize(floor.processorMs)] as const;
  return [
    ...describe(name, rounds),
    ratio(`${name} / floor`, "requests/s", perSecond),
    ...(rounds.processorMs.length === 0
      ? []
      : [ratio(`${name} / floor, processor time per request`, "ms", processor, GOAL)]),
  ];
}
