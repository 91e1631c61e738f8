import { WITH_DEVICES } from "../src/device/with_devices.ts";
import { deleteManages } from "../src/role/manages/manages_service.ts";
import { toRights } from "../src/graph/rights.ts";
import { createRole } from "../src/role/role_service.ts";
import type { TimedService } from "./bench_service.ts";
import { createRandom, randomInteger } from "../tests/helpers/random_numbers.ts";
import { startingAt } from "./statistics.ts";

const ROUNDS = 150;
const WARM_UP_ROUNDS = 20;
const ALL_RIGHTS = toRights(63);

/** Time of the database in milliseconds, including commits. */
export interface LeafTimes {
  readonly create: number[];
  readonly remove: number[];
}

/** Creates and deletes a leaf in each of several hierarchies in turn, below roles of the second-to-last level. */
export async function measureLeaves(services: readonly TimedService[]): Promise<LeafTimes[]> {
  const random = createRandom(1);
  const measured = services.map((service) => ({ service, times: { create: [], remove: [] } as LeafTimes }));
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    for (const { service, times } of startingAt(measured, round)) {
      const [create, remove] = await changeLeaf(service, random);
      if (round < WARM_UP_ROUNDS) continue;
      times.create.push(create);
      times.remove.push(remove);
    }
  }
  return measured.map(({ times }) => times);
}

async function changeLeaf(
  { deps, actor, hierarchy, takeTimes }: TimedService,
  random: () => number,
): Promise<[create: number, remove: number]> {
  const parents = hierarchy.levels.at(-2) ?? [];
  const parentRoleId = parents[randomInteger(random, parents.length)] as number;
  takeTimes();
  const input = { parentRoleId, name: "leaf", selfRights: ALL_RIGHTS, manages: ALL_RIGHTS };
  const { manages } = await createRole(deps, actor, input);
  await deleteManages({ ...deps, ...WITH_DEVICES }, actor, {
    parentRoleId,
    managesId: manages.id,
  });
  const [create = NaN, remove = NaN] = takeTimes();
  return [create, remove];
}
