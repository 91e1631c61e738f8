/** Probes that wait for a server share a call, and each gets its own rows or its own error. */
import assert from "node:assert/strict";
import { int, nullable, probe, sql, text } from "../../src/db/sql.ts";
import { bind, probing } from "../../src/db/statement.ts";
import { COUNT_UP, READ_COUNT, testRecorded } from "./recorded_streams.ts";

const SELECT = { sql: "SELECT 1 AS one", args: {} };
const WRONG = { sql: "SELECT abs(-9223372036854775807 - 1)", args: {} };

testRecorded(
  "up to 32 waiting probes share a call, and other reads travel alone",
  async ({ database, sent }) => {
    const probe = (id: number) => probing({ sql: "SELECT :id AS id", args: { id: BigInt(id) } });
    const ids = Array.from({ length: 40 }, (_, id) => id);
    const [probed, read] = await Promise.all([
      Promise.all(ids.map((id) => database.read(probe(id)))),
      Promise.all(ids.slice(0, 5).map(() => database.read(SELECT))),
    ]);
    assert.deepEqual(probed, ids.map((id) => [{ id }]));
    assert.deepEqual(read, ids.slice(0, 5).map(() => [{ one: 1 }]));
    assert.equal(sent.filter(({ types }) => types.includes("batch")).length, 2, "the last 38 in two calls");
    assert.equal(sent.length, 2 + 2 + 5, "the first two probes travel at once");
  },
);

const DOUBLE = probe<{ readonly double: number; readonly name: string | null }>()(
  { count: int, name: nullable(text) },
  ({ count, name }) => ({ columns: sql`${count} * 2 AS double, ${name} AS name`, where: sql`${count} <> 7` }),
);

testRecorded(
  "waiting probes of one text are one statement over a list, and each gets its own rows",
  async ({ database, sent }) => {
    const names = ['"', "é", null];
    const counts = Array.from({ length: 20 }, (_, count) => ({ count, name: names[count % 3] ?? null }));
    const found = await Promise.all(counts.flatMap((args) => [
      database.read(bind(DOUBLE, args)),
      database.read(probing(SELECT)),
    ]));
    const rowsOf = ({ count, name }: typeof counts[number]) =>
      count === 7 ? [] : [{ double: 2 * count, name }];
    assert.deepEqual(found, counts.flatMap((args) => [rowsOf(args), [{ one: 1 }]]));
    assert.equal(sent.length, 2 + 2);
    const twice = bind(DOUBLE, { count: 3, name: null });
    assert.deepEqual(await database.readAll([twice, twice]), [[{ double: 6, name: null }], [{
      double: 6,
      name: null,
    }]]);
  },
);

testRecorded(
  "a probe that fails among others gets its own error, and the others get their rows",
  async ({ database }) => {
    const read = (i: number) => database.read(probing(i === 20 ? WRONG : SELECT));
    const outcomes = await Promise.allSettled(Array.from({ length: 30 }, (_, i) => read(i)));
    for (const [i, outcome] of outcomes.entries()) {
      if (i === 20) assert.match(String((outcome as PromiseRejectedResult).reason), /integer overflow/);
      else assert.deepEqual((outcome as PromiseFulfilledResult<unknown>).value, [{ one: 1 }]);
    }
  },
);

testRecorded("a probe sees every write that was acknowledged before it", async ({ database }) => {
  let written = 0;
  let isOver = false;
  const writer = (async () => {
    for (; written < 50; written++) await database.write([COUNT_UP]);
    isOver = true;
  })();
  await Promise.all(Array.from({ length: 32 }, async () => {
    while (!isOver) {
      const before = written;
      const [row] = await database.read<{ count: number }>(probing(READ_COUNT));
      assert.ok(row !== undefined && row.count >= before);
    }
  }));
  await writer;
});
