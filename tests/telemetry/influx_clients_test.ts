/**
 * Clients of InfluxDB 1.x and 2.x write unchanged: the published ones from npm, and requests as others send them.
 */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { HttpError, InfluxDB as InfluxDB2, Point } from "@influxdata/influxdb-client";
import { FieldType, InfluxDB as InfluxDB1 } from "influx";
import { createKey } from "../key/key_scene.ts";
import { type Answer, send, testApp } from "../helpers/http.ts";
import { type Person } from "../helpers/person.ts";
import { serveLocally } from "../helpers/raw_http.ts";
import { ANY_KIND } from "../helpers/databases.ts";
import { openTestApp, type TestApp } from "../helpers/test_app.ts";
import { collect, minute, powerOf, valuesOf } from "../every_operation/telemetry_requests.ts";
import { bootstrapMeter } from "./telemetry_scene.ts";

const BASES = ["", "/v1/telemetry"] as const;
const WRITES_1 = BASES.map((base) => `${base}/write`);
const WRITES_2 = BASES.map((base) => `${base}/api/v2/write`);

const ONE_LINE = `energy,nodeId=meter power=1 ${minute(0)}`;

interface Site {
  readonly admin: Person;
  /** A key that may write the device `meter`. */
  readonly secret: string;
}

async function openSite(target: TestApp): Promise<Site> {
  const { admin, rootId } = await bootstrapMeter(target);
  const { secret } = await createKey(admin, rootId);
  return { admin, secret };
}

/** The minutes of 2026 and the powers that are stored. */
async function stored(person: Person, database: string, policy = "autogen"): Promise<unknown> {
  const from = { measurement: "energy", database, retentionPolicy: policy };
  const [result] = await collect(person, [powerOf("meter", { from })]);
  const values = result?.series === undefined ? [] : valuesOf(result);
  return values.map(([time, power]) => [(Date.parse(String(time)) - minute(0)) / 60_000, power]);
}

function post(
  target: Pick<TestApp, "request">,
  path: string,
  headers: Record<string, string> = {},
  body: string | Uint8Array<ArrayBuffer> = ONE_LINE,
): Promise<Answer> {
  return send(target, "POST", path, { rawBody: new Blob([body]), headers });
}

testApp("the client `influx` of InfluxDB 1.x writes, and hears of dropped lines", async (target) => {
  const { admin, secret } = await openSite(target);
  await using server = serveLocally(target.app);
  const influx = new InfluxDB1({
    host: "127.0.0.1",
    port: server.addr.port,
    database: "one",
    username: "gateway",
    password: secret,
    schema: [{
      database: "one",
      measurement: "energy",
      fields: { power: FieldType.FLOAT },
      tags: ["nodeId"],
    }],
  });
  const [ping] = await influx.ping(5000);
  assert.deepEqual([ping?.online, ping?.version], [true, "Rolegrid"]);
  await influx.createDatabase("one");
  const point = { measurement: "energy", tags: { nodeId: "meter" }, fields: { power: 1 } };
  const at = (i: number) => ({ ...point, timestamp: new Date(minute(i)) });
  await influx.writePoints([at(0)]);
  await influx.writePoints([at(1)], { precision: "m" });
  await influx.writePoints([at(2)], { precision: "u", retentionPolicy: "raw" });
  const dropped = influx.writePoints([at(3), { ...at(3), tags: { nodeId: "unknown" } }]);
  await assert.rejects(dropped, /partial write: Line 2 .*unknown.* dropped=1/);
  assert.deepEqual(await stored(admin, "one"), [[0, 1], [1, 1], [3, 1]]);
  assert.deepEqual(await stored(admin, "one", "raw"), [[2, 1]]);
});

