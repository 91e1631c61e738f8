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
    one.exec(
      "CREATE TABLE mark (id INTEGER PRIMARY KEY, label TEXT); INSERT INTO mark VALUES (1, 'a'), (2, 'b')",
    );
    body(one, two);
    one.reset();
    two.reset();
    await Deno.remove(directory, { recursive: true });
  });
}

testConnections("a statement finds the same as a probe and as any other read, in any order", (one) => {
  const ways = [(id: bigint) => one.readAll([probing(find(id))]), (id: bigint) => one.readAll([find(id)])];
  const expected = (
    id: bigint,
  ): unknown => [id > 2n ? [] : [{ id: Number(id), label: id === 1n ? "a" : "b" }]];
  for (const first of ways) {
    for (const second of ways) {
      for (const [a, b] of [[1n, 2n], [3n, 1n], [1n, 3n], [3n, 3n]] as const) {
        assert.deepEqual([first(a), second(b)], [expected(a), expected(b)]);
      }
    }
  }
});

testConnections(
  "a probe sees what was committed before it, and keeps nobody from a checkpoint",
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

testConnections("a probe that failed once finds its row the next time", (one) => {
  const magnitude = (n: bigint): BoundStatement =>
    sql("SELECT abs(:n) AS magnitude FROM mark WHERE id = 1", { n });
  assert.throws(() => one.readAll([probing(magnitude(-(2n ** 63n)))]), /integer overflow/);
  assert.deepEqual(one.readAll([probing(magnitude(-3n))]), [[{ magnitude: 3 }]]);
});

testConnections("probes see a column that was added after they were prepared", (one, two) => {
  two.readAll([probing(find(1n))]);
  one.exec("ALTER TABLE mark ADD COLUMN more DEFAULT 5");
  assert.deepEqual(two.readAll([probing(find(1n))]), [[{ id: 1, label: "a" }]]);
  assert.deepEqual(two.readAll([probing(sql("SELECT more FROM mark WHERE id = 2"))]), [[{ more: 5 }]]);
});

testConnections("a connection that is dropped in a transaction gives its lock back at once", (one, two) => {
  assert.throws(() =>
    one.transaction("IMMEDIATE", () => {
      one.all(sql("DELETE FROM mark RETURNING id"));
      one.readAll([probing(find(1n))]);
      one.reset();
      throw new Error("it was dropped");
    }), /it was dropped/);
  two.transaction("IMMEDIATE", () => two.exec("UPDATE mark SET label = 'c' WHERE id = 2"));
  assert.deepEqual(one.readAll([find(1n), find(2n)]), [[{ id: 1, label: "a" }], [{ id: 2, label: "c" }]]);
});

testConnections("a statement of one row finds it among others of a snapshot, and next time, too", (one) => {
  const single = (id: bigint): BoundStatement => ({ ...find(id), isSingle: true });
  for (const [a, b] of [[1n, 2n], [3n, 1n], [2n, 3n]] as const) {
    const expected = [a, b, a].map((id) => id > 2n ? [] : [{ id: Number(id), label: id === 1n ? "a" : "b" }]);
    assert.deepEqual(one.readAll([single(a), find(b), single(a)]), expected);
    assert.deepEqual(one.readAll([single(b)]), [expected[1]]);
  }
});

testConnections("a write that returns a row does all of it, also as a statement of one row", (one, two) => {
  const write = (text: string, args: BoundStatement["args"]): BoundStatement => ({
    sql: text,
    args,
    isSingle: true,
  });
  const rename = (id: bigint, label: string) =>
    write("UPDATE mark SET label = :label WHERE id = :id RETURNING id", { id, label });
  const copyAll = () => write("INSERT INTO mark (label) SELECT label FROM mark RETURNING label", {});
  one.transaction("IMMEDIATE", () => {
    assert.deepEqual(one.all(rename(1n, "c")), [{ id: 1 }]);
    assert.deepEqual(one.all(rename(99n, "d")), []);
    assert.deepEqual(one.all(rename(2n, "e")), [{ id: 2 }]);
    // Of several rows only the first is returned, yet all are written.
    assert.deepEqual(one.all(copyAll()), [{ label: "c" }]);
  });
  assert.throws(() =>
    one.transaction(
      "IMMEDIATE",
      () => one.all(write("INSERT INTO mark (id) VALUES (:id) RETURNING id", { id: 1n })),
    )
  );
  one.transaction("IMMEDIATE", () => {
    const insert = write("INSERT INTO mark (id) VALUES (:id) RETURNING id", { id: 9n });
    assert.deepEqual(one.all(insert), [{ id: 9 }]);
  });
  const labels = two.all({ sql: "SELECT label FROM mark ORDER BY id", args: {} });
  assert.deepEqual(labels.map(({ label }) => label), ["c", "e", "c", "e", null]);
});
