/**
 * Writes marks to a database file until it is killed, 200 at a time: `write_until_killed.ts URL PREFIX`. Prints
 * the label of each as soon as it is acknowledged.
 */
import { openDatabase } from "../../src/db/open_database.ts";
import { writeMark } from "../db/marks.ts";

const [url = "", prefix = ""] = Deno.args;
const encoder = new TextEncoder();
const database = await openDatabase(url, { timeoutMs: 60_000 });

async function write(label: string): Promise<void> {
  await writeMark(database, label);
  Deno.stdout.writeSync(encoder.encode(`${label}\n`));
}

for (let round = 0;; round++) {
  await Promise.all(Array.from({ length: 200 }, (_, i) => write(`${prefix}-${round}-${i}`)));
}
