/** A file database with threads of its own, as in the service: who waits for whom, and how it closes. */
import assert from "node:assert/strict";
import type { Database } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { type BoundStatement, probing } from "../../src/db/statement.ts";
import { openTestDatabase } from "../helpers/databases.ts";

const sql = (text: string): BoundStatement => ({ sql: text, args: {} });
const COUNTING = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
  SELECT max(i) AS top FROM n`;
const PROBE = probing(sql("SELECT last_id AS lastId FROM id_sequence WHERE name = 'node'"));
const SHORT = sql("SELECT last_id AS lastId FROM id_sequence WHERE name = 'node' LIMIT 5");
const WRITE = sql("UPDATE id_sequence SET last_id = last_id + 1 WHERE name = 'node'");

/** Calls that are begun in this order, by name. */
type Calls = Readonly<Record<string, (database: Database) => Promise<unknown>>>;

const write = (database: Database): Promise<unknown> => database.write([WRITE]);
const longWrite = (database: Database): Promise<unknown> => database.write([WRITE, sql(COUNTING)]);
const longRead = (database: Database): Promise<unknown> => database.read(sql(COUNTING));
const shortRead = (database: Database): Promise<unknown> => database.read(SHORT);
const probe = (database: Database): Promise<unknown> => database.read(PROBE);

/** The names of the calls in the order in which they end. */
async function orderOf(calls: Calls): Promise<string[]> {
  await using file = await openTestDatabase("file");
  const database = await openDatabase(file.url, { timeoutMs: 60_000 });
  // Every thread has started, so that only the calls count.
  await Promise.all([database.write([WRITE]), database.read(SHORT), database.read(SHORT)]);
  const ended: string[] = [];
  const begun = Object.entries(calls).map(async ([name, call]) => {
    await call(database);
    ended.push(name);
  });
  await Promise.all(begun);
  await database.close();
  return ended;
}

Deno.test("probes return while a long write and two long reads run", async () => {
  const together = (database: Database): Promise<unknown> => database.readAll([PROBE, PROBE]);
  const ended = await orderOf({ longWrite, longRead, secondLongRead: longRead, probe, together });
  assert.deepEqual(ended.slice(0, 2).sort(), ["probe", "together"]);
});

Deno.test("a short read waits neither for a long write nor for one long read", async () => {
  const ended = await orderOf({ longWrite, longRead, shortRead });
  assert.equal(ended[0], "shortRead");
});

Deno.test("a write does not wait for long reads", async () => {
  const ended = await orderOf({ longRead, secondLongRead: longRead, write });
  assert.equal(ended[0], "write");
});

Deno.test("every kind of read finds the writes that were acknowledged before it", async () => {
  await using file = await openTestDatabase("file");
  const database = await openDatabase(file.url, { timeoutMs: 60_000 });
  for (let lastId = 1; lastId <= 200; lastId++) {
    await database.write([WRITE]);
    const found = await Promise.all([
      database.read(PROBE),
      database.read(SHORT),
      database.read(SHORT),
      database.readAll([PROBE, PROBE]),
      database.readAll([PROBE, SHORT]),
    ]);
    const row = [{ lastId }];
    assert.deepEqual(found, [row, row, row, [row, row], [row, row]]);
  }
  await database.close();
});

Deno.test("closing waits for accepted writes and running reads, and leaves no log file", async () => {
  await using file = await openTestDatabase("file");
  await file.database.close();
  const database = await openDatabase(file.url, { timeoutMs: 60_000 });
  const calls = [longRead(database), ...Array.from({ length: 5 }, () => database.write([WRITE]))];
  await database.close();
  const outcomes = await Promise.allSettled(calls);
  assert.deepEqual(outcomes.map(({ status }) => status), Array(6).fill("fulfilled"));
  const log = await Deno.stat(`${file.url.slice("file:".length)}-wal`).catch(() => undefined);
  assert.equal(log?.size ?? 0, 0);
});

Deno.test("a thread runs the right texts after a call that could not be sent to it", async () => {
  await using file = await openTestDatabase("file");
  const database = await openDatabase(file.url, { timeoutMs: 60_000 });
  const notCopied = {
    sql: "SELECT 1 AS first",
    args: { uncopied: () => undefined },
  } as object as BoundStatement;
  await assert.rejects(database.write([notCopied]));
  assert.deepEqual(await database.write([sql("SELECT 2 AS second"), sql("SELECT 1 AS first")]), [
    [{ second: 2 }],
    [{ first: 1 }],
  ]);
  await database.close();
});
