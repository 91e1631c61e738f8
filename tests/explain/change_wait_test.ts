/** A request for changes waits until one that its caller may see, its time, or the service ends. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import {
  type Answer,
  assertError,
  assertWait,
  execute,
  forEachApp,
  queryNumber,
  send,
  testApp,
  UNVERIFIED,
} from "../helpers/http.ts";
import { bootstrap, invite, type Person } from "../helpers/person.ts";
import { openTestApp, requestsTo, type TestApp } from "../helpers/test_app.ts";
import { rights } from "../every_operation/request_catalogue.ts";
import { makeProgram } from "../key/key_scene.ts";
import { type ChangePage, kindsOf, LOG, readLog } from "./log_scene.ts";
import { ManualTime, until } from "./manual_time.ts";

interface Scene {
  readonly target: TestApp;
  readonly time: ManualTime;
  readonly stopping: AbortController;
  readonly admin: Person;
  readonly rootId: number;
  /** Begins to wait after the latest revision. */
  wait(person?: Person): Promise<Waiting>;
}

interface Waiting {
  readonly answer: Promise<Answer>;
  readonly waited: Promise<ChangePage>;
}

const times = new WeakMap<TestApp, { time: ManualTime; stopping: AbortController }>();

/** Registers a test on an app whose waits take the time that the test lets pass. */
function waitScene(name: string, body: (scene: Scene) => Promise<void>, register = testApp): void {
  register(name, async (target) => {
    const { time, stopping } = times.get(target) ?? assert.fail();
    const { admin, rootId } = await bootstrap(target);
    async function wait(person = admin): Promise<Waiting> {
      const { nextRevision: after } = await readLog(person);
      const before = time.pending;
      const answer = person.ask("POST", LOG, { after, wait: 25 });
      if (before === 0) await until(() => time.pending === 1);
      else await new Promise((resolve) => setTimeout(resolve, 50));
      return { answer, waited: answer.then(({ body }) => body as ChangePage) };
    }
    await body({ target, time, stopping, admin, rootId, wait });
    assert.equal(time.pending, 0, "a look is still scheduled");
  }, async (kind) => {
    const [time, stopping] = [new ManualTime(), new AbortController()];
    const target = await openTestApp(kind, { changeWatchOptions: { time }, stopping: stopping.signal });
    times.set(target, { time, stopping });
    return target;
  });
}

/** Those who wait, who see what is below the site alone. */
const WAITING: Readonly<Record<string, (scene: Scene, siteId: number) => Promise<Person>>> = {
  "a member": ({ target, admin }, siteId) => invite(target, admin, siteId, "guest@example.com"),
  "a key that asks, though it has no right,": async ({ target, admin }, siteId) =>
    (await makeProgram(target, admin, siteId, { rights: rights(), asks: true })).program,
};

for (const [name, open] of Object.entries(WAITING)) {
  waitScene(`${name} waits for a change that they may see, over those that are hidden`, async (scene) => {
    const { time, admin, rootId, wait } = scene;
    const siteId = await admin.create(rootId, "Site");
    const { waited } = await wait(await open(scene, siteId));
    await admin.create(rootId, "Hidden");
    time.pass(1000);
    await until(() => time.pending === 1);
    await admin.create(siteId, "Seen");
    time.pass(1000);
    const page = await waited;
    assert.deepEqual(kindsOf(page), ["role.create"]);
    assert.equal(page.nextRevision, page.change[0]?.revision);
  });
}

waitScene("without a visible change, a wait ends with no changes and the last revision", async (scene) => {
  const { target, time, admin, rootId, wait } = scene;
  const guest = await invite(target, admin, await admin.create(rootId, "Guests"), "guest@example.com");
  const { answer } = await wait(guest);
  await admin.create(rootId, "Hidden");
  for (let second = 1; second <= 25; second++) {
    await until(() => time.pending === 1);
    time.pass(1000);
  }
  const { body, headers } = await answer;
  const last = await queryNumber(target, "SELECT max(rev) FROM change_log");
  assert.deepEqual(body, { change: [], nextRevision: last });
  assert.equal(headers.get("X-Rolegrid-Revision"), String(last));
});

waitScene("rights and session are checked again when a wait ends", async (scene) => {
  const { target, time, admin, rootId, wait } = scene;
  const roleId = await admin.create(rootId, "Guests");
  const guest = await invite(target, admin, roleId, "guest@example.com");
  const { answer } = await wait(guest);
  await admin.delete(`/v1/role/${roleId}/member/${await admin.memberIdOf(roleId, "guest@example.com")}`);
  time.pass(1000);
  await until(() => time.pending === 1);
  await execute(target, "UPDATE session SET ended_at = 1 WHERE user_id > 1");
  await admin.create(rootId, "New");
  time.pass(1000);
  assertError(await answer, 401, UNVERIFIED);
});

waitScene("a stopping service ends all waits at once", async ({ stopping, admin, wait }) => {
  const waiting = [await wait(), await wait()];
  stopping.abort();
  for (const { waited } of waiting) assert.deepEqual((await waited).change, []);
  const { change } = await (await admin.ask("POST", LOG, { after: 1_000_000, wait: 25 })).body as ChangePage;
  assert.deepEqual(change, []);
}, forEachApp);

waitScene("a caller without room for a wait gets a 429, which leaves room for others", async (scene) => {
  const { target, stopping, admin, rootId, wait } = scene;
  const { nextRevision: after } = await readLog(admin);
  const crowd = Array.from({ length: 400 }, () => admin.ask("POST", LOG, { after, wait: 25 }));
  assertWait(await Promise.race(crowd), "TOO_MANY_WAITS", 1);
  assert.equal((await admin.ask("POST", LOG, { after: 0, wait: 25 })).status, 200, "changes are at hand");
  const guest = await invite(target, admin, await admin.create(rootId, "Guests"), "guest@example.com");
  const others = await wait(guest);
  stopping.abort();
  assert.equal((await others.answer).status, 200);
  const statuses = Map.groupBy(await Promise.all(crowd), ({ status }) => status);
  assert.deepEqual([...statuses.keys()].sort(), [200, 429]);
});

waitScene("a client that leaves releases its wait", async ({ target, time, admin }) => {
  const { nextRevision: after } = await readLog(admin);
  for (let i = 0; i < 5; i++) {
    const client = new AbortController();
    const answer = target.request(LOG, {
      method: "POST",
      headers: { Authorization: `Bearer ${admin.accessToken}`, "Content-Type": "application/json" },
      body: JSON.stringify({ after, wait: 25 }),
      signal: client.signal,
    });
    await until(() => time.pending === 1);
    client.abort();
    assert.equal((await answer).status, 200);
    assert.equal(time.pending, 0);
  }
});

testApp("a waiting request releases the room of its body", async (target) => {
  const [time, stopping] = [new ManualTime(), new AbortController()];
  const app = createApp({
    ...target.deps,
    bodyRoomOptions: { budgetBytes: 65_536 },
    changeWatchOptions: { time },
    stopping: stopping.signal,
  });
  const { admin, rootId } = await bootstrap(target);
  const narrow = { request: requestsTo(app) };
  const token = admin.accessToken;
  const rawBody = JSON.stringify({ after: 1000, wait: 25 }).padEnd(40_000);
  const headers = { "Content-Type": "application/json" };
  const waiting = send(narrow, "POST", LOG, { token, rawBody, headers });
  await until(() => time.pending === 1);
  const body = { filter: { id: [rootId] } };
  assert.equal((await send(narrow, "POST", "/v1/role/query", { token, body })).status, 200);
  stopping.abort();
  assert.equal((await waiting).status, 200);
});
