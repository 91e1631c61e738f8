/** What the queries of one user cost others: time, memory and turns. */
import assert from "node:assert/strict";
import { type AppDeps, createApp } from "../../src/app.ts";
import { waitAtMost } from "../../src/core/deadline.ts";
import { execute, forEachApp, send } from "../helpers/http.ts";
import { bootstrap, invite, type Person } from "../helpers/person.ts";
import { addDevice, COLLECT, collect, powerOf, writeLines } from "../every_operation/telemetry_requests.ts";
import { requestsTo, type TestApp } from "../helpers/test_app.ts";
import { bootstrapMeter } from "./telemetry_scene.ts";

/** The maximum number of tag sets of a device, 3.3 kB each: 30 tags that they share and one of their own. */
async function addTagSets(
  target: TestApp,
  deviceId: number,
  tags: Readonly<Record<string, string>>,
): Promise<void> {
  const common = JSON.stringify(tags).slice(1, -1);
  await target.database.write([{
    sql: `WITH RECURSIVE numbered(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbered WHERE i < 10000)
      INSERT INTO tag_set (device_id, measurement, database, retention_policy, tags)
      SELECT :deviceId, 'energy', 'plant', 'autogen', '{' || :common || ',"nodeId":"meter","z":"' || i || '"}' FROM numbered`,
    args: { deviceId: BigInt(deviceId), common },
  }]);
}

forEachApp("queries over many long tag sets are refused, charged, and delay no others", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  const deviceId = await addDevice(admin, rootId, "meter");
  const names = Array.from({ length: 30 }, (_, i) => `k${String(i).padStart(2, "0")}`);
  const tags = Object.fromEntries(names.map((name) => [name, "x".repeat(100)]));
  await addTagSets(target, deviceId, tags);
  const where = { tags: { nodeId: "meter", ...tags } };
  const mean = Array.from({ length: 100 }, (_, i) => ({ field: `f${i}`, function: "mean" }));
  const calls = [
    Array<unknown>(10).fill(powerOf("meter", { where })),
    [powerOf("meter", { where, select: mean })],
  ];
  for (const queries of calls) {
    const asked = send(target, "POST", COLLECT, { token: admin.accessToken, body: queries });
    const startedAt = performance.now();
    await admin.get("/auth/accesstoken/validate");
    // A coarse bound: without turns it would take many times longer.
    assert.ok(performance.now() - startedAt < 2000, "another request waited for it");
    const answer = await asked;
    assert.equal(answer.status, 422, answer.text);
    assert.match(answer.text, /would scan more than 20000000 values/);
    // 20 million values, 50 of which cost as much as a point, and those of the statement that exceeded the limit.
    const scanned = Number(answer.headers.get("X-RateLimit-Cost")) - 1000 - queries.length * 100;
    assert.ok(scanned > 400_000 && scanned < 410_000, String(scanned));
  }
  assert.deepEqual(await collect(admin, [powerOf("meter", { where })]), [{ statement_id: 0 }]);
});

async function addMember(target: TestApp, roleId: number): Promise<string> {
  const { userId, accessToken } = await target.createUser("other@example.com");
  await execute(target, `INSERT INTO member (id, user_id, role_id) VALUES (900000, ${userId}, ${roleId})`);
  return accessToken;
}

/** Strings of a device, one per second, as the writer stores them. */
async function writeTexts(target: TestApp, admin: Person, count: number, text: string): Promise<void> {
  const written = await writeLines(admin, [`energy,nodeId=meter power=${JSON.stringify(text)} 0`]);
  assert.equal(written.status, 204, written.text);
  await target.database.write([{
    sql: `WITH RECURSIVE numbered(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbered WHERE i < :count - 1)
      INSERT INTO point SELECT series.id, i * 1000000000, point.value
      FROM numbered CROSS JOIN series CROSS JOIN point ON point.series_id = series.id AND point.time = 0`,
    args: { count: BigInt(count) },
  }]);
}

/** Queries the strings from a second on. */
function texts(from: number, count: number): Record<string, unknown> {
  const time = [{ operator: ">=", value: from * 1000 }, { operator: "<", value: (from + count) * 1000 }];
  return powerOf("meter", { where: { tags: { nodeId: "meter" }, time } });
}

forEachApp("a result larger than one message of the server arrives in parts", async (target) => {
  const { admin } = await bootstrapMeter(target);
  await writeTexts(target, admin, 6000, `say "${"x".repeat(4000)}"`);
  const ask = async (...queries: unknown[]): Promise<[number, number]> => {
    const { status, text } = await send(target, "POST", COLLECT, { token: admin.accessToken, body: queries });
    return [status, text.split('xxxx\\"').length - 1];
  };
  assert.deepEqual(await ask(texts(0, 1000)), [200, 1000]);
  const thousands = Array.from({ length: 6 }, (_, i) => texts(1000 * i, 1000));
  assert.deepEqual(await ask(...thousands), [200, 6000]);
  assert.deepEqual(await ask(texts(0, 6000)), [200, 6000]);
});

