import assert from "node:assert/strict";
import { openDatabase } from "../../src/db/open_database.ts";
import { probing } from "../../src/db/statement.ts";
import { testOn } from "../helpers/databases.ts";
import { recordStreams } from "./recorded_streams.ts";

const SELECT = { sql: "SELECT 1 AS one", args: {} };
const COUNT_UP = { sql: "UPDATE id_sequence SET last_id = last_id + 1 WHERE name = 'node'", args: {} };
const READ_COUNT = { sql: "SELECT last_id AS count FROM id_sequence WHERE name = 'node'", args: {} };
const WRONG = { sql: "SELECT abs(-9223372036854775807 - 1)", args: {} };
/** A busy machine may take long for hundreds of calls. */
const PATIENCE_MS = 30_000;

testOn(
  "remote",
  "up to sixteen waiting probes share a call, and other reads travel alone",
  async (_, { url }) => {
    const { fetch, sent } = recordStreams();
    const database = await openDatabase(url, { fetch, timeoutMs: PATIENCE_MS });
    const probe = (id: number) => probing({ sql: "SELECT :id AS id", args: { id: BigInt(id) } });
    const ids = Array.from({ length: 40 }, (_, id) => id);
    const [probed, read] = await Promise.all([
      Promise.all(ids.map((id) => database.read(probe(id)))),
      Promise.all(ids.slice(0, 5).map(() => database.read(SELECT))),
    ]);
    assert.deepEqual(probed, ids.map((id) => [{ id }]));
    assert.deepEqual(read, ids.slice(0, 5).map(() => [{ one: 1 }]));
    assert.equal(sent.filter(({ types }) => types.includes("batch")).length, 3, "the last 36 in three calls");
    assert.equal(sent.length, 4 + 3 + 5, "the first four probes travel at once");
    await database.close();
  },
);

testOn(
  "remote",
  "a probe that fails among others gets its own error, and the others get their rows",
  async (_, { url }) => {
    const { fetch } = recordStreams();
    const database = await openDatabase(url, { fetch, timeoutMs: PATIENCE_MS });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, i) => database.read(probing(i === 20 ? WRONG : SELECT))),
    );
    for (const [i, outcome] of outcomes.entries()) {
      if (i === 20) assert.match(String((outcome as PromiseRejectedResult).reason), /integer overflow/);
      else assert.deepEqual((outcome as PromiseFulfilledResult<unknown>).value, [{ one: 1 }]);
    }
    await database.close();
  },
);

testOn("remote", "a probe sees every write that was acknowledged before it", async (_, { url }) => {
  const database = await openDatabase(url, { timeoutMs: PATIENCE_MS });
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
  await database.close();
});
