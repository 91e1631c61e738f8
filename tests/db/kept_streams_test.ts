/** Streams to a database server: their number, when one is used again, and when it must not be. */
import assert from "node:assert/strict";
import { keepStreams } from "../../src/db/remote/kept_streams.ts";
import { openClient } from "../../src/db/remote/libsql_client.ts";
import { createServerPost } from "../../src/db/remote/server_post.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { probing } from "../../src/db/statement.ts";
import { createRandom } from "../helpers/random_numbers.ts";
import { testOn } from "../helpers/databases.ts";
import { createFaultyProxy, type Fault, FAULTS } from "../helpers/faulty_proxy.ts";
import { startTcpProxy } from "../helpers/tcp_proxy.ts";
import { COUNT_UP, openRecorded, READ_COUNT, recordStreams, testRecorded } from "./recorded_streams.ts";

const SELECT = { sql: "SELECT 1 AS one", args: {} };
const FAIL = { sql: "INSERT INTO id_sequence (name, last_id) VALUES ('node', 1)", args: {} };
/** A busy machine may take long for hundreds of calls. */
const PATIENCE_MS = 30_000;
const UNAVAILABLE = { name: "AppError", code: "UNAVAILABLE" };

testRecorded("consecutive calls share one stream", async ({ database, sent, takeOpened }) => {
  for (let i = 0; i < 20; i++) {
    await database.read(SELECT);
    await database.readAll([SELECT, SELECT]);
    await database.write([COUNT_UP]);
  }
  assert.equal(takeOpened(), 1);
  assert.equal(sent.length, 60);
});

testRecorded(
  "200 concurrent probes, 200 other reads and 200 writes take 16 streams",
  async ({ database, takeOpened }) => {
    await Promise.all(Array.from({ length: 200 }, async () => {
      await Promise.all([database.read(probing(SELECT)), database.read(SELECT), database.write([COUNT_UP])]);
    }));
    assert.equal(takeOpened(), 16);
    assert.deepEqual(await database.read(READ_COUNT), [{ count: 200 }]);
  },
);

testOn(
  "remote",
  "each call is one request on a kept stream, also over a slow connection",
  async (_, { url }) => {
    await using proxy = startTcpProxy({ targetPort: Number(new URL(url).port), delayMs: 10 });
    await using recorded = await openRecorded(`http://127.0.0.1:${proxy.port}`);
    const { database } = recorded;
    await Promise.all(Array.from({ length: 100 }, async () => {
      await Promise.all([database.read(SELECT), database.write([COUNT_UP])]);
    }));
    assert.ok(recorded.takeOpened() <= 16);
    assert.equal(recorded.sent.length, 200);
    assert.deepEqual(await database.read(READ_COUNT), [{ count: 100 }]);
  },
);

testRecorded("closing a database closes its streams on the server", async ({ database, sent }) => {
  await Promise.all([database.read(SELECT), database.read(SELECT), database.write([COUNT_UP])]);
  await database.close();
  const closing = sent.filter(({ types }) => types[0] === "close");
  assert.equal(closing.length, 3);
  assert.ok(closing.every(({ baton }) => baton !== null));
});

testRecorded(
  "a failed batch ends its transaction, and its stream is kept",
  async ({ database, takeOpened }, url) => {
    // A server ends the transaction of a stream only after five seconds.
    const other = await openDatabase(url, { timeoutMs: 2000 });
    for (let i = 0; i < 5; i++) {
      await assert.rejects(database.write([COUNT_UP, FAIL, COUNT_UP]), { code: "SQLITE_CONSTRAINT" });
      await other.write([COUNT_UP]);
      await database.write([COUNT_UP]);
    }
    assert.deepEqual(await other.read(READ_COUNT), [{ count: 10 }]);
    assert.equal(takeOpened(), 1);
    await other.close();
  },
);

