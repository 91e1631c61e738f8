import { openProductionService } from "../tests/helpers/production_service.ts";
import { type Benchmark, type BenchmarkResult, figure } from "./benchmark.ts";
import { startServer, startTask } from "./bench_process.ts";
import { summarize } from "./statistics.ts";

const ROUNDS = 9;
const TASK_GOAL_MS = 350;
const PROGRAM_GOAL_MS = 300;

/** Time from the start of the service to its first response. */
export const START_BENCH: Benchmark = {
  name: "start",
  summary: "Time from the start of the process to its first response, on a file database",
  async run(note): Promise<BenchmarkResult[]> {
    await using service = await openProductionService("file");
    const { env, port } = service;
    const byTask: number[] = [];
    const byProgram: number[] = [];
    // The very first start fills the system's file cache and does not count.
    for (let round = 0; round <= ROUNDS; round++) {
      note(`start ${round} of ${ROUNDS}`);
      const task = await timeStart(() => startTask(env, port), port);
      const program = await timeStart(() => startServer({ script: "main.ts", env, port }), port);
      if (round === 0) continue;
      byTask.push(task);
      byProgram.push(program);
    }
    const figures = [
      figure("deno task start, to the response of /readyz", "ms", summarize(byTask), {
        atMost: TASK_GOAL_MS,
      }),
      figure("the program alone", "ms", summarize(byProgram), { atMost: PROGRAM_GOAL_MS }),
    ];
    return [{ input: "A migrated database; code in Deno's cache", figures }];
  },
};

async function timeStart(start: () => Promise<AsyncDisposable>, port: number): Promise<number> {
  const startedAt = performance.now();
  await using _server = await start();
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  const elapsed = performance.now() - startedAt;
  await response.body?.cancel();
  if (!response.ok) throw new Error(`The service started, but /readyz responded with ${response.status}`);
  return elapsed;
}
