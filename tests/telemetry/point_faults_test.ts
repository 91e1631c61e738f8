/** Each fault of a line, and of a point in JSON, is told with its place and without what was given. */
import assert from "node:assert/strict";
import { parseJsonPoints } from "../../src/telemetry/body/json_points.ts";
import { parseLineProtocol } from "../../src/telemetry/body/line_protocol.ts";

const NOW = 42n;
const NAME_RULE = "1 to 256 characters of well-formed Unicode without NUL";
const TEXT_RULE = "a string of at most 4096 bytes of well-formed UTF-8 without NUL";
const LONG = "x".repeat(4097);

const NO_MEASUREMENT = `Expected a measurement of ${NAME_RULE}`;
const NO_NODE_ID = "Expected a nodeId tag";
const LONG_NODE_ID = "Expected a nodeId tag of 1 to 128 characters";
const NO_TAG_NAME = `Expected a tag name of ${NAME_RULE}`;
const NO_TAG_VALUE = "Expected a tag value of 1 to 1024 characters of well-formed Unicode without NUL";
const TIME_AS_TAG = "Expected a tag name other than time";
const MANY_TAGS = "Expected at most 32 tags";
const NO_FIELD_NAME = `Expected a field name of ${NAME_RULE}`;
const TIME_AS_FIELD = "Expected a field name other than time";
const TAG_AS_FIELD = "Expected a field name that differs from the tag names of the point";
const MANY_FIELDS = "Expected at most 256 fields";
const WRITE_FLOATS = "(2^63-1): write other numbers as floats";

/** What `make` makes of the numbers 0 to `count` - 1. */
function many<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

const values = (...texts: string[]): string[] => texts.map((text) => `m,nodeId=n f=${text}`);
const times = (...texts: string[]): string[] => texts.map((text) => `m,nodeId=n f=1 ${text}`);

const NO_NUMBER = [
  "NaN",
  "nan",
  "Inf",
  "-inf",
  "+1",
  "1e400",
  "1e",
  "1.5i",
  "u",
  "i",
  "1ii",
  "0x10",
  "1_0",
  "1x",
];
const NO_SIGN = [".", "-", "-.", "--1", "1.2.3", "1e1.5", "1=2", "١"];
const NO_WORD = ["", "x", "tRue", "yes", "null", "'a'"];
const LONG_NUMBER = ["1".repeat(401), `0.${"0".repeat(399)}`, `${"0".repeat(401)}i`];
const NO_TIME = ["x", "1.5", "1e3", "+1", "0x1", "-", "2026-01-01", "123456789012345678901"];

const LINES: readonly (readonly [message: string, ...lines: string[]])[] = [
  [
    "Expected fields after the measurement and tags",
    ...["m", "m,nodeId=n", "m,nodeId=n\\ f=1", "m,nodeId=n,f=1"],
  ],
  [
    "Expected tags as key=value",
    ...["m,nodeId f=1", "m,,nodeId=n f=1", "m,nodeId=n, f=1", "m, nodeId=n f=1"],
  ],
  ["Expected equals signs in a tag to be escaped", "m,nodeId=a=b f=1", "m,nodeId=n,a=b=c f=1"],
  ["Expected each tag only once", "m,nodeId=n,nodeId=n f=1"],
  [NO_MEASUREMENT, ",nodeId=n f=1", `${"m".repeat(257)},nodeId=n f=1`, "m\0,nodeId=n f=1"],
  [NO_NODE_ID, "m,a=b f=1", "m f=1", "m,nodeid=n f=1", "secret,site=secret secret=1"],
  [LONG_NODE_ID, `m,nodeId=${"n".repeat(129)} f=1`],
  [NO_TAG_NAME, "m,=n,nodeId=n f=1"],
  [NO_TAG_VALUE, "m,nodeId= f=1", "m,nodeId=\ud800 f=1"],
  [TIME_AS_TAG, "m,nodeId=n,time=1 f=1"],
  [MANY_TAGS, `m,nodeId=n${many(32, (i) => `,t${i}=v`).join("")} f=1`],
  [
    "Expected fields as name=value",
    ...["m,nodeId=n f", "m,nodeId=n ", "m,nodeId=n f g=1", "m,nodeId=n f=1,,g=1"],
    ...["m,nodeId=n f=1,", "m,nodeId=n f=1, g=1", "m,nodeId=n f=1,g 5"],
  ],
  [NO_FIELD_NAME, "m,nodeId=n =1", `m,nodeId=n ${"f".repeat(257)}=1`],
  [TIME_AS_FIELD, "m,nodeId=n time=1"],
  [TAG_AS_FIELD, "m,nodeId=n nodeId=1", "m,nodeId=n,a=b a=1"],
  [MANY_FIELDS, `m,nodeId=n ${many(257, (i) => `f${i}=1`).join(",")}`],
  [
    "Expected the value of a field to be a number, boolean or quoted string",
    ...values(...NO_NUMBER, ...NO_SIGN, ...NO_WORD, ...LONG_NUMBER),
    "m,nodeId=n secret=secret",
  ],
  [
    `Expected an integer from -9223372036854775808 to 9223372036854775807 ${WRITE_FLOATS}`,
    ...values("9223372036854775808i", "-9223372036854775809i"),
  ],
  [
    `Expected an unsigned integer from 0 to 9223372036854775807 ${WRITE_FLOATS}`,
    ...values("-1u", "9223372036854775808u"),
  ],
  ["Expected a closing quote", ...values('"', '"a', '"a\\"')],
  [`Expected ${TEXT_RULE}`, ...values(`"${LONG}"`, '"a\0"', '"\ud800"')],
  ["Expected a comma, a space or the end of the line after a string", ...values('"a"b', '"a"\rb', '"a"=1')],
  ["Expected the timestamp to be an integer", ...times(...NO_TIME)],
  [
    "Expected a timestamp between the years 1677 and 2262",
    ...times("9223372036854775807", "-9223372036854775807"),
  ],
  ["Expected the end of the line after the timestamp", ...times("5 6", "5,g=1", "1,f=2", "5\r6")],
];

