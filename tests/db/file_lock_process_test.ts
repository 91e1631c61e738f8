/** A file database that two processes use at once. */
import assert from "node:assert/strict";
import { describeError } from "../../src/core/log.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { openLocalReader } from "../../src/db/local_reader.ts";
import type { BoundStatement } from "../../src/db/statement.ts";
import { openTestDatabase } from "../helpers/databases.ts";
import { type HelperProcess, startHelper } from "../helpers/processes.ts";
import { createMarks, readAfresh, readMarks, writeMark, writeMarks } from "./marks.ts";

const UNAVAILABLE = { name: "AppError", code: "UNAVAILABLE", retryAfterSeconds: 1 };
const PATIENT_MS = 60_000;
const IMPATIENT_MS = 200;

const sql = (text: string): BoundStatement => ({ sql: text, args: {} });

Deno.test("two processes that write concurrently lose no acknowledged write and repeat none", async () => {
  await using file = await openTestDatabase("file");
  await createMarks(file.database);
  const other = startHelper("../db/write_marks.ts", [file.url, "b", "200"]);
  assert.equal(await other.nextLine(), "ready");
  await other.closeInput();
  const ours = await writeMarks(file.database, "a", 200);
  const theirs: string[] = JSON.parse(await other.nextLine());
  await other.finish();
  assert.deepEqual([ours.length, theirs.length], [200, 200]);
  assert.deepEqual(await readAfresh(file.url), { labels: [...ours, ...theirs], count: 400 });
});

Deno.test("a write waits until another process releases the lock", async () => {
  await using file = await openTestDatabase("file");
  await createMarks(file.database);
  const holder = await holdLock(file.url, "write");
  let settled = false;
  const write = writeMark(file.database, "a").finally(() => settled = true);
  await pause(300);
  assert.equal(settled, false);
  assert.deepEqual(await readMarks(file.database), { labels: [], count: 0 }, "reads go on meanwhile");
  await holder.finish();
  await write;
  assert.deepEqual(await readAfresh(file.url), { labels: ["a"], count: 1 });
});

Deno.test("a write fails on a lock that is held too long and leaves nothing, and later writes are kept", async () => {
  await using file = await openTestDatabase("file");
  await createMarks(file.database);
  const database = await openDatabase(file.url, { timeoutMs: IMPATIENT_MS });
  const holder = await holdLock(file.url, "write");
  const refused = await Promise.allSettled(["x", "y", "z"].map((label) => writeMark(database, label)));
  for (const outcome of refused) {
    assert.equal(outcome.status, "rejected");
    assert.throws(() => raise(outcome.reason), UNAVAILABLE);
    const { message, cause } = describeError(outcome.reason.cause);
    // The log names the reason.
    assert.deepEqual([message, cause], ["The write could not begin within 200 ms", "Error SQLITE_BUSY"]);
  }
  await holder.finish();
  const acknowledged = await writeMarks(file.database, "a", 20);
  await writeMark(database, "b");
  await database.close();
  assert.deepEqual(await readAfresh(file.url), { labels: [...acknowledged, "b"], count: 21 });
});

Deno.test("opening a database waits while another process locks the whole file", async () => {
  await using file = await openTestDatabase("file");
  await file.database.close();
  const { url } = file;
  const holder = await holdLock(url, "everything");
  await assert.rejects(openDatabase(url, { timeoutMs: IMPATIENT_MS }), UNAVAILABLE);
  const opening = openDatabase(url, { timeoutMs: PATIENT_MS });
  await pause(IMPATIENT_MS);
  await holder.finish();
  const database = await opening;
  const reads = [1, 2, 3].map(() => database.read(sql("SELECT last_id AS lastId FROM id_sequence LIMIT 1")));
  assert.deepEqual(await Promise.all(reads), [[{ lastId: 0 }], [{ lastId: 0 }], [{ lastId: 0 }]]);
  await database.close();
});

Deno.test("probes that wait for a lock do not block the event loop, and fail once the file is closed", async () => {
  await using file = await openTestDatabase("file");
  await file.database.close();
  const path = file.url.slice("file:".length);
  const settings = { path, lockWaitMs: 20, setup: ["PRAGMA query_only = ON"] };
  const reader = openLocalReader({ settings, threads: [], timeoutMs: PATIENT_MS });
  const holder = await holdLock(`file:${path}`, "everything");
  const probes = Promise.allSettled(Array.from({ length: 64 }, () => reader.check()));
  let turns = 0;
  for (const end = performance.now() + 1000; performance.now() < end; turns++) await pause(1);
  assert.ok(turns > 20, `${turns} turns of the event loop in a second`);
  await reader.close();
  await holder.finish();
  for (const outcome of await probes) {
    assert.equal(outcome.status, "rejected");
    assert.throws(() => raise(outcome.reason), UNAVAILABLE);
  }
});

/** Has another process hold a lock until it is finished. */
async function holdLock(url: string, kind: "write" | "everything"): Promise<HelperProcess> {
  const holder = startHelper("../db/hold_lock.ts", [url, kind]);
  assert.equal(await holder.nextLine(), "held");
  return holder;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function raise(error: unknown): never {
  throw error;
}
