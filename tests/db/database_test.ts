/** Batches, numbers, constraints and concurrent writes are the same on a file and on a server. */
import assert from "node:assert/strict";
import type { BoundStatement } from "../../src/db/statement.ts";
import { uniqueViolation } from "../../src/db/sql_errors.ts";
import { forEachDatabase, forEachKind, openTestDatabase } from "../helpers/databases.ts";
import { createMarks, readMarks, writeMarks } from "./marks.ts";

const sql = (text: string, args: BoundStatement["args"] = {}): BoundStatement => ({ sql: text, args });

forEachDatabase("a batch whose last statement fails leaves nothing behind", async (database) => {
  await assert.rejects(database.write([
    sql("UPDATE id_sequence SET last_id = 7 WHERE name = 'node'"),
    sql("INSERT INTO setting (name, value) VALUES ('a', 'b')"),
    sql("INSERT INTO setting (name, value) VALUES ('a', 'c')"),
  ]));
  const [sequences, settings] = await database.readAll([
    sql("SELECT last_id AS lastId FROM id_sequence WHERE name = 'node'"),
    sql("SELECT name FROM setting WHERE name = 'a'"),
  ]);
  assert.deepEqual([sequences, settings], [[{ lastId: 0 }], []]);
});

forEachDatabase(
  "a batch returns the rows of each statement from inside the transaction",
  async (database) => {
    const results = await database.write([
      sql("UPDATE id_sequence SET last_id = last_id + 1 WHERE name = 'node' RETURNING last_id AS lastId"),
      sql("INSERT INTO setting (name, value) VALUES ('a', 'b')"),
      sql(`SELECT s.value, q.last_id AS lastId FROM setting s, id_sequence q
        WHERE s.name = 'a' AND q.name = 'node'`),
    ]);
    assert.deepEqual(results, [[{ lastId: 1 }], [], [{ value: "b", lastId: 1 }]]);
  },
);

forEachDatabase("integers are returned as numbers, up to the largest safe one", async (database) => {
  const rows = await database.read(
    sql("SELECT :n AS n, typeof(:n) AS type, :t AS t, NULL AS none", { n: 9007199254740991n, t: "é" }),
  );
  assert.deepEqual(rows, [{ n: 9007199254740991, type: "integer", t: "é", none: null }]);
});

forEachDatabase("a broken unique key is reported by its columns", async (database) => {
  const email = sql("INSERT INTO user_account (email, created_at) VALUES ('a@example.org', 0)");
  await database.write([email]);
  assert.equal(uniqueViolation(await failureOf(database.write([email]))), "user_account.email");
  const pair = sql("INSERT INTO manages (parent_id, child_id, rights) VALUES (1, 2, 0)");
  const violation = uniqueViolation(await failureOf(database.write([pair, pair])));
  assert.equal(violation, "manages.parent_id, manages.child_id");
});

forEachDatabase("a failed CHECK constraint is not a unique violation", async (database) => {
  const failure = await failureOf(
    database.write([sql("INSERT INTO manages (parent_id, child_id, rights) VALUES (1, 1, 0)")]),
  );
  assert.equal(uniqueViolation(failure), undefined);
});

forEachDatabase("200 concurrent writes all take effect once", async (database) => {
  await createMarks(database);
  const acknowledged = await writeMarks(database, "w", 200);
  assert.equal(acknowledged.length, 200);
  assert.deepEqual(await readMarks(database), { labels: acknowledged, count: 200 });
});

forEachKind("a closed database refuses every call", async (kind) => {
  await using opened = await openTestDatabase(kind);
  const { database } = opened;
  await database.close();
  const select = sql("SELECT 1 AS one");
  const refusal = { name: "AppError", code: "UNAVAILABLE" };
  await assert.rejects(database.read(select), refusal);
  await assert.rejects(database.readAll([select]), refusal);
  await assert.rejects(database.write([select]), refusal);
});

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: "the write was expected to fail" });
}
