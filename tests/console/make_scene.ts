import type { Link, Scene } from "../../src/console/web/picture/scene.ts";
import { createRandom, randomInteger } from "../helpers/random_numbers.ts";

/** The rights of a relation. */
export const LABEL = { width: 100, height: 26 };

/** A role with parents, which may have some, too, and up to 30 children, some or all of which others manage as well. */
export function makeScene(seed: number): Scene {
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
