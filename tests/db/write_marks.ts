/**
 * Writes many marks at once to a database that others write to, too: `write_marks.ts URL LABEL COUNT`. Prints "ready",
 * starts when standard input ends, and prints the acknowledged marks as a JSON list.
 */
import { openDatabase } from "../../src/db/open_database.ts";
import { writeMarks } from "./marks.ts";

const [url = "", label = "", count = ""] = Deno.args;
const print = (line: string) => Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
const database = await openDatabase(url, { timeoutMs: 60_000 });
print("ready");
await Deno.stdin.read(new Uint8Array(1));
print(JSON.stringify(await writeMarks(database, label, Number(count))));
await database.close();
