import { print } from "../../../scripts/lib/output.ts";
import { measureAccounts, measureWorlds } from "./measure.ts";
import { WORLDS } from "./worlds.ts";
import { findUses } from "./use_of_bounds.ts";

/** A program: measures all statements, and shows how much of each bound the worst run uses, in percent. */
if (import.meta.main) {
  const measured = [...await measureWorlds(WORLDS), ...await measureAccounts()];
  for (const { key, part, description } of await findUses(measured)) {
    print(`${Math.round(100 * part)} ${key}: ${description}`);
  }
  Deno.exit(0);
}
