import assert from "node:assert/strict";
import { type BoundedQueue, createBoundedQueue } from "../../src/db/bounded_queue.ts";

const UNAVAILABLE = { name: "AppError", code: "UNAVAILABLE" };
const MINUTE_MS = 60_000;

/** A task that runs until it is told to end. */
function blockSlot(queue: BoundedQueue): { release: () => void; ended: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { release: resolve, ended: queue.run(() => promise) };
}

Deno.test("tasks of one slot run one at a time and in the order of the calls", async () => {
  const queue = createBoundedQueue({ slots: 1, maxWaiting: 100, timeoutMs: MINUTE_MS });
  const events: string[] = [];
  await Promise.all([1, 2, 3].map((i) =>
    queue.run(async () => {
      events.push(`start ${i}`);
      await Promise.resolve();
      events.push(`end ${i}`);
    })
  ));
  assert.deepEqual(events, ["start 1", "end 1", "start 2", "end 2", "start 3", "end 3"]);
});

Deno.test("a task that throws gives its slot on", async () => {
  const queue = createBoundedQueue({ slots: 1, maxWaiting: 100, timeoutMs: MINUTE_MS });
  const failed = queue.run(() => Promise.reject(new RangeError("mine")));
  const next = queue.run(() => Promise.resolve("ran"));
  await assert.rejects(failed, { name: "RangeError", message: "mine" });
  assert.equal(await next, "ran");
});

Deno.test("one task too many is refused at once and the others still run", async () => {
  const queue = createBoundedQueue({ slots: 1, maxWaiting: 1, timeoutMs: MINUTE_MS });
  const blocker = blockSlot(queue);
  const waiting = queue.run(() => Promise.resolve("ran"));
  await assert.rejects(queue.run(() => Promise.resolve("never")), { ...UNAVAILABLE, retryAfterSeconds: 1 });
  blocker.release();
  assert.equal(await waiting, "ran");
});

Deno.test("a task whose turn comes too late is refused without being run", async () => {
  const queue = createBoundedQueue({ slots: 1, maxWaiting: 1, timeoutMs: -1 });
  let ran = false;
  const late = queue.run(() => Promise.resolve(ran = true));
  await assert.rejects(late, UNAVAILABLE);
  assert.equal(ran, false);
});

Deno.test("closing waits for what was accepted and refuses what comes later", async () => {
  const queue = createBoundedQueue({ slots: 1, maxWaiting: 10, timeoutMs: MINUTE_MS });
  const blocker = blockSlot(queue);
  const events: string[] = [];
  const waiting = queue.run(() => Promise.resolve(events.push("accepted task ran")));
  const closing = queue.close().then(() => events.push("closed"));
  await assert.rejects(queue.run(() => Promise.resolve()), UNAVAILABLE);
  blocker.release();
  await Promise.all([waiting, closing]);
  assert.deepEqual(events, ["accepted task ran", "closed"]);
});
