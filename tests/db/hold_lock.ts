/**
 * Holds a lock on a database file until standard input ends: `hold_lock.ts URL write|everything`. "write" keeps out
 * other writers; "everything" also keeps out readers, like a process that recovers the file after a crash.
 */
import { DatabaseSync } from "node:sqlite";
import { filePath } from "../../src/db/file_url.ts";

const [url = "", kind = "write"] = Deno.args;
const database = new DatabaseSync(filePath(url), { timeout: 5000 });
if (kind === "everything") database.exec("PRAGMA locking_mode = EXCLUSIVE");
database.exec("BEGIN IMMEDIATE");
database.exec("UPDATE id_sequence SET last_id = last_id");
Deno.stdout.writeSync(new TextEncoder().encode("held\n"));
for await (const _ of Deno.stdin.readable);
database.exec("ROLLBACK");
database.close();
