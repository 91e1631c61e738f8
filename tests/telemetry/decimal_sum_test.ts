/** Sums are exact, and functions of hours are those of their points. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { DecimalSum } from "../../src/telemetry/reading/decimal_sum.ts";
import { parseSummary } from "../../src/telemetry/reading/hour_summary.ts";
import { createFunction, createSummary } from "../../src/telemetry/reading/window_function.ts";
import { AGGREGATES } from "../../src/telemetry/points/query.ts";

const PLACES = 400;

/** Returns a number as JSON, times 10^400. */
function exact(text: string): bigint {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/.exec(text) ?? assert.fail(text);
  const size = BigInt(whole + fraction) * 10n ** BigInt(PLACES - fraction.length + Number(exponent));
  return sign === "-" ? -size : size;
}

const doubles = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.double({ noNaN: true, min: -1e6, max: 1e6 }),
  fc.integer({ min: -1000, max: 1000 }).map((n) => n / 10),
  fc.constantFrom(
    0.1,
    1e16,
    1,
    -1e16,
    2 ** 53,
    2 ** -53,
    1 + 2 ** -52,
    1.7e308,
    -1.7e308,
    1e21,
    1e-7,
    5e-324,
  ),
);

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

Deno.test("sums are those of decimal arithmetic, rounded once, whatever their order and grouping", () => {
  fc.assert(
    fc.property(fc.array(fc.array(numbers, { maxLength: 12 }), { maxLength: 5 }), (groups) => {
      const sum = new DecimalSum();
      for (const group of groups) {
        const part = new DecimalSum();
        for (const value of group.toReversed()) part.add(value);
        sum.add(part.toString());
      }
      const total = groups.flat().reduce((added, value) => added + exact(value), 0n);
      assert.equal(exact(sum.toString()), total);
      assert.equal(sum.round(), Number(`${total}e-${PLACES}`));
    }),
    { numRuns: 3000 },
  );
});

Deno.test("a sum of many values is exact, and so is its text short", () => {
  const sum = new DecimalSum();
  for (let i = 0; i < 200_000; i++) sum.add(i % 2 === 0 ? "99999999999.9" : "0.1");
  assert.equal(sum.toString(), "100000000000000000e-1");
  assert.equal(sum.round(), 1e16);
});

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