testRecorded(
  "a batch with too large a result is rolled back, and its stream is closed",
  async ({ database, sent }, url) => {
    const other = await openDatabase(url, { timeoutMs: 2000 });
    const large = {
      sql: "WITH RECURSIVE page(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM page WHERE n < 200) " +
        "SELECT printf('%.*c', 100000, 'x') AS text FROM page",
      args: {},
    };
    await assert.rejects(database.write([COUNT_UP, large]), { code: "RESPONSE_TOO_LARGE" });
    await other.write([COUNT_UP]);
    assert.deepEqual(await other.read(READ_COUNT), [{ count: 1 }]);
    assert.deepEqual(sent.map(({ types }) => types), [["batch", "get_autocommit"], ["close"]]);
    await other.close();
  },
);

testRecorded("a failed read leaves no open transaction", async ({ database, sent }) => {
  const wrong = { sql: "SELECT abs(-9223372036854775807 - 1)", args: {} };
  await assert.rejects(database.readAll([READ_COUNT, wrong]), { name: "ServerError" });
  await assert.rejects(database.read(wrong), { name: "ServerError" });
  // After the second one, the state of its stream is unknown.
  assert.deepEqual(sent.map(({ types }) => types[0]), ["batch", "execute", "close"]);
  await database.write([COUNT_UP]);
  // A stream that were still inside the transaction would read the state from before.
  assert.deepEqual(await database.readAll([READ_COUNT]), [[{ count: 1 }]]);
});

testOn("remote", "a stream is not used again after any kind of fault", async (_, { url }) => {
  const proxy = createFaultyProxy();
  await using recorded = await openRecorded(url, { fetch: proxy.fetch, timeoutMs: 1000 });
  const { database } = recorded;
  for (const fault of [...FAULTS, "silence" as const]) {
    await database.write([COUNT_UP]);
    proxy.setPlan(() => fault);
    await assert.rejects(database.write([COUNT_UP]), UNAVAILABLE, fault);
    proxy.setPlan(undefined);
    recorded.takeOpened();
    await database.write([COUNT_UP]);
    assert.equal(recorded.takeOpened(), 1, fault);
  }
  await proxy.settle();
});

testOn(
  "remote",
  "lost responses leave connections of the server free for other clients",
  async (_, { url }) => {
    const proxy = createFaultyProxy();
    const database = await openDatabase(url, { fetch: proxy.fetch, timeoutMs: PATIENCE_MS });
    proxy.setPlan(() => "answer_lost");
    // Nearly as many as the server has connections.
    for (let i = 0; i < 120; i++) await assert.rejects(database.read(SELECT), UNAVAILABLE);
    // A server without a free one refuses after a second.
    const others = await Promise.all(Array.from({ length: 20 }, () => openStream(url)));
    assert.deepEqual(others.map(({ status }) => status), others.map(() => 200));
    await database.close();
  },
);

testOn(
  "remote",
  "under random faults no baton is used twice, and every acknowledged write takes effect",
  async (_, { url }) => {
    const random = createRandom(1);
    const proxy = createFaultyProxy();
    proxy.setPlan(() => random() < 0.2 ? FAULTS[Math.floor(random() * FAULTS.length)] as Fault : undefined);
    await using recorded = await openRecorded(url, { fetch: proxy.fetch });
    const { database } = recorded;
    let [acknowledged, unknown] = [0, 0];
    await Promise.all(Array.from({ length: 200 }, async () => {
      await database.write([COUNT_UP]).then(() => acknowledged++, () => unknown++);
    }));
    proxy.setPlan(undefined);
    await proxy.settle();
    const [row] = await database.read<{ count: number }>(READ_COUNT);
    assert.ok(unknown > 10);
    assert.ok(row !== undefined && row.count >= acknowledged && row.count <= acknowledged + unknown);
  },
);

