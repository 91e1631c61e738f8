import assert from "node:assert/strict";
import fc from "fast-check";
import { ExactSum } from "../../src/telemetry/reading/exact_sum.ts";
import { createFunction, createSummary } from "../../src/telemetry/reading/window_function.ts";
import { parseSummary } from "../../src/telemetry/reading/hour_summary.ts";
import { AGGREGATES } from "../../src/telemetry/points/query.ts";

const PLACES = 1074n;

/** Returns a double as a multiple of the smallest one. */
function exact(value: number): bigint {
  const bits = new DataView(new ArrayBuffer(8));
  bits.setFloat64(0, Math.abs(value));
  const exponent = bits.getUint32(0) >>> 20;
  const fraction = bits.getBigUint64(0) & (2n ** 52n - 1n);
  const size = exponent === 0 ? fraction : (fraction | 2n ** 52n) << BigInt(exponent - 1);
  return value < 0 ? -size : size;
}

/** Returns the nearest double to a multiple of the smallest one; the even one of two. */
function nearest(sum: bigint): number {
  const size = sum < 0n ? -sum : sum;
  const shift = BigInt(Math.max(0, size.toString(2).length - 53));
  const half = shift === 0n ? 0n : 2n ** (shift - 1n);
  let digits = (size + half) >> shift;
  if (half > 0n && (size & (2n * half - 1n)) === half) digits -= digits & 1n;
  // Two factors: the smallest double has no reciprocal.
  const value = Number(digits) * 2 ** Number(shift > PLACES ? shift - PLACES : 0n) *
    2 ** -Number(shift > PLACES ? 0n : PLACES - shift);
  return sum < 0n ? -value : value;
}

const doubles = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
  fc.integer({ min: -1000, max: 1000 }).map((n) => n / 10),
  fc.constantFrom(
    1e16,
    1,
    -1e16,
    2 ** 53,
    2 ** -53,
    2 ** -54,
    1 + 2 ** -52,
    1.7e308,
    -1.7e308,
    2 ** 960,
    5e-324,
  ),
);

Deno.test("sums are those of exact arithmetic, rounded once, whatever their order and grouping", () => {
  fc.assert(
    fc.property(fc.array(fc.array(doubles, { maxLength: 12 }), { maxLength: 5 }), (groups) => {
      const sum = new ExactSum();
      for (const group of groups) {
        const part = new ExactSum();
        for (const value of group.toReversed()) part.add(value);
        sum.addText(part.toString());
      }
      const values = groups.flat();
      const total = values.reduce((added, value) => added + exact(value), 0n);
      // What is large makes up for the last digits of what is not.
      if (values.every((value) => Math.abs(value) < 2 ** 960)) {
        assert.equal(sum.round() + 0, nearest(total) + 0);
      }
      const plain = new ExactSum();
      for (const value of values) plain.add(value);
      assert.equal(sum.round(), plain.round());
    }),
    { numRuns: 3000 },
  );
  const sum = new ExactSum();
  for (const value of [1.7e308, 1.7e308, -1.7e308, 1]) sum.add(value);
  assert.equal(sum.round(), 1.7e308);
  for (const value of [-1.7e308]) sum.add(value);
  assert.equal(sum.round(), 1);
});

const numbers = fc.oneof(
  doubles.map((value) => value === 0 ? "0" : String(value)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
  fc.constantFrom(
    "9007199254740993",
    "9007199254740992",
    "9007199254740992.0",
    "-0",
    "0",
    "-9007199254740993",
  ),
);

Deno.test("a function of hours is the function of their points, in both directions", () => {
  fc.assert(
    fc.property(fc.array(fc.array(numbers, { minLength: 1, maxLength: 6 }), { minLength: 1 }), (hours) => {
      const summary = createSummary("number");
      const summaries = hours.map((values) => {
        for (const value of values) summary.add(value);
        return parseSummary(summary.finish().split("\t"));
      });
      for (const name of AGGREGATES) {
        const ofPoints = [false, true].map((descending) => {
          const plain = createFunction(name, descending);
          for (const value of descending ? hours.flat().toReversed() : hours.flat()) plain.add(value);
          return plain.finish();
        });
        const ofHours = [false, true].map((descending) => {
          const hourly = createFunction(name, descending);
          for (const hour of descending ? summaries.toReversed() : summaries) hourly.addHour(hour);
          return hourly.finish();
        });
        assert.deepEqual(ofHours, ofPoints, name);
        assert.equal(ofPoints[0], ofPoints[1], name);
      }
    }),
    { numRuns: 1000 },
  );
});
