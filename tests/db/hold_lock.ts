/**
 * Holds a lock on a database file until standard input ends: `hold_lock.ts URL write|everything`. "write" keeps out
 * other writers; "everything" also keeps out readers, like a process that recovers the file after a crash.
 */
import { createClient } from "@libsql/client";

const [url = "", kind = "write"] = Deno.args;
const client = createClient({ url, concurrency: 1, timeout: 5000 });
if (kind === "everything") await client.execute("PRAGMA locking_mode = EXCLUSIVE");
const transaction = await client.transaction("write");
await transaction.execute("UPDATE id_sequence SET last_id = last_id");
Deno.stdout.writeSync(new TextEncoder().encode("held\n"));
for await (const _ of Deno.stdin.readable);
await transaction.rollback();
client.close();
// The driver releases a file with its last handle, which garbage collection may delay. The end of the process does not.
Deno.exit(0);
