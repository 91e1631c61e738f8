import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { probing } from "../../src/db/statement.ts";
import { startTcpProxy } from "../helpers/tcp_proxy.ts";
import { ADD_FACT, aged, COUNT_FACTS, countFacts, openScene, sql } from "./replica_scene.ts";

/** How many changes are read back at once. ROLEGRID_REPLICA_ROUNDS=10000 for a thorough run. */
const ROUNDS = Number(Deno.env.get("ROLEGRID_REPLICA_ROUNDS") ?? 300);

Deno.test("what one instance has written, another one reads at once", async () => {
  await using scene = await openScene();
  const [left, right] = [await scene.open(), await scene.open()];
  for (let round = 0; round < ROUNDS; round++) {
    const [writer, reader] = round % 2 === 0 ? [left, right] : [right, left];
    await writer.database.write([ADD_FACT]);
    // A probe runs on the event loop, anything else on a thread.
    const statement = round % 3 === 0 ? COUNT_FACTS : probing(COUNT_FACTS);
    assert.deepEqual(await reader.database.read(statement), [{ n: round + 2 }]);
  }
  assert.ok(left.primaryReads() + right.primaryReads() < ROUNDS / 2, "most reads ran on the copies");
});

Deno.test("under load, no instance misses an acknowledged write or sees half of one", async () => {
  await using scene = await openScene();
  // On a long way, what a round learns is old when it arrives: it must not serve those who came meanwhile.
  await using proxy = startTcpProxy({ targetPort: scene.server.port, delayMs: 5 });
  const instances = [await scene.open(), await scene.open({ url: `http://127.0.0.1:${proxy.port}` })];
  await scene.direct.write([
    sql("CREATE TABLE pair (id INTEGER PRIMARY KEY, left_value INTEGER, right_value INTEGER)"),
  ]);
  const rows = Array.from({ length: 20 }, (_, i) => sql(`INSERT INTO pair VALUES (${i}, 0, 0)`));
  await scene.direct.write(rows);
  let acknowledged = 0;
  let isOver = false;

  async function write(): Promise<void> {
    for (let value = 1; value <= ROUNDS; value++) {
      // Now and then a round finds nothing new.
      await delay(value % 3 * 10);
      await scene.direct.write([
        sql(`UPDATE pair SET left_value = ${value}`),
        sql(`UPDATE pair SET right_value = ${value}`),
      ]);
      acknowledged = value;
    }
    isOver = true;
  }

  async function read(i: number): Promise<number> {
    let reads = 0;
    for (; !isOver; reads++) {
      // Some come while a round is under way.
      await delay(i);
      const least = acknowledged;
      const [left, right] = await instances[i % 2]?.database.readAll([
        sql("SELECT min(left_value) AS least, max(left_value) AS most FROM pair"),
        sql("SELECT min(right_value) AS least, max(right_value) AS most FROM pair"),
      ]) ?? [];
      const [seen] = left ?? [];
      assert.deepEqual(left, right, "both statements saw one state");
      assert.equal(seen?.["least"], seen?.["most"], "of one write");
      assert.ok(Number(seen?.["least"]) >= least, `saw ${seen?.["least"]} after ${least} was acknowledged`);
    }
    return reads;
  }

  const [, ...reads] = await Promise.all([write(), ...Array.from({ length: 16 }, (_, i) => read(i))]);
  assert.ok(Math.min(...reads.map(Number)) > 0);
});

Deno.test("concurrent reads share a round", async () => {
  await using scene = await openScene();
  const { database } = await scene.open();
  const before = performance.now();
  await countFacts(database);
  const one = performance.now() - before;
  const results = await Promise.all(Array.from({ length: 200 }, () => countFacts(database)));
  assert.deepEqual(new Set(results), new Set([1]));
  assert.ok(performance.now() - before < 40 * one + 2000, "far less than a round each");
});

Deno.test("before the first copy, reads go to the primary", async () => {
  await using scene = await openScene();
  const instance = await scene.openEmpty();
  assert.equal(await countFacts(instance.database), 1);
  assert.equal(instance.primaryReads(), 1);
  await instance.logged("replica.ready");
  assert.equal(await countFacts(instance.database), 1);
  assert.equal(instance.primaryReads(), 1);
});

