/** Which grants a write needs, by the times of its points. */
import assert from "node:assert/strict";
import type { Grant } from "../../src/device/grant_service.ts";
import type { SeriesWrite } from "../../src/telemetry/points/point.ts";
import { grantsToWrite } from "../../src/telemetry/series/written_periods.ts";

const MS = 1_000_000n;

function grant(from: number | null, until: number | null, roleId: number, nodeId = "meter"): Grant {
  return { nodeId, deviceId: 1, roleId, monitorsId: roleId, actingId: 9, meantId: null, from, until };
}

function written(line: number, ns: readonly bigint[], nodeId = "meter"): SeriesWrite {
  const values = new Map(ns.map((time) => [time, "1"]));
  return { nodeId, measurement: "power", tags: "{}", field: "watts", kind: "number", line, values };
}

/** `[role, from, until]` of the grants that a write needs. */
function needed(grants: readonly Grant[], ...series: SeriesWrite[]): unknown {
  const byNode = Map.groupBy(grants, ({ nodeId }) => nodeId);
  return grantsToWrite(byNode, series).map(({ roleId, from, until }) => [roleId, from, until]);
}

Deno.test("a write needs one grant for the span of its points, or none of them without bounds", () => {
  assert.deepEqual(needed([grant(null, null, 1), grant(3, 5, 2)], written(1, [7n * MS])), [[1, null, null]]);
  const points = written(1, [4n * MS, 3n * MS, 5n * MS - 1n]);
  assert.deepEqual(needed([grant(4, 9, 1), grant(3, 5, 2)], points), [[2, 3, 5]]);
  assert.deepEqual(needed([grant(3, 9, 2)], written(1, [8n * MS, 3n * MS, 4n * MS])), [[2, 3, 9]]);
  assert.deepEqual(needed([grant(null, 5, 1)], written(1, [-1n])), [[1, -1, 0]]);
  assert.deepEqual(needed([grant(5, null, 1)], written(1, [5n * MS]), written(2, [9n * MS])), [[1, 5, 10]]);
});

Deno.test("points on both sides of now may need two grants", () => {
  assert.deepEqual(needed([grant(5, 9, 1), grant(1, 7, 2)], written(1, [1n * MS, 8n * MS])), [[2, 1, 2], [
    1,
    8,
    9,
  ]]);
});

Deno.test("each device needs its own grants", () => {
  const grants = [grant(1, 9, 1, "a"), grant(null, null, 2, "b"), grant(1, 3, 3, "c")];
  const series = [written(1, [1n * MS], "a"), written(2, [50n * MS], "b"), written(3, [2n * MS], "c")];
  assert.deepEqual(needed(grants, ...series), [[2, null, null], [1, 1, 2], [3, 2, 3]]);
});

Deno.test("a point outside is refused with the line of its series", () => {
  const grants = [grant(3, 5, 1)];
  for (
    const [line, ...series] of [
      [7, written(7, [3n * MS - 1n])],
      [7, written(7, [5n * MS])],
      [8, written(7, [4n * MS]), written(8, [4n * MS, 6n * MS])],
      [9, written(7, [4n * MS]), written(9, [2n * MS]), written(8, [2n * MS])],
    ] as const
  ) {
    assert.throws(() => needed(grants, ...series), {
      code: "TELEMETRY_REFUSED",
      message: new RegExp(`^Line ${line} \\(in JSON: point ${line}, .*outside the period`),
    });
  }
});
