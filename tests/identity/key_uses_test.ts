/** Uses of keys are gathered and written at most once an hour. */
import assert from "node:assert/strict";
import { createLog } from "../../src/core/log.ts";
import { createKeyUses, type KeyUses } from "../../src/identity/key_uses.ts";

const HOUR_MS = 3_600_000;

class Scene {
  readonly writes: { readonly keyIds: readonly number[]; readonly hour: number }[] = [];
  readonly lines: string[] = [];
  readonly uses: KeyUses;
  now = 100 * HOUR_MS + 1_000;
  fails = false;

  constructor(gatheredMs?: number) {
    this.uses = createKeyUses({
      clock: () => this.now,
      log: createLog("info", (line) => this.lines.push(line)),
      write: (keyIds, hour) => {
        this.writes.push({ keyIds, hour });
        return this.fails ? Promise.reject(new TypeError("no database")) : Promise.resolve();
      },
      ...(gatheredMs === undefined ? {} : { gatheredMs }),
    });
  }
}

Deno.test("uses of keys are written together after a short while", async () => {
  const { uses, writes } = new Scene(20);
  uses.note(1);
  uses.note(2);
  assert.deepEqual(writes, []);
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.deepEqual(writes, [{ keyIds: [1, 2], hour: 100 * HOUR_MS }]);
});

Deno.test("a key's use is written at most once an hour", async () => {
  const scene = new Scene();
  const { uses, writes } = scene;
  uses.note(1);
  uses.note(1);
  await uses.flush();
  uses.note(1);
  uses.note(2);
  await uses.flush();
  scene.now = 101 * HOUR_MS - 1;
  uses.note(1);
  await uses.flush();
  assert.deepEqual(writes.map(({ keyIds }) => keyIds), [[1], [2]]);
  scene.now = 101 * HOUR_MS;
  uses.note(1);
  await uses.flush();
  assert.deepEqual(writes.at(-1), { keyIds: [1], hour: 101 * HOUR_MS });
});

Deno.test("a use counts for the hour in which it was noted", async () => {
  const scene = new Scene();
  const { uses, writes } = scene;
  uses.note(1);
  scene.now += HOUR_MS;
  uses.note(1);
  uses.note(2);
  await uses.flush();
  assert.deepEqual(writes, [
    { keyIds: [1], hour: 100 * HOUR_MS },
    { keyIds: [1, 2], hour: 101 * HOUR_MS },
  ]);
});

Deno.test("a clock that was ahead hides no later use", async () => {
  const scene = new Scene();
  const { uses, writes } = scene;
  scene.now += 1000 * HOUR_MS;
  uses.note(1);
  scene.now -= 1000 * HOUR_MS;
  uses.note(1);
  await uses.flush();
  assert.deepEqual(writes, [
    { keyIds: [1], hour: 1100 * HOUR_MS },
    { keyIds: [1], hour: 100 * HOUR_MS },
  ]);
});

Deno.test("without a use nothing is written", async () => {
  const { uses, writes } = new Scene();
  await uses.flush();
  uses.note(1);
  await uses.flush();
  await uses.flush();
  assert.equal(writes.length, 1);
});

Deno.test("a failed write of uses is logged as a warning and throws nothing", async () => {
  const scene = new Scene();
  scene.fails = true;
  scene.uses.note(1);
  scene.uses.note(2);
  await scene.uses.flush();
  assert.equal(scene.lines.length, 1);
  assert.match(scene.lines[0] ?? "", /"level":"warn","event":"key.uses_lost","keys":2,"error":"TypeError"/);
});
