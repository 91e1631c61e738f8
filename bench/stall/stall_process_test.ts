/** No attack stops the service for others; each is judged by a baseline of the same run. */
import assert from "node:assert/strict";
import { DATABASE_LABELS, DATABASES } from "../../tests/helpers/databases.ts";
import { type Attack, NO_ANSWER } from "./attack.ts";
import { WORLDS } from "./attacks.ts";
import { BOUND_MS, boundOf, isBusy, MAX_MEBIBYTES } from "./bounds.ts";
import { openStallService, type StallOutcome } from "./measure_stalls.ts";

/** An attack that stops the service does so each time. Other programs, which come and go, do not. */
const ATTEMPTS = 4;
/** The service did not get to a request in time. */
const LATE: readonly number[] = [503, NO_ANSWER];

/** What did not hold, if anything. */
function findFault(attack: Attack, outcome: StallOutcome): string | undefined {
  const { share, attacked, loopMs, failures, mebibytes, answers } = outcome;
  const statuses = [...answers.keys()];
  const others = statuses.filter((status) => !attack.answers.includes(status));
  const isRefused = others.some((status) => !LATE.includes(status) || !isBusy(share));
  if (statuses.length === others.length || isRefused) return `The attack was answered with ${statuses}`;
  if (failures.length > 0) return `Instead of a success, the victim got ${failures}`;
  for (const habit of ["reads", "writes"] as const) {
    const { slowest } = attacked[habit];
    const bound = boundOf(share);
    if (slowest > bound) {
      return `The slowest of the victim's ${habit} took ${slowest} ms, with a bound of ${bound}`;
    }
  }
  if (loopMs > BOUND_MS) return `The event loop was busy for ${loopMs} ms during one request of the victim`;
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
            while (faults.length < ATTEMPTS) {
              const fault = findFault(attack, await measure());
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
