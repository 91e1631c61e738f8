/** The rules of the rate limit: settings, costs, the buckets of keys, and waits. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  bucketOfKey,
  costOfWrite,
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
  const malformed = ["", "5000", "5000/", "/60", "5000/60 ", " 5000/60", "5000/60/60", "-5000/60", "5e9/60"];
  const numbers = [
    "1099/60",
    "5000/86401",
    "5000/0",
    "05000/60",
    "5000/060",
    "1000000000000/60",
    "5000/100000",
  ];
  for (const text of [...malformed, ...numbers]) {
    assert.throws(() => parseBucket(text), { name: "RangeError", message }, text);
  }
});

Deno.test("the default bucket holds ten of the largest calls and drains in a minute", () => {
  // A call with 1000 queries that returns 100,000 points.
  assert.deepEqual(DEFAULT_BUCKET, { capacity: 10 * (1000 + 1000 * 100 + 100_000), drainSeconds: 60 });
});

Deno.test("the bucket of keys grows from a tenth to the whole with the devices of their role", () => {
  const capacityOf = (devices: number) => bucketOfKey(DEFAULT_BUCKET, devices).capacity;
  assert.deepEqual([0, 1, 2, 4500, 8999, 9000].map(capacityOf), [
    201_000,
    201_201,
    201_402,
    1_105_500,
    2_009_799,
    2_010_000,
  ]);
  assert.equal(bucketOfKey(DEFAULT_BUCKET, 1).drainSeconds, 60);
});

Deno.test("the bucket of keys holds the largest call, as far as the configured one does", () => {
  const configured = fc.record({
    capacity: fc.integer({ min: 1100, max: 999_999_999_999 }),
    drainSeconds: fc.integer({ min: 1, max: 86_400 }),
  });
  const counts = fc.tuple(fc.integer({ min: 0, max: 9000 }), fc.integer({ min: 0, max: 9000 }));
  fc.assert(fc.property(configured, counts, (bucket, devices) => {
    const [fewer, more] = devices.toSorted((a, b) => a - b).map((count) => bucketOfKey(bucket, count));
    assert.ok(fewer && more);
    assert.ok(Number.isInteger(fewer.capacity));
    assert.ok(fewer.capacity >= Math.min(bucket.capacity, 201_000));
    assert.ok(fewer.capacity <= more.capacity && more.capacity <= bucket.capacity);
    assert.equal(bucketOfKey(bucket, 9000).capacity, bucket.capacity);
  }));
});

Deno.test("a write costs what its text, values and series do, and at least 100", () => {
  const nothing = { characters: 0, values: 0, knownSeries: 0, newSeries: 0 };
  const costs = [
    nothing,
    { ...nothing, values: 2000 },
    { ...nothing, characters: 128_000 },
    { ...nothing, knownSeries: 1000 },
    { ...nothing, newSeries: 1000 },
    { characters: 129, values: 1, knownSeries: 100, newSeries: 100 },
  ].map(costOfWrite);
  assert.deepEqual(costs, [100, 1000, 1000, 1000, 5000, 602]);
});

Deno.test("a key of a large fleet writes a point a minute for 900,000 devices, in lines of 80 characters", () => {
  const minute = { characters: 80 * 10_000, values: 10_000, knownSeries: 10_000, newSeries: 0 };
  const { capacity, drainSeconds } = bucketOfKey(DEFAULT_BUCKET, 9000);
  assert.ok(costOfWrite(minute) * 90 <= capacity * 60 / drainSeconds);
  // The largest write fits into the bucket of a key without devices.
  const largest = { characters: 10 * 1024 * 1024, values: 100_000, knownSeries: 0, newSeries: 10_000 };
  assert.ok(costOfWrite(largest) <= bucketOfKey(DEFAULT_BUCKET, 0).capacity);
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
