import assert from "node:assert/strict";
import { openDatabase } from "../../src/db/open_database.ts";
import { probing } from "../../src/db/statement.ts";
import { createRandom } from "../bench/statistics.ts";
import { testOn } from "../helpers/databases.ts";
import { createFaultyProxy, type Fault, FAULTS } from "../helpers/faulty_proxy.ts";
import { startTcpProxy } from "../helpers/tcp_proxy.ts";
import { recordStreams } from "./recorded_streams.ts";

/** How calls travel to a server: one request each, and short reads that wait together. */

const SELECT = { sql: "SELECT 1 AS one", args: {} };
const COUNT_UP = { sql: "UPDATE id_sequence SET last_id = last_id + 1 WHERE name = 'node'", args: {} };
const READ_COUNT = { sql: "SELECT last_id AS count FROM id_sequence WHERE name = 'node'", args: {} };
const FAIL = { sql: "INSERT INTO id_sequence (name, last_id) VALUES ('node', 1)", args: {} };
const WRONG = { sql: "SELECT abs(-9223372036854775807 - 1)", args: {} };
/** A busy machine may take long for hundreds of calls. */
const PATIENCE_MS = 30_000;
const UNAVAILABLE = { name: "AppError", code: "UNAVAILABLE" };

testOn("remote", "each call is one request, on a stream that it closes", async (_, { url }) => {
  const { fetch, sent } = recordStreams();
  const database = await openDatabase(url, { fetch, timeoutMs: PATIENCE_MS });
  await database.read(SELECT);
  await database.readAll([SELECT, READ_COUNT]);
  await database.write([COUNT_UP]);
  await database.close();
  assert.deepEqual(sent, [
    { baton: null, types: ["execute", "close"], steps: 0 },
    { baton: null, types: ["batch", "close"], steps: 5 },
    { baton: null, types: ["batch", "close"], steps: 4 },
  ]);
});

testOn("remote", "over a slow line, too, each call is one request", async (_, { url }) => {
  await using proxy = startTcpProxy({ targetPort: Number(new URL(url).port), delayMs: 10 });
  const { fetch, sent } = recordStreams();
  const database = await openDatabase(`http://127.0.0.1:${proxy.port}`, { fetch, timeoutMs: PATIENCE_MS });
  await Promise.all(Array.from({ length: 100 }, async () => {
    await Promise.all([database.read(SELECT), database.write([COUNT_UP])]);
  }));
  assert.equal(sent.length, 200);
  assert.deepEqual(await database.read(READ_COUNT), [{ count: 100 }]);
  await database.close();
});

testOn(
  "remote",
  "probes that wait travel together, sixteen at most, and other reads alone",
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
    const together = sent.filter(({ steps }) => steps > 0).map(({ steps }) => steps - 3);
    assert.deepEqual(together.toSorted((a, b) => b - a), [16, 16, 4]);
    assert.equal(sent.length, 4 + 3 + 5, "the first four probes travel at once");
    await database.close();
  },
);

testOn(
  "remote",
  "a probe that fails among others gets its own error, and they their rows",
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

testOn("remote", "a call that failed leaves no transaction and no lock behind", async (_, { url }) => {
  const database = await openDatabase(url, { timeoutMs: PATIENCE_MS });
  // A server ends the transaction of a stream only after five seconds.
  const other = await openDatabase(url, { timeoutMs: 2000 });
  const large = {
    sql: "WITH RECURSIVE page(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM page WHERE n < 200) " +
      "SELECT printf('%.*c', 100000, 'x') AS text FROM page",
    args: {},
  };
  for (const [statement, code] of [[FAIL, "SQLITE_CONSTRAINT"], [large, "RESPONSE_TOO_LARGE"]] as const) {
    await assert.rejects(database.write([COUNT_UP, statement, COUNT_UP]), { code });
    await other.write([COUNT_UP]);
  }
  await assert.rejects(database.readAll([READ_COUNT, WRONG]), { name: "ServerError" });
  await assert.rejects(database.read(WRONG), { name: "ServerError" });
  await database.write([COUNT_UP]);
  assert.deepEqual(await database.readAll([READ_COUNT]), [[{ count: 3 }]]);
  await Promise.all([database.close(), other.close()]);
});

testOn("remote", "a call after a fault is served, whatever the fault", async (_, { url }) => {
  const proxy = createFaultyProxy();
  const database = await openDatabase(url, { fetch: proxy.fetch, timeoutMs: 1000 });
  for (const fault of [...FAULTS, "silence" as const]) {
    proxy.setPlan(() => fault);
    await assert.rejects(database.write([COUNT_UP]), UNAVAILABLE, fault);
    await assert.rejects(database.read(probing(SELECT)), UNAVAILABLE, fault);
    proxy.setPlan(undefined);
    await database.write([COUNT_UP]);
  }
  await proxy.settle();
  await database.close();
});

testOn("remote", "lost responses leave the server's connections to others", async (_, { url }) => {
  const proxy = createFaultyProxy();
  const database = await openDatabase(url, { fetch: proxy.fetch, timeoutMs: PATIENCE_MS });
  proxy.setPlan(() => "answer_lost");
  // Nearly as many as the server has connections.
  for (let i = 0; i < 120; i++) await assert.rejects(database.read(SELECT), UNAVAILABLE);
  // A server without a free one refuses after a second.
  const others = await Promise.all(Array.from({ length: 20 }, () => openStream(url)));
  assert.deepEqual(others.map(({ status }) => status), others.map(() => 200));
  await database.close();
});

testOn("remote", "under random faults every acknowledged write counts", async (_, { url }) => {
  const random = createRandom(1);
  const proxy = createFaultyProxy();
  proxy.setPlan(() => random() < 0.2 ? FAULTS[Math.floor(random() * FAULTS.length)] as Fault : undefined);
  const database = await openDatabase(url, { fetch: proxy.fetch, timeoutMs: PATIENCE_MS });
  let [acknowledged, unknown] = [0, 0];
  await Promise.all(Array.from({ length: 200 }, async () => {
    await database.write([COUNT_UP]).then(() => acknowledged++, () => unknown++);
  }));
  proxy.setPlan(undefined);
  await proxy.settle();
  const [row] = await database.read<{ count: number }>(READ_COUNT);
  assert.ok(unknown > 10);
  assert.ok(row !== undefined && row.count >= acknowledged && row.count <= acknowledged + unknown);
  await database.close();
});

/** Opens a stream past the database's own client, and leaves it to the server to close it. */
async function openStream(url: string): Promise<Response> {
  const requests = [{ type: "execute", stmt: { sql: SELECT.sql, want_rows: true } }];
  const body = JSON.stringify({ baton: null, requests });
  const response = await fetch(`${url}/v2/pipeline`, { method: "POST", body });
  await response.body?.cancel();
  return response;
}
