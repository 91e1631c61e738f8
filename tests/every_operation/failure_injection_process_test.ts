/** Faults of the database get a 503, leave nothing half done, and pass without a restart. */
import assert from "node:assert/strict";
import { createApp } from "../../src/app.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { createRandom } from "../helpers/random_numbers.ts";
import { FAULTS, openFaultyApp } from "../helpers/faulty_proxy.ts";
import { type Answer, assertError, dumpState, login, logInFully, query, send } from "../helpers/http.ts";
import { bootstrap, type Person, type Role } from "../helpers/person.ts";
import { assertSoundGraph } from "../helpers/sound_graph.ts";
import { startHelper } from "../helpers/processes.ts";
import { ADMIN, ADMIN_PASSWORD } from "./request_catalogue.ts";
import { FAULT_RATE, RandomRun, UNAVAILABLE } from "./random_faults.ts";
import { openTestApp, requestsTo, type TestApp } from "../helpers/test_app.ts";
import { testKind } from "../helpers/databases.ts";
import { IS_LONG } from "../helpers/read_count.ts";

const TIMEOUT_MS = 300;

/** One request for each kind of write: a change, a sign-in, a use of a refresh token. */
function writesOf(target: TestApp, { admin, rootId, refreshToken }: Scene): (() => Promise<Answer>)[] {
  return [
    () => admin.askToCreate(rootId, "Plant".repeat(50)),
    () => login(target, ADMIN, ADMIN_PASSWORD),
    () => send(target, "GET", "/auth/accesstoken", { token: refreshToken }),
  ];
}

/** Sends these and a read, one after the other. */
async function tryAll(target: TestApp, scene: Scene): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (const write of writesOf(target, scene)) answers.push(await write());
  return [...answers, await scene.admin.ask("POST", "/v1/role/query", {})];
}

interface Scene {
  readonly admin: Person;
  readonly rootId: number;
  readonly refreshToken: string;
}

async function setScene(target: TestApp): Promise<Scene> {
  const { admin, rootId } = await bootstrap(target);
  return { admin, rootId, refreshToken: (await logInFully(target, ADMIN, ADMIN_PASSWORD)).refreshToken };
}

/** Asserts that all requests get a 503 and change nothing, and that all succeed afterwards, without a restart. */
async function assertPasses(
  target: TestApp,
  trouble: { begin(): Promise<void> | void; end(): Promise<void> | void; readsGoOn?: boolean },
): Promise<void> {
  const scene = await setScene(target);
  const before = await dumpState(target);
  await trouble.begin();
  const answers = await tryAll(target, scene);
  for (const [i, answer] of answers.entries()) {
    if (i === 3 && trouble.readsGoOn) assert.equal(answer.status, 200, answer.text);
    else assertError(answer, 503, UNAVAILABLE, `request ${i}`);
  }
  await trouble.end();
  assert.equal(await dumpState(target), before, "nothing is half done");
  for (const answer of await tryAll(target, scene)) assert.equal(answer.status, 200, answer.text);
}

const REMOTE_TROUBLES = {
  "is unreachable": "refused",
  "is behind a gateway that cannot reach it": "no_server",
  "does not respond in time": "silence",
  "is full": { code: "SQLITE_FULL" },
  "is read-only": { code: "SQLITE_READONLY" },
  "is blocked by its provider": { code: "BLOCKED" },
  "is locked by other clients": { code: "SQLITE_BUSY" },
} as const;

for (const [name, fault] of Object.entries(REMOTE_TROUBLES)) {
  testKind(
    "remote",
    `the service responds 503 while its database server ${name}, and recovers by itself`,
    async () => {
      await using target = await openFaultyApp({ timeoutMs: TIMEOUT_MS });
      await assertPasses(target, {
        begin: () => target.proxy.setPlan(() => fault),
        end: () => target.proxy.setPlan(undefined),
      });
    },
  );
}

Deno.test("writes get a 503 while another process locks the file, and succeed afterwards", async () => {
  await using opened = await openTestApp("file");
  await using target = await reopen(opened);
  let holder: ReturnType<typeof startHelper> | undefined;
  await assertPasses(target, {
    readsGoOn: true,
    async begin() {
      holder = startHelper("../db/hold_lock.ts", [opened.url, "write"]);
      assert.equal(await holder.nextLine(), "held");
    },
    end: () => holder?.finish(),
  });
});

