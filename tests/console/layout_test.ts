/** The layout of the picture: nothing overlaps, lines go down. */
import assert from "node:assert/strict";
import { layOut } from "../../src/console/web/picture/layout.ts";
import { NODE, type Point, type Size } from "../../src/console/web/picture/scene.ts";
import { LABEL, makeScene } from "./make_scene.ts";

Deno.test("boxes and the labels of lines do not overlap", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const scene = makeScene(seed);
    const { places, lines, width, height } = layOut(scene);
    assert.equal(places.size, scene.boxes.length);
    assert.equal(lines.size, scene.links.length);
    const rects = [
      ...[...places].map(([id, place]) => ({ name: `box ${id}`, ...rectOf(place, NODE) })),
      ...[...lines].map(([id, { label }]) => ({ name: `label ${id}`, ...rectOf(label, LABEL) })),
    ];
    for (const [i, a] of rects.entries()) {
      assert.ok(a.left >= 0 && a.top >= 0 && a.right <= width && a.bottom <= height, `${a.name} of ${seed}`);
      for (const b of rects.slice(0, i)) {
        const isApart = a.left >= b.right || b.left >= a.right || a.top >= b.bottom || b.top >= a.bottom;
        assert.ok(isApart, `${a.name} and ${b.name} of ${seed}`);
      }
    }
  }
});

Deno.test("a line leads from the lower edge of one box down to the upper edge of the other", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const scene = makeScene(seed);
    const { places, lines } = layOut(scene);
    for (const { id, from, to } of scene.links) {
      const { points } = lines.get(id) ?? { points: [] };
      const [start, end] = [places.get(from), places.get(to)] as [Point, Point];
      assert.equal(points[0]?.y, start.y + NODE.height / 2);
      assert.equal(points.at(-1)?.y, end.y - NODE.height / 2);
      assert.ok(
        points.every(({ y }, i) => i === 0 || y >= (points[i - 1]?.y ?? 0) - 0.001),
        `${id} of ${seed}`,
      );
    }
  }
});

function rectOf({ x, y }: Point, { width, height }: Size) {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}
