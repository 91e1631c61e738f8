import assert from "node:assert/strict";
import { ALL_DATABASES, DATABASE_LABELS } from "../helpers/databases.ts";
import type { Attack } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";
import { boundOf, MAX_MEBIBYTES } from "./bounds.ts";
import { openStallService, type StallOutcome } from "./measure_stalls.ts";

function judge(attack: Attack, outcome: StallOutcome): void {
  const { quiet, attacked, failures, mebibytes, answers } = outcome;
  const wrong = [...answers.keys()].filter((status) => !attack.answers.includes(status));
  assert.ok(answers.size > 0 && wrong.length === 0, `The attack was answered with ${[...answers.keys()]}`);
  assert.deepEqual(failures, [], "Instead of a success, the victim got this");
  const bound = boundOf(quiet.slowest);
  assert.ok(attacked.slowest <= bound, `The victim waited ${attacked.slowest} ms, with a bound of ${bound}`);
  assert.ok(mebibytes <= MAX_MEBIBYTES, `The service had ${mebibytes} MiB`);
}

for (const kind of ["file", "replica"] as const) {
  if (!ALL_DATABASES.includes(kind)) continue;
  Deno.test({
    name: `no request stops the service for others (${DATABASE_LABELS[kind]})`,
    // The server of the database outlives the test.
    sanitizeResources: kind === "file",
    sanitizeOps: kind === "file",
    async fn(t) {
      await using service = await openStallService(kind);
      for (const attack of ATTACKS) {
        await t.step(attack.name, async () => judge(attack, await service.measure(attack)));
      }
    },
  });
}
