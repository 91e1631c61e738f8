/** Calls to a database server take one round trip each, and are unavailable after every kind of failure. */
import assert from "node:assert/strict";
import { describeError } from "../../src/core/log.ts";
import type { Database, DatabaseOptions } from "../../src/db/database.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { testOn } from "../helpers/databases.ts";
import { openCounted } from "../every_operation/round_trips.ts";
import { freePort } from "../helpers/sqld.ts";

const UNAVAILABLE = { name: "AppError", code: "UNAVAILABLE", retryAfterSeconds: 1 };
const SELECT = { sql: "SELECT 1 AS one", args: {} };
const UPDATE = { sql: "UPDATE id_sequence SET last_id = last_id + 1 RETURNING name", args: {} };

/** Every kind of call, so that a test can show that a failure reaches all of them. */
const CALLS: Record<string, (database: Database) => Promise<unknown>> = {
  read: (database) => database.read(SELECT),
  readAll: (database) => database.readAll([SELECT, SELECT]),
  write: (database) => database.write([UPDATE, SELECT]),
};

testOn(
  "remote",
  "each call takes one round trip, also the first one on a connection",
  async (_, { url }) => {
    for (const [name, call] of Object.entries(CALLS)) {
      await using counted = await openCounted(url);
      await call(counted.database);
      assert.equal(counted.takeCount(), 1, `the first ${name}`);
      await call(counted.database);
      assert.equal(counted.takeCount(), 1, `the second ${name}`);
    }
  },
);

testOn("remote", "a server with a WebSocket address is called over HTTP", async (_, { url }) => {
  const database = await openDatabase(url.replace("http:", "ws:"));
  assert.deepEqual(await database.read(SELECT), [{ one: 1 }]);
  await database.close();
});

Deno.test("a server that cannot be reached makes every call unavailable", async () => {
  const database = await openDatabase(`http://127.0.0.1:${freePort()}`);
  await assertAllUnavailable(database);
  await database.close();
});

const SILENT: Readonly<Record<string, () => Promise<Response>>> = {
  "does not respond": () => new Promise(() => {}),
  "stops in the middle of a response": () => {
    const start = (c: ReadableStreamDefaultController) => c.enqueue(new TextEncoder().encode("{"));
    return Promise.resolve(new Response(new ReadableStream({ start })));
  },
};

for (const [name, answer] of Object.entries(SILENT)) {
  Deno.test(`a server that ${name} makes every call unavailable after the time limit`, async () => {
    const signal = new AbortController();
    const server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", signal: signal.signal, onListen() {} },
      answer,
    );
    const database = await openDatabase(`http://127.0.0.1:${server.addr.port}`, { timeoutMs: 50 });
    await assertAllUnavailable(database);
    await database.close();
    signal.abort();
    await server.finished;
  });
}

for (const status of [401, 403, 404, 429, 500, 502, 503]) {
  Deno.test(`status ${status} from the server makes every call unavailable`, async () => {
    // After 429 the call waits for a connection until its time limit.
    await assertFailing(() => new Response("no", { status }), { timeoutMs: 200 });
  });
}

for (const status of [302, 307, 308]) {
  Deno.test(`a redirect with status ${status} is not followed, and makes every call unavailable`, async () => {
    const paths: string[] = [];
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
      paths.push(new URL(request.url).pathname);
      return new Response(null, { status, headers: { location: "/elsewhere" } });
    });
    const database = await openDatabase(`http://127.0.0.1:${server.addr.port}`);
    await assertAllUnavailable(database);
    await database.close();
    await server.shutdown();
    assert.deepEqual(paths, paths.map(() => "/v3/pipeline"));
  });
}

Deno.test("the error for the log names what is wrong with a server", async () => {
  const respond = (text: string, status = 200) => () => Promise.resolve(new Response(text, { status }));
  const faults: [string, typeof fetch][] = [
    ["The database server cannot be reached", () => Promise.reject(new TypeError("http://token@host"))],
    ["The database server responded with status 502", respond("", 502)],
    ["The database server responded with status 307", respond("", 307)],
    ["The database server's response is not JSON", respond("<html>")],
    ["The database server's response breaks the protocol", respond("{}")],
  ];
  for (const [message, fetch] of faults) {
    const database = await openDatabase("http://database.example", { fetch });
    const failure = await database.read(SELECT).then(() => undefined, (error: Error) => error.cause);
    assert.equal(describeError(failure)["message"], message);
    await database.close();
  }
});

