/** A connection to an SQLite file: probes, transactions, savepoints, errors and numbers. */
import assert from "node:assert/strict";
import { NativeConnection } from "../../src/db/native_connection.ts";
import { type BoundStatement, probing } from "../../src/db/statement.ts";

const sql = (text: string, args: BoundStatement["args"] = {}): BoundStatement => ({ sql: text, args });
const find = (id: bigint): BoundStatement => sql("SELECT id, label FROM mark WHERE id = :id", { id });

/** Two connections to a file with the marks 1 and 2. */
function testConnections(name: string, body: (one: NativeConnection, two: NativeConnection) => void): void {
  Deno.test(name, async () => {
    const directory = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
    const [one, two] = [1, 2].map(() =>
      new NativeConnection(`${directory}/test.db`, 20, ["PRAGMA journal_mode = WAL"])
    ) as [NativeConnection, NativeConnection];
    one.exec("CREATE TABLE mark (id INTEGER PRIMARY KEY, label TEXT)");
    one.exec("INSERT INTO mark VALUES (1, 'a'), (2, 'b')");
    body(one, two);
    one.close();
    two.close();
    await Deno.remove(directory, { recursive: true });
  });
}

testConnections("a statement returns the same rows as a probe and as another read, in any order", (one) => {
  const ways = [(id: bigint) => one.readAll([probing(find(id))]), (id: bigint) => one.readAll([find(id)])];
  const expected = (id: bigint) => [id > 2n ? [] : [{ id: Number(id), label: id === 1n ? "a" : "b" }]];
  for (const first of ways) {
    for (const second of ways) {
      for (const [a, b] of [[1n, 2n], [3n, 1n], [1n, 3n], [3n, 3n]] as const) {
        assert.deepEqual([first(a), second(b)], [expected(a), expected(b)]);
      }
    }
  }
});

testConnections(
  "a probe sees earlier commits, and does not block a checkpoint",
  (one, two) => {
    for (const label of ["x", "y"]) {
      two.readAll([probing(find(1n))]);
      two.readAll([probing(find(1n)), probing(find(2n))]);
      one.exec(`UPDATE mark SET label = '${label}' WHERE id = 1`);
      assert.deepEqual(two.readAll([probing(find(1n))]), [[{ id: 1, label }]]);
      const [checkpoint] = one.all(sql("PRAGMA wal_checkpoint(TRUNCATE)"));
      assert.equal(checkpoint?.["busy"], 0);
    }
  },
);

testConnections("a probe finds its row again after it has failed once", (one) => {
  const magnitude = (n: bigint): BoundStatement =>
    sql("SELECT abs(:n) AS magnitude FROM mark WHERE id = 1", { n });
  assert.throws(() => one.readAll([probing(magnitude(-(2n ** 63n)))]), /integer overflow/);
  assert.deepEqual(one.readAll([probing(magnitude(-3n))]), [[{ magnitude: 3 }]]);
});

testConnections("probes work after a column was added, and find it", (one, two) => {
  two.readAll([probing(find(1n))]);
  one.exec("ALTER TABLE mark ADD COLUMN more DEFAULT 5");
  assert.deepEqual(two.readAll([probing(find(1n))]), [[{ id: 1, label: "a" }]]);
  assert.deepEqual(two.readAll([probing(sql("SELECT more FROM mark WHERE id = 2"))]), [[{ more: 5 }]]);
});

testConnections("a connection that is closed inside a transaction releases its lock at once", (one, two) => {
  assert.throws(() =>
    one.transaction("IMMEDIATE", () => {
      one.all(sql("DELETE FROM mark RETURNING id"));
      one.readAll([probing(find(1n))]);
      one.close();
      throw new Error("it was dropped");
    }), /it was dropped/);
  two.transaction("IMMEDIATE", () => two.exec("UPDATE mark SET label = 'c' WHERE id = 2"));
  assert.deepEqual(one.readAll([find(1n), find(2n)]), [[{ id: 1, label: "a" }], [{ id: 2, label: "c" }]]);
});

testConnections("a failed savepoint rolls back only its own changes", (one, two) => {
  one.transaction("IMMEDIATE", () => {
    one.savepoint(() => one.all(sql("INSERT INTO mark (label) VALUES ('c') RETURNING id")));
    assert.throws(() =>
      one.savepoint(() => {
        one.all(sql("UPDATE mark SET label = 'z'"));
        one.all(sql("INSERT INTO mark (id) VALUES (1)"));
      }), { code: "SQLITE_CONSTRAINT", message: "UNIQUE constraint failed: mark.id" });
    one.savepoint(() => one.all(sql("DELETE FROM mark WHERE id = 2")));
  });
  assert.deepEqual(two.all(sql("SELECT label FROM mark ORDER BY id")), [{ label: "a" }, { label: "c" }]);
});

testConnections("errors have the name of SQLite's result as their code", (one, two) => {
  const failing: [BoundStatement, string][] = [
    [sql("SELECT abs(-9223372036854775807 - 1) AS magnitude"), "SQLITE_ERROR"],
    [sql("SELECT length(zeroblob(2147483648)) AS size"), "SQLITE_TOOBIG"],
    [sql("SELECT id FROM no_such_table"), "SQLITE_ERROR"],
    [sql("INSERT INTO mark (id) VALUES (1)"), "SQLITE_CONSTRAINT"],
  ];
  for (const [statement, code] of failing) assert.throws(() => one.all(statement), { code }, statement.sql);
  one.transaction("IMMEDIATE", () => {
    assert.throws(() => two.transaction("IMMEDIATE", () => {}), { code: "SQLITE_BUSY" });
  });
  two.transaction("IMMEDIATE", () => two.all(sql("UPDATE mark SET label = 'c' WHERE id = 2")));
  assert.deepEqual(one.all(find(2n)), [{ id: 2, label: "c" }]);
});

testConnections("a connection that has become read-only is reopened by the next call", (one) => {
  one.exec("PRAGMA query_only = ON");
  assert.throws(() => one.exec("DELETE FROM mark"), { code: "SQLITE_READONLY" });
  one.exec("DELETE FROM mark");
  assert.deepEqual(one.all(find(1n)), []);
});

testConnections("integers beyond 2^53 are refused, not rounded", (one) => {
  assert.throws(() => one.all(sql("SELECT 9007199254740993 AS n")), RangeError);
});
