import { runLoad } from "./load/run_load.ts";
import { type Benchmark, type BenchmarkResult, figure } from "./benchmark.ts";
import { summarize } from "./statistics.ts";

/** Warm-up and growth by filling caches are over after half of them. */
const REQUESTS = 400_000;
const CONNECTIONS = 16;
const SECONDS_OF_STEP = 8;
const GOAL_MIB = 2;

/** How the memory of the process grows with the requests that it has served. */
export const MEMORY_GROWTH_BENCH: Benchmark = {
  name: "memory-growth",
  summary: `Growth of the process under ${REQUESTS} requests of a realistic mix; takes about ten minutes`,
  async run(note): Promise<BenchmarkResult[]> {
    const { roles, residentMiB, longRun } = await runLoad({
      kind: "file",
      levels: 4,
      connections: [CONNECTIONS],
      secondsOfStep: SECONDS_OF_STEP,
      long: { requests: REQUESTS },
      onSample: ({ requests, mebibytes }) => note(`${requests} requests, ${mebibytes.toFixed(0)} MiB`),
    });
    if (longRun === undefined) throw new Error("There was no long run");
    const { memory, samples, failures } = longRun;
    if (failures.length > 0) throw new Error(`Not a success: ${JSON.stringify(failures)}`);
    const figures = [
      figure(
        "growth per 100,000 requests, over the second half",
        "MiB",
        summarize([memory.mebibytesPer100kRequests]),
        {
          atMost: GOAL_MIB,
        },
      ),
      figure("before the first request", "MiB", summarize([residentMiB])),
      figure("at the end", "MiB", summarize([samples.at(-1)?.mebibytes ?? NaN])),
    ];
    return [{ input: `${roles} roles on a file, ${REQUESTS} requests, ${CONNECTIONS} connections`, figures }];
  },
};
