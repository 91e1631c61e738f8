/** Lines that InfluxData's client writes are read back as they were given. */
import assert from "node:assert/strict";
import { Point as ClientPoint } from "@influxdata/influxdb-client";
import fc from "fast-check";
import { parseLineProtocol } from "../../src/telemetry/body/line_protocol.ts";
import type { FieldValue } from "../../src/telemetry/points/point.ts";

const NOW = 42n;

/** Names that the client can write. It cannot write a backslash at the end, and replaces line breaks and tabs. */
const name = fc.string({
  unit: fc.constantFrom(",", "=", " ", "\\", '"', "#", "'", "é", "🔑", "a", "0", "_", "\u2028"),
  minLength: 1,
  maxLength: 8,
}).filter((text) => !text.endsWith("\\"));
const measurement = name.filter((text) => !text.startsWith("#"));
const value = fc.oneof(
  fc.record({
    type: fc.constant("float" as const),
    value: fc.double({ noDefaultInfinity: true, noNaN: true }),
  }),
  fc.record({ type: fc.constant("integer" as const), value: fc.maxSafeInteger() }),
  fc.record({ type: fc.constant("unsigned" as const), value: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }) }),
  fc.record({ type: fc.constant("boolean" as const), value: fc.boolean() }),
  fc.record({
    type: fc.constant("text" as const),
    value: fc.string({ unit: fc.constantFrom("a", '"', "\\", "\n", "\r", "\t", ",", " ", "=", "é", "🔑") }),
  }),
);
const clientPoint = fc.record({
  measurement,
  tags: fc.uniqueArray(fc.tuple(name.map((text) => `t${text}`), name), {
    selector: ([key]) => key,
    maxLength: 4,
  }),
  fields: fc.uniqueArray(fc.tuple(name.map((text) => `f${text}`), value), {
    selector: ([key]) => key,
    minLength: 1,
    maxLength: 4,
  }),
  time: fc.option(fc.bigInt({ min: -9_223_372_036n, max: 9_223_372_036n })),
});

type GivenPoint = typeof clientPoint extends fc.Arbitrary<infer T> ? T : never;

Deno.test("points written by InfluxData's client are read back as given, with their lines", () => {
  const precision = fc.constantFrom("ns", "us", "ms", "s");
  fc.assert(fc.property(fc.array(clientPoint, { maxLength: 5 }), precision, (given, unit) => {
    const unitNs = { ns: 1n, us: 1_000n, ms: 1_000_000n, s: 1_000_000_000n }[unit];
    const lines = given.map((point) => writeWithClient(point));
    const points = [...parseLineProtocol(lines.join("\n"), { precision: unit, now: NOW })];
    assert.equal(points.length, given.length);
    let line = 1;
    for (const [i, point] of given.entries()) {
      const read = points[i];
      assert.equal(read?.line, line);
      line += (lines[i] ?? "").split("\n").length;
      assert.equal(read.key.measurement, point.measurement);
      assert.equal(read.time, point.time === null ? NOW : point.time * unitNs);
      assert.deepEqual(read.key.tags, new Map([["nodeId", "n"] as const, ...point.tags]));
      assert.equal(read.fields.size, point.fields.length);
      for (const [key, { type, value }] of point.fields) {
        const { kind, json }: Partial<FieldValue> = read.fields.get(key) ?? {};
        assert.equal(kind, type === "text" ? "string" : type === "boolean" ? "boolean" : "number");
        if (type === "unsigned") assert.equal(json, String(value));
        else assert.ok(JSON.parse(json ?? "") === value, `${json} for ${value}`);
      }
    }
  }));
});

function writeWithClient(given: GivenPoint): string {
  const point = new ClientPoint(given.measurement).tag("nodeId", "n");
  for (const [key, tag] of given.tags) point.tag(key, tag);
  for (const [key, { type, value }] of given.fields) {
    if (type === "float") point.floatField(key, value);
    else if (type === "integer") point.intField(key, value);
    else if (type === "unsigned") point.uintField(key, String(value));
    else if (type === "boolean") point.booleanField(key, value);
    else point.stringField(key, value);
  }
  // A point without a timestamp gets one from the client, unless the client is told to omit it.
  const convertTime = (): string | undefined => given.time === null ? undefined : String(given.time);
  const line = point.toLineProtocol({ convertTime });
  assert.ok(line !== undefined);
  return line;
}
