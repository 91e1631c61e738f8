import { explainRight } from "../src/explain/why/explain_service.ts";
import { checkPastRights } from "../src/graph/history/check_service.ts";
import { deleteManages, updateManages } from "../src/role/manages/manages_service.ts";
import { WITH_DEVICES } from "../src/device/with_devices.ts";
import { readPeople } from "../src/lists/access/people_service.ts";
import { NO_RIGHTS, toRights } from "../src/graph/rights.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure, type Goal, ratio } from "./benchmark.ts";
import { type InsightScene, openInsightScene } from "./insight_scene.ts";
import { createRandom, randomInteger } from "../tests/helpers/random_numbers.ts";
import { summarize, type Summary } from "./statistics.ts";

const SAMPLES = 200;
const GOAL: Goal = { atMost: 5 };
/** Little more than measuring noise. */
const INDEPENDENT: Goal = { atMost: 2 };
const VIEW = 4;
const PREVIEW = { kind: "preview" } as const;
const TEAM = 20;
const OF_TEAM = "preview of a relation to 111 roles, with 20 people";
const OF_TEAM_GOAL: Goal = { atMost: 10 };
const FIRST_PAGE = { afterId: -1, limit: 100 } as const;

/** Questions about rights: what a change would do, why a user has a right, and who had it. */
export const INSIGHT_BENCH: Benchmark = {
  name: "insight",
  summary:
    "Previews, explanations, lists of access and checks of the past at 1k and at 111k roles with 100k people",
  async run(note): Promise<BenchmarkResult[]> {
    await using stack = new AsyncDisposableStack();
    note("seeding 1k and 111k roles");
    const small = await openInsightScene(stack, { levels: 3, people: 1000 });
    const large = await openInsightScene(stack, { levels: 5, people: 100_000 });
    const figures: Figure[] = [];
    for (const [name, ask] of Object.entries(QUESTIONS)) {
      note(name);
      const [few, many] = [await measure(small, ask), await measure(large, ask)] as const;
      figures.push(
        figure(name, "ms", many, name === OF_TEAM ? OF_TEAM_GOAL : GOAL),
        ratio(`${name}, 111k to 1k`, "ms", [many, few], INDEPENDENT),
      );
    }
    return [{ input: `${large.input}; ${small.input}`, figures }];
  },
};

type Question = (scene: InsightScene, random: () => number) => Promise<unknown>;

/** The relation to a random leaf. */
function pickLeaf({ hierarchy }: InsightScene, random: () => number) {
  const { relations, levels } = hierarchy;
  const leaves = levels.at(-1)?.length ?? 0;
  const { id, parentId, childId, rights } = relations[relations.length - 1 - randomInteger(random, leaves)] ??
    NO_RELATION;
  return { managesId: id, parentRoleId: parentId, rights, childRoleId: childId };
}

const NO_RELATION = { id: 0, parentId: 0, childId: 0, rights: 0 };

const QUESTIONS: Readonly<Record<string, Question>> = {
  "preview of a leaf's relation": (scene, random) => {
    const { deps, actor } = scene.service;
    const { rights, managesId, parentRoleId } = pickLeaf(scene, random);
    const input = { managesId, parentRoleId, rights: toRights(rights ^ VIEW) };
    return updateManages(deps, actor, input, PREVIEW);
  },
  [OF_TEAM]: async ({ service, ofTeam }) => {
    const { id: managesId, parentId: parentRoleId, rights } = ofTeam;
    const input = { managesId, parentRoleId, rights: toRights(rights ^ VIEW) };
    const { effect } = await updateManages(service.deps, service.actor, input, PREVIEW);
    const people = [...effect?.named ?? [], ...effect?.keeps ?? []];
    if (people.length !== TEAM) throw new TypeError(`The preview names ${people.length} people`);
  },
  "preview of a leaf's deletion": (scene, random) => {
    const { deps, actor } = scene.service;
    const { managesId, parentRoleId } = pickLeaf(scene, random);
    return deleteManages({ ...deps, ...WITH_DEVICES }, actor, { managesId, parentRoleId }, PREVIEW);
  },
  "explanation of a right on a leaf": (scene, random) => {
    const { deps, actor } = scene.service;
    return explainRight(deps, actor, {
      roleId: pickLeaf(scene, random).childRoleId,
      right: "viewManagement",
    });
  },
  "the same about another user": (scene, random) => {
    const { deps, actor } = scene.service;
    const subject = { userEmail: `person${randomInteger(random, 1000)}@example.com` };
    const { childRoleId: roleId } = pickLeaf(scene, random);
    return explainRight(deps, actor, { roleId, right: "viewManagement", subject });
  },
  "explanation of the past": (scene, random) => {
    const { deps, actor } = scene.service;
    const { childRoleId: roleId } = pickLeaf(scene, random);
    return explainRight(deps, actor, { roleId, right: "viewManagement", asOf: { atMs: deps.clock() } });
  },
  "check of the past": (scene, random) => {
    const { deps, actor } = scene.service;
    const check = { roleId: pickLeaf(scene, random).childRoleId, right: "viewManagement" } as const;
    return checkPastRights(deps, actor, [check], { atMs: deps.clock() });
  },
  "first page of who has access to a role, of all users": ({ service, crowdedId }) =>
    readPeople(service.deps, service.actor, { roleId: crowdedId, rights: NO_RIGHTS }, FIRST_PAGE),
  "a page in the middle of that": ({ service, crowdedId }, random) => {
    const afterId = 1_000_000 + randomInteger(random, 900);
    return readPeople(service.deps, service.actor, { roleId: crowdedId, rights: NO_RIGHTS }, {
      ...FIRST_PAGE,
      afterId,
    });
  },
  "first page of who has access to a leaf": (scene, random) => {
    const { deps, actor } = scene.service;
    const { childRoleId: roleId } = pickLeaf(scene, random);
    return readPeople(deps, actor, { roleId, rights: NO_RIGHTS }, FIRST_PAGE);
  },
};

async function measure(scene: InsightScene, ask: Question): Promise<Summary> {
  const random = createRandom(7);
  const times: number[] = [];
  for (let i = 0; i < SAMPLES; i++) {
    const startedAt = performance.now();
    await ask(scene, random);
    times.push(performance.now() - startedAt);
  }
  return summarize(times);
}
