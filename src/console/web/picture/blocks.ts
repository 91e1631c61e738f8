import { GAP, type Line, NODE, type Point, type Scene, type Size } from "./scene.ts";

/** Boxes with the same neighbours, as a block of several rows: in one row they would be too wide to be looked at. */
interface Block extends Size {
  readonly name: string;
  readonly ids: readonly number[];
  readonly columns: number;
  /** From one row to the next. */
  readonly step: number;
  /** Above its first row. */
  readonly padding: number;
  /** The boxes that lead to it, and those that it leads to. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** Room for a line that comes in from the side, and for what stands on it. */
const LEAD = 36;
/** Between rows without lines. */
const ROW_GAP = 24;
/** A box has room for the ends of this many lines above it, and below it. */
const MAX_NEIGHBOURS = 2;

/** The blocks of a scene: each has more boxes than a row has room for. */
export function findBlocks({ boxes, links, columns }: Scene): Block[] {
  const groups = new Map<string, Pick<Block, "ids" | "from" | "to">>();
  for (const id of boxes) {
    const from = links.flatMap((link) => link.to === id ? [link.from] : []).sort();
    const to = links.flatMap((link) => link.from === id ? [link.to] : []).sort();
    if (from.length > MAX_NEIGHBOURS || to.length > MAX_NEIGHBOURS || from.length + to.length === 0) continue;
    const name = `${from} to ${to}`;
    groups.set(name, { ids: [...groups.get(name)?.ids ?? [], id], from, to });
  }
  return [...groups].filter(([, { ids }]) => ids.length > columns)
    .map(([name, group]) => makeBlock(name, group, columns));
}

function makeBlock(
  name: string,
  { ids, from, to }: Pick<Block, "ids" | "from" | "to">,
  most: number,
): Block {
  const rows = Math.ceil(ids.length / most);
  const columns = Math.ceil(ids.length / rows);
  const [padding, below] = [from, to].map(({ length }) => length === 0 ? 0 : LEAD) as [number, number];
  const step = NODE.height + ROW_GAP + padding + below;
  return {
    name,
    ids,
    from,
    to,
    columns,
    step,
    padding,
    width: columns * (NODE.width + GAP) - GAP,
    height: padding + (rows - 1) * step + NODE.height + below,
  };
}

/** The centers of its boxes, row by row. */
export function placeBlock(block: Block, center: Point): Map<number, Point> {
  const { ids, columns, width, height, step, padding } = block;
  const left = center.x - width / 2 + NODE.width / 2;
  const top = center.y - height / 2 + padding + NODE.height / 2;
  return new Map(ids.map((id, i) => [id, {
    x: left + (i % columns) * (NODE.width + GAP),
    y: top + Math.floor(i / columns) * step,
  }]));
}

/**
 * The line from the outside of a block to one of its boxes, down through the gap beside the boxes before it; with a side
 * of 1 the line to it from below.
 */
export function leadTo(block: Block, center: Point, box: Point, neighbour: number, side: -1 | 1): Line {
  const neighbours = side === -1 ? block.from : block.to;
  // Two lines end beside one another, so that there is room for what stands on each.
  const shift = (neighbours.indexOf(neighbour) - (neighbours.length - 1) / 2) * (NODE.width + GAP) / 2;
  const end = { x: box.x + shift, y: box.y + side * NODE.height / 2 };
  const edge = center.y + side * block.height / 2;
  const gap = box.x + (box.x > center.x ? -1 : 1) * (NODE.width + GAP) / 2;
  const isOuter = Math.abs(end.y - edge) <= LEAD;
  const before = isOuter
    ? [{ x: end.x, y: edge }]
    : [{ x: gap, y: edge }, { x: gap, y: end.y + side * 56 }, { x: end.x, y: end.y + side * 20 }];
  return { points: [...before, end], label: { x: end.x, y: end.y + side * 18 } };
}
