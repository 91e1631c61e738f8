import { toRights } from "../../src/role/rights.ts";
import { checkRights, createRole } from "../../src/role/role_service.ts";
import { type BenchService, openBenchService, seedService } from "./bench_service.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure, ratio } from "./benchmark.ts";
import { createRandom, randomInteger, summarize, type Summary } from "./statistics.ts";

const ROUNDS = 400;
const WARM_UP_ROUNDS = 50;
/** So many in one call, that the checks themselves weigh more than the call. */
const CHECKS_A_CALL = 1000;
const DEEP = 30;
const SHALLOW = 2;
const DEPTH_GOAL = { atMost: 1.1 };
const SIZE_GOAL = { atMost: 1.5 };
const ALL_RIGHTS = toRights(63);

/** Which roles a call asks about. */
type Asked = (n: number) => number;

/** What a check of rights costs by depth and by the number of roles. */
export const RIGHTS_CHECK_BENCH: Benchmark = {
  name: "rights-check",
  summary: "Checks of rights at depth 30 and depth 2, at 1M roles and at 1k",
  async run(note): Promise<BenchmarkResult[]> {
    await using small = await openBenchService("file");
    await using large = await openBenchService("file");
    note("seeding 1k roles and 1M (some minutes)");
    const smallSeed = await seedService(small, { seed: 3, levels: 3 });
    const largeSeed = await seedService(large, { seed: 6, levels: 6 });
    const [shallow, deep] = await makeChain(small);
    note("checking by depth");
    const byDepth = await measurePair([[small, () => deep], [small, () => shallow]]);
    note("checking by size");
    const random = createRandom(1);
    const anyOf = (ids: readonly number[]): Asked => () => ids[randomInteger(random, ids.length)] as number;
    const smallIds = smallSeed.hierarchy.levels.flat();
    const largeIds = largeSeed.hierarchy.levels.flat();
    const bySize = await measurePair([[large, anyOf(largeIds)], [small, anyOf(smallIds)]]);
    const rows = largeSeed.rows.closureRows.toLocaleString("en-US");
    return [
      {
        input: `A role ${DEEP} relations below the caller's, and one ${SHALLOW} below it`,
        figures: describe(byDepth, [`depth ${DEEP}`, `depth ${SHALLOW}`], DEPTH_GOAL),
      },
      {
        input:
          `Random roles out of ${largeIds.length} (${rows} closure rows), and out of ${smallIds.length}, on files`,
        figures: describe(bySize, ["1M roles", "1k roles"], SIZE_GOAL),
      },
    ];
  },
};

/** A chain below the root. Answers the roles at the shallow and at the deep end. */
async function makeChain({ deps, actor, rootId }: BenchService): Promise<[shallow: number, deep: number]> {
  const chain = [rootId];
  for (let depth = 1; depth <= DEEP; depth++) {
    const parentRoleId = chain.at(-1) as number;
    const input = { parentRoleId, name: `depth ${depth}`, selfRights: ALL_RIGHTS, manages: ALL_RIGHTS };
    chain.push((await createRole(deps, actor, input)).role.id);
  }
  return [chain[SHALLOW] as number, chain[DEEP] as number];
}

interface Times {
  readonly single: number[];
  /** Per check of a call of many. */
  readonly many: number[];
}

/** Measures two sides in turn. Times are in microseconds. */
async function measurePair(sides: readonly [BenchService, Asked][]): Promise<[Times, Times]> {
  const times = sides.map((): Times => ({ single: [], many: [] }));
  for (let round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
    // Each side goes first as often as the other: what runs second finds the processor's caches in another state.
    const order = round % 2 === 0 ? [0, 1] : [1, 0];
    for (const i of order) {
      const [service, asked] = sides[i] as [BenchService, Asked];
      const single = await timeCall(service, asked, 1);
      // Calls of many take a while: half of the rounds have one.
      const many = round % 4 < 2 ? undefined : await timeCall(service, asked, CHECKS_A_CALL);
      if (round < WARM_UP_ROUNDS) continue;
      times[i]?.single.push(single);
      if (many !== undefined) times[i]?.many.push(many / CHECKS_A_CALL);
    }
  }
  return times as [Times, Times];
}

async function timeCall({ deps, actor }: BenchService, asked: Asked, count: number): Promise<number> {
  const checks = Array.from(
    { length: count },
    (_, n) => ({ roleId: asked(n), right: "viewManagement" } as const),
  );
  const startedAt = performance.now();
  await checkRights(deps, actor, checks);
  return (performance.now() - startedAt) * 1000;
}

function describe(
  pair: readonly [Times, Times],
  names: readonly [string, string],
  goal: Figure["goal"],
): Figure[] {
  const [one, other] = pair.map(({ single }) => summarize(single)) as [Summary, Summary];
  const [oneOfMany, otherOfMany] = pair.map(({ many }) => summarize(many)) as [Summary, Summary];
  return [
    figure(`one check, ${names[0]}`, "us", one),
    figure(`one check, ${names[1]}`, "us", other),
    ratio(`one check, ${names.join(" / ")}`, "us", [one, other], goal),
    figure(`a check of 1000 in a call, ${names[0]}`, "us", oneOfMany),
    figure(`a check of 1000 in a call, ${names[1]}`, "us", otherOfMany),
    ratio(`a check of 1000 in a call, ${names.join(" / ")}`, "us", [oneOfMany, otherOfMany]),
  ];
}
