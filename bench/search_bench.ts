import type { Actor } from "../src/core/actor.ts";
import { find } from "../src/lists/search/find_service.ts";
import { ALL_RIGHTS, toRights } from "../src/graph/rights.ts";
import { createRole } from "../src/role/role_service.ts";
import { execute } from "../tests/helpers/http.ts";
import { openProductionService, type ProductionService } from "../tests/helpers/production_service.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure, type Goal, ratio } from "./benchmark.ts";
import { type InsightScene, openInsightScene } from "./insight_scene.ts";
import { summarize, type Summary } from "./statistics.ts";

const SAMPLES = 100;
const GOAL: Goal = { atMost: 20 };

/** Texts of all kinds are searched at once, by part of names, of addresses and of nodeIds. */
const TEXTS: Readonly<Record<string, string>> = {
  "a part of few roles": "ole 4711",
  "a part of all roles": "role",
  "a part of one address": "on4711@",
  "a part of all addresses": "example",
  "a part of none, but its trigrams are frequent": "role role",
  "two letters with which none begins": "zz",
};

/** Finding roles, people and devices, and what the indexes add to writes. */
export const SEARCH_BENCH: Benchmark = {
  name: "search",
  summary: "Finding roles, people and devices by a part of their names, at 111k roles and 100k people",
  async run(note): Promise<BenchmarkResult[]> {
    await using stack = new AsyncDisposableStack();
    note("seeding 111k roles and 100k people");
    const scene = await openInsightScene(stack, { levels: 5, people: 100_000 });
    const few = await addMemberOfFew(scene);
    const figures: Figure[] = [];
    for (const [name, text] of Object.entries(TEXTS)) {
      note(name);
      const search = (actor: Actor) =>
        measure(SAMPLES, () => find(scene.service.deps, actor, { text, limit: 8 }));
      figures.push(
        figure(`${name}, for a caller who sees all`, "ms", await search(scene.service.actor), GOAL),
        figure(`${name}, for one who sees 11 roles`, "ms", await search(few), GOAL),
      );
    }
    note("writes with and without the indexes");
    const indexed = stack.use(await openProductionService("file"));
    const plain = stack.use(await openProductionService("file"));
    await execute(plain, DROP_TRIGGERS);
    return [{ input: scene.input, figures }, {
      input: "Two empty databases on files, one without the triggers that feed the indexes",
      figures: await compareWrites(indexed, plain),
    }];
  },
};

const DROP_TRIGGERS = ["role", "person", "device"].flatMap((kind) =>
  ["inserted", "updated", "deleted"].map((when) => `DROP TRIGGER ${kind}_search_${when}`)
);

const SEARCHER = 990_000;

/** Adds a member of a role with ten below. */
async function addMemberOfFew({ service, hierarchy }: InsightScene): Promise<Actor> {
  const roleId = hierarchy.levels.at(-2)?.[7] ?? 0;
  await execute(service, [
    `INSERT INTO user_account (id, email, created_at) VALUES (${SEARCHER}, 'searcher@example.com', 0)`,
    `INSERT INTO member (id, role_id, user_id) VALUES (90000000, ${roleId}, ${SEARCHER})`,
    `INSERT INTO session (id, user_id, family_hash, created_at, authenticated_at, idle_until, expires_at, last_token_at, client)
     SELECT 'searcher', ${SEARCHER}, 'searcher', created_at, authenticated_at, idle_until, expires_at, last_token_at, client
     FROM session LIMIT 1`,
  ]);
  return { userId: SEARCHER, sessionId: "searcher" };
}

/** The writes that touch an index, by name, each with the number of times that it is measured. */
const WRITES: Readonly<
  Record<string, readonly [times: number, write: (service: ProductionService, i: number) => Promise<unknown>]>
> = {
  "creating a role": [300, ({ deps, actor, rootId }, i) => {
    const all = toRights(ALL_RIGHTS);
    const input = { parentRoleId: rootId, name: `Installer ${i} North`, selfRights: all, manages: all };
    return createRole(deps, actor, input);
  }],
  "inserting 100,000 roles": [
    3,
    (service, i) =>
      execute(
        service,
        `${NUMBERS} INSERT INTO role (id, name, self_rights)
      SELECT ${1_000_000 * (i + 1)} + n, 'Installer ' || n || ' North', 63 FROM numbers`,
      ),
  ],
  "inserting 100,000 devices": [
    3,
    (service, i) =>
      execute(
        service,
        `${NUMBERS} INSERT INTO device (id, node_id, properties, updated_at)
      SELECT ${
          10_000_000 * (i + 1)
        } + n, 'meter-' || n, json_object('nodeId', 'meter-' || n, 'name', 'Meter ' || n), 0
      FROM numbers`,
      ),
  ],
  "changing another property of 100,000 devices": [
    3,
    (service, i) =>
      execute(
        service,
        `UPDATE device SET properties = json_set(properties, '$.place', ${i}) WHERE id < 20000000`,
      ),
  ],
};

const NUMBERS =
  "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000)";

async function compareWrites(indexed: ProductionService, plain: ProductionService): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [name, [times, write]] of Object.entries(WRITES)) {
    const sides: [number[], number[]] = [[], []];
    for (let i = 0; i < times; i++) {
      for (const [side, service] of [indexed, plain].entries()) {
        sides[side]?.push(await timeOf(() => write(service, i)));
      }
    }
    const [one, other] = sides;
    figures.push(ratio(`${name}, with the indexes to without`, "ms", [summarize(one), summarize(other)]));
  }
  return figures;
}

async function measure(times: number, act: () => Promise<unknown>): Promise<Summary> {
  const all: number[] = [];
  for (let i = 0; i < times; i++) all.push(await timeOf(act));
  return summarize(all);
}

async function timeOf(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}
