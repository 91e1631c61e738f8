/** A large body of points lets other work run, and its first fault is reported. */
import assert from "node:assert/strict";
import { LineFaults } from "../../src/telemetry/body/line_faults.ts";
import { type PointsFormat, readFaulty, readPoints } from "../../src/telemetry/body/read_points.ts";

const LINES: PointsFormat = { mediaType: "text/plain", precision: "ns", now: 0 };
const JSON_LIST: PointsFormat = { ...LINES, mediaType: "application/json" };

Deno.test("parsing a large body lets other work run in between", async () => {
  const line = `m,nodeId=n ${Array.from({ length: 100 }, (_, i) => `f${i}=1`).join(",")}`;
  const point = { measurement: "m", tags: { nodeId: "n" }, fields: { a: 1 } };
  const bodies: [string, PointsFormat][] = [
    [Array<string>(1000).fill(line).join("\n"), LINES],
    [JSON.stringify(Array(100_000).fill(point)), JSON_LIST],
  ];
  for (const [text, format] of bodies) {
    let turns = 0;
    let isDone = false;
    const reading = readPoints(text, format).finally(() => isDone = true);
    while (!isDone) {
      turns++;
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    assert.ok((await reading).length > 0);
    assert.ok(turns >= 20, `${turns} turns of the event loop for 100,000 values`);
  }
});

Deno.test("of several faults, the first one is reported", async () => {
  const text = 'm,nodeId=n a=1\nm,nodeId=n a="text"\nm,nodeId=n a=';
  await assert.rejects(readPoints(text, LINES), {
    code: "MALFORMED_REQUEST",
    extra: {
      details: [{
        path: "body.line 2",
        message: "Expected the field to have the type of an earlier point (number)",
      }],
    },
  });
});

Deno.test("malformed lines count as the values of as many good ones, and as no series", async () => {
  const sizes = await Promise.all(["1", "NaN"].map(async (value) => {
    const size = { values: 0, knownSeries: 0, newSeries: 0 };
    const sorting = { faults: new LineFaults(), findFault: () => undefined, keepsOthers: true };
    await readFaulty(`m,nodeId=n f=${value}\n`.repeat(3000), LINES, sorting, size);
    return size;
  }));
  assert.deepEqual(sizes.map(({ values, newSeries }) => [values, newSeries]), [[3000, 1], [3000, 0]]);
});
