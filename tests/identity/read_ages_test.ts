import assert from "node:assert/strict";
import { createReadAges, type ReadAges } from "../../src/identity/read_ages.ts";

/** Ages with a clock that starts at 100 s and stands still until a test moves it. */
function openAges(
  maxAgeSeconds: number,
  options: { maxSessions?: number } = {},
): ReadAges & { advance(ms: number): void } {
  let now = 100_000;
  const ages = createReadAges(maxAgeSeconds, { ...options, now: () => now });
  return {
    ...ages,
    advance(ms): void {
      now += ms;
    },
  };
}

Deno.test("a read may be as old as its request allows, up to the limit", () => {
  const ages = openAges(10);
  const asked = [0, 1, 9, 10, 11, 1e20, Infinity];
  assert.deepEqual(asked.map((seconds) => ages.limitMs("a", seconds)), [
    0,
    1000,
    9000,
    10_000,
    10_000,
    10_000,
    10_000,
  ]);
});

Deno.test("with a limit of 0 every read is fresh", () => {
  const ages = openAges(0);
  ages.noteWrite("a");
  ages.advance(60_000);
  assert.equal(ages.limitMs("a", 5), 0);
  assert.equal(ages.limitMs("b", 5), 0);
});

Deno.test("what a session reads is not from before its own latest write", () => {
  const ages = openAges(10);
  ages.noteWrite("a");
  assert.equal(ages.limitMs("a", 5), 0);
  assert.equal(ages.limitMs("b", 5), 5000);
  ages.advance(3000);
  assert.equal(ages.limitMs("a", 5), 3000);
  ages.noteWrite("a");
  ages.advance(1000);
  assert.equal(ages.limitMs("a", 5), 1000);
  ages.advance(8999);
  assert.equal(ages.limitMs("a", 60), 9999);
  ages.advance(2);
  assert.equal(ages.limitMs("a", 60), 10_000);
});

Deno.test("of more sessions than fit, the oldest are remembered as if they had written together", () => {
  const ages = openAges(10, { maxSessions: 2 });
  for (const session of ["a", "b", "c", "d"]) {
    ages.noteWrite(session);
    ages.advance(1000);
  }
  const limits = ["a", "b", "c", "d", "other"].map((session) => ages.limitMs(session, 60));
  assert.deepEqual(limits, [3000, 3000, 2000, 1000, 3000]);
});

Deno.test("a session that writes again counts as new, and not as one more", () => {
  const ages = openAges(10, { maxSessions: 2 });
  for (const session of ["a", "b", "a", "a", "b"]) ages.noteWrite(session);
  ages.advance(5000);
  assert.equal(ages.limitMs("other", 60), 10_000);
  ages.noteWrite("a");
  ages.advance(1000);
  ages.noteWrite("c");
  assert.deepEqual(["a", "b", "c", "other"].map((session) => ages.limitMs(session, 60)), [
    1000,
    6000,
    0,
    6000,
  ]);
});

Deno.test("without a clock of its own it measures the time since a write", () => {
  const ages = createReadAges(3600);
  ages.noteWrite("a");
  const limitMs = ages.limitMs("a", 3600);
  assert.ok(limitMs >= 0 && limitMs < 60_000, `${limitMs}`);
});
