import { GAP, type Line, NODE, type Point, type Scene, type Size } from "./scene.ts";

/** A block of several rows of boxes with the same neighbours; one row would be too wide. */
interface Block extends Size {
  readonly name: string;
  readonly ids: readonly number[];
  readonly columns: number;
  /** Distance between rows. */
  readonly step: number;
  /** Space above the first row. */
  readonly padding: number;
  /** The boxes with links to it, and those that it links to. */
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** Room for a line from the side, and its label. */
const LEAD = 36;
/** Gap between rows without lines. */
const ROW_GAP = 24;
/** Maximum number of line ends above a box, and below it. */
const MAX_NEIGHBOURS = 2;

/** Returns the blocks of a scene: groups of more boxes than fit into a row. */
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

/** Returns the centers of a block's boxes, row by row. */
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
 * Returns the line from outside a block to one of its boxes, through the gap beside the boxes before it: from above,
 * or with side 1 from below.
 */
export function leadTo(
  block: Block,
  center: Point,
  box: Point,
  neighbour: number,
  side: -1 | 1,
): Pick<Line, "points" | "label"> {
  const neighbours = side === -1 ? block.from : block.to;
  // Two lines end side by side, with room for their labels.
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
