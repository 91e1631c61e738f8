import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { type Answer, forEachApp, send } from "../helpers/http.ts";
import { bootstrap, invite, Person } from "../helpers/person.ts";
import {
  addDevice,
  COLLECT,
  powerOf,
  WRITE,
  writeLines,
  writeMinutes,
} from "../every_operation/telemetry_requests.ts";
import { countRows } from "./telemetry_scene.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { requestsTo, type TestApp } from "../helpers/test_app.ts";

/** A call costs 1000, a query 100, a point 1. */
const BUCKET = { capacity: 5000, drainSeconds: 50 };

function usageOf({ headers }: Answer): (number | null)[] {
  return ["Cost", "Used", "Remaining"].map((name) => {
    const text = headers.get(`X-RateLimit-${name}`);
    return text === null ? null : Number(text);
  });
}

/** Another instance of the service, or the same one after a restart, with a small bucket. */
function instanceOf(target: TestApp): Pick<TestApp, "request"> {
  return { request: requestsTo(createApp({ ...target.deps, telemetryBucket: BUCKET })) };
}

forEachApp("collecting fills a leaky bucket that reports its level, refuses and drains", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  await writeMinutes(admin, "meter", 100);
  target.clock.advance(60);
  const [one, other] = [instanceOf(target), instanceOf(target)];
  const ask = (instance: typeof one, count: number, token = admin.accessToken) =>
    send(instance, "POST", COLLECT, { token, body: Array<unknown>(count).fill(powerOf("meter")) });

  assert.deepEqual(usageOf(await ask(one, 2)), [1400, 1400, 3600]);
  // Another instance sees the same level.
  assert.deepEqual(usageOf(await ask(other, 10)), [3000, 4400, 600]);
  const full = await ask(one, 1);
  assert.equal(full.status, 429);
  assert.equal((full.body as { message: string }).message, "The rate limit of telemetry is reached");
  // 1100 do not fit on top of 4400: 500 have to drain, at 100 per second.
  assert.equal((full.body as { retryAfter: number }).retryAfter, 5);
  assert.equal(full.headers.get("Retry-After"), "5");
  assert.deepEqual(usageOf(full), [1100, 4400, 600]);
  // Other users have their own buckets.
  const eva = await invite(target, admin, rootId, "eva@x.example");
  assert.deepEqual(usageOf(await ask(one, 1, eva.accessToken)), [1200, 1200, 3800]);

  target.clock.advance(5);
  const refusedLate = await ask(one, 1);
  assert.equal(refusedLate.status, 429, "its queries fit, what they return does not");
  assert.deepEqual(usageOf(refusedLate), [1200, 5000, 0]);
  target.clock.advance(60);
  assert.deepEqual(usageOf(await ask(one, 1)), [1200, 1200, 3800]);
});

forEachApp("a request larger than the bucket gets a 422", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  await writeMinutes(admin, "meter", 1000);
  target.clock.advance(60);
  const instance = instanceOf(target);
  for (const count of [41, 4]) {
    const body = Array<unknown>(count).fill(powerOf("meter"));
    const answer = await send(instance, "POST", COLLECT, { token: admin.accessToken, body });
    assert.equal(answer.status, 422, `${count} queries: ${answer.text}`);
    const { message } = answer.body as { message: string };
    assert.equal(message, "The request costs more than the rate limit ever allows");
    assert.equal(usageOf(answer)[0], count === 41 ? 5100 : 5400);
  }
});

forEachApp("of many simultaneous calls, only as many succeed as fit into the bucket", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  await writeMinutes(admin, "meter", 100);
  target.clock.advance(60);
  const instance = instanceOf(target);
  const sent = { token: admin.accessToken, body: [powerOf("meter")] };
  const ask = () => send(instance, "POST", COLLECT, sent);
  const answers = await Promise.all(Array.from({ length: 12 }, ask));
  const statuses = answers.map(({ status }) => status);
  assert.ok(statuses.includes(429));
  const passed = statuses.filter((status) => status === 200).length;
  assert.ok(passed >= 1 && passed <= 4, `${passed} of 1200 each fit into 5000`);
});

