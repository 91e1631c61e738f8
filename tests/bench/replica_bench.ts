import { freePort } from "../helpers/sqld.ts";
import { startTcpProxy } from "../helpers/tcp_proxy.ts";
import { startServer } from "./bench_process.ts";
import { openBenchService, seedService } from "./bench_service.ts";
import { type Benchmark, type BenchmarkResult, figure, ratio } from "./benchmark.ts";
import { type LoadRounds, runInTurn } from "./load_rounds.ts";
import { checkOf, startWithReplica } from "./replica_server.ts";
import { summarize } from "./statistics.ts";

const ROUNDS = 7;
const SECONDS = 2;
const CONNECTIONS = 16;
const RATIO_GOAL = { atLeast: 0.6 };
const ROUND_TRIP_MS = 20;
/** A read waits for a synchronization that began after it, so on average for half of the one before. */
const FRESH_GOAL = { atMost: 1.5 * ROUND_TRIP_MS + 5 };
/** No multiple of a round trip, so that requests meet synchronizations at any time. */
const PACE_MS = 97;
const AGED_GOAL = { atMost: 2 };
const AGED = { "Cache-Control": "max-age=2" };

/** Checks from a replica, against a file, and with a distant primary. */
export const REPLICA_BENCH: Benchmark = {
  name: "replica",
  summary:
    `Checks read from a replica: against the same on a file, and with the primary ${ROUND_TRIP_MS} ms away`,
  async run(note): Promise<BenchmarkResult[]> {
    return [await compareWithFile(note), await measureDistant(note)];
  },
};

async function compareWithFile(note: (text: string) => void): Promise<BenchmarkResult> {
  await using onFile = await openBenchService("file");
  await using onServer = await openBenchService("remote");
  const { hierarchy, rows } = await seedService(onFile, { seed: 1, levels: 4 });
  await seedService(onServer, { seed: 1, levels: 4 });
  await using file = await startServer({ script: "main.ts", env: onFile.env, port: onFile.port });
  await using replica = await startWithReplica(onServer, onServer.port);
  const order = { ...checkOf(hierarchy.levels.at(-1)?.[0]), connections: CONNECTIONS, seconds: SECONDS };
  const [ofReplica, ofFile, aged] = await runInTurn([
    {
      name: "replica",
      order: { ...order, port: replica.port, token: onServer.accessToken },
      pid: replica.pid,
    },
    { name: "file", order: { ...order, port: file.port, token: onFile.accessToken }, pid: file.pid },
    {
      name: "max-age",
      order: { ...order, port: replica.port, token: onServer.accessToken, headers: AGED },
      pid: replica.pid,
    },
  ], { rounds: ROUNDS, note }) as [LoadRounds, LoadRounds, LoadRounds];
  const perSecond = [summarize(ofReplica.perSecond), summarize(ofFile.perSecond)] as const;
  const figures = [
    figure("fresh checks from a replica", "requests/s", perSecond[0]),
    figure("checks on a file", "requests/s", perSecond[1]),
    ratio("replica / file", "requests/s", perSecond, RATIO_GOAL),
    figure("checks from a replica, max-age=2", "requests/s", summarize(aged.perSecond)),
    figure("p50, replica", "ms", summarize(ofReplica.p50Ms)),
    figure("p50, file", "ms", summarize(ofFile.p50Ms)),
  ];
  const input =
    `${rows.roles} roles, sqld on this machine, ${CONNECTIONS} connections, ${ROUNDS} rounds of ` +
    `${SECONDS} s each in turn`;
  return { input, figures };
}

async function measureDistant(note: (text: string) => void): Promise<BenchmarkResult> {
  await using prepared = await openBenchService("remote");
  const { hierarchy, rows } = await seedService(prepared, { seed: 1, levels: 4 });
  const targetPort = Number(new URL(prepared.env["TURSO_DATABASE_URL"] ?? "").port);
  await using proxy = startTcpProxy({ targetPort, delayMs: ROUND_TRIP_MS / 2 });
  const env = { ...prepared.env, TURSO_DATABASE_URL: `http://127.0.0.1:${proxy.port}` };
  await using replica = await startWithReplica({ ...prepared, env }, freePort());
  const order = {
    ...checkOf(hierarchy.levels.at(-1)?.[0]),
    port: replica.port,
    token: prepared.accessToken,
    seconds: SECONDS,
  };
  const [alone, paced, full, aged] = await runInTurn([
    { name: "fresh, alone", order: { ...order, connections: 1 } },
    { name: "fresh, at different times", order: { ...order, connections: CONNECTIONS, everyMs: PACE_MS } },
    { name: "fresh, one after the other", order: { ...order, connections: CONNECTIONS } },
    { name: "max-age", order: { ...order, connections: 1, headers: AGED } },
  ], { rounds: ROUNDS, note }) as [LoadRounds, LoadRounds, LoadRounds, LoadRounds];
  const figures = [
    figure("p50, 1 connection", "ms", summarize(alone.p50Ms), FRESH_GOAL),
    figure("p50, 1 connection, in round trips", "round trips", inRoundTrips(alone)),
    figure(
      `p50, ${CONNECTIONS} connections, each every ${PACE_MS} ms`,
      "ms",
      summarize(paced.p50Ms),
      FRESH_GOAL,
    ),
    figure(
      `p50, ${CONNECTIONS} connections, each every ${PACE_MS} ms, in round trips`,
      "round trips",
      inRoundTrips(paced),
    ),
    // These all wait for the same synchronizations, and each comes right after the next one began.
    figure(
      `p50, ${CONNECTIONS} connections without a pause, in round trips`,
      "round trips",
      inRoundTrips(full),
    ),
    figure("p50, max-age=2, 1 connection", "ms", summarize(aged.p50Ms), AGED_GOAL),
  ];
  const input =
    `${rows.roles} roles, the primary ${ROUND_TRIP_MS / 2} ms away each way, ${ROUNDS} rounds of ` +
    `${SECONDS} s each in turn`;
  return { input, figures };
}

function inRoundTrips({ p50Ms }: LoadRounds): ReturnType<typeof summarize> {
  return summarize(p50Ms.map((ms) => ms / ROUND_TRIP_MS));
}
