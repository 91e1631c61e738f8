/** Points in JSON are read with exact values, up to the limits of names and numbers. */
import assert from "node:assert/strict";
import * as v from "valibot";
import { parseJson } from "../../src/core/json.ts";
import { parseJsonPoints } from "../../src/telemetry/body/json_points.ts";
import type { Point } from "../../src/telemetry/points/point.ts";
import { MAX_VALUES } from "../../src/telemetry/points/point_rules.ts";
import { PointsBodySchema } from "../../src/telemetry/schemas.ts";

const NOW = 42n;
const GOOD = { measurement: "m", tags: { nodeId: "n" }, fields: { a: 1 } };

function parseBody(body: Iterable<unknown>): Point[] {
  return [...parseJsonPoints(body, NOW)];
}

function parse(...points: unknown[]): Point[] {
  return parseBody(points.map((point) => parseJson(JSON.stringify(point))));
}

Deno.test("points are read with their values, tags and times", () => {
  const point = {
    ...GOOD,
    tags: { nodeId: "n", site: "é" },
    fields: { a: 1.5, b: true, c: false, d: 'x"\n' },
  };
  const points = parse({ ...point, time: "2026-01-01T00:00:00Z" }, { ...point, time: 1.5 }, point);
  assert.deepEqual(points.map(({ time, line }) => ({ time, line })), [
    { time: 1_767_225_600_000_000_000n, line: 1 },
    { time: 1_500_000n, line: 2 },
    { time: NOW, line: 3 },
  ]);
  assert.deepEqual(points[2]?.key.tags, new Map([["nodeId", "n"], ["site", "é"]]));
  assert.deepEqual(
    points[2]?.fields,
    new Map([
      ["a", { kind: "number", json: "1.5" }],
      ["b", { kind: "boolean", json: "true" }],
      ["c", { kind: "boolean", json: "false" }],
      ["d", { kind: "string", json: '"x\\"\\n"' }],
    ]),
  );
  assert.deepEqual(parse(), []);
});

Deno.test("points with different tags or measurements are never merged", () => {
  const own = { nodeId: "n" };
  const tags = [{ ...own, c: "bx" }, { ...own, cb: "x" }, { nodeId: "na", b: "x" }, own];
  const points = parse(...tags.map((set) => ({ ...GOOD, tags: set })), { ...GOOD, measurement: "m6:nodeId" });
  assert.deepEqual(points.map((point) => Object.fromEntries(point.key.tags)), [...tags, own]);
  assert.equal(points[4]?.key.measurement, "m6:nodeId");
});

Deno.test("inherited property names are ordinary names", () => {
  const body =
    '[{"measurement":"constructor","tags":{"nodeId":"n","__proto__":"p"},"fields":{"toString":1}}]';
  const [point] = parseBody(JSON.parse(body));
  assert.deepEqual(point?.key.tags, new Map([["nodeId", "n"], ["__proto__", "p"]]));
  assert.deepEqual([...point?.fields.keys() ?? []], ["toString"]);
});

Deno.test("a large number keeps its value as a double", () => {
  for (const value of [2 ** 53, 2 ** 60, -(2 ** 62), 1e20, 1e21, 1.7976931348623157e308, 5e-324, 0.1]) {
    const json = parse({ ...GOOD, fields: { a: value } })[0]?.fields.get("a")?.json ?? "";
    assert.equal(JSON.parse(json), value);
    assert.equal(/[.e]/.test(json), !Number.isSafeInteger(value), json);
  }
});

Deno.test("more than 100,000 values are refused with the position of the first surplus point", () => {
  const full = Array(MAX_VALUES / 250).fill({ ...GOOD, fields: numbered(250) });
  assert.equal(parseBody(full).length, full.length);
  const refusal = { name: "PointError", line: full.length + 1, message: "Expected at most 100000 values" };
  assert.throws(() => parseBody([...full, GOOD, GOOD]), refusal);
});

function numbered(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));
}

Deno.test("names and tags are limited in length and number", () => {
  const good = [
    { ...GOOD, measurement: "🔑".repeat(256) },
    { ...GOOD, tags: { nodeId: "🔑".repeat(128), ["k".repeat(256)]: "v".repeat(1024) } },
    { ...GOOD, tags: { nodeId: "n", ...numbered(31) } },
    { ...GOOD, fields: numbered(256) },
    { ...GOOD, measurement: "'; DROP TABLE point; --\n\"\\" },
  ];
  for (const point of good) assert.equal(parse(point).length, 1);
});

Deno.test("the described schema accepts and refuses the same points as the parser", () => {
  for (const point of [GOOD, { ...GOOD, time: 1 }, { ...GOOD, time: "2026-01-01" }]) {
    assert.ok(v.safeParse(PointsBodySchema, [point]).success);
    assert.equal(parse(point).length, 1);
  }
  for (const wrong of [{ extra: 1 }, { fields: { a: null } }, { tags: { nodeId: 1 } }]) {
    const point = { ...GOOD, ...wrong };
    assert.ok(!v.safeParse(PointsBodySchema, [point]).success);
    assertRefused(point);
  }
});

function assertRefused(point: unknown): void {
  const refusal = { name: "PointError", line: 2 };
  assert.throws(() => parse(GOOD, point), refusal, JSON.stringify(point)?.slice(0, 100));
}
