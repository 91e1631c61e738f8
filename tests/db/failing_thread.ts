/**
 * Has a thread of a file database fail in a way that it does not expect: `failing_thread.ts URL writer|reader`. Prints
 * "written" after an acknowledged write, and would then run for ever.
 */
import { openDatabase } from "../../src/db/open_database.ts";
import { createConnectionThreads } from "../../src/db/thread/thread_pool.ts";

const [url = "", which = ""] = Deno.args;
const threads = createConnectionThreads();
const database = await openDatabase(url, { threads });
await database.write([{ sql: "UPDATE id_sequence SET last_id = 7", args: {} }]);
await database.read({ sql: "SELECT * FROM id_sequence", args: {} });
Deno.stdout.writeSync(new TextEncoder().encode("written\n"));
const thread = which === "writer" ? threads.writer : threads.readers.at(-1);
// No call looks like this.
thread?.start().postMessage(null);
setInterval(() => {}, 1000);
