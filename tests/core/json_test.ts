/** JSON is parsed as JSON.parse does, but without its mistake, in steps and within limits. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { AppError } from "../../src/core/errors.ts";
import { type JsonLimits, parseInSteps, parseJson } from "../../src/core/json.ts";

Deno.test("JSON: names with escapes are read as written, also after a similar name", () => {
  for (const name of ["\n", '"', "\t", "\0", "=\r", 'a"']) {
    const [before, text] = [`${name.slice(0, -1)}\\`, name].map((last) =>
      JSON.stringify({ first: 1, [last]: 2 })
    );
    assert.ok(before !== undefined && text !== undefined);
    parseJson(before);
    assert.equal(JSON.stringify(parseJson(text)), text);
  }
});

Deno.test("JSON: names of all kinds are read as written, at any depth", () => {
  const name = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'\\"\n\0='), maxLength: 2 }),
    fc.string({ unit: fc.constantFrom(...'\\":a{}/ '), maxLength: 3 }),
    fc.string({ unit: "binary", maxLength: 3 }),
    fc.constantFrom("__proto__", "10", "1", "constructor"),
  );
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 3 },
      fc.oneof(name, fc.integer(), fc.boolean(), fc.constant(null)),
      fc.array(tie("json"), { maxLength: 3 }),
      fc.uniqueArray(fc.tuple(name, tie("json")), { maxLength: 4, selector: ([name]) => name }).map(
        (entries) => Object.fromEntries(entries),
      ),
    ),
  }));
  fc.assert(
    fc.property(json, fc.constantFrom(undefined, 2), (value, indent) => {
      // `JSON.stringify` knows nothing of the mistake, and an object's order shows in its text.
      const text = JSON.stringify(value, null, indent);
      assert.equal(JSON.stringify(parseJson(text), null, indent), text);
    }),
    { numRuns: Number(Deno.env.get("ROLEGRID_SEQUENCES") ?? 1000) },
  );
});

Deno.test("JSON: the last of duplicate names counts, also if they are escaped differently", () => {
  const texts = [
    String.raw`{"a":1,"b":0,"\u0061":2}`,
    String.raw`{"\u0061":1,"b":0,"\u0061":2}`,
    String.raw`{"\u0061":1,"a":0,"b":0,"\u0061":2}`,
    String.raw`{"\u0061":1,"b":0,"a":2}`,
  ];
  for (const text of texts) assert.equal(JSON.stringify(parseJson(text)), '{"a":2,"b":0}', text);
  assert.equal(JSON.stringify(parseJson(String.raw`{"\n":1,"b":0,"\u000a":2}`)), String.raw`{"\n":2,"b":0}`);
  assert.equal(JSON.stringify(parseJson(String.raw`{"b":0,"\u0031":1}`)), '{"1":1,"b":0}');
});

Deno.test("JSON: a name with an escape sets no prototype", () => {
  const parsed = parseJson(String.raw`{"\u005f_proto__":{"\u0061":1},"__proto__":{"\u0061":2}}`);
  assert.ok(typeof parsed === "object" && parsed !== null);
  assert.equal(Object.getPrototypeOf(parsed), Object.prototype);
  assert.equal(JSON.stringify(parsed), '{"__proto__":{"a":2}}');
});

Deno.test("JSON: malformed text throws a SyntaxError, and deep nesting is read", () => {
  for (
    const text of ["", "{", '{"\\":1}', '"\\"', '{"a\\n":}', "{'a\\n':1}", '"'.concat('\\"'.repeat(200_000))]
  ) {
    assert.throws(() => parseJson(text), SyntaxError);
  }
  assert.throws(() => parseJson(String.raw`{"a\x":1}`), SyntaxError);
  const depth = 100_000;
  const deep = `${'{"\\n":'.repeat(depth)}1${"}".repeat(depth)}`;
  let levels = 0;
  for (let at = parseJson(deep); typeof at === "object" && at !== null; at = Object.values(at)[0]) levels++;
  assert.equal(levels, depth);
});

/** Returns the number of steps in which a text is parsed, and the result. */
function runSteps(text: string, limits?: JsonLimits): { steps: number; parsed: unknown } {
  const parsing = parseInSteps(text, limits);
  for (let steps = 1;; steps++) {
    const { done, value } = parsing.next();
    if (done) return { steps, parsed: value };
  }
}

Deno.test("JSON: a long value beside a name with an escape is read", () => {
  for (const value of ["y".repeat(10_000_000), '\\"'.repeat(1_000_000)]) {
    assert.deepEqual(parseJson(JSON.stringify({ "a\n": 1, value })), { "a\n": 1, value });
  }
});

Deno.test("JSON: more different names with escapes than the limit are refused", () => {
  const named = (count: number): string =>
    JSON.stringify(Array.from({ length: 2 * count }, (_, i) => ({ [`\n${i % count}`]: i })));
  const limits = { escapedNames: 1000 };
  assert.deepEqual(runSteps(named(1000), limits).parsed, JSON.parse(named(1000)));
  assert.throws(() => runSteps(named(1001), limits), isRefusal);
  assert.throws(() => runSteps(String.raw`{"\u0061":1}`, { escapedNames: 0 }), isRefusal);
  assert.deepEqual(runSteps(String.raw`{"a":"\u0061:"}`, { escapedNames: 0 }).parsed, { a: "a:" });
});

Deno.test("JSON: more parts than the limit are refused", () => {
  const limits = { parts: 4 };
  for (const text of ['{"a":[1,2,3]}', "[[[[]]]]", '["a,b[c{",1,2,3]', '{"a\\"b":",,[{","c":[1,2]}']) {
    assert.deepEqual(runSteps(text, limits).parsed, JSON.parse(text));
    assert.throws(() => runSteps(text, { parts: 3 }), isRefusal);
  }
  assert.throws(() => runSteps("[[[[[".repeat(100_000), limits), isRefusal);
});

Deno.test("JSON: a long text is parsed in several steps, a short one in one", () => {
  const names = Array.from({ length: 100_000 }, () => ({ "\n": 1 }));
  assert.ok(runSteps(JSON.stringify(names)).steps > 5);
  assert.equal(runSteps('{"a":1}').steps, 1);
});

function isRefusal(error: unknown): boolean {
  return error instanceof AppError && error.code === "MALFORMED_REQUEST" && error.details.length === 1;
}
