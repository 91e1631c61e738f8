/** A file database refuses writes as a whole, goes on after failures, and writes synchronously. */
import assert from "node:assert/strict";
import type { BoundStatement } from "../../src/db/statement.ts";
import { openTestDatabase } from "../helpers/databases.ts";
import { createMarks, readAfresh, readMarks, writeMark } from "./marks.ts";

const UNAVAILABLE = { name: "AppError", code: "UNAVAILABLE", retryAfterSeconds: 1 };

const sql = (text: string): BoundStatement => ({ sql: text, args: {} });

Deno.test("a full database refuses a write as a whole, and accepts it once there is room", async () => {
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
  await file.database.write([sql("PRAGMA max_page_count = 1000000")]);
  await file.database.write(growing);
  assert.equal((await readAfresh(file.url)).labels.length, 2);
});

Deno.test("a read that writes is refused", async () => {
  await using file = await openTestDatabase("file");
  const refusal = (error: Error): boolean => /readonly/.test(String(error.cause));
  await assert.rejects(file.database.read(sql("DELETE FROM id_sequence")), refusal);
});

Deno.test("writes are synchronous and go to a write-ahead log, also after a failure", async () => {
  await using file = await openTestDatabase("file");
  const settings = [sql("PRAGMA synchronous"), sql("PRAGMA journal_mode")];
  const fullAndWal = [[{ synchronous: 2 }], [{ journal_mode: "wal" }]];
  assert.deepEqual(await file.database.write(settings), fullAndWal);
  await file.database.write([sql("PRAGMA max_page_count = 1")]);
  await assert.rejects(file.database.write([sql("CREATE TABLE t AS SELECT zeroblob(1000000)")]), UNAVAILABLE);
  assert.deepEqual(await file.database.write(settings), fullAndWal);
});

Deno.test("a batch that fails leaves a connection that keeps later writes", async () => {
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
    const failing = [sql("UPDATE mark_count SET n = -1"), sql(fault)];
    await assert.rejects(file.database.write(failing), Error, fault);
    await writeMark(file.database, `after ${i}`);
    kept.push(`after ${i}`);
    assert.deepEqual(await readAfresh(file.url), { labels: kept, count: kept.length }, fault);
  }
});