testApp("the client of InfluxDB 2.x writes, and hears of lines that were dropped", async (target) => {
  const { admin, secret } = await openSite(target);
  await using server = serveLocally(target.app);
  for (const [i, base] of BASES.entries()) {
    const url = `http://127.0.0.1:${server.addr.port}${base}`;
    const api = new InfluxDB2({ url, token: secret }).getWriteApi("org", `two/raw${i}`, "s", {
      maxRetries: 0,
      gzipThreshold: 1,
      // Otherwise the client logs the error, too.
      writeFailed: (error) => Promise.reject(error),
    });
    const point = (nodeId: string, n: number) =>
      new Point("energy").tag("nodeId", nodeId).floatField("power", n).timestamp(minute(n) / 1000);
    api.writePoint(point("meter", 1));
    await api.flush();
    api.writePoints([point("unknown", 2), point("meter", 3)]);
    await assert.rejects(api.flush(), (error) => {
      assert.ok(error instanceof HttpError);
      assert.equal(error.statusCode, 422);
      assert.match(error.message, /partial write: Line 1 .*unknown.* dropped=1/);
      return true;
    });
    await api.close().catch(() => undefined);
    assert.deepEqual(await stored(admin, "two", `raw${i}`), [[1, 1], [3, 3]]);
  }
});

testApp("their parameters, types and units are accepted on both paths of each version", async (target) => {
  const { admin, secret } = await openSite(target);
  const headers = { Authorization: `Token ${secret}` };
  const perMinute: [unit: string, count: bigint][] = [
    ["n", 60_000_000_000n],
    ["ns", 60_000_000_000n],
    ["u", 60_000_000n],
    ["us", 60_000_000n],
    ["ms", 60_000n],
    ["s", 60n],
    ["m", 1n],
  ];
  const epochMinutes = BigInt(minute(0) / 60_000);
  for (const [i, [unit, count]] of perMinute.entries()) {
    const line = `energy,nodeId=meter power=${i} ${(epochMinutes + BigInt(i)) * count}`;
    for (const path of [...WRITES_1, ...WRITES_2]) {
      const place = path.includes("v2") ? "org=&bucket=units" : "db=units&rp=&consistency=one";
      const answer = await post(target, `${path}?${place}&precision=${unit}`, headers, line);
      assert.deepEqual([answer.status, answer.text], [204, ""], `${path} ${unit}`);
    }
  }
  const hour = `energy,nodeId=meter power=9 ${epochMinutes / 60n}`;
  assert.equal((await post(target, "/write?db=hours&precision=h", headers, hour)).status, 204);
  assert.deepEqual(await stored(admin, "units"), perMinute.map((_, i) => [i, i]));
  assert.deepEqual(await stored(admin, "hours"), [[0, 9]]);

  const types = [
    "application/octet-stream",
    "application/x-www-form-urlencoded",
    "text/plain; charset=utf-8",
  ];
  for (const [i, type] of types.entries()) {
    const path = `${WRITES_1[i % 2]}?db=type${i}&precision=ms`;
    assert.equal((await post(target, path, { ...headers, "Content-Type": type })).status, 204, type);
    assert.deepEqual(await stored(admin, `type${i}`), [[0, 1]]);
  }
  const packed = { ...headers, "Content-Encoding": "gzip" };
  const gzip = await post(target, "/write?db=gzip&precision=ms", packed, new Uint8Array(gzipSync(ONE_LINE)));
  assert.equal(gzip.status, 204);
  // All or nothing, if the sender says so.
  const lines = `${ONE_LINE}\nenergy,nodeId=unknown power=1`;
  assert.equal((await post(target, "/write?db=all&precision=ms&partial=false", headers, lines)).status, 403);
  assert.deepEqual(await stored(admin, "all"), []);
  assert.equal((await post(target, "/write?db=all&precision=ms", headers, lines)).status, 400);
  assert.deepEqual(await stored(admin, "all"), [[0, 1]]);
});