testOn(
  "remote",
  "a write on a kept stream takes effect once, also if Deno sends it again soon after a lost response",
  async (database, { url }) => {
    await using proxy = startTcpProxy({ targetPort: Number(new URL(url).port) });
    await using recorded = await openRecorded(`http://127.0.0.1:${proxy.port}`);
    const reads = () => Array.from({ length: 4 }, () => recorded.database.read(SELECT));
    await Promise.all(reads());
    let left = 2;
    proxy.setPlan(() => left-- > 0 ? "after" : undefined);
    await assert.rejects(recorded.database.read(SELECT), UNAVAILABLE);
    left = 1;
    await assert.rejects(recorded.database.write([COUNT_UP]), UNAVAILABLE);
    assert.deepEqual(await database.read(READ_COUNT), [{ count: 1 }]);
  },
);

Deno.test("streams that were idle for eight seconds or longer are not used again", async () => {
  let nowMs = 0;
  const { client, streams, sent } = openFake({ now: () => nowMs });
  await Promise.all([client.execute(SELECT), client.execute(SELECT)]);
  nowMs = 7999;
  await client.execute(SELECT);
  assert.deepEqual(sent.map(({ baton }) => baton), [null, null, "2.1"]);
  nowMs = 15_999;
  await client.execute(SELECT);
  await client.execute(SELECT);
  assert.deepEqual(sent.slice(3).map(({ baton }) => baton), [null, "3.1"]);
  nowMs = 30_000;
  await streams.close();
  assert.equal(sent.length, 5);
});

const LOST_STREAMS: Readonly<Record<string, [status: number, text: string]>> = {
  "the server does not know": [400, "Received an invalid baton"],
  "another machine does not know": [404, '{"error":"stream not found"}'],
  "the server closed after a pause": [400, '{"code":"STREAM_EXPIRED"}'],
};

for (const [name, [status, text]] of Object.entries(LOST_STREAMS)) {
  Deno.test(`a call on a stream that ${name} is sent again on a new one`, async () => {
    const { client, sent, refuse } = openFake();
    await client.execute(SELECT);
    refuse(() => new Response(text, { status }));
    await client.execute(SELECT);
    assert.deepEqual(sent.map(({ baton }) => baton), [null, "1.1", null]);
  });
}

Deno.test("a call is not sent again after a gateway's own error, since the server may have run it", async () => {
  for (const status of [400, 404]) {
    const { client, sent, refuse } = openFake();
    await client.execute(SELECT);
    refuse(() => new Response("<html>upstream sent an invalid header", { status }));
    await assert.rejects(client.execute(SELECT), { code: `HTTP_${status}` });
    assert.equal(sent.length, 2);
  }
});

Deno.test("a call whose baton was already used is not sent again, since it may have taken effect", async () => {
  const { client, sent, refuse } = openFake();
  await client.execute(SELECT);
  refuse(() => new Response("Received a baton that has already been used", { status: 400 }));
  await assert.rejects(client.execute(SELECT), { name: "ServerUnreachableError" });
  assert.equal(sent.length, 2);
});

testOn(
  "remote",
  "a request that the server refuses midway is not sent again",
  async (_, { url }) => {
    const { fetch, sent } = recordStreams();
    const streams = keepStreams({ post: createServerPost(fetch), timeoutMs: PATIENCE_MS });
    const client = openClient({ url }, streams.fetch);
    await client.execute(SELECT);
    const unknownText = '{"type":"execute","stmt":{"sql_id":7,"want_rows":true}}';
    const requests = `{"type":"execute","stmt":{"sql":"${COUNT_UP.sql}","want_rows":false}},${unknownText}`;
    const body = `{"requests":[${requests},{"type":"close"}]}`;
    const midway = new Request(`${url}/v2/pipeline`, { method: "POST", body });
    await assert.rejects(streams.fetch(midway), { code: "HTTP_400" });
    const { rows } = await client.execute(READ_COUNT);
    assert.equal(rows[0]?.["count"], 1);
    assert.equal(sent.length, 3);
  },
);

