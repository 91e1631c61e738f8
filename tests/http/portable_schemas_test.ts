/** Schemas of the document are rewritten so that client generators understand them, and lose nothing. */
import assert from "node:assert/strict";
import { makePortable } from "../../src/http/openapi/portable_schemas.ts";

Deno.test("an integer that may exceed 32 bits has the format int64, and any other number double", () => {
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

Deno.test("a boolean that is always the same becomes any boolean, and other constants stay", () => {
  assert.deepEqual(makePortable({ const: true, description: "So" }), { type: "boolean", description: "So" });
  assert.deepEqual(makePortable({ const: "ok" }), { const: "ok" });
});

Deno.test("a nullable value becomes a list of types", () => {
  assert.deepEqual(
    makePortable({ anyOf: [{ type: "string", format: "date-time" }, { type: "null" }], description: "When" }),
    { type: ["string", "null"], format: "date-time", description: "When" },
  );
});

Deno.test("a union stays a union if a list of types would lose something", () => {
  const cases = [
    { $ref: "#/components/schemas/Rights" },
    { type: "string", enum: ["a", "b"] },
    { type: "string", const: "a" },
  ];
  for (const first of cases) {
    const schema = { anyOf: [first, { type: "null" }] };
    assert.deepEqual(makePortable(schema), schema);
  }
  const scalars = { anyOf: [{ type: "string" }, { type: "null" }, { type: "boolean" }] };
  assert.deepEqual(makePortable(scalars), scalars);
});

Deno.test("a date-time next to a number becomes a plain string", () => {
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

Deno.test("a union of exclusive options becomes oneOf", () => {
  const cases = [
    [{ type: "string" }, { type: "boolean" }],
    [{ type: "string" }, { type: "object" }],
    [closedObject("measurement", "database"), closedObject("measurement", "namespace")],
  ];
  for (const options of cases) {
    const description = "Some";
    assert.deepEqual(makePortable({ anyOf: options, description }), { oneOf: options, description });
  }
});

Deno.test("a union whose options may overlap, include null or are references stays anyOf", () => {
  const cases = [
    [{ type: "string" }, { type: "null" }, { type: "boolean" }],
    [{ type: "number", format: "double" }, { type: "integer", maximum: 9 }],
    [closedObject("measurement"), closedObject("measurement", "namespace")],
    [closedObject("measurement"), { type: "object" }],
    [{ type: "object" }, closedObject("measurement")],
    [{ $ref: "#/components/schemas/TelemetryQuery" }, { type: "array" }],
  ];
  for (const options of cases) {
    assert.deepEqual(makePortable({ anyOf: options }), { anyOf: options });
  }
});

Deno.test("examples, defaults and enums are not rewritten, and a property may be named like a keyword", () => {
  const data = { example: { type: "integer" }, default: 1, enum: ["a", null] };
  assert.deepEqual(makePortable(data), data);
  assert.deepEqual(
    makePortable({ properties: { example: { type: "number" } } }),
    { properties: { example: { type: "number", format: "double" } } },
  );
});