forEachApp(
  "unfetched responses fill at most the caller's share of the room, and are released when cancelled",
  async (target) => {
    const { admin, rootId } = await bootstrapMeter(target);
    await writeTexts(target, admin, 6000, "x".repeat(4000));
    const body = JSON.stringify(Array.from({ length: 6 }, (_, i) => texts(1000 * i, 1000)));
    const other = await addMember(target, rootId);
    const ask = (token = admin.accessToken): Promise<Response> => {
      const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
      return target.request(COLLECT, { method: "POST", headers, body });
    };
    const responses: Response[] = [];
    for (let i = 0; i < 4; i++) responses.push(await ask());
    // 24 MB each of 128: what is free, less what each branch of the caller holds.
    assert.deepEqual(responses.map(({ status }) => status), [200, 200, 503, 503]);
    assert.equal(responses[3]?.headers.get("Retry-After"), "1");
    assert.ok(Number(responses[1]?.headers.get("X-RateLimit-Cost")) > 0);
    for (let i = 0; i < 3; i++) responses.push(await ask(other));
    assert.deepEqual(responses.slice(4).map(({ status }) => status), [200, 503, 503]);
    for (const response of responses) await response.body?.cancel();
    const last = await ask();
    assert.equal(last.status, 200);
    assert.equal((await last.text()).split('xxxx"').length - 1, 6000);
  },
);

forEachApp("the texts of all queries count together", async (target) => {
  const { admin } = await bootstrapMeter(target);
  await writeTexts(target, admin, 1200, "x".repeat(4000));
  // 4 MB each.
  const queries = Array.from({ length: 10 }, (_, i) => texts(i, 1000));
  const ask = async (count: number): Promise<number> =>
    (await send(target, "POST", COLLECT, { token: admin.accessToken, body: queries.slice(0, count) })).status;
  assert.deepEqual([await ask(8), await ask(10)], [200, 422]);
});

forEachApp("a right that ends while a call waits or reads is no longer used", async (target) => {
  const { admin, rootId } = await bootstrapMeter(target);
  await addDevice(admin, await admin.create(rootId, "Other"), "kept");
  for (const nodeId of ["meter", "kept"]) await writeLines(admin, [`energy,nodeId=${nodeId} power=1 0`]);
  const { telemetryStore } = target.deps;
  const app = createApp({
    ...target.deps,
    telemetryStore: {
      ...telemetryStore,
      async read(...given) {
        const results = await telemetryStore.read(...given);
        await execute(target, `DELETE FROM monitors WHERE role_id = ${rootId}`);
        return results;
      },
    },
  });
  const instance = { request: requestsTo(app) };
  const body = [powerOf("meter"), powerOf("kept")];
  const answer = await send(instance, "POST", COLLECT, { token: admin.accessToken, body });
  const [meter, kept] = answer.body as { error?: string; series?: unknown[] }[];
  assert.deepEqual(meter, { statement_id: 0, error: "Unauthorized" });
  assert.equal(kept?.series?.length, 1);
});

/** An instance whose reads of points end when the test says so. */
interface HeldReads {
  readonly instance: Pick<TestApp, "request">;
  /** Reads that have begun and not ended. */
  readonly running: () => number;
  /** Resolves once this many reads run. */
  readonly haveBegun: (count: number) => Promise<void>;
  readonly endAll: () => void;
}

function holdReads({ deps }: TestApp, change: Partial<AppDeps> = {}): HeldReads {
  const { telemetryStore } = deps;
  const gate = Promise.withResolvers<void>();
  const begun = new EventTarget();
  let running = 0;
  const app = createApp({
    ...deps,
    ...change,
    telemetryStore: {
      ...telemetryStore,
      async read(...given) {
        running++;
        begun.dispatchEvent(new Event("read"));
        await gate.promise;
        running--;
        return await telemetryStore.read(...given);
      },
    },
  });
  return {
    instance: { request: requestsTo(app) },
    running: () => running,
    async haveBegun(count) {
      while (running < count) {
        await new Promise((resolve) => begun.addEventListener("read", resolve, { once: true }));
      }
    },
    endAll: gate.resolve,
  };
}

/** Sends calls of one user that read a device. */
function askOften(
  instance: HeldReads["instance"],
  { accessToken: token }: Person,
  count: number,
): Promise<number>[] {
  return Array.from(
    { length: count },
    async () => (await send(instance, "POST", COLLECT, { token, body: [powerOf("meter")] })).status,
  );
}

forEachApp("few calls read at once, each branch leaves room for another, the others wait", async (target) => {
  const { admin, rootId } = await bootstrapMeter(target);
  const { instance, running, haveBegun, endAll } = holdReads(target);
  const asked: Promise<number>[] = [];
  let begun = 0;
  for (const [user, calls] of (target.database.kind === "file" ? [2, 1, 1] : [3, 2, 1, 1, 1]).entries()) {
    const person = user === 0 ? admin : await invite(target, admin, rootId, `user${user}@x.example`);
    asked.push(...askOften(instance, person, 5));
    await haveBegun(begun += calls);
    if (user > 0) continue;
    // Calls that have nothing to read do not wait for the others.
    const { accessToken: token } = person;
    const body = [powerOf("nobody's")];
    assert.equal((await send(instance, "POST", COLLECT, { token, body })).status, 200);
    assert.equal(running(), begun);
  }
  endAll();
  assert.deepEqual(new Set(await Promise.all(asked)), new Set([200]));
});

forEachApp("a call whose turn does not come is refused in time, while others still read", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const { instance, running, haveBegun, endAll } = holdReads(target, { telemetryTurnMs: 50 });
  // As many as one branch may have.
  const most = target.database.kind === "file" ? 2 : 3;
  const asked = askOften(instance, admin, most);
  await haveBegun(most);
  const late = Promise.all(askOften(instance, admin, 1));
  assert.deepEqual(await waitAtMost(5000, late, () => "waits"), [503]);
  assert.equal(running(), most);
  endAll();
  assert.deepEqual(new Set(await Promise.all(asked)), new Set([200]));
  assert.deepEqual(await Promise.all(askOften(instance, admin, 1)), [200]);
});
