/** The rules of names, tags, fields and values of a point, up to their exact limits. */
import assert from "node:assert/strict";
import {
  DEFAULT_RETENTION_POLICY,
  FALSE_VALUE,
  findFieldNameFault,
  findFieldsFault,
  findSeriesFault,
  findTagsFault,
  isName,
  PointError,
  TEXT_RULE,
  toNumberValue,
  toTextValue,
  TRUE_VALUE,
} from "../../src/telemetry/points/point_rules.ts";

const FOX = "🦊";
const NAME_RULE = "1 to 256 characters of well-formed Unicode without NUL";
const NODE = { nodeId: "n" };

function tagsFault(tags: Record<string, string>): string | undefined {
  return findTagsFault(new Map(Object.entries(tags)));
}

/** Tags `t0`, `t1` …, without the nodeId. */
function manyTags(count: number, value = "v"): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, value]));
}

function fieldsFault(names: readonly string[], tags: Record<string, string> = NODE): string | undefined {
  return findFieldsFault(new Map(names.map((name) => [name, TRUE_VALUE])), new Map(Object.entries(tags)));
}

Deno.test("a name has 1 to 256 code points, is well-formed and has no NUL", () => {
  for (const unit of ["x", FOX]) {
    assert.equal(isName(unit), true);
    assert.equal(isName(unit.repeat(256)), true);
    assert.equal(isName(unit.repeat(257)), false);
  }
  assert.equal(isName("x".repeat(255) + FOX), true);
  assert.equal(isName("x".repeat(256) + FOX), false);
  for (const name of ["", "a\0", "\ud800", "\udc00x"]) assert.equal(isName(name), false);
});

Deno.test("a field may have any name except time", () => {
  assert.equal(findFieldNameFault("Time"), undefined);
  assert.equal(findFieldNameFault("time"), "Expected a field name other than time");
  assert.equal(findFieldNameFault(""), `Expected a field name of ${NAME_RULE}`);
});

Deno.test("a point has 1 to 32 tags, one of them the nodeId", () => {
  assert.equal(tagsFault({ ...NODE, ...manyTags(31) }), undefined);
  assert.equal(tagsFault({ ...NODE, ...manyTags(32) }), "Expected at most 32 tags");
  assert.equal(tagsFault({ a: "b" }), "Expected a nodeId tag");
  assert.equal(tagsFault({ nodeId: FOX.repeat(128) }), undefined);
  assert.equal(tagsFault({ nodeId: FOX.repeat(129) }), "Expected a nodeId tag of 1 to 128 characters");
});

Deno.test("a tag has any name except time, and 1 to 1024 characters", () => {
  const rule = "Expected a tag value of 1 to 1024 characters of well-formed Unicode without NUL";
  assert.equal(tagsFault({ ...NODE, time: "x" }), "Expected a tag name other than time");
  assert.equal(tagsFault({ ...NODE, "": "x" }), `Expected a tag name of ${NAME_RULE}`);
  assert.equal(tagsFault({ ...NODE, a: FOX.repeat(1024) }), undefined);
  for (const value of ["", FOX.repeat(1025), "a\0", "\ud800"]) {
    assert.equal(tagsFault({ ...NODE, a: value }), rule);
  }
});

Deno.test("all tags have at most 4096 characters together, including their names", () => {
  // nodeId and n, four names of two characters, and values.
  const rest = 4096 - 7 - 4 * 2;
  for (const unit of ["x", FOX]) {
    const fits = { ...NODE, ...manyTags(3, unit.repeat(1024)), t3: unit.repeat(rest - 3 * 1024) };
    assert.equal(tagsFault(fits), undefined);
    const fault = "Expected tags of at most 4096 characters in total";
    assert.equal(tagsFault({ ...fits, t3: `${fits.t3}x` }), fault);
  }
});

Deno.test("a measurement needs a valid name", () => {
  const tags = new Map(Object.entries(NODE));
  assert.equal(findSeriesFault({ measurement: "m", tags }), undefined);
  assert.equal(findSeriesFault({ measurement: "", tags }), `Expected a measurement of ${NAME_RULE}`);
  assert.equal(findSeriesFault({ measurement: "m", tags: new Map() }), "Expected a nodeId tag");
});

Deno.test("a point has 1 to 256 fields, none with the name of a tag", () => {
  const names = Array.from({ length: 256 }, (_, i) => `f${i}`);
  assert.equal(fieldsFault(names), undefined);
  assert.equal(fieldsFault([...names, "f256"]), "Expected at most 256 fields");
  assert.equal(fieldsFault([]), "Expected at least one field");
  assert.equal(fieldsFault(["f", "time"]), "Expected a field name other than time");
  assert.equal(
    fieldsFault(["f", "nodeId"]),
    "Expected a field name that differs from the tag names of the point",
  );
});

Deno.test("a number is written so that it is read as a double", () => {
  const texts: [number, string][] = [
    [1, "1"],
    [-0.5, "-0.5"],
    [Number.MAX_SAFE_INTEGER, "9007199254740991"],
    [-Number.MAX_SAFE_INTEGER, "-9007199254740991"],
    [2 ** 53, "9007199254740992.0"],
    [-(2 ** 53), "-9007199254740992.0"],
    [1e21, "1e+21"],
    [5e-324, "5e-324"],
  ];
  for (const [value, json] of texts) assert.deepEqual(toNumberValue(value), { kind: "number", json });
  for (const value of [NaN, Infinity, -Infinity]) assert.equal(toNumberValue(value), undefined);
});

Deno.test("booleans are stored as in JSON", () => {
  assert.deepEqual(TRUE_VALUE, { kind: "boolean", json: "true" });
  assert.deepEqual(FALSE_VALUE, { kind: "boolean", json: "false" });
});

Deno.test("the default retention policy is InfluxDB's autogen", () => {
  assert.equal(DEFAULT_RETENTION_POLICY, "autogen");
});

Deno.test("a text has up to 4096 bytes, is well-formed and has no NUL", () => {
  assert.deepEqual(toTextValue('a"\n'), { kind: "string", json: '"a\\"\\n"' });
  assert.deepEqual(toTextValue(""), { kind: "string", json: '""' });
  for (const [unit, count] of [["x", 4096], ["é", 2048], ["€", 1365], [FOX, 1024]] as const) {
    assert.equal(toTextValue(unit.repeat(count))?.kind, "string");
    assert.equal(toTextValue(unit.repeat(count + 1)), undefined);
  }
  for (const text of ["a\0", "\ud800"]) assert.equal(toTextValue(text), undefined);
  assert.equal(TEXT_RULE, "a string of at most 4096 bytes of well-formed UTF-8 without NUL");
});

Deno.test("a PointError has its line and its message", () => {
  const { name, line, message } = new PointError(3, "Expected something else");
  assert.deepEqual([name, line, message], ["PointError", 3, "Expected something else"]);
});
