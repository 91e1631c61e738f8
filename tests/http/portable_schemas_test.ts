import assert from "node:assert/strict";
import { makePortable } from "../../src/http/openapi/portable_schemas.ts";

Deno.test("numbers that may exceed 32 bits say so", () => {
  assert.deepEqual(
    makePortable({ a: { type: "integer" }, b: { type: "integer", maximum: 2 ** 31 }, c: { type: "number" } }),
    {
      a: { type: "integer", format: "int64" },
      b: { type: "integer", maximum: 2 ** 31, format: "int64" },
      c: { type: "number", format: "double" },
    },
  );
  const kept = { a: { type: "integer", maximum: 2 ** 31 - 1 }, b: { type: "integer", format: "int32" } };
  assert.deepEqual(makePortable(kept), kept);
});

Deno.test("a value that may be null has a list of types", () => {
  assert.deepEqual(
    makePortable({ anyOf: [{ type: "string", format: "date-time" }, { type: "null" }], description: "When" }),
    { type: ["string", "null"], format: "date-time", description: "When" },
  );
});

Deno.test("a union stays one if a list of types could not say the same", () => {
  for (
    const first of [
      { $ref: "#/components/schemas/Rights" },
      { type: "string", enum: ["a", "b"] },
      { type: "string", const: "a" },
    ]
  ) {
    const schema = { anyOf: [first, { type: "null" }] };
    assert.deepEqual(makePortable(schema), schema);
  }
  const two = { anyOf: [{ type: "string" }, { type: "boolean" }] };
  assert.deepEqual(makePortable(two), two);
  const scalars = { anyOf: [{ type: "string" }, { type: "null" }, { type: "boolean" }] };
  assert.deepEqual(makePortable(scalars), scalars);
});

Deno.test("data is left as it is, and properties may be named like keywords", () => {
  const data = { example: { type: "integer" }, default: 1, enum: ["a", null] };
  assert.deepEqual(makePortable(data), data);
  assert.deepEqual(
    makePortable({ properties: { example: { type: "number" } } }),
    { properties: { example: { type: "number", format: "double" } } },
  );
});
