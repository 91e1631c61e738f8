import assert from "node:assert/strict";
import type { DatabaseKind } from "../tests/helpers/databases.ts";
import { openProductionService, type ProductionService } from "../tests/helpers/production_service.ts";
import { seedService, type TimedService, timeService } from "./bench_service.ts";
import type { Benchmark, BenchmarkResult } from "./benchmark.ts";
import { closureFingerprint, type SeededRows } from "./hierarchy.ts";
import { changeLeaves } from "./leaf_changes.ts";
import { changeRectangle } from "./rectangle_changes.ts";

/** Cost of changing a leaf and a large rectangle of the closure, on a file and on a server. */
export const RELATION_CHANGE_BENCH: Benchmark = {
  name: "relation-change",
  summary: "Changes of relations at 1k and at 100k roles: database time, including commits",
  async run(note): Promise<BenchmarkResult[]> {
    return [...await runOn("file", note), ...await runOn("remote", note)];
  },
};

async function runOn(kind: DatabaseKind, note: (text: string) => void): Promise<BenchmarkResult[]> {
  const where = kind === "file" ? "a file" : "sqld on this machine";
  const options = { hasGoals: kind === "file" };
  note(`seeding 1k and 100k roles on ${where}`);
  await using smallService = await openProductionService(kind);
  await using largeService = await openProductionService(kind);
  const small = await prepare(smallService, 3);
  const large = await prepare(largeService, 5);
  const before = await fingerprints([small.service, large.service]);
  note(`changing leaves on ${where}`);
  const leaves = await changeLeaves([small.service, large.service], options);
  note(`changing a rectangle on ${where}`);
  const { figures, rows } = await changeRectangle(large.service, options);
  // Every change was undone, so any difference to the initial closure is an error.
  const after = await fingerprints([small.service, large.service]);
  assert.deepEqual(after, before, "the changes left another closure behind");
  return [
    { input: `Leaves on ${where}: ${describe(small.rows)}; ${describe(large.rows)}`, figures: leaves },
    { input: `A rectangle of ${rows} closure rows on ${where}: ${describe(large.rows)}`, figures },
  ];
}

async function prepare(
  service: ProductionService,
  levels: number,
): Promise<{ service: TimedService; rows: SeededRows }> {
  const { hierarchy, rows } = await seedService(service, { seed: levels, levels });
  return { service: timeService(service, hierarchy), rows };
}

function fingerprints(services: readonly ProductionService[]): Promise<string[]> {
  return Promise.all(services.map(({ database }) => closureFingerprint(database)));
}

function describe({ roles, relations, closureRows }: SeededRows): string {
  return `${roles} roles, ${relations} relations, ${closureRows} closure rows`;
}
