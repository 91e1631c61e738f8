/** A wait with a limit gives the result, the error or the fallback, and leaves no timer. */
import assert from "node:assert/strict";
import { runWithLimit, waitAtMost } from "../../src/core/deadline.ts";

const NEVER = new Promise<never>(() => {});
const MINUTE_MS = 60_000;

Deno.test("a task that ends within the limit gives its result or its error", async () => {
  assert.equal(await waitAtMost(MINUTE_MS, Promise.resolve("done"), () => "late"), "done");
  await assert.rejects(
    waitAtMost(MINUTE_MS, Promise.reject(new RangeError("mine")), () => "late"),
    RangeError,
  );
  assert.equal(await runWithLimit(MINUTE_MS, () => Promise.resolve("done")), "done");
  await assert.rejects(runWithLimit(MINUTE_MS, () => Promise.reject(new RangeError("mine"))), RangeError);
});

Deno.test("after the limit the wait ends with the given result or error", async () => {
  assert.equal(await waitAtMost(1, NEVER, () => "late"), "late");
  const failing = waitAtMost(1, NEVER, () => {
    throw new RangeError("late");
  });
  await assert.rejects(failing, RangeError);
});

Deno.test("a failure after the limit is ignored", async () => {
  const { promise, reject } = Promise.withResolvers<string>();
  assert.equal(await waitAtMost(1, promise, () => "late"), "late");
  reject(new RangeError("too late"));
  // An unhandled rejection would end the test run.
  await new Promise((resolve) => setTimeout(resolve, 0));
});

Deno.test("the signal aborts at the limit, or earlier with an outer signal", async () => {
  const untilAborted = (signal: AbortSignal): Promise<string> =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve("aborted")));
  assert.equal(await runWithLimit(1, untilAborted), "aborted");
  const outer = new AbortController();
  const run = runWithLimit(MINUTE_MS, untilAborted, outer.signal);
  outer.abort();
  assert.equal(await run, "aborted");
  const isAborted = (signal: AbortSignal): Promise<boolean> => Promise.resolve(signal.aborted);
  assert.equal(await runWithLimit(MINUTE_MS, isAborted, outer.signal), true, "aborted before the run began");
});

Deno.test({
  name: "no timer is left when the wait is over",
  sanitizeOps: true,
  sanitizeResources: true,
  fn: async () => {
    await waitAtMost(MINUTE_MS, Promise.resolve(), () => undefined);
    await runWithLimit(MINUTE_MS, () => Promise.resolve());
    await assert.rejects(waitAtMost(MINUTE_MS, Promise.reject(new Error("mine")), () => undefined));
    await assert.rejects(runWithLimit(MINUTE_MS, () => Promise.reject(new Error("mine"))));
  },
});