Deno.test("a server gets its first copy once something is written", async () => {
  await using scene = await openScene({ isEmpty: true });
  const { database, events, logged } = await scene.openEmpty();
  for (let i = 0; i < 20; i++) assert.deepEqual(await database.read(sql("SELECT 1 AS one")), [{ one: 1 }]);
  assert.deepEqual(events, []);
  await scene.direct.write([sql("CREATE TABLE fact (id INTEGER PRIMARY KEY)")]);
  assert.equal(await countFacts(database), 0);
  await logged("replica.ready");
  assert.equal(await countFacts(database), 0);
});

Deno.test("the error of a statement is the primary's, and the copy goes on serving", async () => {
  await using scene = await openScene();
  const { database, primaryReads, events } = await scene.open();
  await assert.rejects(database.read(sql("SELECT abs(-9223372036854775808)")), /integer overflow/);
  assert.equal(primaryReads(), 1);
  assert.equal(await countFacts(database), 1);
  assert.equal(primaryReads(), 1);
  assert.deepEqual(events, ["replica.ready"]);
});

Deno.test("reads that allow some age do not wait, and learn how old the data is", async () => {
  await using scene = await openScene();
  let now = 1000;
  const { database } = await scene.open({ monotonic: () => now, clock: () => 0 });
  const read = () => countFacts(database);
  assert.deepEqual(await aged(5000, read), { result: 1, ageMs: undefined }, "the first one is fresh");
  await scene.direct.write([ADD_FACT]);
  now += 2000;
  assert.deepEqual(await aged(5000, read), { result: 1, ageMs: 2000 });
  assert.deepEqual(await aged(2000, read), { result: 1, ageMs: 2000 });
  assert.deepEqual(await aged(1999, read), { result: 2, ageMs: undefined });
});

Deno.test("the age is the larger one by the two clocks, whichever jumps", async () => {
  await using scene = await openScene();
  let [wall, monotonic] = [1_000_000, 0];
  const { database } = await scene.open({ clock: () => wall, monotonic: () => monotonic });
  const read = () => countFacts(database);
  await read();
  await scene.direct.write([ADD_FACT]);
  wall -= 500_000;
  monotonic += 10;
  assert.deepEqual(await aged(1000, read), { result: 1, ageMs: 10 }, "the wall clock was set back");
  wall += 502_000;
  assert.deepEqual(await aged(1000, read), { result: 2, ageMs: undefined }, "the machine slept");
});

Deno.test("reads that allow some age bring the copy up to date before it is too old", async () => {
  await using scene = await openScene();
  let now = 0;
  const { database } = await scene.open({ monotonic: () => now, clock: () => 0 });
  const read = () => countFacts(database);
  await read();
  await scene.direct.write([ADD_FACT]);
  now = 600;
  for (;;) {
    const { result, ageMs } = await aged(1000, read);
    if (ageMs === 0) {
      assert.equal(result, 2);
      break;
    }
    // Until the round is over, the copy may have the fact, but counts as old.
    assert.equal(ageMs, 600);
    await delay(1);
  }
});

Deno.test("with some age allowed, nothing older than that is read under load", async () => {
  await using scene = await openScene();
  const { database } = await scene.open();
  const writes: number[] = [performance.now()];
  let isOver = false;

  async function write(): Promise<void> {
    for (let i = 0; i < ROUNDS; i++) {
      await scene.direct.write([ADD_FACT]);
      writes.push(performance.now());
    }
    isOver = true;
  }

  async function read(maxAgeMs: number): Promise<number> {
    let withoutWaiting = 0;
    while (!isOver) {
      const at = performance.now();
      const { result, ageMs } = await aged(maxAgeMs, () => countFacts(database));
      if (ageMs !== undefined) withoutWaiting++;
      assert.ok((ageMs ?? 0) <= maxAgeMs);
      const due = writes.filter((writtenAt) => writtenAt <= at - maxAgeMs).length;
      assert.ok(result >= due, `saw ${result} of ${due}`);
      await delay(1);
    }
    return withoutWaiting;
  }

  // On a busy machine a round may take longer than the short ages, but not than the last one.
  const [, ...counts] = await Promise.all([write(), read(5), read(50), read(5000)]);
  assert.ok(Math.max(...counts.map(Number)) > 0);
});

Deno.test("a closed database refuses calls", async () => {
  await using scene = await openScene();
  const { database } = await scene.open();
  await database.close();
  await assert.rejects(database.read(COUNT_FACTS), { code: "UNAVAILABLE" });
});
