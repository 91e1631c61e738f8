import { openDatabase } from "../src/db/open_database.ts";
import { startTcpProxy } from "../tests/helpers/tcp_proxy.ts";
import { putLoad, startServer } from "./bench_process.ts";
import { openProductionService } from "../tests/helpers/production_service.ts";
import { seedService } from "./bench_service.ts";
import { type Benchmark, type BenchmarkResult, figure } from "./benchmark.ts";
import { summarize } from "./statistics.ts";

const ROUND_TRIP_MS = 20;
/** Time for the service, the server and this machine, in addition to one round trip. */
const ALLOWANCE_MS = 10;
const ROUNDS = 5;
const SECONDS = 2;
const PINGS = 50;

/** An authorized query for one role over HTTP, with a distant database server. */
export const REMOTE_DELAY_BENCH: Benchmark = {
  name: "remote-delay",
  summary: `A POST /v1/role/query over HTTP, on a database server ${ROUND_TRIP_MS} ms away`,
  async run(note): Promise<BenchmarkResult[]> {
    await using prepared = await openProductionService("remote");
    const { hierarchy, rows } = await seedService(prepared, { seed: 1, levels: 3 });
    const targetPort = Number(new URL(prepared.env["TURSO_DATABASE_URL"] ?? "").port);
    await using proxy = startTcpProxy({ targetPort, delayMs: ROUND_TRIP_MS / 2 });
    const url = `http://127.0.0.1:${proxy.port}`;
    note("measuring the distance");
    const distance = await measureDistance(url);
    const { env, port, accessToken: token } = prepared;
    const far = { ...env, TURSO_DATABASE_URL: url };
    await using _service = await startServer({ script: "main.ts", env: far, port });
    const body = JSON.stringify({ filter: { id: [hierarchy.levels.at(-1)?.[0]] } });
    const p50Ms: number[] = [];
    const p99Ms: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      note(`round ${round} of ${ROUNDS}${round === 0 ? ", to warm up" : ""}`);
      const order = { port, path: "/v1/role/query", token, body, connections: 1, seconds: SECONDS };
      const report = await putLoad(order);
      if (round === 0) continue;
      p50Ms.push(report.p50Ms);
      p99Ms.push(report.p99Ms);
    }
    const figures = [
      figure("p50, service", "ms", summarize(p50Ms), { atMost: ROUND_TRIP_MS + ALLOWANCE_MS }),
      figure("p99, service", "ms", summarize(p99Ms)),
      figure("the smallest query over the same distance", "ms", summarize(distance)),
    ];
    const input = `${rows.roles} roles on sqld, ${ROUND_TRIP_MS / 2} ms each way, 1 connection, ` +
      `${ROUNDS} rounds of ${SECONDS} s; the session check, the authorization and the result take one round trip`;
    return [{ input, figures }];
  },
};

/** Time of the smallest query over an open connection, in milliseconds. */
async function measureDistance(url: string): Promise<number[]> {
  const database = await openDatabase(url);
  const times: number[] = [];
  for (let i = 0; i <= PINGS; i++) {
    const startedAt = performance.now();
    await database.read({ sql: "SELECT 1", args: {} });
    if (i > 0) times.push(performance.now() - startedAt);
  }
  await database.close();
  return times;
}
