import assert from "node:assert/strict";
import { DATABASE_LABELS, DATABASES } from "../helpers/databases.ts";
import type { Attack } from "./attack.ts";
import { WORLDS } from "./attacks.ts";
import { boundOf, MAX_MEBIBYTES, PAUSE_MS, QUIET_MS } from "./bounds.ts";
import { openStallService, type StallOutcome } from "./measure_stalls.ts";

/**
 * An attack that stops the service does so each time. A machine that is busy with other tests does not: after the first
 * attempt, longer quiet times show how slow it is.
 */
const QUIET_TIMES_MS = [PAUSE_MS, ...Array<number>(5).fill(QUIET_MS)];

/** What did not hold, if anything. */
function findFault(attack: Attack, outcome: StallOutcome): string | undefined {
  const { quiet, attacked, failures, mebibytes, answers } = outcome;
  const statuses = [...answers.keys()];
  if (statuses.length === 0 || statuses.some((status) => !attack.answers.includes(status))) {
    return `The attack was answered with ${statuses}`;
  }
  if (failures.length > 0) return `Instead of a success, the victim got ${failures}`;
  for (const habit of ["reads", "writes"] as const) {
    const { slowest } = attacked[habit];
    const bound = boundOf(quiet[habit].slowest);
    if (slowest > bound) {
      return `The slowest of the victim's ${habit} took ${slowest} ms, with a bound of ${bound}`;
    }
  }
  if (mebibytes > MAX_MEBIBYTES) return `The service had ${mebibytes} MiB`;
  return undefined;
}

for (const [kind, database] of [["file", "file"], ["server", "remote"]] as const) {
  if (!DATABASES.includes(database)) continue;
  Deno.test({
    name: `no request stops the service for others (${DATABASE_LABELS[database]})`,
    // The server of the database outlives the test.
    sanitizeResources: kind === "file",
    sanitizeOps: kind === "file",
    async fn(t) {
      for (const attacks of WORLDS) {
        await using service = await openStallService(kind);
        for (const attack of attacks.filter(({ onServer = false }) => kind === "file" || onServer)) {
          await t.step(attack.name, async () => {
            const measure = await service.prepare(attack);
            const faults: string[] = [];
            for (const quietMs of QUIET_TIMES_MS) {
              const fault = findFault(attack, await measure(quietMs));
              if (fault === undefined) return;
              faults.push(fault);
            }
            assert.fail(faults.join("; "));
          });
        }
      }
    },
  });
}
