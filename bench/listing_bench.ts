import { startServer } from "./bench_process.ts";
import { openProductionService } from "../tests/helpers/production_service.ts";
import { seedService } from "./bench_service.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure, type Goal } from "./benchmark.ts";
import { type LoadRounds, type LoadSide, runInTurn } from "./load_rounds.ts";
import { summarize } from "./statistics.ts";

const ROUNDS = 7;
const SECONDS = 2;
const GOAL: Goal = { atMost: 6 };

/** Listings of roles over HTTP. */
export const LISTING_BENCH: Benchmark = {
  name: "listing",
  summary: "Listings of roles over HTTP: all 1,111 that one sees, 1,110 below one of them, and all of 11,111",
  async run(note): Promise<BenchmarkResult[]> {
    await using stack = new AsyncDisposableStack();
    const sides: (LoadSide & { readonly goal?: Goal })[] = [];
    for (const levels of [3, 4]) {
      const prepared = stack.use(await openProductionService("file"));
      const { hierarchy, rows } = await seedService(prepared, { seed: 1, levels, shape: "tree" });
      const { env, port, accessToken: token } = prepared;
      const { pid } = stack.use(await startServer({ script: "main.ts", env, port }));
      const order = { port, path: "/v1/role/query", token, connections: 1, seconds: SECONDS };
      const isSmall = levels === 3;
      sides.push({
        name: `all of ${rows.roles + 1} roles`,
        order: { ...order, body: "{}" },
        pid,
        ...(isSmall && { goal: GOAL }),
      });
      if (isSmall) continue;
      const [ancestorRoleId] = hierarchy.levels[0] ?? [];
      sides.push({
        name: `1110 of ${rows.roles + 1}, below a role`,
        order: { ...order, body: JSON.stringify({ filter: { ancestorRoleId: [ancestorRoleId] } }) },
        pid,
      });
    }
    const results = await runInTurn(sides, { rounds: ROUNDS, note });
    const figures = sides.flatMap(({ name, goal }, i) => describe(name, results[i] as LoadRounds, goal));
    const input = `Trees on files, one connection, ${ROUNDS} rounds of ${SECONDS} s each in turn`;
    return [{ input, figures }];
  },
};

function describe(name: string, { p50Ms, processorMs }: LoadRounds, goal: Goal | undefined): Figure[] {
  return [
    figure(name, "ms", summarize(p50Ms), goal),
    ...(processorMs.length === 0
      ? []
      : [figure(`${name}: processor time of the service`, "ms", summarize(processorMs))]),
  ];
}
