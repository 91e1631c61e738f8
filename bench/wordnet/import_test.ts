/** The top of WordNet is imported, and answers as its relations say. */
import assert from "node:assert/strict";
import { runImport } from "./import_run.ts";
import { readSynsets } from "./synsets.ts";

Deno.test("the top of WordNet is imported, and its checks and changes agree with its relations", async () => {
  const synsets = await readSynsets(400);
  // The limit is small enough that changes high in the hierarchy are refused.
  const run = await runImport({ synsets, seed: 3, checks: 100, changes: 120, people: 2, maxCost: 60 });
  assert.deepEqual(run.wrong, []);
  assert.deepEqual(run.verified.map(({ isClean }) => isClean), [true, true]);
  // The relation from the root is not in the dictionary.
  assert.equal(run.imported.relations, run.planned.relations + 1);
  assert.ok(run.planned.rolesWithSeveralParents > 0, "no role has several parents");
  assert.equal(run.checked.count, 100 + 2 * 120);
  assert.ok(run.checked.allowed > 0, "every check was denied");
  const statuses = new Set(run.changes.map(({ status }) => status));
  assert.deepEqual([...statuses].toSorted(), [200, 409, 422]);
});
