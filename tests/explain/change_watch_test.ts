/** One look per second serves all waits for changes, each in its turn and within its time. */
import assert from "node:assert/strict";
import { AppError } from "../../src/core/errors.ts";
import { createChangeWatch, type Wait } from "../../src/explain/log/change_watch.ts";
import { asCaller } from "../helpers/callers.ts";
import { ManualTime } from "./manual_time.ts";

/** A watch of a revision that the test sets. */
function openWatch(stopping?: AbortSignal) {
  const time = new ManualTime();
  const log = { revision: 7, looks: 0, fails: false };
  const watch = createChangeWatch({
    time,
    stopping,
    readRevision: () => {
      log.looks++;
      return log.fails ? Promise.reject(new AppError("UNAVAILABLE")) : Promise.resolve(log.revision);
    },
  });
  const begin = (userId = 1, signal = new AbortController().signal): Wait =>
    asCaller(`1:${userId}`, () => watch.begin(25, signal));
  /** Lets time pass, and the looks come to an end. */
  const pass = async (seconds: number): Promise<void> => {
    for (let i = 0; i < seconds; i++) {
      time.pass(1000);
      await new Promise((resolve) => setTimeout(resolve));
    }
  };
  return { time, log, begin, pass };
}

Deno.test("one look per second serves all waits, and without waits there is none", async () => {
  const { time, log, begin, pass } = openWatch();
  await pass(3);
  assert.deepEqual([log.looks, time.pending], [0, 0]);
  const ends = [1, 2, 3].map((userId) => begin(userId).untilAfter(7));
  await pass(2);
  assert.equal(log.looks, 2);
  log.revision = 8;
  await pass(1);
  assert.deepEqual(await Promise.all(ends), ["changed", "changed", "changed"]);
  await pass(3);
  assert.deepEqual([log.looks, time.pending], [3, 0]);
});

Deno.test("a wait for a later revision continues until it expires", async () => {
  const { begin, pass, time } = openWatch();
  const [early, late] = [begin(1).untilAfter(6), begin(2).untilAfter(7)];
  await pass(1);
  assert.equal(await early, "changed");
  let isOver = false;
  late.then(() => isOver = true);
  await pass(23);
  assert.equal(isOver, false);
  await pass(1);
  assert.deepEqual([await late, time.pending], ["expired", 0]);
});

Deno.test("a wait expires on time even while changes keep coming", async () => {
  const { log, begin, pass } = openWatch();
  const wait = begin();
  for (let second = 1; second < 25; second++) {
    const end = wait.untilAfter(log.revision++);
    await pass(1);
    assert.deepEqual([await end, wait.isOver()], ["changed", false]);
  }
  const end = wait.untilAfter(log.revision++);
  await pass(1);
  assert.deepEqual([await end, wait.isOver()], ["expired", true]);
});

Deno.test("a branch with very many waits leaves another one its turn", async () => {
  const { log, begin, pass } = openWatch();
  const crowd = Array.from({ length: 300 }, (_, i) => asCaller("1:5", () => begin(i).untilAfter(7)));
  const other = asCaller("1:6", () => begin(1000).untilAfter(7));
  log.revision = 8;
  await pass(1);
  assert.equal(await other, "changed");
  await pass(24);
  await Promise.all(crowd);
});

Deno.test("a change wakes 64 waits a second, each once before any is woken again", async () => {
  const { log, begin, pass } = openWatch();
  const woken: number[] = [];
  async function wait(userId: number): Promise<void> {
    const mine = begin(userId);
    while (await mine.untilAfter(log.revision - 1) === "changed") woken.push(userId);
  }
  const waits = Array.from({ length: 150 }, (_, i) => wait(i + 1));
  await pass(1);
  assert.equal(woken.length, 64);
  await pass(2);
  assert.equal(woken.length, 192);
  assert.deepEqual(woken.slice(0, 150), Array.from({ length: 150 }, (_, i) => i + 1));
  await pass(22);
  await Promise.all(waits);
});

Deno.test("a client that leaves or a service that stops ends waits at once and leaves no timer", async () => {
  const stopping = new AbortController();
  const { begin, time } = openWatch(stopping.signal);
  const client = new AbortController();
  const [left, stopped] = [begin(1, client.signal).untilAfter(7), begin(2).untilAfter(7)];
  client.abort();
  assert.deepEqual([await left, time.pending], ["stopped", 1]);
  stopping.abort();
  assert.deepEqual([await stopped, time.pending], ["stopped", 0]);
  assert.equal(await begin(3).untilAfter(7), "stopped");
  assert.equal(await begin(3, client.signal).untilAfter(7), "stopped");
  assert.equal(time.pending, 0);
});

Deno.test("a failed look is repeated, and waits still expire on time", async () => {
  const { log, begin, pass } = openWatch();
  log.fails = true;
  const [first, second] = [begin(1).untilAfter(7), begin(2).untilAfter(8)];
  await pass(2);
  log.fails = false;
  log.revision = 8;
  await pass(1);
  assert.equal(await first, "changed");
  log.fails = true;
  await pass(22);
  assert.equal(await second, "expired");
});

Deno.test("the waits of one branch leave room for others, and those that end make room for another", () => {
  const { begin } = openWatch();
  const waits: Wait[] = [];
  assert.throws(() => {
    for (;;) waits.push(begin());
  }, { code: "TOO_MANY_WAITS", retryAfterSeconds: 1 });
  for (let userId = 2; userId < 100; userId++) begin(userId);
  for (const wait of waits.splice(0, 100)) wait.end();
  begin();
});
