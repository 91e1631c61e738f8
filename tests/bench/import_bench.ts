import { stringify } from "csv-stringify/sync";
import { readHierarchyFile } from "../../scripts/lib/hierarchy_file.ts";
import { systemClock } from "../../src/core/clock.ts";
import { COLUMNS, formatRow, type HierarchyRow } from "../../src/role/transfer/import_format.ts";
import { importHierarchy } from "../../src/role/transfer/import_service.ts";
import { openTestDatabase } from "../helpers/databases.ts";
import { type Benchmark, type BenchmarkResult, figure } from "./benchmark.ts";
import { generateHierarchy, type Hierarchy } from "./hierarchy.ts";
import { summarize } from "./statistics.ts";

const ROUNDS = 3;
const LEVELS = 5;
const SEED = 20_260_101;
const GOAL_MS = 20_000;
const ALL_RIGHTS = 63;

/**
 * Import of a hierarchy of 100,000 roles from a CSV file into an empty database file: total time, and time by
 * step.
 */
export const IMPORT_BENCH: Benchmark = {
  name: "import",
  summary: "A hierarchy of 100,000 roles from a CSV file into a database file",
  async run(note): Promise<BenchmarkResult[]> {
    const path = await Deno.makeTempFile({ suffix: ".csv" });
    const options = { seed: SEED, levels: LEVELS, rootId: 1, firstRoleId: 2, firstRelationId: 1 };
    const hierarchy = generateHierarchy(options);
    await Deno.writeTextFile(path, formatHierarchy(hierarchy));
    const steps = { read: [] as number[], stage: [] as number[], move: [] as number[], all: [] as number[] };
    let input = "";
    for (let round = 1; round <= ROUNDS; round++) {
      note(`import ${round} of ${ROUNDS}`);
      const { times, rows } = await importOnce(path);
      steps.read.push(times.read);
      steps.stage.push(times.stage);
      steps.move.push(times.move);
      steps.all.push(times.read + times.stage + times.move);
      input = rows;
    }
    await Deno.remove(path);
    return [{
      input,
      figures: [
        figure("reading and checking the file", "ms", summarize(steps.read)),
        figure("staging", "ms", summarize(steps.stage)),
        figure("the final batch", "ms", summarize(steps.move)),
        figure("total", "ms", summarize(steps.all), { atMost: GOAL_MS }),
      ],
    }];
  },
};

async function importOnce(
  path: string,
): Promise<{ times: { read: number; stage: number; move: number }; rows: string }> {
  await using opened = await openTestDatabase("file");
  const begun = performance.now();
  const checked = await readHierarchyFile(path, { under: false });
  if ("problems" in checked) throw new Error(checked.problems[0]?.message);
  const read = performance.now();
  let staged = read;
  const report = await importHierarchy({ database: opened.database, clock: systemClock }, checked.graph, {
    onProgress: () => staged = performance.now(),
  });
  const times = { read: read - begun, stage: staged - read, move: performance.now() - staged };
  const { roles, relations, closureRows } = report;
  return { times, rows: `${roles} roles, ${relations} relations, ${closureRows} rows of the closure` };
}

function formatHierarchy({ levels, relations, rootId }: Hierarchy): string {
  const parents = new Map<number, Map<string, number>>(levels.flat().map((id) => [id, new Map()]));
  for (const { parentId, childId, rights } of relations) parents.get(childId)?.set(String(parentId), rights);
  const root = {
    key: String(rootId),
    name: "Root",
    selfRights: ALL_RIGHTS,
    topRights: ALL_RIGHTS,
    parents: new Map(),
  };
  const below = Array.from(parents, ([id, entering]): HierarchyRow => {
    return { key: String(id), name: `Role ${id}`, selfRights: 0, topRights: undefined, parents: entering };
  });
  return stringify([[...COLUMNS]]) + stringify([root, ...below].map(formatRow), { columns: [...COLUMNS] });
}
