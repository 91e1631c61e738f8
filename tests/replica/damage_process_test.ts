import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { waitAtMost } from "../../src/core/deadline.ts";
import { probing } from "../../src/db/statement.ts";
import { startHoldingProxy } from "./holding_proxy.ts";
import { ADD_FACT, aged, COUNT_FACTS, countFacts, openScene, sql, until } from "./replica_scene.ts";

/** 3000 facts in all, so that the copy has a number of pages. */
const FILL = sql(`INSERT INTO fact (value)
  WITH RECURSIVE counter (i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM counter WHERE i < 3000) SELECT i FROM counter`);

/** What can happen to the files of a copy while it is in use. */
const DAMAGES: Record<string, (database: string) => void> = {
  "is cut off": (database) => Deno.truncateSync(database, 4096),
  "is overwritten with zeros": (database) => zero(database),
  "is replaced": (database) => {
    Deno.writeTextFileSync(`${database}-other`, "a file of somebody else's, with a text of some length");
    Deno.renameSync(`${database}-other`, database);
  },
  "is deleted": (database) => Deno.removeSync(database),
  "loses its log": (database) => Deno.removeSync(`${database}-wal`),
  "has its log cut off": (database) => Deno.truncateSync(`${database}-wal`, 5000),
  "has its log overwritten with zeros": (database) => zero(`${database}-wal`),
  "is deleted with all that belongs to it": (database) =>
    Deno.removeSync(database.replace(/\/copy\.db$/, ""), { recursive: true }),
};

function zero(path: string): void {
  const { size } = Deno.statSync(path);
  Deno.writeFileSync(path, new Uint8Array(size));
}

function pathOfCopy(folder: string): string {
  const [copy] = [...Deno.readDirSync(folder)].filter(({ name }) => name.startsWith("copy-"));
  return `${folder}/${copy?.name}/copy.db`;
}

for (const [what, damage] of Object.entries(DAMAGES)) {
  Deno.test(`a copy that ${what} while it is in use is thrown away before anybody reads it`, async () => {
    await using scene = await openScene();
    const { database, folder, primaryReads, logged } = await scene.open();
    await scene.direct.write([FILL]);
    assert.equal(await countFacts(database), 3000);
    assert.equal(primaryReads(), 0);
    // The system's times of files advance in steps of some milliseconds.
    await delay(20);
    damage(pathOfCopy(folder));
    await delay(20);
    for (let i = 1; i <= 20; i++) {
      await scene.direct.write([ADD_FACT]);
      assert.equal(await countFacts(database), 3000 + i);
    }
    await logged("replica.dropped: Something else has changed its files");
    await until(async () => (await countFacts(database), primaryReads() > 0), () => "a read at the primary");
    await logged("replica.ready", 2);
    const before = primaryReads();
    assert.equal(await countFacts(database), 3020);
    assert.equal(primaryReads(), before, "the new copy serves");
  });
}

Deno.test("what a read meets in a damaged copy, the primary reads instead", async () => {
  await using scene = await openScene();
  let now = 0;
  const { database, folder, primaryReads, events } = await scene.open({
    monotonic: () => now,
    clock: () => 0,
  });
  await scene.direct.write([FILL]);
  assert.equal(await countFacts(database), 3000);
  // A read that allows some age does not look at the files first, so it runs into what is there.
  zero(`${pathOfCopy(folder)}-wal`);
  zero(pathOfCopy(folder));
  now = 1;
  // On the event loop, whose connection has not read any pages yet.
  const { result, ageMs } = await aged(1000, () => database.read(probing(COUNT_FACTS)));
  assert.deepEqual(result, [{ n: 3000 }]);
  assert.equal(ageMs, undefined);
  assert.equal(primaryReads(), 1);
  assert.deepEqual(events, ["replica.ready", "replica.dropped: Reading it failed"]);
});

Deno.test("a missing table is looked for at the primary", async () => {
  await using scene = await openScene();
  const { database, primaryReads, events } = await scene.open();
  await assert.rejects(database.read(sql("SELECT 1 FROM elsewhere")), /no such table: elsewhere/);
  assert.equal(primaryReads(), 1);
  assert.deepEqual(events, ["replica.ready", "replica.dropped: Reading it failed"]);
});

Deno.test("a copy that is thrown away again and again is made ever more rarely", async () => {
  await using scene = await openScene();
  let now = 0;
  const { database, events } = await scene.open({ pauseMs: 1000, monotonic: () => now });
  const copies = () => events.filter((event) => event === "replica.ready").length;
  async function throwAway(): Promise<void> {
    await assert.rejects(database.read(sql("SELECT 1 FROM elsewhere")));
  }

  for (const end = now + 30_000; now < end; now += 1000) {
    await throwAway();
    const before = copies();
    await countFacts(database);
    await waitAtMost(60, until(() => copies() > before, () => "a copy"), () => undefined);
  }
  assert.ok(copies() <= 6, `${copies()} copies in half a minute`);
  for (let i = 0; i < 2; i++) {
    const before = copies();
    now += i === 0 ? 1_000_000 : 1000;
    await countFacts(database);
    await until(() => copies() > before, () => "a copy");
    await throwAway();
  }
});

Deno.test("a copy that was thrown away takes no room on the disk", async () => {
  await using scene = await openScene();
  await scene.direct.write([FILL]);
  const { database, folder, logged } = await scene.open();
  for (let i = 2; i <= 4; i++) {
    assert.equal(await countFacts(database), 3000);
    await assert.rejects(database.read(sql("SELECT 1 FROM elsewhere")));
    await countFacts(database);
    await logged("replica.ready", i);
  }
  await until(() => countCopies(folder) === 1, () => "one copy");
  assert.equal(roomOfDeletedFiles(folder), 0);
});

function countCopies(folder: string): number {
  return [...Deno.readDirSync(folder)].filter(({ name }) => name.startsWith("copy-")).length;
}

/** The bytes of databases and their logs below a folder that this process has open, although they are deleted. */
function roomOfDeletedFiles(folder: string): number {
  let bytes = 0;
  for (const { name } of Deno.readDirSync("/proc/self/fd")) {
    const path = `/proc/self/fd/${name}`;
    try {
      const target = Deno.readLinkSync(path);
      const isOne = target.startsWith(folder) && /\/copy\.db(-wal)? \(deleted\)$/.test(target);
      if (isOne) bytes += Deno.statSync(path).size;
    } catch (error) {
      // That of the listing itself is closed by now.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  return bytes;
}

Deno.test("while no copy may be begun, a read asks the primary nothing else", async () => {
  await using scene = await openScene();
  await using proxy = startHoldingProxy(scene.server.url);
  const { database, primaryReads } = await scene.open({ url: proxy.url, pauseMs: 60_000 });
  await assert.rejects(database.read(sql("SELECT 1 FROM elsewhere")));
  let requests = 0;
  proxy.hold(() => ++requests < 0);
  const before = primaryReads();
  for (let i = 0; i < 20; i++) assert.equal(await countFacts(database), 1);
  assert.equal(primaryReads(), before + 20);
  assert.equal(requests, 20);
});
