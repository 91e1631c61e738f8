/** The rate limit of telemetry: what reads and writes cost, and what is refused before it is read. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { type Answer, execute, forEachApp } from "../helpers/http.ts";
import { invite, Person } from "../helpers/person.ts";
import {
  addDevice,
  COLLECT,
  powerOf,
  WRITE,
  writeLines,
  writeMinutes,
} from "../every_operation/telemetry_requests.ts";
import { bootstrapMeter, countRows } from "./telemetry_scene.ts";
import { ALL, rights } from "../every_operation/request_catalogue.ts";
import { requestsTo, type TestApp } from "../helpers/test_app.ts";

/** A call costs 1000, a query 100, a point 1. */
const BUCKET = { capacity: 5000, drainSeconds: 50 };

/** The cost, the used and the remaining part of the bucket. */
function usageOf({ headers }: Answer): (number | null)[] {
  return ["Cost", "Used", "Remaining"].map((name) => {
    const text = headers.get(`X-RateLimit-${name}`);
    return text === null ? null : Number(text);
  });
}

/** The person at another instance of the service, or the same one after a restart, with a small bucket. */
function withBucket(target: TestApp, { accessToken }: Person, telemetryBucket = BUCKET): Person {
  return new Person({ request: requestsTo(createApp({ ...target.deps, telemetryBucket })) }, accessToken);
}

/** Calls with so many queries for the power of the device. */
function ask(person: Person, queries: number): Promise<Answer> {
  return person.ask("POST", COLLECT, Array<unknown>(queries).fill(powerOf("meter")));
}

/** A person whose session has ended. */
async function endedPerson(target: TestApp): Promise<Person> {
  const { accessToken, userId } = await target.createUser("ended@x.example");
  await execute(target, `UPDATE session SET ended_at = 1 WHERE user_id = ${userId}`);
  return new Person(target, accessToken);
}

/** A body that fails the test once it is read. */
function unread(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(): void {
      throw new Error("the body was read");
    },
  }, { highWaterMark: 0 });
}

forEachApp("collecting fills a leaky bucket that reports its level, refuses and drains", async (target) => {
  const { admin, rootId } = await bootstrapMeter(target);
  await writeMinutes(admin, "meter", 100);
  target.clock.advance(60);
  const [one, other] = [withBucket(target, admin), withBucket(target, admin)];
  assert.deepEqual(usageOf(await ask(one, 2)), [1400, 1400, 3600]);
  // Another instance sees the same level.
  assert.deepEqual(usageOf(await ask(other, 10)), [3000, 4400, 600]);
  // Other users have their own buckets, and fill no others.
  const eva = withBucket(target, await invite(target, admin, rootId, "eva@x.example"));
  assert.deepEqual(usageOf(await ask(eva, 1)), [1200, 1200, 3800]);
  const full = await ask(one, 1);
  assert.equal(full.status, 429);
  assert.equal((full.body as { message: string }).message, "The rate limit of telemetry is reached");
  // 1100 do not fit on top of 4400: 500 have to drain, at 100 per second.
  assert.equal((full.body as { retryAfter: number }).retryAfter, 5);
  assert.equal(full.headers.get("Retry-After"), "5");
  assert.deepEqual(usageOf(full), [1100, 4400, 600]);

  target.clock.advance(5);
  const refusedLate = await ask(one, 1);
  assert.equal(refusedLate.status, 429, "its queries fit, what they return does not");
  assert.deepEqual(usageOf(refusedLate), [1200, 5000, 0]);
  target.clock.advance(60);
  assert.deepEqual(usageOf(await ask(one, 1)), [1200, 1200, 3800]);
});

forEachApp("a request larger than the bucket gets a 422", async (target) => {
  const { admin } = await bootstrapMeter(target);
  await writeMinutes(admin, "meter", 1000);
  target.clock.advance(60);
  for (const [queries, cost] of [[41, 5100], [4, 5400]] as const) {
    const answer = await ask(withBucket(target, admin), queries);
    assert.equal(answer.status, 422, `${queries} queries: ${answer.text}`);
    const { message } = answer.body as { message: string };
    assert.equal(message, "The request costs more than the rate limit ever allows");
    assert.equal(usageOf(answer)[0], cost);
  }
});

