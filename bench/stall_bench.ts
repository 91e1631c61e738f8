import type { DatabaseKind } from "../tests/helpers/databases.ts";
import { putLoad, startServer } from "./bench_process.ts";
import { openProductionService } from "../tests/helpers/production_service.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure, type Goal, ratio } from "./benchmark.ts";
import type { LoadOrder, LoadReport } from "./http_load.ts";
import { type LargeScene, prepareStalls } from "./stall_scene.ts";
import { summarize, type Summary } from "./statistics.ts";

const ROUNDS = 3;
const SECONDS = 5;
/** A user's checks come at a low rate: they meet what stops the service, and do not add to it. */
const CHECKS = { connections: 4, everyMs: 20 } as const;
const P99_GOAL: Goal = { atMost: 25 };
/** Allows the large change with all its parts, and telemetry calls without a pause. */
const LIMITS = { CLOSURE_MAX_CHANGE: "400000", TELEMETRY_BUCKET: "999999999999/1" } as const;

/** What one user's longest calls do to another user's checks. */
export const STALL_BENCH: Benchmark = {
  name: "stall",
  summary: "Checks of one user while another repeats a large change, telemetry call, export or listing",
  async run(note): Promise<BenchmarkResult[]> {
    return [...await runOn("file", note), ...await runOn("remote", note)];
  },
};

/** The reports of the checks, and of the calls that ran meanwhile. */
interface Meeting {
  readonly checks: LoadReport[];
  readonly calls: LoadReport[];
}

async function runOn(kind: DatabaseKind, note: (text: string) => void): Promise<BenchmarkResult[]> {
  const where = kind === "file" ? "a file" : "sqld on this machine";
  note(`filling ${where}`);
  await using prepared = await openProductionService(kind);
  const scene = await prepareStalls(prepared);
  await using _service = await startServer({
    script: "main.ts",
    env: { ...prepared.env, ...LIMITS },
    port: prepared.port,
  });
  const { quiet, meetings } = await measure(scene, (text) => note(`${where}: ${text}`));
  const goal = kind === "file" ? P99_GOAL : undefined;
  const input = `${scene.description} on ${where}; ${CHECKS.connections} connections check every ` +
    `${CHECKS.everyMs} ms each, ${ROUNDS} rounds of ${SECONDS} s in turn`;
  return [
    { input: `Nothing else meanwhile: ${input}`, figures: describeTimes(quiet) },
    ...meetings.map(({ checks, calls }, i) => ({
      input: `Meanwhile ${scene.calls[i]?.name}, again and again, on ${where}`,
      figures: describeMeeting({ checks, calls, quiet, goal }),
    })),
  ];
}

async function measure(
  { port, check, calls }: LargeScene,
  note: (text: string) => void,
): Promise<{ quiet: LoadReport[]; meetings: Meeting[] }> {
  const checks: LoadOrder = { ...check, ...CHECKS, port, seconds: SECONDS };
  const quiet: LoadReport[] = [];
  const meetings = calls.map((): Meeting => ({ checks: [], calls: [] }));
  // To warm up.
  await putLoad(checks);
  for (let round = 1; round <= ROUNDS; round++) {
    note(`round ${round} of ${ROUNDS}`);
    quiet.push(await putLoad(checks));
    for (const [i, { name, order }] of calls.entries()) {
      const [ofChecks, ofCalls] = await Promise.all([
        putLoad(checks),
        // On a server, the longest calls reach its time limit when the machine is busy.
        putLoad({ ...order, port, connections: 1, seconds: SECONDS, mayBeRefused: true }),
      ]);
      meetings[i]?.checks.push(ofChecks);
      meetings[i]?.calls.push(ofCalls);
      if (ofCalls.refused > 0) note(`${ofCalls.refused} of ${ofCalls.requests} calls refused: ${name}`);
    }
  }
  return { quiet, meetings };
}

interface Described extends Meeting {
  readonly quiet: readonly LoadReport[];
  readonly goal: Goal | undefined;
}

function describeMeeting({ checks, calls, quiet, goal }: Described): Figure[] {
  const p99Of = (reports: readonly LoadReport[]): Summary => summarize(reports.map(({ p99Ms }) => p99Ms));
  return [
    ...describeTimes(checks, goal),
    ratio("p99, against that with nothing else meanwhile", "ms", [p99Of(checks), p99Of(quiet)]),
    figure("one of the calls meanwhile", "ms", summarize(calls.map(({ p50Ms }) => p50Ms))),
  ];
}

function describeTimes(reports: readonly LoadReport[], goal?: Goal): Figure[] {
  return [
    figure("check, p50", "ms", summarize(reports.map(({ p50Ms }) => p50Ms))),
    figure("check, p99", "ms", summarize(reports.map(({ p99Ms }) => p99Ms)), goal),
    figure("check, slowest of all", "ms", summarize([Math.max(...reports.map(({ maxMs }) => maxMs))])),
  ];
}
