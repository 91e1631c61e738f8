import assert from "node:assert/strict";
import { layOut } from "../../src/console/web/views/hierarchy/layout.ts";
import {
  type Link,
  NODE,
  type Point,
  type Scene,
  type Size,
} from "../../src/console/web/views/hierarchy/scene.ts";
import { createRandom, randomInteger } from "../bench/statistics.ts";

/** The rights of a relation. */
const LABEL = { width: 100, height: 26 };

Deno.test("boxes, and what stands on lines, overlap nothing", () => {
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

/** A role with parents, which may have some, too, and up to 30 children, some or all of which others manage as well. */
function makeScene(seed: number): Scene {
  const random = createRandom(seed);
  const below = (most: number): number => randomInteger(random, most);
  const links: Link[] = [];
  const link = (from: number, to: number): void => {
    if (links.some((each) => each.from === from && each.to === to)) return;
    links.push({ id: links.length + 1, from, to, label: LABEL });
  };
  const [top, parents, children] = [below(3), below(20), below(31)];
  const boxes = Array.from({ length: 1 + top + parents + children }, (_, i) => i);
  for (let i = 0; i < parents; i++) {
    const parent = 1 + top + i;
    link(parent, 0);
    if (top > 0) link(1 + below(top), parent);
    if (top > 1 && below(8) === 0) link(1 + below(top), parent);
  }
  const hasOther = parents > 0 && below(3) === 0;
  for (let i = 0; i < children; i++) {
    const child = 1 + top + parents + i;
    link(0, child);
    if (hasOther) link(1 + top, child);
    if (parents > 0 && below(10) === 0) link(1 + top + below(parents), child);
  }
  return { boxes, links, columns: 2 + below(5) };
}

function rectOf({ x, y }: Point, { width, height }: Size) {
  return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
}
