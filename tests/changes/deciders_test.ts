/** The writer's thread has the decision of each command, and no other. */
import assert from "node:assert/strict";
import type { DecidedStatement } from "../../src/changes/command.ts";
import { DECIDERS } from "../../src/role/deciders.ts";
import { collectStatements } from "../db/query_plans.ts";

Deno.test("each command has its decision in the writer's thread, and each decision its command", async () => {
  const commands = (await collectStatements()).flatMap(({ statement }) =>
    (statement as Partial<DecidedStatement>).command ?? []
  );
  const names = new Set(commands.map(({ name }) => name));
  assert.deepEqual([...names].sort(), Object.keys(DECIDERS).sort());
});

Deno.test("commands of one name read the same facts", async () => {
  const readsOf = new Map<string, Set<string>>();
  for (const { statement } of await collectStatements()) {
    const { command } = statement as Partial<DecidedStatement>;
    if (command === undefined) continue;
    const { name, reads } = command;
    readsOf.set(name, (readsOf.get(name) ?? new Set()).add(`${reads.few.sql} ${reads.many.sql}`));
  }
  assert.deepEqual([...readsOf].filter(([, reads]) => reads.size > 1).map(([name]) => name), []);
});
