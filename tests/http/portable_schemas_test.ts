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
  const scalars = { anyOf: [{ type: "string" }, { type: "null" }, { type: "boolean" }] };
  assert.deepEqual(makePortable(scalars), scalars);
});

Deno.test("a time beside a number is any text", () => {
  const number = { type: "integer", maximum: 9, format: "int32" };
  assert.deepEqual(
    makePortable({ anyOf: [number, { type: "string", format: "date-time" }], description: "When" }),
    { oneOf: [number, { type: "string" }], description: "When" },
  );
});

function closedObject(...names: string[]): object {
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  return { type: "object", properties, required: names, additionalProperties: false };
}

Deno.test("a union of options that exclude each other allows one of them", () => {
  for (
    const options of [
      [{ type: "string" }, { type: "boolean" }],
      [{ type: "string" }, { type: "object" }],
      [closedObject("measurement", "database"), closedObject("measurement", "namespace")],
    ]
  ) {
    assert.deepEqual(makePortable({ anyOf: options, description: "Some" }), {
      oneOf: options,
      description: "Some",
    });
  }
});

Deno.test("a union of options that may overlap, be null or stand elsewhere allows any of them", () => {
  for (
    const options of [
      [{ type: "string" }, { type: "null" }, { type: "boolean" }],
      [{ type: "number", format: "double" }, { type: "integer", maximum: 9 }],
      [closedObject("measurement"), closedObject("measurement", "namespace")],
      [closedObject("measurement"), { type: "object" }],
      [{ type: "object" }, closedObject("measurement")],
      [{ $ref: "#/components/schemas/TelemetryQuery" }, { type: "array" }],
    ]
  ) {
    assert.deepEqual(makePortable({ anyOf: options }), { anyOf: options });
  }
});

Deno.test("data is left as it is, and properties may be named like keywords", () => {
  const data = { example: { type: "integer" }, default: 1, enum: ["a", null] };
  assert.deepEqual(makePortable(data), data);
  assert.deepEqual(
    makePortable({ properties: { example: { type: "number" } } }),
    { properties: { example: { type: "number", format: "double" } } },
  );
});