for (const text of ['{"baton":null,"resu', "<html>", '{"results":[]}', ""]) {
  Deno.test(`an unreadable response makes every call unavailable: ${JSON.stringify(text)}`, async () => {
    const headers = { "Content-Type": "application/json" };
    await assertFailing(() => new Response(text, { headers }));
  });
}

const BUSY = ["TRANSACTION_TIMEOUT", "TRANSACTION_BUSY", "SQLITE_BUSY"];
for (const code of [...BUSY, "SQLITE_FULL", "SQLITE_READONLY", "BLOCKED"]) {
  Deno.test(`${code} from the server makes every call unavailable`, async () => {
    // The client waits for a lock until its time limit.
    await assertFailing(refusal(code), { timeoutMs: 200 });
  });
}

for (const code of ["SQLITE_CONSTRAINT", "SQLITE_CORRUPT", "SQL_PARSE_ERROR"]) {
  Deno.test(`${code} from the server is passed on as it is`, async () => {
    const database = await openFake(refusal(code));
    await assert.rejects(database.write([UPDATE]), { name: "ServerError", code });
    await database.close();
  });
}

Deno.test("a failed call is not sent again", async () => {
  for (const [name, call] of Object.entries(CALLS)) {
    let requests = 0;
    const database = await openFake(() => {
      requests++;
      return new Response("no", { status: 503 });
    });
    await assert.rejects(call(database));
    assert.equal(requests, 1, name);
    await database.close();
  }
});

Deno.test("a write whose steps all time out is unavailable, and rejects once", async () => {
  const reasons: unknown[] = [];
  function collect(event: PromiseRejectionEvent): void {
    event.preventDefault();
    reasons.push(event.reason);
  }
  globalThis.addEventListener("unhandledrejection", collect);
  const database = await openFake(timeoutInAllSteps);
  await assert.rejects(database.write([UPDATE, UPDATE]), UNAVAILABLE);
  await new Promise((resolve) => setTimeout(resolve, 0));
  globalThis.removeEventListener("unhandledrejection", collect);
  assert.deepEqual(reasons, []);
  await database.close();
});

Deno.test("a batch with a step that was skipped, or is missing, without an error is unavailable", async () => {
  const rows = { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null };
  const all = [rows, rows, rows, null];
  const wrong = [all.with(1, null), all.with(2, null), [rows, rows, null], [rows, rows], [...all, null]];
  for (const step_results of wrong) {
    const database = await openFake(batchResponse(step_results, { type: "ok", response: {} }));
    await assert.rejects(database.write([UPDATE]), UNAVAILABLE);
    await database.close();
  }
});

Deno.test("a write that was committed succeeds, whatever the state of its stream", async () => {
  const rows = { cols: [], rows: [], affected_row_count: 0, last_insert_rowid: null };
  let requests = 0;
  const answer = batchResponse([rows, rows, rows, null], { type: "error", error: { code: "SQLITE_BUSY" } });
  const database = await openFake((request) => {
    requests++;
    return answer(request);
  });
  assert.deepEqual(await database.write([UPDATE]), [[]]);
  assert.equal(requests, 1);
  await database.close();
});

Deno.test("a response with an integer that is none makes a read unavailable", async () => {
  const result = { cols: [{}], rows: [[{ type: "integer", value: "1x" }]], affected_row_count: 0 };
  const results = [{ type: "ok", response: { type: "execute", result } }];
  const database = await openFake(() => Response.json({ baton: null, base_url: null, results }));
  await assert.rejects(database.read(SELECT), UNAVAILABLE);
  await database.close();
});

