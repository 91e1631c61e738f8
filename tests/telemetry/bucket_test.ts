import assert from "node:assert/strict";
import {
  DEFAULT_BUCKET,
  describeUsage,
  drainPerMs,
  parseBucket,
  secondsUntilFits,
} from "../../src/telemetry/bucket/bucket.ts";

Deno.test("a bucket is parsed as its capacity and the seconds in which it drains", () => {
  assert.deepEqual(parseBucket("5000/60"), { capacity: 5000, drainSeconds: 60 });
  assert.deepEqual(parseBucket("1100/1"), { capacity: 1100, drainSeconds: 1 });
  assert.deepEqual(parseBucket("999999999999/86400"), { capacity: 999_999_999_999, drainSeconds: 86_400 });
});

Deno.test("a bucket too small for a query, slower than a day or malformed is refused", () => {
  const message =
    'must be a capacity of at least 1100, "/", and the seconds in which it drains (at most 86400)';
  const texts = [
    "",
    "5000",
    "5000/",
    "/60",
    "1099/60",
    "5000/86401",
    "5000/0",
    "05000/60",
    "5000/060",
    "5000/60 ",
    " 5000/60",
    "5000/60/60",
    "1000000000000/60",
    "5000/100000",
    "-5000/60",
    "5e9/60",
  ];
  for (const text of texts) assert.throws(() => parseBucket(text), { name: "RangeError", message }, text);
});

Deno.test("the default bucket holds ten of the largest calls and drains in a minute", () => {
  // A call with 1000 queries that returns 100,000 points.
  assert.deepEqual(DEFAULT_BUCKET, { capacity: 10 * (1000 + 1000 * 100 + 100_000), drainSeconds: 60 });
});

Deno.test("a bucket drains evenly over its seconds", () => {
  assert.equal(drainPerMs({ capacity: 6000, drainSeconds: 60 }), 0.1);
});

Deno.test("the reported usage is in whole numbers and never shows more room than there is", () => {
  const bucket = { capacity: 5000, drainSeconds: 60 };
  assert.deepEqual(describeUsage(bucket, 1100, 1100.2), { cost: 1100, used: 1101, remaining: 3899 });
  assert.deepEqual(describeUsage(bucket, 7000, 7000), { cost: 7000, used: 5000, remaining: 0 });
  assert.deepEqual(describeUsage(bucket, 0, 0), { cost: 0, used: 0, remaining: 5000 });
});

Deno.test("the wait lasts until the cost fits", () => {
  const bucket = { capacity: 6000, drainSeconds: 60 };
  assert.equal(secondsUntilFits(bucket, 1000, 5000), 0);
  assert.equal(secondsUntilFits(bucket, 1000, 0), 0);
  assert.equal(secondsUntilFits(bucket, 1000, 5500), 5);
});
