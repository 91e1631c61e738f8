import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { shareRounds } from "../../src/db/replica/rounds.ts";

/** Rounds that end when the test says so. */
function createRounds(): {
  join: () => Promise<number>;
  begun: () => number;
  end: (error?: Error) => Promise<void>;
} {
  let begun = 0;
  let running = Promise.withResolvers<number>();
  const join = shareRounds(() => {
    begun++;
    running = Promise.withResolvers();
    return running.promise;
  });
  return {
    join,
    begun: () => begun,
    async end(error): Promise<void> {
      if (error === undefined) running.resolve(begun);
      else running.reject(error);
      await delay(0);
    },
  };
}

Deno.test("a caller gets a round that began after their call, and callers who wait share one", async () => {
  const { join, begun, end } = createRounds();
  const first = join();
  const [second, third] = [join(), join()];
  assert.equal(begun(), 1);
  await end();
  assert.equal(await first, 1);
  assert.equal(begun(), 2);
  const fourth = join();
  await end();
  assert.deepEqual(await Promise.all([second, third]), [2, 2]);
  await end();
  assert.equal(await fourth, 3);
});

Deno.test("a round that fails is reported to its callers, and the next one runs", async () => {
  const { join, end } = createRounds();
  const first = assert.rejects(join(), /cut off/);
  const second = join();
  await end(new Error("cut off"));
  await first;
  await end();
  assert.equal(await second, 2);
});

Deno.test("a caller between two rounds does not start a second one beside the next", async () => {
  let atOnce = 0;
  let most = 0;
  const join = shareRounds(async () => {
    most = Math.max(most, ++atOnce);
    await delay(0);
    atOnce--;
  });
  const calls: Promise<void>[] = [];
  for (let i = 0; i < 200; i++) {
    calls.push(join());
    for (let turns = i % 7; turns > 0; turns--) await Promise.resolve();
    if (i % 5 === 0) await delay(0);
  }
  await Promise.all(calls);
  assert.equal(most, 1);
});
