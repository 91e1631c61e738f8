import type { Actor } from "../src/core/actor.ts";
import { checkRights } from "../src/role/role_service.ts";
import type { ProductionService } from "../tests/helpers/production_service.ts";
import { startingAt } from "./statistics.ts";

const ROUNDS = 400;
const WARM_UP_ROUNDS = 50;

/** A user who checks rights in a service. */
export interface CheckSide {
  readonly service: Pick<ProductionService, "deps">;
  readonly actor: Actor;
  /** The role of the next check. */
  readonly nextRoleId: () => number;
}

export interface CheckTimes {
  /** Time of a call with one check, in microseconds. */
  readonly single: number[];
  /** Time per check in a call with `checksACall`, in microseconds. */
  readonly many: number[];
}

export interface CheckOptions {
  /** Calls with many checks are slow, so only every second round has one, or none if this is undefined. */
  readonly checksACall?: number;
}

/** Lets all sides check rights in turn, so that other load on the machine affects them alike. */
export async function measureChecks(
  sides: readonly CheckSide[],
  { checksACall }: CheckOptions = {},
): Promise<CheckTimes[]> {
  const measured = sides.map((side) => ({ side, times: { single: [], many: [] } as CheckTimes }));
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    // All go first equally often, because the order affects the processor's caches.
    for (const { side, times } of startingAt(measured, round)) {
      const single = await timeCall(side, 1);
      const many = checksACall === undefined || Math.floor(round / sides.length) % 2 === 0
        ? undefined
        : await timeCall(side, checksACall);
      if (round < WARM_UP_ROUNDS) continue;
      times.single.push(single);
      if (many !== undefined) times.many.push(many);
    }
  }
  return measured.map(({ times }) => times);
}

/** Microseconds per check. */
async function timeCall({ service, actor, nextRoleId }: CheckSide, count: number): Promise<number> {
  const checks = Array.from(
    { length: count },
    () => ({ roleId: nextRoleId(), right: "viewManagement" } as const),
  );
  const startedAt = performance.now();
  await checkRights(service.deps, actor, checks);
  return (performance.now() - startedAt) * 1000 / count;
}
