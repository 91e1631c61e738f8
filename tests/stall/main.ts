// deno-lint-ignore-file no-console -- A program for the terminal.
import { ATTACKS } from "./attacks.ts";
import { boundOf, MAX_MEBIBYTES } from "./bounds.ts";
import { openStallService, type StallKind, type Times } from "./measure_stalls.ts";

/**
 * Prints what each attack does to somebody else's requests:
 * `deno run -A --config tests/deno.json tests/stall/main.ts [file|replica] [part of an attack's name]`.
 */

const [kind = "file", part = ""] = Deno.args;
if (kind !== "file" && kind !== "replica") throw new RangeError("Name a kind of database: file or replica");
await report(kind, part);
// Servers of databases and their threads are still there.
Deno.exit();

async function report(kind: StallKind, part: string): Promise<void> {
  for (const attack of ATTACKS.filter(({ name }) => name.includes(part))) {
    // Each gets a fresh process, so that the figures do not depend on the order.
    await using service = await openStallService(kind);
    const { quiet, attacked, failures, answers, mebibytes } = await (await service.prepare(attack))();
    const bound = boundOf(quiet.slowest);
    const isHeld = attacked.slowest <= bound && failures.length === 0 && mebibytes <= MAX_MEBIBYTES;
    console.log(`${isHeld ? "held  " : "FAILED"} ${attack.name}, on a ${kind}`);
    console.log(`       quiet    ${describe(quiet)}`);
    console.log(`       attacked ${describe(attacked)}; bound ${bound.toFixed(0)} ms`);
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