Deno.test("each call closes its own new stream for eight seconds after a lost response", async () => {
  let nowMs = 0;
  const { client, sent, refuse } = openFake({ now: () => nowMs });
  await client.execute(SELECT);
  refuse(() => new Response("half a respon"));
  await assert.rejects(client.execute(SELECT), { name: "ServerUnreachableError" });
  nowMs = 7999;
  await client.execute(SELECT);
  nowMs = 8000;
  await client.execute(SELECT);
  assert.deepEqual(sent.slice(2).map(({ types }) => types), [["execute", "close"], ["execute"]]);
});

Deno.test("a stream that the server continues at another address is left, and later ones are closed", async () => {
  let nowMs = 0;
  const { client, streams, sent, refuse } = openFake({ baseUrl: "https://seven.example", now: () => nowMs });
  await client.execute(SELECT);
  refuse(() => new Response("half a respon"));
  await assert.rejects(client.execute(SELECT), { name: "ServerUnreachableError" });
  nowMs = 8000;
  await client.execute(SELECT);
  await streams.close();
  assert.deepEqual([...new Set(sent.map(({ url }) => url))], ["http://database.example/v3/pipeline"]);
  assert.deepEqual(sent.map(({ types }) => types), [["execute"], ["execute", "close"], ["execute", "close"]]);
});

for (const baseUrl of ["http://database.example", undefined]) {
  Deno.test(`a stream is kept if the server names its own address: ${baseUrl}`, async () => {
    const { client, sent } = openFake({ baseUrl });
    await client.execute(SELECT);
    await client.execute(SELECT);
    assert.deepEqual(sent.map(({ baton }) => baton), [null, "1.1"]);
  });
}

Deno.test("a stream that is still inside a transaction is closed at once", async () => {
  const { client, sent } = openFake({ isAutocommit: false });
  await client.batch([SELECT], "read");
  await client.execute(SELECT);
  assert.deepEqual(sent.map(({ baton, types }) => [baton, types[0]]), [
    [null, "batch"],
    ["1.1", "close"],
    [null, "execute"],
  ]);
});

/** Opens a stream past the database's own client, and leaves it to the server to close it. */
async function openStream(url: string): Promise<Response> {
  const execute = { type: "execute", stmt: { sql: SELECT.sql, want_rows: true } };
  const body = JSON.stringify({ baton: null, requests: [execute] });
  const response = await fetch(`${url}/v3/pipeline`, { method: "POST", body });
  await response.body?.cancel();
  return response;
}

/** Streams of a server that names each baton by its stream's number and the calls on it so far: "2.1". */
function openFake(
  { now, isAutocommit = true, ...named }: {
    readonly now?: () => number;
    readonly baseUrl?: string | undefined;
    readonly isAutocommit?: boolean;
  } = {},
) {
  let opened = 0;
  let refusal: (() => Response) | undefined;
  const base_url = "baseUrl" in named ? named.baseUrl : null;
  const { fetch, sent } = recordStreams(async (input) => {
    const { baton, requests } = await (input as Request).json();
    if ((baton !== null || base_url) && refusal !== undefined) {
      const answer = refusal;
      refusal = undefined;
      return answer();
    }
    const [stream, calls] = baton === null ? [++opened, 0] : baton.split(".").map(Number);
    const rows = { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null };
    const steps = { step_results: [rows, rows, rows, null], step_errors: [null, null, null, null] };
    const results = requests.map(({ type }: { type: string }) => ({
      type: "ok",
      response: { type, result: { ...rows, ...type === "batch" && steps }, is_autocommit: isAutocommit },
    }));
    return Response.json({ baton: `${stream}.${calls + 1}`, base_url, results });
  });
  const streams = keepStreams({ post: createServerPost(fetch), timeoutMs: 1000, ...(now && { now }) });
  return {
    client: openClient({ url: "http://database.example" }, streams.fetch),
    streams,
    sent,
    /** Sets the response to the next request that carries a baton. */
    refuse(answer: () => Response): void {
      refusal = answer;
    },
  };
}