forEachApp("a call fills only the caller's bucket", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  const eva = await invite(target, admin, rootId, "eva@x.example");
  const instance = instanceOf(target);
  const used = async (token: string): Promise<number | null | undefined> =>
    usageOf(await send(instance, "POST", COLLECT, { token, body: [powerOf("meter")] }))[1];
  assert.equal(await used(admin.accessToken), 1100);
  assert.equal(await used(eva.accessToken), 1100);
  assert.equal(await used(admin.accessToken), 2200);
});

forEachApp("an instance with a slow clock neither fills a bucket nor drains it twice", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  const instance = instanceOf(target);
  const used = async (): Promise<number | null | undefined> => {
    const sent = { token: admin.accessToken, body: [powerOf("meter")] };
    return usageOf(await send(instance, "POST", COLLECT, sent))[1];
  };
  target.clock.advance(60);
  assert.equal(await used(), 1100);
  target.clock.advance(-5);
  assert.equal(await used(), 2200);
  target.clock.advance(5);
  assert.equal(await used(), 3300);
});

forEachApp("a call is charged for the values that it scans, even if it returns few", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  await writeMinutes(admin, "meter", 10_000);
  target.clock.advance(60);
  const sum = powerOf("meter", { select: [{ field: "power", function: "sum" }] });
  const answer = await admin.ask("POST", COLLECT, [sum]);
  const [cost = 0] = usageOf(answer);
  // 50 values for a point, and a few for the tag set and the row.
  // 4 to 5 scanned values a point: its text has 16 to 20 bytes.
  assert.ok(Number(cost) >= 1100 + 40_000 / 50 && Number(cost) <= 1100 + 50_000 / 50, String(cost));
});

forEachApp(
  "writes are charged to the same bucket for values, series and text, even if refused",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    await addDevice(admin, rootId, "meter");
    const instance = instanceOf(target);
    const owner = new Person(instance, admin.accessToken);
    const write = (text: string): Promise<Answer> => writeLines(owner, text, "");
    const line = "m,nodeId=meter a=1 1";
    assert.deepEqual(usageOf(await write(line)), [100, 100, 4900]);
    const foreign = await write("m,nodeId=foreign a=1 1");
    assert.deepEqual([foreign.status, ...usageOf(foreign)], [403, 100, 200, 4800]);
    const malformed = await write(`${line}\nm`);
    assert.deepEqual([malformed.status, ...usageOf(malformed)], [400, 100, 300, 4700]);

    // 1000 values, 1 series that the first write found, 24,000 characters.
    const lines = Array.from({ length: 1000 }, (_, i) => `m,nodeId=meter a=1 ${i}`);
    const values = lines.join("\n").padEnd(24_000);
    const cost = 1000 / 2 + 1 + Math.ceil(24_000 / 128);
    assert.deepEqual(usageOf(await write(values)), [cost, 300 + cost, 4700 - cost]);
    const refused = await write(`${values}\nm`);
    assert.equal(refused.status, 400, refused.text);
    assert.equal(usageOf(refused)[0], cost);
    target.clock.advance(50);

    // 500 series.
    const series = Array.from({ length: 500 }, (_, i) => `m,nodeId=meter,n=${i} a=1 1`).join("\n");
    assert.equal(usageOf(await write(series))[0], Math.ceil(500 / 2 + 500 * 5 + series.length / 128));
    // What does not fit is not written, and stays charged.
    const full = await write(series.replaceAll("meter,", "meter,more=1,"));
    assert.equal(full.status, 429, full.text);
    assert.deepEqual(usageOf(full).slice(1), [5000, 0]);
    assert.equal(await countRows(target, "tag_set WHERE tags LIKE '%more%'"), 0);
    target.clock.advance(100);
    const never = Array.from({ length: 900 }, (_, i) => `m,nodeId=meter,never=${i} a=1 1`).join("\n");
    assert.equal((await write(never)).status, 422);
  },
);