Deno.test("writes get a 503 when the file has become read-only, and succeed when repeated", async () => {
  await using target = await openTestApp("file");
  const scene = await setScene(target);
  const before = await dumpState(target);
  const attempts = writesOf(target, scene);
  for (const [i, attempt] of attempts.entries()) {
    // The pragma applies to one connection, which the service replaces when it meets the fault.
    await target.database.write([{ sql: "PRAGMA query_only = ON", args: {} }]);
    assertError(await attempt(), 503, UNAVAILABLE, `attempt ${i}`);
  }
  assert.equal(await dumpState(target), before);
  for (const attempt of attempts) assert.equal((await attempt()).status, 200);
});

Deno.test("writes get a 503 while the disk is full, and succeed once there is room", async () => {
  // A file of its own, without the free pages of earlier tests.
  await using target = await openTestApp("file", {}, { onDisk: true });
  const { admin, rootId } = await setScene(target);
  const create = (i: number) => admin.askToCreate(rootId, `${i} ${"x".repeat(250)}`);
  // No further pages. Writes that fit into the existing ones still succeed.
  await target.database.write([{ sql: "PRAGMA max_page_count = 1", args: {} }]);
  let made = 0;
  let refused = await create(made);
  while (refused.status === 200 && made < 1000) refused = await create(++made);
  assertError(refused, 503, UNAVAILABLE);
  assert.equal((await admin.roleIds()).length, 1 + made);
  await assertSoundGraph(target);
  await target.database.write([{ sql: "PRAGMA max_page_count = 1000000", args: {} }]);
  assert.equal((await create(made)).status, 200);
});

/** Opens the app on the same file with a short time limit. */
async function reopen(opened: TestApp): Promise<TestApp> {
  const database = await openDatabase(opened.url, { timeoutMs: TIMEOUT_MS });
  const app = createApp({ ...opened.deps, database });
  return {
    ...opened,
    app,
    request: requestsTo(app),
    [Symbol.asyncDispose]: () => database.close(),
  };
}

const SEEDS = IS_LONG ? [1, 2, 3] : [1];
const STEPS = 80;

for (const seed of SEEDS) {
  testKind(
    "remote",
    `under random faults a success takes effect once, and a 503 at most once (seed ${seed})`,
    async () => {
      await using target = await openFaultyApp();
      const run = new RandomRun(target, seed);
      await run.prepare();
      for (let step = 0; step < STEPS; step++) await run.step(step);
      assert.ok(target.proxy.faultCount() > 30, `${target.proxy.faultCount()} faults`);
      assert.ok(run.unavailable > 0, "some requests were to fail");
      assert.ok(run.succeeded > STEPS / 2, `only ${run.succeeded} requests succeeded`);
      await assertSoundGraph(target);
    },
  );
}

testKind("remote", "under random faults forty concurrent clients create each role at most once", async () => {
  await using target = await openFaultyApp();
  const { admin, rootId } = await bootstrap(target);
  const random = createRandom(7);
  const pick = (): typeof FAULTS[number] => FAULTS[Math.floor(random() * FAULTS.length)] ?? "refused";
  target.proxy.setPlan(() => random() < FAULT_RATE ? pick() : undefined);
  const names = Array.from({ length: 40 }, (_, i) => `role ${i}`);
  const create = (name: string) => admin.askToCreate(rootId, name, { headers: { "Idempotency-Key": name } });
  const answers = await Promise.all(names.map(create));
  target.proxy.setPlan(undefined);
  await target.proxy.settle();
  for (const [i, answer] of answers.entries()) {
    const name = names[i] ?? "";
    const stored = await query(target, "SELECT id FROM role WHERE name = :name", { name });
    if (answer.status === 503) assert.ok(stored.length <= 1, `${name}: ${stored.length} roles`);
    else assert.deepEqual(stored, [{ id: (answer.body as { role: Role }).role.id }], answer.text);
    // The client repeats the request under its key. Now the role exists once in any case.
    const repeated = await create(name);
    assert.equal(repeated.status, 200, repeated.text);
    if (answer.status === 200) assert.equal(repeated.text, answer.text);
  }
  assert.equal((await admin.roleIds()).length, 41);
  await assertSoundGraph(target);
});
