import assert from "node:assert/strict";
import {
  GUESS_LOCK_FAILURES,
  GUESS_LOCK_SECONDS,
  GUESS_WAITS_SECONDS,
  STRANGER_MEMORY_SECONDS,
  THROTTLE_SCOPES,
} from "../../src/throttle/limits.ts";

Deno.test("the wait grows with the failures in a row, up to an hour", () => {
  assert.deepEqual(GUESS_WAITS_SECONDS, [0, 0, 0, 30, 60, 120, 300, 900, 3600]);
});

Deno.test("from a hundred failures in a row on, a guess costs a day", () => {
  assert.deepEqual([GUESS_LOCK_FAILURES, GUESS_LOCK_SECONDS], [100, 86_400]);
});

Deno.test("the failures of strangers are remembered for 30 days", () => {
  assert.equal(STRANGER_MEMORY_SECONDS, 2_592_000);
});

Deno.test("no two throttles count under one name", () => {
  const names = Object.values(THROTTLE_SCOPES);
  assert.equal(new Set(names).size, names.length);
});