testOn(
  "remote",
  "a batch sends a repeated text once, as far as the server can store it",
  async (_, { url }) => {
    const bodies: string[] = [];
    const database = await openDatabase(url, {
      fetch: async (input, init) => {
        const request = new Request(input, init);
        bodies.push(await request.clone().text());
        return await fetch(request);
      },
    });
    const texts = [
      ...Array.from({ length: 60 }, (_, i) => `SELECT ${i} AS number`),
      // Of 3,000 characters and 6,000 bytes, and of 6,000 of both.
      `SELECT '${"é".repeat(3000)}' <> '' AS number`,
      `SELECT '${"e".repeat(6000)}' <> '' AS number`,
    ].map((text) => ({ sql: text, args: {} }));
    const expected = [...Array(60).keys(), 1, 1].map((number) => [{ number }]);
    for (let round = 0; round < 2; round++) {
      const found = await database.readAll([...texts, ...texts, SELECT]);
      assert.deepEqual(found, [...expected, ...expected, [{ one: 1 }]]);
      assert.equal(bodies[round]?.split("SELECT 7 AS number").length, 2);
      assert.equal(bodies[round]?.split("éé").length, 3001);
    }
    await database.close();
  },
);

testOn(
  "remote",
  "a number that its type cannot hold is refused as an argument and as a result",
  async (database) => {
    for (const sql of ["SELECT 9e999", "SELECT 9007199254740992"]) {
      await assert.rejects(database.read({ sql, args: {} }), RangeError);
    }
    for (const value of [NaN, Infinity]) {
      await assert.rejects(database.read({ sql: "SELECT :value", args: { value } }), RangeError);
    }
  },
);

testOn("remote", "calls succeed again as soon as the server does", async (_, { url }) => {
  let down = true;
  const database = await openDatabase(url, {
    fetch: (input, init) => down ? Promise.reject(new TypeError("connection refused")) : fetch(input, init),
  });
  await assertAllUnavailable(database);
  down = false;
  for (const call of Object.values(CALLS)) await call(database);
  await database.close();
});

async function assertAllUnavailable(database: Database): Promise<void> {
  for (const [name, call] of Object.entries(CALLS)) {
    await assert.rejects(call(database), UNAVAILABLE, name);
  }
}

/** Asserts that with this function for a server, every call is unavailable. */
async function assertFailing(...given: Parameters<typeof openFake>): Promise<void> {
  const database = await openFake(...given);
  await assertAllUnavailable(database);
  await database.close();
}

/** A database whose server is a function. */
function openFake(
  answer: (request: Request) => Response | Promise<Response>,
  options: Pick<DatabaseOptions, "timeoutMs"> = {},
): Promise<Database> {
  return openDatabase("http://database.example", {
    ...options,
    fetch: async (input, init) => await answer(new Request(input, init)),
  });
}

/** The response of a server on which each request of a stream failed with this code. */
function refusal(code: string): (request: Request) => Promise<Response> {
  return async (request) => {
    const { requests } = await request.json();
    const results = requests.map(() => ({ type: "error", error: { message: "no", code } }));
    return Response.json({ baton: null, base_url: null, results });
  };
}

/** The response to a batch of one text: results of its steps, and that of `get_autocommit`. */
function batchResponse(
  step_results: readonly unknown[],
  state: object,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const { requests } = await request.json();
    const result = { step_results, step_errors: step_results.map(() => null) };
    const results = requests.map(({ type }: { type: string }) => {
      if (type === "get_autocommit") return state;
      return { type: "ok", response: { type, result } };
    });
    return Response.json({ baton: null, base_url: null, results });
  };
}

/** The response to a batch whose transaction was ended by the server: every step fails. */
async function timeoutInAllSteps(request: Request): Promise<Response> {
  const { requests } = await request.json();
  const error = { message: "Transaction timed out", code: "TRANSACTION_TIMEOUT" };
  const results = requests.map(({ type, batch }: { type: string; batch?: { steps: unknown[] } }) => {
    if (batch === undefined) return { type: "ok", response: { type } };
    const result = { step_results: batch.steps.map(() => null), step_errors: batch.steps.map(() => error) };
    return { type: "ok", response: { type, result } };
  });
  return Response.json({ baton: null, base_url: null, results });
}
