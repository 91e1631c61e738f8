import assert from "node:assert/strict";
import { parseJsonPoints } from "../../src/telemetry/body/json_points.ts";
import { parseLineProtocol } from "../../src/telemetry/body/line_protocol.ts";

const NOW = 42n;
const TEXT_RULE = "a string of at most 4096 bytes of well-formed UTF-8 without NUL";
const NAME_RULE = "1 to 256 characters of well-formed Unicode without NUL";
const LONG = "x".repeat(4097);

const END_OF_TEXT = "Expected a comma, a space or the end of the line after a string";
const NO_INTEGER =
  "Expected an integer from -9223372036854775808 to 9223372036854775807 (2^63-1): write other numbers as floats";
const NO_UNSIGNED =
  "Expected an unsigned integer from 0 to 9223372036854775807 (2^63-1): write other numbers as floats";
const NO_VALUE = "Expected the value of a field to be a number, boolean or quoted string";
const NO_FIELD = "Expected fields as name=value";
const NO_TAG = "Expected tags as key=value";
const NO_FIELDS = "Expected fields after the measurement and tags";
const SURPLUS = "Expected the end of the line after the timestamp";

const LINES: readonly (readonly [line: string, message: string])[] = [
  ["m", NO_FIELDS],
  ["m,nodeId=n", NO_FIELDS],
  ["m,nodeId=n\\ f=1", NO_FIELDS],
  ["m,nodeId f=1", NO_TAG],
  ["m,,nodeId=n f=1", NO_TAG],
  ["m,nodeId=n, f=1", NO_TAG],
  ["m,nodeId=a=b f=1", "Expected equals signs in a tag to be escaped"],
  ["m,nodeId=n,nodeId=n f=1", "Expected each tag only once"],
  [",nodeId=n f=1", `Expected a measurement of ${NAME_RULE}`],
  ["m,a=b f=1", "Expected a nodeId tag"],
  ["m f=1", "Expected a nodeId tag"],
  ["m,nodeId=n f", NO_FIELD],
  ["m,nodeId=n ", NO_FIELD],
  ["m,nodeId=n f=1,", NO_FIELD],
  ["m,nodeId=n f=1, g=1", NO_FIELD],
  ["m,nodeId=n f=1,g 5", NO_FIELD],
  ["m,nodeId=n nodeId=1", "Expected a field name that differs from the tag names of the point"],
  ["m,nodeId=n f=", NO_VALUE],
  ["m,nodeId=n f=x", NO_VALUE],
  ["m,nodeId=n f=1x", NO_VALUE],
  ["m,nodeId=n f=-1u", NO_UNSIGNED],
  ["m,nodeId=n f=i", NO_VALUE],
  ["m,nodeId=n f=9223372036854775808i", NO_INTEGER],
  ["m,nodeId=n f=9223372036854775808u", NO_UNSIGNED],
  ["m,nodeId=n f=-9223372036854775809i", NO_INTEGER],
  [`m,nodeId=n f=${"1".repeat(401)}`, NO_VALUE],
  [`m,nodeId=n f=0.${"0".repeat(399)}`, NO_VALUE],
  [`m,nodeId=n f=${"0".repeat(401)}i`, NO_VALUE],
  ['m,nodeId=n f="a', "Expected a closing quote"],
  ['m,nodeId=n f="a\\"', "Expected a closing quote"],
  [`m,nodeId=n f="${LONG}"`, `Expected ${TEXT_RULE}`],
  ['m,nodeId=n f="a"b', END_OF_TEXT],
  ['m,nodeId=n f="a"\rb', END_OF_TEXT],
  ["m,nodeId=n f=1 x", "Expected the timestamp to be an integer"],
  ["m,nodeId=n f=1 123456789012345678901", "Expected the timestamp to be an integer"],
  ["m,nodeId=n f=1 9223372036854775807", "Expected a timestamp between the years 1677 and 2262"],
  ["m,nodeId=n f=1 -9223372036854775807", "Expected a timestamp between the years 1677 and 2262"],
  ["m,nodeId=n f=1 5 6", SURPLUS],
  ["m,nodeId=n f=1 5,g=1", SURPLUS],
  ["m,nodeId=n f=1 5\r6", SURPLUS],
];

for (const [line, message] of LINES) {
  Deno.test(`the line ${JSON.stringify(line).slice(0, 60)} is refused: ${message.slice(0, 70)}`, () => {
    const text = `m,nodeId=n f="two\nlines" 1\n\n${line}`;
    assert.throws(() => [...parseLineProtocol(text, { precision: "ns", now: NOW })], {
      name: "PointError",
      line: 4,
      message,
    });
  });
}

const GOOD = { measurement: "m", tags: { nodeId: "n" }, fields: { a: 1 } };
const NO_TIME = "Expected time in milliseconds since 1970 or ISO 8601, between 1677 and 2262";

const POINTS: readonly (readonly [point: unknown, message: string])[] = [
  [null, "Expected a point to be an object"],
  [[GOOD], "Expected a point to be an object"],
  ["m", "Expected a point to be an object"],
  [{ ...GOOD, other: 1 }, "Expected no keys other than measurement, time, tags and fields"],
  [{ ...GOOD, measurement: 5 }, "Expected measurement to be a string"],
  [{ ...GOOD, measurement: "" }, `Expected a measurement of ${NAME_RULE}`],
  [{ ...GOOD, tags: null }, "Expected tags to be an object"],
  [{ ...GOOD, tags: ["n"] }, "Expected tags to be an object"],
  [{ ...GOOD, tags: { nodeId: 5 } }, "Expected tags to be strings"],
  [{ ...GOOD, tags: {} }, "Expected a nodeId tag"],
  [{ ...GOOD, fields: 5 }, "Expected fields to be an object"],
  [{ ...GOOD, fields: {} }, "Expected at least one field"],
  [{ ...GOOD, fields: { a: null } }, "Expected fields to be numbers, booleans or strings"],
  [{ ...GOOD, fields: { a: Infinity } }, "Expected a number in the range of a double"],
  [{ ...GOOD, fields: { a: LONG } }, `Expected ${TEXT_RULE}`],
  [{ ...GOOD, time: "x" }, NO_TIME],
  [{ ...GOOD, time: null }, NO_TIME],
];

for (const [point, message] of POINTS) {
  Deno.test(`the point ${JSON.stringify(point).slice(0, 90)} is refused: ${message.slice(0, 60)}`, () => {
    assert.throws(() => [...parseJsonPoints([GOOD, point], NOW)], { name: "PointError", line: 2, message });
  });
}
