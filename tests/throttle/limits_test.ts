/** The limits of guesses and mails, and how those of larger networks relate. */
import assert from "node:assert/strict";
import {
  GUESS_LOCK_FAILURES,
  GUESS_LOCK_SECONDS,
  GUESS_WAITS_SECONDS,
  IPV4_NETWORKS,
  IPV6_NETWORKS,
  RESET_MAILS_CROWDED,
  RESET_MAILS_PER_DAY,
  STRANGER_FAILURES_CROWDED,
  STRANGER_FAILURES_PER_DAY,
  THROTTLE_SCOPES,
} from "../../src/throttle/limits.ts";

Deno.test("the wait grows with the failures in a row, up to an hour", () => {
  assert.deepEqual(GUESS_WAITS_SECONDS, [0, 0, 0, 30, 60, 120, 300, 900, 3600]);
});

Deno.test("from a hundred failures in a row, each guess costs a day", () => {
  assert.deepEqual([GUESS_LOCK_FAILURES, GUESS_LOCK_SECONDS], [100, 86_400]);
});

Deno.test("no single network exhausts the allowance of all strangers", () => {
  const factor = Math.max(...[...IPV4_NETWORKS, ...IPV6_NETWORKS].map(([, factor]) => factor));
  assert.ok(factor * STRANGER_FAILURES_PER_DAY < STRANGER_FAILURES_CROWDED);
  assert.ok(factor * RESET_MAILS_PER_DAY < RESET_MAILS_CROWDED);
});

Deno.test("a larger network around a client has a larger allowance", () => {
  for (const networks of [IPV4_NETWORKS, IPV6_NETWORKS]) {
    const lengths = networks.map(([bits]) => bits);
    const factors = networks.map(([, factor]) => factor);
    assert.deepEqual(lengths, lengths.toSorted((a, b) => b - a));
    assert.deepEqual(factors, factors.toSorted((a, b) => a - b));
    assert.ok(factors.every((factor) => factor > 1));
  }
});

Deno.test("no two throttles share a name", () => {
  const names = Object.values(THROTTLE_SCOPES);
  assert.equal(new Set(names).size, names.length);
});
