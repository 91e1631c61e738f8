import { toRights } from "../src/graph/rights.ts";
import { databasePidOf, startServer } from "./bench_process.ts";
import { openProductionService } from "../tests/helpers/production_service.ts";
import { seedService } from "./bench_service.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure, type Goal } from "./benchmark.ts";
import type { Hierarchy } from "./hierarchy.ts";
import type { LoadOrder } from "./http_load.ts";
import { type LoadRounds, type LoadSide, runInTurn } from "./load_rounds.ts";
import { checkOf } from "./http_load.ts";
import { summarize } from "./statistics.ts";

const CONNECTIONS = [16, 64] as const;
const ROUNDS = 5;
const SECONDS = 2;
const ALL_RIGHTS = toRights(63);
const FEWER_RIGHTS = toRights(0b000101);

interface Request {
  readonly name: string;
  readonly order: Pick<LoadOrder, "method" | "path" | "body">;
  readonly goal?: Goal;
}

/** Processor time of the database server, which all instances share. */
export const SERVER_COST_BENCH: Benchmark = {
  name: "server-cost",
  summary:
    "Processor time of the database server: a check, a role query, a role creation, a PUT of a relation",
  async run(note): Promise<BenchmarkResult[]> {
    await using prepared = await openProductionService("remote");
    const { hierarchy, rows } = await seedService(prepared, { seed: 1, levels: 4 });
    const { env, port, accessToken: token } = prepared;
    const pid = databasePidOf(env["TURSO_DATABASE_URL"] ?? "");
    await using _service = await startServer({ script: "main.ts", env, port });
    const { reads, writes } = requestsIn(hierarchy);
    const results: BenchmarkResult[] = [];
    for (const [kind, requests] of [["Reads", reads], ["Writes", writes]] as const) {
      const sides = requests.flatMap((request) => sidesOf(request, { token, pid, port }));
      const rounds = await runInTurn(sides, { rounds: ROUNDS, note: (text) => note(`${kind}: ${text}`) });
      results.push({
        input:
          `${kind}: processor time of the server per request; ${rows.roles} roles on sqld on this machine, ` +
          `${ROUNDS} rounds of ${SECONDS} s each in turn`,
        figures: sides.flatMap((side, i) => describe(side, rounds[i] as LoadRounds)),
      });
    }
    return results;
  },
};

interface Target {
  readonly token: string;
  readonly pid: number;
  readonly port: number;
}

type Side = LoadSide & { readonly goal: Goal | undefined };

function sidesOf({ name, order, goal }: Request, { token, pid, port }: Target): Side[] {
  return CONNECTIONS.map((connections) => ({
    name: `${name}, ${connections} connections`,
    order: { ...order, port, token, connections, seconds: SECONDS },
    pid,
    goal,
  }));
}

function describe({ name, goal }: Side, { processorMs, perSecond }: LoadRounds): Figure[] {
  return [
    ...(processorMs.length === 0 ? [] : [figure(name, "ms", summarize(processorMs), goal)]),
    figure(`${name}: served`, "requests/s", summarize(perSecond)),
  ];
}

function requestsIn({ levels }: Hierarchy): { reads: Request[]; writes: Request[] } {
  const parents = levels.at(-2) ?? [];
  const leaves = levels.at(-1) ?? [];
  const [leaf] = leaves;
  const rights = JSON.stringify(ALL_RIGHTS);
  // Each connection has a pair of its own, of a leaf and a role that is not its parent.
  const pairs = Array.from({ length: Math.max(...CONNECTIONS) }, (_, n) => {
    const [childRoleId, parentRoleId] = [leaves[n * 10] ?? 0, parents[parents.length - 1 - n] ?? 0];
    return `/v1/role/${parentRoleId}/manages?childRoleId=${childRoleId}`;
  });
  return {
    reads: [
      { name: "check", order: checkOf(leaf), goal: { atMost: 1 } },
      {
        name: "query for one role",
        order: { path: "/v1/role/query", body: JSON.stringify({ filter: { id: [leaf] } }) },
      },
    ],
    writes: [
      {
        name: "creation of a role",
        order: {
          path: parents.map((id) => `/v1/role?parentRoleId=${id}`),
          body: `{"role":{"name":"made under load","selfRights":${rights}},"manages":${rights}}`,
        },
        goal: { atMost: 2.5 },
      },
      {
        name: "PUT of a relation, more and fewer rights in turn",
        order: { method: "PUT", path: pairs, body: [rights, JSON.stringify(FEWER_RIGHTS)] },
      },
    ],
  };
}
