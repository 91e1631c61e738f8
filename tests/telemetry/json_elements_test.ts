/** A list in JSON is read element by element, and refused where it goes beyond the form of points. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { parseElements } from "../../src/telemetry/body/json_elements.ts";

function parse(text: string): unknown[] {
  return [...parseElements(text)];
}

/** Values of the depth of a point. */
const shallow = fc.oneof(
  fc.string(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const pointLike = fc.dictionary(
  fc.string(),
  fc.oneof(shallow, fc.dictionary(fc.string(), shallow, { maxKeys: 5 }), fc.array(shallow, { maxLength: 5 })),
  { maxKeys: 5 },
);

Deno.test("a list is parsed like JSON.parse does, with any spacing", () => {
  fc.assert(fc.property(fc.array(fc.oneof(shallow, pointLike)), fc.nat(3), (list, space) => {
    const text = ` \r${JSON.stringify(list, null, space)}\n\t`;
    assert.deepEqual(parse(text), JSON.parse(text));
  }));
});

Deno.test("a text that is not JSON or not a list is refused", () => {
  const separators = ["[1,]", "[,1]", "[1 2]", "[tru]"];
  const ends = ["[1", "[", "[{]", "[1]]", "[1] x", "[1}", "[1}2]", "[{1]"];
  const quotes = ['["a]', '["a\\"]', "[']']"];
  for (const text of [...separators, ...ends, ...quotes]) {
    assert.throws(() => JSON.parse(text), text);
    const details = [{ path: "body", message: "Expected valid JSON" }];
    assert.throws(() => parse(text), { code: "MALFORMED_REQUEST", details }, text);
  }
  for (const text of ["", "{}", "1", "null", '"[]"']) {
    const details = [{ path: "body", message: "Expected a list of points" }];
    assert.throws(() => parse(text), { code: "MALFORMED_REQUEST", details }, text);
  }
});

Deno.test("an element with more nesting or parts than a point is refused before it is parsed", () => {
  const depth = 100_000;
  const nested = { name: "PointError", line: 2, message: "Expected tags and fields without nested values" };
  assert.throws(() => parse(`[{},${"[".repeat(depth)}${"]".repeat(depth)}]`), nested);
  assert.throws(() => parse('[{},{"tags":{"a":{}}}]'), nested);
  const many = { name: "PointError", line: 1, message: "Expected a point to have fewer tags and fields" };
  const fields = (count: number): string => Array.from({ length: count }, (_, i) => `"f${i}":1`).join(",");
  assert.throws(() => parse(`[{${fields(302)}}]`), many);
  assert.equal(parse(`[{${fields(301)}}]`).length, 1);
  // Commas in texts do not count.
  assert.equal(parse(`[{"fields":{"text":"${",".repeat(4000)}"}}]`).length, 1);
});

Deno.test("a field that would lose digits is refused by name, but no time or text", () => {
  const point = (fields: string): string =>
    `[{"time":1e400,"fields":{"text":"541448820012345678"}},{"fields":{${fields}}}]`;
  for (
    const [fields, name] of [['"a":1,"n":541448820012345678', "n"], ['"x\\u0022":-1e999', 'x\\"']] as const
  ) {
    assert.throws(() => parse(point(fields)), {
      name: "PointError",
      line: 2,
      message: `Expected the field "${name}" to be an integer up to 2^53: write it as a text`,
    });
  }
  assert.equal(parse(point('"a":9007199254740992,"b":1e21,"c":"9007199254740993"')).length, 2);
});
