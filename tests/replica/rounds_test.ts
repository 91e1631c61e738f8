import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { shareRounds } from "../../src/db/replica/rounds.ts";

const FOREVER_MS = 1e6;

/** Rounds that end when the test says so, in order, and return their number. */
function createRounds(spacingMs: number): {
  join: () => Promise<number>;
  begun: () => number;
  end: (error?: Error) => Promise<void>;
} {
  let begun = 0;
  const running: (PromiseWithResolvers<number> & { readonly number: number })[] = [];
  const join = shareRounds(() => {
    const round = { ...Promise.withResolvers<number>(), number: ++begun };
    running.push(round);
    return round.promise;
  }, spacingMs);
  return {
    join,
    begun: () => begun,
    async end(error): Promise<void> {
      await delay(2);
      const round = running.shift();
      if (error === undefined) round?.resolve(round.number);
      else round?.reject(error);
      await delay(2);
    },
  };
}

Deno.test("callers who come together share a round, and those who come later share the next one", async () => {
  const { join, begun, end } = createRounds(FOREVER_MS);
  const together = [join(), join()];
  await delay(2);
  assert.equal(begun(), 1);
  const later = [join(), join()];
  await delay(20);
  assert.equal(begun(), 1, "while a round runs, no other one begins");
  await end();
  assert.deepEqual(await Promise.all(together), [1, 1]);
  const last = join();
  await end();
  assert.deepEqual(await Promise.all(later), [2, 2]);
  await end();
  assert.equal(await last, 3);
});

Deno.test("a round that takes long does not hold up those who come later", async () => {
  const { join, begun, end } = createRounds(5);
  const first = join();
  await delay(2);
  const second = join();
  await delay(20);
  assert.equal(begun(), 2);
  await end();
  await end();
  assert.deepEqual(await Promise.all([first, second]), [1, 2]);
});

Deno.test("a round that fails is reported to its callers, and the next one runs", async () => {
  const { join, end } = createRounds(FOREVER_MS);
  const first = assert.rejects(join(), /cut off/);
  await delay(2);
  const second = join();
  await end(new Error("cut off"));
  await first;
  await end();
  assert.equal(await second, 2);
});

Deno.test("no caller gets a round that began before they called", async () => {
  let begun = 0;
  const join = shareRounds(async () => {
    const number = ++begun;
    await delay(Math.random() * 12);
    return number;
  }, 5);
  const calls: Promise<void>[] = [];
  for (let i = 0; i < 300; i++) {
    const before = begun;
    calls.push(join().then((number) => assert.ok(number > before, `round ${number} after ${before}`)));
    for (let turns = i % 7; turns > 0; turns--) await Promise.resolve();
    if (i % 5 === 0) await delay(i % 3);
  }
  await Promise.all(calls);
  assert.ok(begun < calls.length);
});
