import assert from "node:assert/strict";
import { bind } from "../src/db/statement.ts";
import { defineStatement } from "../tests/helpers/text_statement.ts";
import { openProductionService } from "../tests/helpers/production_service.ts";
import { seedService, type TimedService, timeService } from "./bench_service.ts";
import {
  type Benchmark,
  type BenchmarkOptions,
  type BenchmarkResult,
  type Figure,
  figure,
  ratio,
} from "./benchmark.ts";
import { closureFingerprint, type SeededRows } from "./hierarchy.ts";
import { type LeafTimes, measureLeaves } from "./leaf_rounds.ts";
import { type CheckTimes, measureChecks } from "./rights_checks.ts";
import { describeShape, type Shape, SHAPES } from "./shapes.ts";
import { type Size, sizesUpTo } from "./sizes.ts";
import { createRandom, randomInteger } from "../tests/helpers/random_numbers.ts";
import { summarize } from "./statistics.ts";

const SEED = 20_260_301;
const CHECK_GOAL = { size: "1M", atMost: 1.5 } as const;
const LEAF_GOAL = { size: "100k", atMost: 1.5 } as const;
const BYTES_PER_MIB = 2 ** 20;

/** Including the write-ahead log. */
const COUNT_BYTES = defineStatement(
  "SELECT page_count * page_size AS bytes FROM pragma_page_count CROSS JOIN pragma_page_size",
);

/** The effect of a hierarchy's shape and size on its closure, on checks and on changes of leaves. */
export const SHAPES_BENCH: Benchmark = {
  name: "shapes",
  summary:
    "Trees, DAGs, chains and lattices of 1k to 1M roles: closure rows, checks, creating and deleting leaves",
  async run(note, options): Promise<BenchmarkResult[]> {
    const results: BenchmarkResult[] = [];
    for (const shape of SHAPES) results.push(...await runShape(shape, note, options));
    return results;
  },
};

interface Side {
  readonly size: Size;
  readonly service: TimedService;
  readonly rows: SeededRows;
  readonly bytes: number;
}

async function runShape(
  shape: Shape,
  note: (text: string) => void,
  { largest }: BenchmarkOptions,
): Promise<BenchmarkResult[]> {
  await using opened = new AsyncDisposableStack();
  const sides: Side[] = [];
  for (const size of sizesUpTo(largest)) {
    note(`${shape}: seeding ${size.name} roles`);
    const service = opened.use(await openProductionService("file"));
    const { hierarchy, rows } = await seedService(service, { seed: SEED, levels: size.levels, shape });
    const [row] = await service.database.read<{ bytes: number }>(bind(COUNT_BYTES, {}));
    sides.push({ size, service: timeService(service, hierarchy), rows, bytes: row?.bytes ?? NaN });
  }
  const before = await fingerprints(sides);
  note(`${shape}: checking rights`);
  const checks = await measureChecks(sides.map(({ service }) => {
    const random = createRandom(SEED);
    const ids = service.hierarchy.levels.flat();
    const nextRoleId = (): number => ids[randomInteger(random, ids.length)] as number;
    return { service, actor: service.actor, nextRoleId };
  }));
  note(`${shape}: creating and deleting leaves`);
  const leaves = await measureLeaves(sides.map(({ service }) => service));
  // Every leaf was deleted again, so any difference to the initial closure is an error.
  assert.deepEqual(await fingerprints(sides), before, "the changes left another closure behind");
  const base = sides[0]?.size.name ?? "";
  return sides.map((side, i) => describe(shape, side, { checks, leaves, i, base }));
}

async function fingerprints(sides: readonly Side[]): Promise<string[]> {
  const found: string[] = [];
  for (const { service } of sides) found.push(await closureFingerprint(service.database));
  return found;
}

interface Measured {
  readonly checks: readonly CheckTimes[];
  readonly leaves: readonly LeafTimes[];
  /** The described side. */
  readonly i: number;
  /** The name of the first side's size, which the others are compared with. */
  readonly base: string;
}

function describe(
  shape: Shape,
  { size, rows, bytes }: Side,
  { checks, leaves, i, base }: Measured,
): BenchmarkResult {
  const { roles, relations, closureRows } = rows;
  const measures = [
    ["one check", "us", checks.map(({ single }) => single), CHECK_GOAL],
    ["create a leaf", "ms", leaves.map(({ create }) => create), LEAF_GOAL],
    ["delete it", "ms", leaves.map(({ remove }) => remove), LEAF_GOAL],
  ] as const;
  const figures: Figure[] = [
    { name: "closure rows", value: closureRows, unit: "rows" },
    { name: "closure rows a role", value: closureRows / roles, unit: "rows" },
    { name: "database file", value: bytes / BYTES_PER_MIB, unit: "MiB" },
  ];
  for (const [name, unit, sides, goal] of measures) {
    const own = summarize(sides[i] ?? []);
    figures.push(figure(name, unit, own));
    if (i === 0) continue;
    const isGoal = goal.size === size.name;
    const pair = [own, summarize(sides[0] ?? [])] as const;
    figures.push(
      ratio(
        `${name}, ${size.name} / ${base}`,
        unit,
        pair,
        isGoal ? { atMost: goal.atMost } : undefined,
      ),
    );
  }
  return { input: `${describeShape(shape)}: ${roles} roles, ${relations} relations, on a file`, figures };
}
