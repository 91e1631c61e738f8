import { toRights } from "../src/graph/rights.ts";
import { createRole } from "../src/role/role_service.ts";
import { openProductionService, type ProductionService } from "../tests/helpers/production_service.ts";
import { seedService } from "./bench_service.ts";
import { type Benchmark, type BenchmarkResult, type Figure, figure, ratio } from "./benchmark.ts";
import type { Hierarchy } from "./hierarchy.ts";
import { addMember } from "./member_growth.ts";
import { type CheckSide, type CheckTimes, measureChecks } from "./rights_checks.ts";
import { sizesUpTo } from "./sizes.ts";
import { createRandom, randomInteger } from "../tests/helpers/random_numbers.ts";
import { summarize } from "./statistics.ts";

/** Enough checks per call to outweigh the call itself. */
const CHECKS_A_CALL = 1000;
/** The others are compared with the first one. */
const DEPTHS = [2, 10, 30, 100] as const;
const DEPTH_WITH_GOAL = 30;
const MEMBERSHIPS = [1, 10, 100, 1000] as const;
const DEPTH_GOAL = { atMost: 1.1 };
const SIZE_GOAL = { atMost: 1.5 };
const ALL_RIGHTS = toRights(63);

/** Cost of a rights check by depth, by number of roles, and by number of memberships. */
export const RIGHTS_CHECK_BENCH: Benchmark = {
  name: "rights-check",
  summary: "Checks of rights by depth (2 to 100), by size (1k to 1M roles) and by memberships (1 to 1000)",
  async run(note, { largest }): Promise<BenchmarkResult[]> {
    const [smallest, ...larger] = sizesUpTo(largest);
    const greatest = larger.at(-1) ?? smallest;
    await using small = await openProductionService("file");
    await using large = await openProductionService("file");
    note(`seeding ${smallest.name} roles and ${greatest.name} (a million takes some minutes)`);
    const { hierarchy } = await seedService(small, { seed: 3, levels: smallest.levels });
    const { hierarchy: largeHierarchy, rows } = await seedService(large, {
      seed: 6,
      levels: greatest.levels,
    });
    note("checking by depth");
    const byDepth = await measureDepths(small);
    note("checking by size");
    const sides = [sideOf(small, hierarchy), sideOf(large, largeHierarchy)];
    // Without larger sizes, there is nothing to compare.
    const bySize = await measureChecks(sides.slice(larger.length === 0 ? 1 : 0), {
      checksACall: CHECKS_A_CALL,
    });
    note("checking by memberships");
    const byMemberships = await measureMemberships(small, hierarchy);
    const [smallCount, largeCount] = [hierarchy, largeHierarchy].map(({ levels }) => levels.flat().length);
    const closure = rows.closureRows.toLocaleString("en-US");
    return [
      { input: `A role at each depth below the caller's, on a file`, figures: byDepth },
      {
        input:
          `Random roles out of ${largeCount} (${closure} closure rows), and out of ${smallCount}, on files`,
        figures: describe(bySize, [smallest, greatest].map(({ name }) => `${name} roles`), () => SIZE_GOAL),
      },
      {
        input: `Random roles out of ${smallCount}, by a member of up to 1000 of them, on a file`,
        figures: byMemberships,
      },
    ];
  },
};

function sideOf(service: ProductionService, { levels }: Hierarchy): CheckSide {
  const random = createRandom(1);
  const ids = levels.flat();
  return {
    service,
    actor: service.actor,
    nextRoleId: () => ids[randomInteger(random, ids.length)] as number,
  };
}

async function measureDepths(service: ProductionService): Promise<Figure[]> {
  const chain = await makeChain(service, Math.max(...DEPTHS));
  const sides = DEPTHS.map((depth): CheckSide => {
    return { service, actor: service.actor, nextRoleId: () => chain[depth] as number };
  });
  const times = await measureChecks(sides, { checksACall: CHECKS_A_CALL });
  const names = DEPTHS.map((depth) => `depth ${depth}`);
  return describe(times, names, (name) => name === `depth ${DEPTH_WITH_GOAL}` ? DEPTH_GOAL : undefined);
}

/** A chain below the root. Returns its roles by depth; the root has depth 0. */
async function makeChain({ deps, actor, rootId }: ProductionService, length: number): Promise<number[]> {
  const chain = [rootId];
  for (let depth = 1; depth <= length; depth++) {
    const parentRoleId = chain.at(-1) as number;
    const input = { parentRoleId, name: `depth ${depth}`, selfRights: ALL_RIGHTS, manages: ALL_RIGHTS };
    chain.push((await createRole(deps, actor, input)).role.id);
  }
  return chain;
}

async function measureMemberships(service: ProductionService, hierarchy: Hierarchy): Promise<Figure[]> {
  const sides: CheckSide[] = [];
  for (const memberships of MEMBERSHIPS) {
    const { actor } = await addMember(service, hierarchy, memberships);
    sides.push({ ...sideOf(service, hierarchy), actor });
  }
  const names = MEMBERSHIPS.map((count) => `${count} membership${count === 1 ? "" : "s"}`);
  return describe(await measureChecks(sides), names, () => undefined);
}

/** The figures of the first side and, for each other side, its figures and their ratio to the first. */
function describe(
  times: readonly CheckTimes[],
  names: readonly string[],
  goalOf: (name: string) => Figure["goal"],
): Figure[] {
  const kinds = [["one check", "single"], [`a check of ${CHECKS_A_CALL} in a call`, "many"]] as const;
  return kinds.flatMap(([what, kind]) => {
    const measured = times.map((side) => side[kind]).filter((values) => values.length > 0).map(summarize);
    const [first] = measured;
    return measured.flatMap((summary, i) => {
      const own = figure(`${what}, ${names[i]}`, "us", summary);
      if (i === 0 || first === undefined) return [own];
      const goal = kind === "single" ? goalOf(names[i] ?? "") : undefined;
      return [own, ratio(`${what}, ${names[i]} / ${names[0]}`, "us", [summary, first], goal)];
    });
  });
}
