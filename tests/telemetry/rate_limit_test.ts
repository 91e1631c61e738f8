import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { type Answer, forEachApp, send } from "../helpers/http.ts";
import { bootstrap, invite } from "../helpers/person.ts";
import { addDevice, COLLECT, powerOf, writeMinutes } from "../every_operation/telemetry_requests.ts";
import type { TestApp } from "../helpers/test_app.ts";

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
  const app = createApp({ ...target.deps, telemetryBucket: BUCKET });
  return {
    request: async (path, { from = "192.0.2.1", ...init } = {}) =>
      await app.request(path, init, { remoteAddr: { hostname: from } }),
  };
}

forEachApp("a leaky bucket guards collecting: it tells its state, refuses, and drains", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  await writeMinutes(admin, "meter", 100);
  const [one, other] = [instanceOf(target), instanceOf(target)];
  const ask = (
    instance: Pick<TestApp, "request">,
    count: number,
    token = admin.accessToken,
  ): Promise<Answer> =>
    send(instance, "POST", COLLECT, { token, body: Array<unknown>(count).fill(powerOf("meter")) });

  assert.deepEqual(usageOf(await ask(one, 2)), [1400, 1400, 3600]);
  // Another instance sees the same level.
  assert.deepEqual(usageOf(await ask(other, 10)), [3000, 4400, 600]);
  const full = await ask(one, 1);
  assert.equal(full.status, 429);
  assert.equal((full.body as { message: string }).message, "The rate limit of telemetry queries is reached");
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

forEachApp("a request that never fits is refused for good", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  await writeMinutes(admin, "meter", 1000);
  const instance = instanceOf(target);
  for (const count of [41, 4]) {
    const body = Array<unknown>(count).fill(powerOf("meter"));
    const answer = await send(instance, "POST", COLLECT, { token: admin.accessToken, body });
    assert.equal(answer.status, 422, `${count} queries: ${answer.text}`);
    assert.equal(
      (answer.body as { message: string }).message,
      "The request costs more than the rate limit ever allows",
    );
    assert.equal(usageOf(answer)[0], count === 41 ? 5100 : 5400);
  }
});

forEachApp("of many calls at once no more get through than fit", async (target) => {
  const { admin, rootId } = await bootstrap(target);
  await addDevice(admin, rootId, "meter");
  await writeMinutes(admin, "meter", 100);
  const instance = instanceOf(target);
  const answers = await Promise.all(
    Array.from(
      { length: 12 },
      () => send(instance, "POST", COLLECT, { token: admin.accessToken, body: [powerOf("meter")] }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  assert.ok(statuses.includes(429));
  const passed = statuses.filter((status) => status === 200).length;
  assert.ok(passed >= 1 && passed <= 4, `${passed} of 1200 each fit into 5000`);
});

forEachApp("a call fills the caller's bucket and no other", async (target) => {
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

forEachApp("an instance whose clock is behind neither fills a bucket nor drains it twice", async (target) => {
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