forEachApp("a series that this process has found costs a fifth of another one", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  await addDevice(admin, rootId, "other");
  const owner = new Person(instanceOf(target), admin.accessToken);
  /** The status of a write of 400 series, and what it costs besides values and text. */
  const write = async (more: string): Promise<unknown[]> => {
    target.clock.advance(50);
    const text = Array.from({ length: 400 }, (_, i) => `m,nodeId=meter,n=${i}${more} a=1 1`).join("\n");
    const answer = await writeLines(owner, text);
    return [answer.status, Number(usageOf(answer)[0]) - Math.ceil(400 / 2 + text.length / 128)];
  };
  assert.deepEqual(await write(""), [204, 2000]);
  assert.deepEqual(await write(""), [204, 400]);
  // Other tags are other series.
  assert.deepEqual(await write(",o=1"), [204, 2000]);
  // Refused: what a refused write has found is not remembered, and what was remembered still costs as such.
  const { monitors } = await admin.post<{ monitors: { id: number }[] }>(`/v1/role/${rootId}/monitors/query`);
  await admin.delete(`/v1/role/${rootId}/monitors/${monitors[0]?.id}`);
  assert.deepEqual(await write(""), [403, 400]);
  assert.deepEqual(await write(",p=1"), [403, 2000]);
  assert.deepEqual(await write(",p=1"), [403, 2000]);
});

forEachApp("a write of known and of new series, or of another field, pays for each", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  const owner = new Person(instanceOf(target), admin.accessToken);
  const lines = (from: number, fields: string): string =>
    Array.from({ length: 200 }, (_, i) => `m,nodeId=meter,n=${from + i} ${fields} 1`).join("\n");
  const costOf = async (text: string, values: number): Promise<number> => {
    target.clock.advance(50);
    const answer = await writeLines(owner, text);
    assert.equal(answer.status, 204, answer.text);
    return Number(usageOf(answer)[0]) - Math.ceil(values / 2 + text.length / 128);
  };
  assert.equal(await costOf(lines(0, "a=1"), 200), 200 * 5);
  assert.equal(await costOf(lines(100, "a=1"), 200), 100 * 5 + 100);
  assert.equal(await costOf(lines(0, "a=1,b=1"), 400), 200 * 5 + 200);
});

forEachApp("a series with tags of more than 512 characters is not remembered", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  const lines = (length: number): string =>
    Array.from({ length: 100 }, (_, i) => `${`m,nodeId=meter,n=${100 + i},t=`.padEnd(length, "x")} a=1 1`)
      .join("\n");
  const costOf = async (text: string): Promise<number> => {
    const answer = await writeLines(admin, text);
    assert.equal(answer.status, 204, answer.text);
    return Number(usageOf(answer)[0]) - Math.ceil(100 / 2 + text.length / 128);
  };
  const costs = [];
  for (const length of [512, 512, 513, 513]) costs.push(await costOf(lines(length)));
  assert.deepEqual(costs, [500, 100, 500, 500]);
});

/** A body that fails the test once it is read. */
function unread(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(): void {
      throw new Error("the body was read");
    },
  }, { highWaterMark: 0 });
}

