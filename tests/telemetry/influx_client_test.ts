/** Calls to InfluxDB: what becomes of its faults, and how many run at once. */
import assert from "node:assert/strict";
import { createInfluxStore } from "../../src/telemetry/influx/influx_store.ts";
import { found, INFLUX_AND_FILE, openInfluxStore } from "./influx_scene.ts";
import { startInfluxd } from "../helpers/influxd.ts";
import { freePort } from "../helpers/sqld.ts";
import {
  everywhere,
  NAMESPACE,
  query,
  series,
  type StoreUnderTest,
  type TelemetryScene,
  testScene,
  type UnboundedStore,
  withoutBudget,
} from "./telemetry_scene.ts";

const METER = { nodeId: "meter", deviceId: 1 };

const WITHOUT_ENGINE: StoreUnderTest = {
  label: "no InfluxDB",
  kind: "file",
  open: (target) => Promise.resolve(openInfluxStore(target, { host: `127.0.0.1:${freePort()}` })),
};

testScene(INFLUX_AND_FILE, "calls fail while the engine is away, and work once it is back", async (scene) => {
  const server = await startInfluxd();
  try {
    const store = withoutBudget(openInfluxStore(scene.target, { host: server.host }));
    const meter = await scene.addMeter();
    const one = series(meter, new Map([[0n, 1]]));
    await store.write(scene.owner, NAMESPACE, [one]);
    await server.stop();
    const unavailable = { code: "UNAVAILABLE" };
    await assert.rejects(store.isReady(), unavailable);
    await assert.rejects(store.write(scene.owner, NAMESPACE, [one]), unavailable);
    await assert.rejects(store.read([query(meter)]), unavailable);
    await assert.rejects(store.forget([meter.deviceId]), unavailable);
    await assert.rejects(store.deleteBefore(everywhere(0n)), unavailable);
    await server.start();
    assert.equal(await store.isReady(), true);
    const expected = found({ nodeId: "meter" }, `["1970-01-01T00:00:00Z",1]`);
    assert.deepEqual(await store.read([query(meter)]), [expected]);
    await store.write(scene.owner, NAMESPACE, [one]);
  } finally {
    await server.remove();
  }
});

testScene(WITHOUT_ENGINE, "a call to a silent engine ends at its time limit", async (scene) => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const host = `127.0.0.1:${listener.addr.port}`;
  const store = withoutBudget(openInfluxStore(scene.target, { host, timeoutMs: 50 }));
  const one = series(await scene.addMeter(), new Map([[0n, 1]]));
  await assert.rejects(store.read([query(METER)]), { code: "UNAVAILABLE" });
  await assert.rejects(store.write(scene.owner, NAMESPACE, [one]), { code: "UNAVAILABLE" });
  await assert.rejects(store.isReady(), { code: "UNAVAILABLE" });
});

testScene(WITHOUT_ENGINE, "credentials are in a header, and in no URL, error or log line", async (scene) => {
  const { requests, store } = openFake(scene, { status: 401, json: { error: 'no "operator"' } });
  const error = await failure(store.read([query(METER)]));
  assert.equal(error.code, "UNAVAILABLE");
  assert.equal(requests.length, 2);
  for (const { url, authorization, body } of requests) {
    assert.equal(url, "http://influx.example:8086/query");
    assert.equal(authorization, `Basic ${btoa("operator:pass word:1")}`);
    assert.doesNotMatch(body, /operator|word/);
  }
  const { logLines } = scene.target;
  assert.equal(logLines.filter((line) => line.includes("telemetry_engine_failed")).length, 1);
  assert.doesNotMatch(Deno.inspect(error) + logLines.join(), /operator|word/);
});

testScene(WITHOUT_ENGINE, "a database that it may not create is used as it is", async (scene) => {
  const { store } = openFake(scene, { createStatus: 403, json: { results: [{ statement_id: 0 }] } });
  assert.deepEqual(await store.read([query(METER)]), [{ series: [] }]);
});

testScene(WITHOUT_ENGINE, "a foreign, empty or incomplete response is a 503", async (scene) => {
  for (const json of [{}, "<html>", { results: [] }, { error: "out of memory" }]) {
    const { store } = openFake(scene, { json });
    assert.equal((await failure(store.read([query(METER)]))).code, "UNAVAILABLE");
  }
});

