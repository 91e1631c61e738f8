/** Every accepted mutant of SQL exists, and has a reason. */
import assert from "node:assert/strict";
import { collectStatements } from "../../../tests/db/query_plans.ts";
import { ACCEPTED } from "./accepted.ts";
import { findMutants } from "./mutants.ts";

Deno.test("every accepted mutant exists, is listed once and has a reason", async () => {
  const existing = new Set(
    findMutants(await collectStatements()).map(({ module, name }) => `${module}: ${name}`),
  );
  const seen = new Set<string>();
  for (const { module, mutants, reason } of ACCEPTED) {
    assert.ok(reason !== "" && mutants.length > 0, module);
    for (const name of mutants) {
      const mutant = `${module}: ${name}`;
      assert.ok(existing.has(mutant), `accepted.ts has a mutant that does not exist any more: ${mutant}`);
      assert.ok(!seen.has(mutant), `accepted.ts has it twice: ${mutant}`);
      seen.add(mutant);
    }
  }
});