forEachApp("of many simultaneous calls, only as many succeed as fit into the bucket", async (target) => {
  const { admin } = await bootstrapMeter(target);
  await writeMinutes(admin, "meter", 100);
  target.clock.advance(60);
  const person = withBucket(target, admin);
  const answers = await Promise.all(Array.from({ length: 12 }, () => ask(person, 1)));
  const statuses = answers.map(({ status }) => status);
  assert.ok(statuses.includes(429));
  const passed = statuses.filter((status) => status === 200).length;
  assert.ok(passed >= 1 && passed <= 4, `${passed} of 1200 each fit into 5000`);
});

forEachApp("an instance with a slow clock neither fills a bucket nor drains it twice", async (target) => {
  const person = withBucket(target, (await bootstrapMeter(target)).admin);
  for (const [seconds, used] of [[60, 1100], [-5, 2200], [5, 3300]] as const) {
    target.clock.advance(seconds);
    assert.equal(usageOf(await ask(person, 1))[1], used);
  }
});

forEachApp("a call is charged for the values that it scans, even if it returns few", async (target) => {
  const { admin } = await bootstrapMeter(target);
  await writeMinutes(admin, "meter", 10_000);
  target.clock.advance(60);
  const sum = powerOf("meter", { select: [{ field: "power", function: "sum" }] });
  const [cost = 0] = usageOf(await admin.ask("POST", COLLECT, [sum]));
  // 50 values for a point, and a few for the tag set and the row.
  // 4 to 5 scanned values a point: its text has 16 to 20 bytes.
  assert.ok(Number(cost) >= 1100 + 40_000 / 50 && Number(cost) <= 1100 + 50_000 / 50, String(cost));
});

forEachApp("writes fill the same bucket by values, series and text, even if refused", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const owner = withBucket(target, admin);
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
});

forEachApp("a series that this process has found costs a fifth of another one", async (target) => {
  const { admin, rootId } = await bootstrapMeter(target);
  await addDevice(admin, rootId, "other");
  const owner = withBucket(target, admin);
  /** The status of a write, and what it costs besides values and text. */
  const write = async (lines: readonly string[], values = lines.length): Promise<[number, number]> => {
    target.clock.advance(30);
    const text = lines.join("\n");
    const answer = await writeLines(owner, text);
    return [answer.status, Number(usageOf(answer)[0]) - Math.ceil(values / 2 + text.length / 128)];
  };
  const lines = (from: number, tags = "", fields = "a=1"): string[] =>
    Array.from({ length: 400 }, (_, i) => `m,nodeId=meter,n=${from + i}${tags} ${fields} 1`);
  assert.deepEqual(await write(lines(0)), [204, 400 * 5]);
  assert.deepEqual(await write(lines(0)), [204, 400]);
  assert.deepEqual(await write(lines(100)), [204, 100 * 5 + 300], "new and known ones");
  assert.deepEqual(await write(lines(0, ",o=1")), [204, 400 * 5], "other tags are other series");
  assert.deepEqual(await write(lines(0, "", "a=1,b=1"), 800), [204, 400 * 5 + 400], "another field of each");

  // Of a series with tags of more than 512 characters, nothing is remembered.
  const long = (length: number): string[] =>
    Array.from({ length: 100 }, (_, i) => `${`m,nodeId=meter,n=${100 + i},t=`.padEnd(length, "x")} a=1 1`);
  for (const [length, cost] of [[512, 500], [512, 100], [513, 500], [513, 500]] as const) {
    assert.deepEqual(await write(long(length)), [204, cost], `${length} characters`);
  }

  // Refused: what a refused write has found is not remembered, and what was remembered still costs as such.
  const { monitors } = await admin.post<{ monitors: { id: number }[] }>(`/v1/role/${rootId}/monitors/query`);
  await admin.delete(`/v1/role/${rootId}/monitors/${monitors[0]?.id}`);
  assert.deepEqual(await write(lines(0)), [403, 400]);
  for (let i = 0; i < 2; i++) assert.deepEqual(await write(lines(0, ",p=1")), [403, 400 * 5]);
});