testApp("a key is accepted wherever clients put it, and a person's password nowhere", async (target) => {
  const { secret, admin } = await openSite(target);
  const basic = (user: string, password: string) => `Basic ${btoa(`${user}:${password}`)}`;
  for (const path of ["/write?db=a", "/api/v2/write?bucket=a"]) {
    const write = async (headers: Record<string, string>, query = ""): Promise<number> =>
      (await post(target, `${path}&precision=ms${query}`, headers)).status;
    const tokens = [
      `Bearer ${secret}`,
      `Token ${secret}`,
      `token gateway:${secret}`,
      `Token ${admin.accessToken}`,
    ];
    for (const Authorization of [...tokens, basic("", secret), basic("anyone@x.example", secret)]) {
      assert.equal(await write({ Authorization }), 204, `${path} ${Authorization}`);
    }
    for (const query of [`&u=gateway&p=${secret}`, `&p=${secret}`]) {
      assert.equal(await write({}, query), 204, `${path} ${query}`);
    }
    const ofPerson = basic("admin@example.com", "the administrator's password");
    const malformed = ["Basic %%%", "Token", `Digest ${secret}`];
    for (const Authorization of [ofPerson, basic("a", admin.accessToken), ...malformed]) {
      assert.equal(await write({ Authorization }), 401, `${path} ${Authorization}`);
    }
    const passwords = ["&u=a&p=", "&u=admin@example.com&p=a+password", `&u=gateway&p=${secret}x`];
    for (const query of ["", "&u=gateway", ...passwords, `&p=${admin.accessToken}`]) {
      assert.equal(await write({}, query), 401, `${path} ${query}`);
    }
    assert.equal(await write({ Authorization: "Token wrong" }, `&p=${secret}`), 401, "the header counts");
  }
  // Elsewhere, only a bearer token is.
  for (const Authorization of [`Token ${secret}`, basic("", secret)]) {
    assert.equal((await post(target, "/v1/telemetry?db=a&precision=ms", { Authorization })).status, 401);
  }
  const elsewhere = await post(target, `/v1/telemetry?db=a&p=${secret}`);
  assert.equal(elsewhere.status, 401);
  assert.ok(target.logLines.length > 30);
  for (const line of target.logLines) assert.ok(!line.includes(secret.slice(0, 12)), line);
});

Deno.test("a key in the query is refused where queries are traced", async () => {
  await using target = await openTestApp(ANY_KIND, { refuseQuerySecrets: true });
  const { secret } = await openSite(target);
  const refused = await post(target, `/write?db=a&p=${secret}`);
  assert.equal(refused.status, 400);
  const { message } = refused.body as { message: string };
  assert.match(message, /parameter p is not accepted here: use the header/);
  assert.equal((await post(target, "/write?db=a", { Authorization: `Token ${secret}` })).status, 204);
});

testApp("what their clients ask before they write has a short and true answer", async (target) => {
  const { secret, admin } = await openSite(target);
  for (const base of BASES) {
    for (const method of ["GET", "HEAD"]) {
      const ping = await send(target, method, `${base}/ping?verbose=false`);
      assert.deepEqual([ping.status, ping.headers.get("X-Influxdb-Version")], [204, "Rolegrid"]);
    }
    const health = await send(target, "GET", `${base}/health`);
    assert.deepEqual([health.status, health.body], [200, { name: "rolegrid", status: "pass" }]);
  }
  const Authorization = `Token ${secret}`;
  const form = { "Content-Type": "application/x-www-form-urlencoded" };
  const ask = (q: string, inBody: boolean, headers: Record<string, string> = { Authorization }) =>
    inBody
      ? post(target, "/query", { ...headers, ...form }, String(new URLSearchParams({ q })))
      : post(target, `/query?${new URLSearchParams({ q, db: "x" })}`, headers, "");
  for (const inBody of [true, false]) {
    for (const q of ['CREATE DATABASE "telegraf"', "create database x;"]) {
      const created = await ask(q, inBody);
      assert.deepEqual([created.status, created.body], [200, { results: [{ statement_id: 0 }] }], q);
    }
    const others = [
      "SHOW DATABASES",
      "CREATE DATABASE x WITH DURATION 1d",
      "CREATE DATABASE x; DROP DATABASE x",
    ];
    for (const q of [...others, ""]) {
      const refused = await ask(q, inBody);
      assert.equal(refused.status, 400, q);
      assert.match((refused.body as { message: string }).message, /Only CREATE DATABASE is possible here/);
    }
    assert.equal((await ask("CREATE DATABASE x", inBody, {})).status, 401);
  }
  // Dropped lines are told where clients of 1.x look for it, and where those of 2.x do.
  const both = await post(target, "/write?db=a", { Authorization }, "energy,nodeId=unknown power=1");
  const { error, message } = both.body as { error: string; message: string };
  assert.equal(error, message);
  assert.match(error, /^partial write: .* dropped=1$/);
  const ofPerson = { Authorization: `Bearer ${admin.accessToken}` };
  const third = await post(target, "/api/v2/write?bucket=a", ofPerson, "x");
  assert.deepEqual([third.status, (third.body as { error: string }).error], [422, "Unprocessable Entity"]);
});