for (const [message, ...lines] of LINES) {
  Deno.test(`a line is refused with: ${message}`, () => {
    for (const line of lines) {
      const text = `m,nodeId=n f="two\nlines" 1\n\n${line}\nm,nodeId=n f=1`;
      const refusal = { name: "PointError", line: 4, message };
      assert.throws(() => [...parseLineProtocol(text, { precision: "ns", now: NOW })], refusal, line);
    }
  });
}

const GOOD = { measurement: "m", tags: { nodeId: "n" }, fields: { a: 1 } };

const measurements = (...all: unknown[]): unknown[] => all.map((measurement) => ({ ...GOOD, measurement }));
const withTags = (...all: object[]): unknown[] =>
  all.map((tags) => ({ ...GOOD, tags: { ...GOOD.tags, ...tags } }));
const fields = (...all: unknown[]): unknown[] => all.map((fields) => ({ ...GOOD, fields }));
const numbered = (count: number) => Object.fromEntries(many(count, (i) => [`k${i}`, "v"]));

const NO_OBJECT = [null, 1, true, "", [], ["x"], [{}]];
const NO_TEXT = [null, 1, true, [], {}, ["x"]];

const POINTS: readonly (readonly [message: string, ...points: unknown[]])[] = [
  ["Expected a point to be an object", null, 1, "m", [], [GOOD]],
  ["Expected no keys other than measurement, time, tags and fields", { ...GOOD, other: 1 }],
  ["Expected measurement to be a string", {}, ...measurements(...NO_TEXT)],
  [NO_MEASUREMENT, ...measurements("", "🔑".repeat(257), "a\0", "\udc00")],
  ["Expected tags to be an object", ...NO_OBJECT.map((tags) => ({ ...GOOD, tags }))],
  ["Expected tags to be strings", ...withTags({ nodeId: 5 }, { a: null }, { nodeId: [] }, { nodeId: {} })],
  [NO_NODE_ID, { ...GOOD, tags: {} }],
  [LONG_NODE_ID, ...withTags({ nodeId: "n".repeat(129) })],
  [NO_TAG_NAME, ...withTags({ ["k".repeat(257)]: "v" }, { "": "v" })],
  [NO_TAG_VALUE, ...withTags({ nodeId: "" }, { k: "v".repeat(1025) }, { k: "" })],
  [TIME_AS_TAG, ...withTags({ time: "v" })],
  [MANY_TAGS, ...withTags(numbered(32))],
  ["Expected fields to be an object", ...fields(...NO_OBJECT)],
  ["Expected at least one field", ...fields({})],
  ["Expected fields to be numbers, booleans or strings", ...fields({ a: null }, { a: [] }, { a: {} })],
  ["Expected a number in the range of a double", ...fields({ a: Infinity })],
  [`Expected ${TEXT_RULE}`, ...fields({ a: LONG }, { a: "x\0" }, { a: "\ud800" })],
  [NO_FIELD_NAME, ...fields({ "": 1 })],
  [TIME_AS_FIELD, ...fields({ time: 1 })],
  [TAG_AS_FIELD, ...fields({ nodeId: 1 })],
  [MANY_FIELDS, ...fields(numbered(257))],
  [
    "Expected time in milliseconds since 1970 or ISO 8601, between 1677 and 2262",
    ...[null, true, "", "x", 1e300, [], {}].map((time) => ({ ...GOOD, time })),
  ],
];

for (const [message, ...points] of POINTS) {
  Deno.test(`a point in JSON is refused with: ${message}`, () => {
    for (const point of points) {
      const refusal = { name: "PointError", line: 2, message };
      assert.throws(() => [...parseJsonPoints([GOOD, point], NOW)], refusal, JSON.stringify(point));
    }
  });
}
