import { dirname } from "node:path";
import { filePath } from "../src/db/file_url.ts";
import { toRights } from "../src/graph/rights.ts";
import { createRole } from "../src/role/role_service.ts";
import { putLoad, startServer } from "./bench_process.ts";
import { openProductionService, type ProductionService } from "../tests/helpers/production_service.ts";
import { seedService } from "./bench_service.ts";
import { type Benchmark, type BenchmarkResult, figure, ratio } from "./benchmark.ts";
import { quantile, summarize } from "./statistics.ts";

const ROUNDS = 5;
const SECONDS = 2;
const CONNECTIONS = 64;
const GOAL = { atLeast: 3 };
/** Below this, a write takes the processor longer than the disk, and there is little that groups could save. */
const SLOW_SYNC_MS = 2;
const SYNCS = 100;
const PAGE_BYTES = 4096;
const ALL_RIGHTS = toRights(63);

/** Writes of many users at the same time, which can share a commit, against one commit for each. */
export const GROUP_COMMIT_BENCH: Benchmark = {
  name: "group-commit",
  summary: "Roles created over 64 connections on a file, against one commit each; TMPDIR chooses the disk",
  async run(note): Promise<BenchmarkResult[]> {
    await using prepared = await openProductionService("file");
    const { hierarchy, rows } = await seedService(prepared, { seed: 1, levels: 4 });
    const parents = hierarchy.levels.at(-2) ?? [];
    const { env, port, accessToken: token } = prepared;
    await using _service = await startServer({ script: "main.ts", env, port });
    const rights = JSON.stringify(ALL_RIGHTS);
    const order = {
      port,
      path: parents.map((id) => `/v1/role?parentRoleId=${id}`),
      token,
      body: `{"role":{"name":"made under load","selfRights":${rights}},"manages":${rights}}`,
      seconds: SECONDS,
    };
    const many: number[] = [];
    const one: number[] = [];
    const alone: number[] = [];
    const syncMs: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      note(`round ${round} of ${ROUNDS}${round === 0 ? ", to warm up" : ""}`);
      const taken = [
        (await putLoad({ ...order, connections: CONNECTIONS })).requestsPerSecond,
        (await putLoad({ ...order, connections: 1 })).requestsPerSecond,
        await createAlone(prepared, parents),
        measureSync(dirname(filePath(env["TURSO_DATABASE_URL"] ?? ""))),
      ] as const;
      if (round === 0) continue;
      for (const [i, values] of [many, one, alone, syncMs].entries()) values.push(taken[i] as number);
    }
    const sync = summarize(syncMs);
    const goal = sync.median >= SLOW_SYNC_MS ? GOAL : undefined;
    const figures = [
      figure(`${CONNECTIONS} connections`, "requests/s", summarize(many)),
      figure("1 connection", "requests/s", summarize(one)),
      figure("one after the other, without HTTP: one commit each", "requests/s", summarize(alone)),
      ratio(
        `${CONNECTIONS} connections / one commit each`,
        "requests/s",
        [summarize(many), summarize(alone)],
        goal,
      ),
      figure("a page written and synchronized with the disk", "ms", sync),
    ];
    const input =
      `${rows.roles} roles on a file, ${ROUNDS} rounds of ${SECONDS} s each in turn; the goal holds ` +
      `for disks that take at least ${SLOW_SYNC_MS} ms to synchronize`;
    return [{ input, figures }];
  },
};

/** Creates roles by the same code, each after the commit of the one before. Returns roles per second. */
async function createAlone({ deps, actor }: ProductionService, parents: readonly number[]): Promise<number> {
  const startedAt = performance.now();
  let count = 0;
  for (; performance.now() - startedAt < SECONDS * 1000; count++) {
    const parentRoleId = parents[count % parents.length] as number;
    const input = { parentRoleId, name: "made alone", selfRights: ALL_RIGHTS, manages: ALL_RIGHTS };
    await createRole(deps, actor, input);
  }
  return count / ((performance.now() - startedAt) / 1000);
}

/** The median time that the disk of a directory takes to keep a page, in milliseconds. */
function measureSync(directory: string): number {
  const path = `${directory}/sync`;
  const times: number[] = [];
  {
    using file = Deno.openSync(path, { create: true, write: true });
    for (let i = 0; i < SYNCS; i++) {
      file.writeSync(new Uint8Array(PAGE_BYTES));
      const startedAt = performance.now();
      file.syncDataSync();
      times.push(performance.now() - startedAt);
    }
  }
  Deno.removeSync(path);
  return quantile(times.sort((a, b) => a - b), 0.5);
}
