import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { isSync, startHoldingProxy } from "./holding_proxy.ts";
import { ADD_FACT, aged, countFacts, type Instance, openScene, sql, until } from "./replica_scene.ts";

const ADD_BALLAST = sql("INSERT INTO ballast (bytes) VALUES (randomblob(500000))");

function countCopies({ folder }: Instance): number {
  return [...Deno.readDirSync(folder)].filter(({ name }) => name.startsWith("copy-")).length;
}

async function waitForCopyReads(instance: Instance): Promise<void> {
  await until(async () => {
    const before = instance.primaryReads();
    await countFacts(instance.database);
    return instance.primaryReads() === before;
  }, () => `a read from the copy: ${instance.events}`);
}

Deno.test("readers of a sync that hangs turn to the primary, and so do those who come later, at once", async () => {
  await using scene = await openScene();
  await using proxy = startHoldingProxy(scene.server.url);
  const instance = await scene.open({ url: proxy.url });
  const { database, primaryReads } = instance;
  assert.equal(await countFacts(database), 1);
  await scene.direct.write([ADD_FACT]);
  proxy.hold(isSync);
  assert.deepEqual(
    await Promise.all(Array.from({ length: 50 }, () => countFacts(database))),
    Array(50).fill(2),
  );
  assert.equal(primaryReads(), 50);
  await scene.direct.write([ADD_FACT]);
  for (let i = 0; i < 20; i++) assert.equal(await countFacts(database), 3);
  assert.equal(primaryReads(), 70);
  proxy.hold(undefined);
  proxy.letGo();
  await waitForCopyReads(instance);
  assert.equal(await countFacts(database), 3);
  assert.deepEqual(instance.events, ["replica.ready"], "the copy was not thrown away");
});

Deno.test("a sync that hangs for too long is replaced by one other copy, under a new name", async () => {
  await using scene = await openScene();
  await using proxy = startHoldingProxy(scene.server.url);
  const instance = await scene.open({ url: proxy.url, rivalAfterMs: 1000 });
  const { database, logged } = instance;
  assert.equal(await countFacts(database), 1);
  await scene.direct.write([ADD_FACT]);
  let mayHold = true;
  proxy.hold((request) => mayHold && isSync(request) && (mayHold = proxy.heldCount() === 0));
  assert.equal(await countFacts(database), 2);
  assert.equal(proxy.heldCount(), 1);
  await until(
    async () => await countFacts(database) === 2 && countCopies(instance) === 2,
    () => "a second copy",
  );
  await logged("replica.ready", 2);
  await waitForCopyReads(instance);
  await scene.direct.write([ADD_FACT]);
  assert.equal(await countFacts(database), 3);
  // The first one is deleted as soon as its thread comes back.
  assert.equal(countCopies(instance), 2);
  proxy.letGo();
  await until(() => countCopies(instance) === 1, () => "one copy");
  assert.equal(await countFacts(database), 3);
});

Deno.test("a first copy that a rival has overtaken is deleted, and nobody is told that it serves", async () => {
  await using scene = await openScene();
  await using proxy = startHoldingProxy(scene.server.url);
  proxy.hold((request) => isSync(request) && proxy.heldCount() === 0);
  const instance = await scene.openEmpty({ url: proxy.url, rivalAfterMs: 300 });
  await until(
    async () => await countFacts(instance.database) === 1 && instance.events.length > 0,
    () => "a rival",
  );
  assert.equal(countCopies(instance), 2);
  proxy.hold(undefined);
  proxy.letGo();
  await until(() => countCopies(instance) === 1, () => "one copy");
  assert.deepEqual(instance.events, ["replica.ready"]);
});

Deno.test("a copy that takes long gets no rival while it grows, neither the first time nor later", async () => {
  await using scene = await openScene();
  await scene.direct.write([sql("CREATE TABLE ballast (id INTEGER PRIMARY KEY, bytes BLOB)")]);
  async function addBallast(): Promise<void> {
    for (let part = 0; part < 10; part++) await scene.direct.write(Array(10).fill(ADD_BALLAST));
  }

  await addBallast();
  await using proxy = startHoldingProxy(scene.server.url);
  // The driver fetches parts of some megabytes, each of which takes a while.
  proxy.hold(isSync);
  const ticking = setInterval(() => proxy.letGo(), 100);
  try {
    const instance = await scene.openEmpty({ url: proxy.url, rivalAfterMs: 500 });
    for (let i = 1; i <= 2; i++) {
      const beganAt = performance.now();
      await until(async () => {
        assert.ok(countCopies(instance) <= 1);
        const before = instance.primaryReads();
        assert.equal(await countFacts(instance.database), 1);
        return instance.primaryReads() === before;
      }, () => `a read from the copy: ${instance.events}`);
      assert.ok(performance.now() - beganAt > 700, "it took longer than a rival waits");
      await addBallast();
    }
    assert.deepEqual(instance.events, ["replica.ready"]);
  } finally {
    clearInterval(ticking);
  }
});

Deno.test("while syncs hang, there are at most two copies, and the first that comes back serves", async () => {
  await using scene = await openScene();
  await using proxy = startHoldingProxy(scene.server.url);
  const instance = await scene.open({ url: proxy.url, rivalAfterMs: 1000 });
  assert.equal(await countFacts(instance.database), 1);
  proxy.hold(isSync);
  await scene.direct.write([ADD_FACT]);
  let most = 0;
  for (const end = performance.now() + 6000; performance.now() < end;) {
    assert.equal(await countFacts(instance.database), 2);
    most = Math.max(most, countCopies(instance));
    await delay(20);
  }
  assert.equal(most, 2);
  proxy.hold(undefined);
  proxy.letGo();
  await waitForCopyReads(instance);
  await until(() => countCopies(instance) === 1, () => "one copy");
  assert.equal(await countFacts(instance.database), 2);
});

Deno.test("reads that allow some age go on while a sync hangs, until the copy is too old", async () => {
  await using scene = await openScene();
  await using proxy = startHoldingProxy(scene.server.url);
  let now = 0;
  const instance = await scene.open({ url: proxy.url, monotonic: () => now, clock: () => 0 });
  const read = () => countFacts(instance.database);
  await read();
  await scene.direct.write([ADD_FACT]);
  proxy.hold(isSync);
  assert.equal(await read(), 2);
  now = 500;
  assert.deepEqual(await aged(1000, read), { result: 1, ageMs: 500 });
  now = 1001;
  assert.deepEqual(await aged(1000, read), { result: 2, ageMs: undefined });
  proxy.letGo();
});

Deno.test("an instance whose sync hangs closes in time", async () => {
  await using scene = await openScene();
  await using proxy = startHoldingProxy(scene.server.url);
  const { database } = await scene.open({ url: proxy.url });
  await countFacts(database);
  await scene.direct.write([ADD_FACT]);
  proxy.hold(isSync);
  await countFacts(database);
  const before = performance.now();
  await database.close();
  assert.ok(performance.now() - before < 3000);
  proxy.letGo();
});