forEachApp("a body of points is not read if the caller may write to no device", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  const { accessToken: ended, userId } = await target.createUser("ended@x.example");
  const sql = `UPDATE session SET ended_at = 1 WHERE user_id = ${userId}`;
  await target.database.write([{ sql, args: {} }]);
  const { accessToken: stranger } = await target.createUser("nobody@x.example");
  // A member of a role without rights on itself, which monitors a device.
  const roleId = await admin.create(rootId, "readers", ALL, rights());
  await addDevice(admin, roleId, "other");
  const reader = await invite(target, admin, roleId, "reader@x.example");
  const headers = { "Content-Type": "text/plain" };
  const statuses = [];
  for (const token of [ended, stranger, reader.accessToken]) {
    statuses.push((await send(target, "POST", WRITE, { token, rawBody: unread(), headers })).status);
  }
  assert.deepEqual(statuses, [401, 403, 403]);
  const telemetryBucket = { capacity: 1100, drainSeconds: 60 };
  const full = { request: requestsTo(createApp({ ...target.deps, telemetryBucket })) };
  const post = async (rawBody: BodyInit): Promise<number> =>
    (await send(full, "POST", WRITE, { token: admin.accessToken, rawBody, headers })).status;
  for (let i = 0; i < 11; i++) assert.equal(await post("m,nodeId=meter a=1"), 204);
  assert.equal(await post(unread()), 429);
});

forEachApp(
  "a long list of queries is not parsed if not even one of them fits into the bucket",
  async (target) => {
    const { admin, rootId } = await bootstrap(target);
    await addDevice(admin, rootId, "meter");
    const instance = instanceOf(target);
    const ask = (rawBody: string): Promise<Answer> =>
      send(instance, "POST", COLLECT, {
        token: admin.accessToken,
        rawBody,
        headers: { "Content-Type": "application/json" },
      });
    const malformed = "[".padEnd(5000);
    const queries = (count: number): string =>
      JSON.stringify(Array<unknown>(count).fill(powerOf("meter"))).padEnd(5000);
    const unread = await ask(malformed);
    assert.deepEqual([unread.status, ...usageOf(unread)], [400, null, null, null]);
    // Charged once.
    assert.deepEqual(usageOf(await ask(queries(29))), [3900, 3900, 1100]);
    assert.equal((await ask(malformed)).status, 400, "1100 fit");
    assert.deepEqual(usageOf(await ask(queries(1))), [1100, 5000, 0]);
    const full = await ask(malformed);
    assert.equal(full.status, 429);
    assert.deepEqual(usageOf(full), [1100, 5000, 0]);
    assert.equal(full.headers.get("Retry-After"), "11");
    target.clock.advance(11);
    assert.equal((await ask(malformed)).status, 400);
    const { accessToken: ended, userId } = await target.createUser("ended@x.example");
    await target.database.write([{
      sql: `UPDATE session SET ended_at = 1 WHERE user_id = ${userId}`,
      args: {},
    }]);
    const late = await send(instance, "POST", COLLECT, {
      token: ended,
      body: Array<unknown>(40).fill(powerOf("meter")),
    });
    assert.equal(late.status, 401);
  },
);

forEachApp("a caller with very many roles is checked at each device", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  const { accessToken, userId } = await target.createUser("many@x.example");
  const roles = Array.from({ length: 201 }, (_, i) => 800_000 + i);
  await target.database.write(roles.flatMap((id) => [
    { sql: `INSERT INTO role (id, name, self_rights) VALUES (${id}, 'r', 63)`, args: {} },
    { sql: `INSERT INTO member (id, role_id, user_id) VALUES (${id + 1000}, ${id}, ${userId})`, args: {} },
  ]));
  const write = () => writeLines(new Person(target, accessToken), "m,nodeId=meter a=1");
  assert.equal((await write()).status, 403);
  await target.database.write([
    { sql: `INSERT INTO monitors (id, role_id, device_id) SELECT 900001, 800200, id FROM device`, args: {} },
  ]);
  assert.equal((await write()).status, 204);
});

forEachApp("long writes of one user wait and do not delay those of another", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  const eva = await invite(target, admin, rootId, "eva@x.example");
  const text = "energy,nodeId=meter power=1 1".padEnd(66_000, "\n");
  const greedy = Array.from({ length: 170 }, () => writeLines(admin, text));
  assert.equal((await writeLines(eva, text)).status, 204);
  const refused = (await Promise.all(greedy)).filter(({ status }) => status === 503);
  assert.ok(refused.length > 50);
});
