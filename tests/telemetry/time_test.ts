/** Times and durations are parsed and formatted to the nanosecond, as Temporal does. */
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  formatMs,
  formatTime,
  MAX_TIME,
  MIN_TIME,
  parseDuration,
  parseTime,
} from "../../src/telemetry/points/time.ts";

const anyTime = fc.bigInt({ min: MIN_TIME, max: MAX_TIME });

// Must be the first test: the cache of the latest date starts with this day.
Deno.test("1 January 1970 is formatted correctly before any other day", () => {
  assert.equal(formatMs(1000), "1970-01-01T00:00:01Z");
});

Deno.test("milliseconds are parsed exactly, by the decimal digits of their fraction", () => {
  const cases: [number, bigint][] = [
    [0, 0n],
    [-0, 0n],
    [1_767_225_600_000, 1_767_225_600_000_000_000n],
    [-1, -1_000_000n],
    [1.5, 1_500_000n],
    [-1.5, -1_500_000n],
    [0.000001, 1n],
    [0.0000001, 0n],
    [1_767_225_600_000.123, 1_767_225_600_000_123_000n],
    [-1_767_225_600_000.123, -1_767_225_600_000_123_000n],
    [9_223_372_036_854, 9_223_372_036_854_000_000n],
  ];
  for (const [ms, expected] of cases) assert.equal(parseTime(ms), expected, String(ms));
});

Deno.test("milliseconds outside the range, infinities and NaN are refused", () => {
  for (const ms of [9_223_372_036_855, -9_223_372_036_855, 1e300, Infinity, -Infinity, NaN]) {
    assert.equal(parseTime(ms), undefined, String(ms));
  }
});

Deno.test("ISO 8601 is parsed with any offset and up to nine fractional digits, and as a date alone", () => {
  const start = 1_767_225_600_000_000_000n;
  const cases: [string, bigint][] = [
    ["2026-01-01T00:00:00Z", start],
    ["2026-01-01", start],
    ["2026-01-01T00:00Z", start],
    ["2026-01-01T01:30:00+01:30", start],
    ["2025-12-31T19:00:00-05:00", start],
    ["2026-01-01T00:00:00.5Z", start + 500_000_000n],
    ["2026-01-01T00:00:00,5Z", start + 500_000_000n],
    ["2026-01-01T00:00:00.000000001Z", start + 1n],
    ["1969-12-31T23:59:59.999999999Z", -1n],
    ["2024-02-29T00:00:00Z", 1_709_164_800_000_000_000n],
    ["2000-02-29T00:00:00Z", 951_782_400_000_000_000n],
    ["1677-09-21T00:12:43.145224194Z", MIN_TIME],
    ["2262-04-11T23:47:16.854775806Z", MAX_TIME],
  ];
  for (const [text, expected] of cases) assert.equal(parseTime(text), expected, text);
});

Deno.test("the last day of each month is accepted, and one day more is refused", () => {
  for (const [i, days] of [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].entries()) {
    const month = String(i + 1).padStart(2, "0");
    assert.equal(parseTime(`2026-${month}-${days}`), BigInt(Date.UTC(2026, i, days)) * 1_000_000n);
    assert.equal(parseTime(`2026-${month}-${days + 1}`), undefined);
  }
});

Deno.test("a text is refused unless it is an ISO 8601 date, or a time with an offset", () => {
  const Z = "T00:00:00Z";
  const others = ["", "now", "1767225600000", " 2026-01-01", "2026-01-01\n", "٢٠٢٦-01-01"];
  const forms = ["2026-01-01 00:00:00Z", "2026-01-01T00:00:00z", "2026-01-01t00:00:00Z", "2026-01-01T00Z"];
  const digits = [
    `2026-1-1${Z}`,
    "20260101T000000Z",
    `0000-01-01${Z}`,
    `0099-01-01${Z}`,
    `+002026-01-01${Z}`,
  ];
  const days = [
    "2026-02-29",
    "2100-02-29",
    "2026-04-31",
    "2026-00-10",
    "2026-13-01",
    "2026-01-00",
    "2026-01-32",
  ];
  const times = ["2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2016-12-31T23:59:60Z"];
  const offsets = ["", "+24:00", "+01:60", "+01", ".Z", ".0000000001Z"].map((end) =>
    `2026-01-01T00:00:00${end}`
  );
  const beyond = ["1677-09-21T00:12:43.145224193Z", "2262-04-11T23:47:16.854775807Z"];
  for (const text of [...others, ...forms, ...digits, ...days, ...times, ...offsets, ...beyond]) {
    assert.equal(parseTime(text), undefined, text);
  }
});

Deno.test("every time can be formatted and parsed again, in agreement with Temporal", () => {
  fc.assert(fc.property(anyTime, (time) => {
    const text = formatTime(time);
    assert.equal(parseTime(text), time);
    assert.equal(Temporal.Instant.from(text).epochNanoseconds, time);
    assert.equal(text, Temporal.Instant.fromEpochNanoseconds(time).toString());
  }));
});

Deno.test("a time with any offset is the same instant as in Temporal", () => {
  const offset = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
  const inside = fc.bigInt({ min: MIN_TIME + 10n ** 14n, max: MAX_TIME - 10n ** 14n });
  fc.assert(fc.property(inside, offset, (time, minutes) => {
    const hours = String(Math.floor(Math.abs(minutes) / 60)).padStart(2, "0");
    const zone = `${minutes < 0 ? "-" : "+"}${hours}:${String(Math.abs(minutes) % 60).padStart(2, "0")}`;
    const text = Temporal.Instant.fromEpochNanoseconds(time).toString({ timeZone: zone });
    assert.equal(parseTime(text), time, text);
  }));
});

Deno.test("a time is formatted in its shortest exact form", () => {
  const start = 1_767_225_600_000_000_000n;
  assert.equal(formatTime(start), "2026-01-01T00:00:00Z");
  assert.equal(formatTime(start + 500_000_000n), "2026-01-01T00:00:00.5Z");
  assert.equal(formatTime(start + 10n), "2026-01-01T00:00:00.00000001Z");
  assert.equal(formatTime(-1n), "1969-12-31T23:59:59.999999999Z");
  assert.equal(formatMs(-1), "1969-12-31T23:59:59.999Z");
  assert.equal(formatMs(86_400_000), "1970-01-02T00:00:00Z");
});

Deno.test("milliseconds are formatted like the same time in nanoseconds, in any order of days", () => {
  const ms = fc.integer({ min: -9_223_372_036_854, max: 9_223_372_036_854 });
  fc.assert(fc.property(fc.array(ms), (times) => {
    for (const time of times) assert.equal(formatMs(time), formatTime(BigInt(time) * 1_000_000n));
  }));
});

Deno.test("a window's length is parsed into nanoseconds", () => {
  const seconds = {
    "1s": 1,
    "15m": 900,
    "2h": 7200,
    "1d": 86_400,
    "999999h": 999_999 * 3600,
    "106751d": 106_751 * 86_400,
  };
  for (const [text, count] of Object.entries(seconds)) {
    assert.equal(parseDuration(text), BigInt(count) * 1_000_000_000n, text);
  }
});

Deno.test("a window's length is refused if it is zero, malformed or beyond 64 bits of nanoseconds", () => {
  const malformed = ["", "m", "15", "-1m", "1.5h", "1w", "1ms", "15 m", "15M", "1h30m"];
  const numbers = ["0m", "05m", "1000000s", "106752d"];
  for (const text of [...malformed, ...numbers]) assert.equal(parseDuration(text), undefined, text);
});