testScene(WITHOUT_ENGINE, "a limit of the engine's operator counts as too much telemetry", async (scene) => {
  const error = "max-select-point limit exceeed: (6/5)";
  const { store } = openFake(scene, { json: { results: [{ statement_id: 0, error }] } });
  assert.equal((await failure(store.read([query(METER)]))).code, "TOO_MUCH_TELEMETRY");
});

testScene(WITHOUT_ENGINE, "rows with more columns arrive in smaller chunks", async (scene) => {
  const { requests, store } = openFake(scene, { json: { results: [{ statement_id: 0 }] } });
  const columns = [1, 10, 11, 100];
  for (const count of columns) {
    await store.read([query({ ...METER, select: Array.from({ length: count }, (_, i) => `f${i}`) })]);
  }
  const sizes = requests.map(({ body }) => new URLSearchParams(body).get("chunk_size"));
  assert.deepEqual(sizes.filter((size) => size !== null), ["500", "50", "45", "5"]);
});

testScene(WITHOUT_ENGINE, "four reads run at once, and the next ones start when those end", async (scene) => {
  const { store, running, respondToOne } = openSlowFake(scene, 10_000);
  const reads = Array.from({ length: 6 }, () => store.read([query(METER)]));
  for (const expected of [4, 4, 4, 3, 2, 1]) {
    await settle();
    assert.equal(running(), expected);
    respondToOne();
  }
  const nothing = [{ series: [] }];
  assert.deepEqual(await Promise.all(reads), reads.map(() => nothing));
});

testScene(WITHOUT_ENGINE, "a read waits in line no longer than its time limit", async (scene) => {
  const { store, running } = openSlowFake(scene, 100);
  const began = performance.now();
  const reads = Array.from({ length: 9 }, () => failure(store.read([query(METER)])));
  for (const error of await Promise.all(reads)) assert.equal(error.code, "UNAVAILABLE");
  assert.ok(performance.now() - began < 1000, "they waited one after the other");
  assert.equal(running(), 0);
});

interface FakeAnswer {
  /** Status of the request that creates the database. */
  readonly createStatus?: number;
  readonly status?: number;
  readonly json: unknown;
}

interface SentRequest {
  readonly url: string;
  readonly authorization: string | null;
  readonly body: string;
}

/** A store whose engine sends the same response to every request for points. */
function openFake(
  { target }: TelemetryScene,
  { createStatus = 200, status = 200, json }: FakeAnswer,
): { requests: readonly SentRequest[]; store: UnboundedStore } {
  const { database, deps: { clock, log } } = target;
  const requests: SentRequest[] = [];
  const respond: typeof fetch = (input, init) => {
    const authorization = new Headers(init?.headers).get("Authorization");
    const body = String(init?.body);
    requests.push({ url: String(input), authorization, body });
    if (body.includes("CREATE")) return Promise.resolve(new Response("{}", { status: createStatus }));
    return Promise.resolve(new Response(typeof json === "string" ? json : JSON.stringify(json), { status }));
  };
  const url = "influxdb://operator:pass%20word%3A1@influx.example/points";
  return { requests, store: withoutBudget(createInfluxStore({ url, database, clock, log, fetch: respond })) };
}

interface SlowFake {
  readonly store: UnboundedStore;
  /** How many requests wait for their response. */
  readonly running: () => number;
  /** Responds to the request that has waited longest. */
  readonly respondToOne: () => void;
}

/** A store whose engine responds to requests for points when the test says so. */
function openSlowFake({ target }: TelemetryScene, timeoutMs: number): SlowFake {
  const { database, deps: { clock, log } } = target;
  const waiting: ((response: Response) => void)[] = [];
  const respond: typeof fetch = (_, init) => {
    if (String(init?.body).includes("CREATE")) return Promise.resolve(new Response("{}"));
    return new Promise((resolve, reject) => {
      waiting.push(resolve);
      init?.signal?.addEventListener("abort", () => {
        waiting.splice(waiting.indexOf(resolve), 1);
        reject(new DOMException("Aborted", "AbortError"));
      });
    });
  };
  const url = "influxdb://influx.example/points";
  return {
    store: withoutBudget(createInfluxStore({ url, database, clock, log, fetch: respond, timeoutMs })),
    running: () => waiting.length,
    respondToOne: () => waiting.shift()?.(new Response('{"results":[{"statement_id":0}]}')),
  };
}

/** Runs everything that does not wait for a timer. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20));
}

async function failure(outcome: Promise<unknown>): Promise<Error & { code?: string }> {
  const error: unknown = await outcome.then(() => undefined, (reason) => reason);
  assert.ok(error instanceof Error, "it did not fail");
  return error;
}
