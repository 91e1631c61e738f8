import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import type { BoundStatement } from "../../src/db/statement.ts";
import { openTestDatabase } from "../helpers/databases.ts";
import { createMarks, readMarks, writeMark, writeMarks } from "./marks.ts";
import { startHelper } from "../helpers/processes.ts";

const UNAVAILABLE = { name: "AppError", code: "UNAVAILABLE", retryAfterSeconds: 1 };
const PATIENT_MS = 60_000;
const IMPATIENT_MS = 200;

const sql = (text: string): BoundStatement => ({ sql: text, args: {} });

Deno.test("two processes that write at once lose no acknowledged write and repeat none", async () => {
  await using file = await openTestDatabase("file");
  await createMarks(file.database);
  const other = startHelper("../db/write_marks.ts", [file.url, "b", "400"]);
  assert.equal(await other.nextLine(), "ready");
  await other.closeInput();
  const ours = await writeMarks(file.database, "a", 400);
  const theirs: string[] = JSON.parse(await other.nextLine());
  await other.finish();
  assert.deepEqual([ours.length, theirs.length], [400, 400]);
  assert.deepEqual(await readAfresh(file.url), { labels: [...ours, ...theirs], count: 800 });
});

Deno.test("a write waits until another process gives the lock back", async () => {
  await using file = await openTestDatabase("file");
  await createMarks(file.database);
  const holder = startHelper("../db/hold_lock.ts", [file.url, "write"]);
  assert.equal(await holder.nextLine(), "held");
  let settled = false;
  const write = writeMark(file.database, "a").finally(() => settled = true);
  await pause(300);
  assert.equal(settled, false);
  assert.deepEqual(await readMarks(file.database), { labels: [], count: 0 }, "reads go on meanwhile");
  await holder.finish();
  await write;
  assert.deepEqual(await readAfresh(file.url), { labels: ["a"], count: 1 });
});

Deno.test("a write gives up on a lock that is held too long, leaves nothing, and later writes are kept", async () => {
  await using file = await openTestDatabase("file");
  await createMarks(file.database);
  const database = await openDatabase(file.url, { timeoutMs: IMPATIENT_MS });
  const holder = startHelper("../db/hold_lock.ts", [file.url, "write"]);
  assert.equal(await holder.nextLine(), "held");
  const refused = await Promise.allSettled(["x", "y", "z"].map((label) => writeMark(database, label)));
  for (const outcome of refused) {
    assert.equal(outcome.status, "rejected");
    assert.throws(() => raise(outcome.reason), UNAVAILABLE);
  }
  await holder.finish();
  const acknowledged = await writeMarks(file.database, "a", 20);
  await writeMark(database, "b");
  await database.close();
  assert.deepEqual(await readAfresh(file.url), { labels: [...acknowledged, "b"], count: 21 });
});

Deno.test("a read waits while another process has the file to itself", async () => {
  await using file = await openTestDatabase("file");
  await file.database.close();
  // A copy, because the driver keeps a closed file open for a while, and then nobody else can have it to himself.
  const url = `${file.url}.copy`;
  await Deno.copyFile(file.url.slice("file:".length), url.slice("file:".length));
  const holder = startHelper("../db/hold_lock.ts", [url, "everything"]);
  assert.equal(await holder.nextLine(), "held");
  await assert.rejects(openDatabase(url, { timeoutMs: IMPATIENT_MS }), UNAVAILABLE);
  const opening = openDatabase(url, { timeoutMs: PATIENT_MS });
  await pause(IMPATIENT_MS);
  await holder.finish();
  const database = await opening;
  const reads = [1, 2, 3].map(() => database.read(sql("SELECT last_id AS lastId FROM id_sequence LIMIT 1")));
  assert.deepEqual(await Promise.all(reads), [[{ lastId: 0 }], [{ lastId: 0 }], [{ lastId: 0 }]]);
  await database.close();
});

Deno.test("a full database refuses a write as a whole and serves again when there is room", async () => {
  await using file = await openTestDatabase("file");
  await createMarks(file.database);
  const growing = [
    sql("INSERT INTO mark (label) VALUES ('first half')"),
    sql("UPDATE mark_count SET n = n + 1"),
    sql("INSERT INTO mark (label) VALUES (hex(zeroblob(1000000)))"),
  ];
  await file.database.write([sql("PRAGMA max_page_count = 1")]);
  await assert.rejects(file.database.write(growing), UNAVAILABLE);
  assert.deepEqual(await readMarks(file.database), { labels: [], count: 0 });
  await file.database.write(growing);
  assert.equal((await readAfresh(file.url)).labels.length, 2);
});

Deno.test("a write by way of a read is refused", async () => {
  await using file = await openTestDatabase("file");
  const refusal = (error: Error): boolean => /readonly/.test(String(error.cause));
  await assert.rejects(file.database.read(sql("DELETE FROM id_sequence")), refusal);
});

Deno.test("an acknowledged write is on the disk, also after a failure replaced the connection", async () => {
  await using file = await openTestDatabase("file");
  const settings = [sql("PRAGMA synchronous"), sql("PRAGMA journal_mode")];
  const fullAndWal = [[{ synchronous: 2 }], [{ journal_mode: "wal" }]];
  assert.deepEqual(await file.database.write(settings), fullAndWal);
  await file.database.write([sql("PRAGMA max_page_count = 1")]);
  await assert.rejects(file.database.write([sql("CREATE TABLE t AS SELECT zeroblob(1000000)")]), UNAVAILABLE);
  assert.deepEqual(await file.database.write(settings), fullAndWal);
});

Deno.test("a batch that fails on its own account leaves a connection that keeps later writes", async () => {
  await using file = await openTestDatabase("file");
  await createMarks(file.database);
  const faults = [
    "INSERT INTO id_sequence (name, last_id) VALUES ('node', 1)",
    "INSERT INTO mark (label) SELECT NULL",
    "UPDATE mark_count SET n = abs(-9223372036854775807 - 1)",
    "SELECT * FROM json_each('{')",
    "SELECT * FROM no_such_table",
  ];
  const kept: string[] = [];
  for (const [i, fault] of faults.entries()) {
    await assert.rejects(
      file.database.write([sql("UPDATE mark_count SET n = -1"), sql(fault)]),
      Error,
      fault,
    );
    await writeMark(file.database, `after ${i}`);
    kept.push(`after ${i}`);
    assert.deepEqual(await readAfresh(file.url), { labels: kept, count: kept.length }, fault);
  }
});

Deno.test("a missing directory is made", async () => {
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  const database = await openDatabase(`file:${directory}/a/b/test.db`);
  assert.deepEqual(await database.read(sql("SELECT 1 AS one")), [{ one: 1 }]);
  await database.close();
  await Deno.remove(directory, { recursive: true });
});

/** Reads through a connection of its own: one that lies about what it committed would lie to its own reads, too. */
async function readAfresh(url: string): Promise<{ labels: string[]; count: number }> {
  const database: Database = await openDatabase(url, { timeoutMs: PATIENT_MS });
  try {
    return await readMarks(database);
  } finally {
    await database.close();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function raise(error: unknown): never {
  throw error;
}
