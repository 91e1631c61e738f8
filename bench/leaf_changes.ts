import { WITH_DEVICES } from "../src/device/with_devices.ts";
import { deleteManages, putManages } from "../src/role/manages/manages_service.ts";
import { toRights } from "../src/graph/rights.ts";
import { createRole } from "../src/role/role_service.ts";
import type { TimedService } from "./bench_service.ts";
import { type Figure, figure, ratio } from "./benchmark.ts";
import { createRandom, randomInteger } from "../tests/helpers/random_numbers.ts";
import { summarize, type Summary } from "./statistics.ts";

const ROUNDS = 150;
const WARM_UP_ROUNDS = 20;
const ALL_RIGHTS = toRights(63);
const FEWER_RIGHTS = toRights(0b000101);
const SIZE_GOAL = { atMost: 1.5 };

const STEPS = {
  create: { name: "create a leaf", goalMs: 1.5 },
  put: { name: "PUT a second relation to it", goalMs: 1.5 },
  weaken: { name: "take rights from that", goalMs: 1.5 },
  remove: { name: "delete that", goalMs: 2.5 },
  cascade: { name: "delete the leaf's last relation", goalMs: 2.5 },
} as const;

type Step = keyof typeof STEPS;
const STEP_NAMES = Object.keys(STEPS) as Step[];

/**
 * Changes leaves of two hierarchies in turn, so that other load on the machine affects both alike. `hasGoals`:
 * the times have goals, not only their ratio.
 */
export async function changeLeaves(
  sides: readonly [small: TimedService, large: TimedService],
  { hasGoals }: { readonly hasGoals: boolean },
): Promise<Figure[]> {
  const random = createRandom(1);
  const times = sides.map((): Record<Step, number[]> => ({
    create: [],
    put: [],
    weaken: [],
    remove: [],
    cascade: [],
  }));
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    for (const [i, side] of sides.entries()) {
      const taken = await changeLeaf(side, random);
      if (round < WARM_UP_ROUNDS) continue;
      for (const step of STEP_NAMES) times[i]?.[step].push(taken[step]);
    }
  }
  const figures: Figure[] = [];
  for (const step of STEP_NAMES) {
    const { name, goalMs } = STEPS[step];
    const [small, large] = times.map((side) => summarize(side[step])) as [Summary, Summary];
    figures.push(figure(`${name}, 1k`, "ms", small));
    figures.push(figure(`${name}, 100k`, "ms", large, hasGoals ? { atMost: goalMs } : undefined));
    figures.push(ratio(`${name}, 100k / 1k`, "ms", [large, small], SIZE_GOAL));
  }
  return figures;
}

/** Creates a leaf, changes a relation to it, and deletes both. Returns milliseconds. */
async function changeLeaf(side: TimedService, random: () => number): Promise<Record<Step, number>> {
  const { deps, actor, hierarchy, takeTimes } = side;
  const parents = hierarchy.levels.at(-2) ?? [];
  const first = randomInteger(random, parents.length);
  const [parentRoleId, otherId] = [parents[first] as number, parents[(first + 1) % parents.length] as number];
  takeTimes();
  const input = { parentRoleId, name: "leaf", selfRights: ALL_RIGHTS, manages: ALL_RIGHTS };
  const created = await createRole(deps, actor, input);
  const pair = { parentRoleId: otherId, childRoleId: created.role.id };
  const { manages } = await putManages(deps, actor, { ...pair, rights: ALL_RIGHTS });
  const managesId = manages.id as number;
  await putManages(deps, actor, { ...pair, rights: FEWER_RIGHTS });
  await deleteManages({ ...deps, ...WITH_DEVICES }, actor, {
    parentRoleId: otherId,
    managesId,
  });
  await deleteManages({ ...deps, ...WITH_DEVICES }, actor, {
    parentRoleId,
    managesId: created.manages.id,
  });
  const [create = NaN, put = NaN, weaken = NaN, remove = NaN, cascade = NaN] = takeTimes();
  return { create, put, weaken, remove, cascade };
}
