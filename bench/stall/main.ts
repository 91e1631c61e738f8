// deno-lint-ignore-file no-console -- A program for the terminal.
import { ATTACKS } from "./attacks.ts";
import { BOUND_MS, boundOf, IDLE_BOUND_MS, MAX_MEBIBYTES } from "./bounds.ts";
import { openStallService, type StallKind, type Times } from "./measure_stalls.ts";

/**
 * Prints what each attack does to another user's requests. "held" is within the bound to aim at, "slow" within that of
 * the test: `deno run -A --config tests/deno.json bench/stall/main.ts [file|server] [part of an
 * attack's name]`.
 */

const HABITS = ["reads", "writes"] as const;
const [kind = "file", part = ""] = Deno.args;
if (kind !== "file" && kind !== "server") throw new RangeError("Name a kind of database: file or server");
await report(kind, part);
// Servers of databases and their threads are still there.
Deno.exit();

async function report(kind: StallKind, part: string): Promise<void> {
  for (const attack of ATTACKS.filter(({ name }) => name.includes(part))) {
    // Each gets a fresh process, so that the figures do not depend on the order.
    await using service = await openStallService(kind);
    const { share, quiet, attacked, loopMs, failures, answers, mebibytes } =
      await (await service.prepare(attack))();
    const isWithin = (bound: number): boolean => HABITS.every((habit) => attacked[habit].slowest <= bound);
    const isHeld = isWithin(boundOf(share)) && loopMs <= BOUND_MS && failures.length === 0 &&
      mebibytes <= MAX_MEBIBYTES && [...answers.keys()].every((status) => attack.answers.includes(status));
    const verdict = !isHeld ? "FAILED" : isWithin(boundOf(share, IDLE_BOUND_MS)) ? "held  " : "slow  ";
    console.log(`${verdict} ${attack.name}, on a ${kind}`);
    console.log(
      `       other programs left ${(100 * share).toFixed(0)}% of the machine; the event loop was busy for ${
        loopMs.toFixed(0)
      } ms during one request`,
    );
    for (const habit of HABITS) {
      console.log(`       ${habit} quiet    ${describe(quiet[habit])}`);
      console.log(`       ${habit} attacked ${describe(attacked[habit])}`);
    }
    console.log(
      `       memory ${mebibytes.toFixed(0)} MiB; the attack's answers ${
        JSON.stringify(Object.fromEntries(answers))
      }`,
    );
    for (const failure of failures) console.log(`       the victim got ${failure}`);
  }
}

function describe({ answers, p50, p99, slowest }: Times): string {
  const [a, b, c] = [p50, p99, slowest].map((ms) => ms.toFixed(1));
  return `p50 ${a} ms, p99 ${b} ms, slowest ${c} ms of ${answers} answers`;
}