forEachApp("a body of points is not read if the caller may write to no device", async (target) => {
  const { admin, rootId } = await bootstrapMeter(target);
  const stranger = new Person(target, (await target.createUser("nobody@x.example")).accessToken);
  // A member of a role without rights on itself, which monitors a device.
  const roleId = await admin.create(rootId, "readers", ALL, rights());
  await addDevice(admin, roleId, "other");
  const reader = await invite(target, admin, roleId, "reader@x.example");
  const post = async (person: Person, rawBody: BodyInit): Promise<number> => {
    const sent = { rawBody, headers: { "Content-Type": "text/plain" } };
    return (await person.ask("POST", WRITE, undefined, sent)).status;
  };
  const statuses = [];
  for (const person of [await endedPerson(target), stranger, reader]) {
    statuses.push(await post(person, unread()));
  }
  assert.deepEqual(statuses, [401, 403, 403]);
  const filling = withBucket(target, admin, { capacity: 1100, drainSeconds: 60 });
  for (let i = 0; i < 11; i++) assert.equal(await post(filling, "m,nodeId=meter a=1"), 204);
  assert.equal(await post(filling, unread()), 429);
});

forEachApp("a long list of queries is not parsed if not even one of them fits", async (target) => {
  const { admin } = await bootstrapMeter(target);
  const owner = withBucket(target, admin);
  const askRaw = (rawBody: string): Promise<Answer> =>
    owner.ask("POST", COLLECT, undefined, { rawBody, headers: { "Content-Type": "application/json" } });
  const malformed = "[".padEnd(5000);
  const queries = (count: number): string =>
    JSON.stringify(Array<unknown>(count).fill(powerOf("meter"))).padEnd(5000);
  const notCharged = await askRaw(malformed);
  assert.deepEqual([notCharged.status, ...usageOf(notCharged)], [400, null, null, null]);
  // Charged once.
  assert.deepEqual(usageOf(await askRaw(queries(29))), [3900, 3900, 1100]);
  assert.equal((await askRaw(malformed)).status, 400, "1100 fit");
  assert.deepEqual(usageOf(await askRaw(queries(1))), [1100, 5000, 0]);
  const full = await askRaw(malformed);
  assert.equal(full.status, 429);
  assert.deepEqual(usageOf(full), [1100, 5000, 0]);
  assert.equal(full.headers.get("Retry-After"), "11");
  target.clock.advance(11);
  assert.equal((await askRaw(malformed)).status, 400);
  assert.equal((await ask(withBucket(target, await endedPerson(target)), 40)).status, 401);
});

forEachApp("a caller with very many roles is checked at each device", async (target) => {
  await bootstrapMeter(target);
  const { accessToken, userId } = await target.createUser("many@x.example");
  const roles = "WITH RECURSIVE n(id) AS (SELECT 800000 UNION ALL SELECT id + 1 FROM n WHERE id < 800200)";
  await execute(target, [
    `INSERT INTO role (id, name, self_rights) ${roles} SELECT id, 'r', 63 FROM n`,
    `INSERT INTO member (id, role_id, user_id) ${roles} SELECT id + 1000, id, ${userId} FROM n`,
  ]);
  const write = () => writeLines(new Person(target, accessToken), "m,nodeId=meter a=1");
  assert.equal((await write()).status, 403);
  await execute(
    target,
    "INSERT INTO monitors (id, role_id, device_id) SELECT 900001, 800200, id FROM device",
  );
  assert.equal((await write()).status, 204);
});

forEachApp("long writes of one user wait and do not delay those of another", async (target) => {
  const { admin, rootId } = await bootstrapMeter(target);
  const eva = await invite(target, admin, rootId, "eva@x.example");
  const text = "energy,nodeId=meter power=1 1".padEnd(66_000, "\n");
  const greedy = Array.from({ length: 170 }, () => writeLines(admin, text));
  assert.equal((await writeLines(eva, text)).status, 204);
  const refused = (await Promise.all(greedy)).filter(({ status }) => status === 503);
  assert.ok(refused.length > 50);
});
