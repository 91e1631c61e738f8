import { Graph, layout } from "@dagrejs/dagre";
import { findBlocks, leadTo, placeBlock } from "./blocks.ts";
import { GAP, type Line, type Link, MARGIN, NODE, type Picture, type Point, type Scene } from "./scene.ts";

const RANK_GAP = 44;
const NOTHING = { width: 0, height: 0 };

/** Lays out a picture from top to bottom. Boxes with the same neighbours form a block if a row cannot hold them. */
export function layOut(scene: Scene): Picture {
  const { boxes, links } = scene;
  const blocks = findBlocks(scene);
  const blockOf = new Map(blocks.flatMap((block) => block.ids.map((id) => [id, block])));
  const nameOf = (id: number): string => blockOf.get(id)?.name ?? String(id);

  const graph = new Graph();
  const margins = { marginx: MARGIN, marginy: MARGIN };
  graph.setGraph({ rankdir: "TB", ranksep: RANK_GAP, nodesep: GAP, edgesep: GAP / 2, ...margins });
  for (const id of boxes) if (!blockOf.has(id)) graph.setNode(String(id), { ...NODE });
  for (const { name, width, height } of blocks) graph.setNode(name, { width, height });
  for (const { from, to, label } of links) {
    // A block already contains room for the labels of its lines.
    const room = blockOf.has(from) || blockOf.has(to) ? NOTHING : label;
    graph.setEdge(nameOf(from), nameOf(to), { ...room, labelpos: "c" });
  }
  layout(graph);

  const centerOf = (name: string): Point => graph.node(name) as Point;
  const places = new Map(
    boxes.flatMap((id) => blockOf.has(id) ? [] : [[id, centerOf(String(id))] as const]),
  );
  for (const block of blocks) {
    for (const [id, place] of placeBlock(block, centerOf(block.name))) places.set(id, place);
  }
  const drawLink = ({ from, to }: Link): Pick<Line, "points" | "label"> => {
    const { points, ...label } = graph.edge(nameOf(from), nameOf(to)) as Point & { points: Point[] };
    const between = points.slice(1, -1);
    const [start, end] = [places.get(from), places.get(to)] as [Point, Point];
    const head = { x: start.x, y: start.y + NODE.height / 2 };
    const tail = { x: end.x, y: end.y - NODE.height / 2 };
    const [into, out] = [blockOf.get(to), blockOf.get(from)];
    // A short line has a single point between its ends: the center of its label's room.
    const passed = between.length > 1 ? between : [];
    if (into !== undefined) {
      const lead = leadTo(into, centerOf(into.name), end, from, -1);
      return { points: [head, ...passed, ...lead.points], label: lead.label };
    }
    if (out !== undefined) {
      const lead = leadTo(out, centerOf(out.name), start, to, 1);
      return { points: [...lead.points.toReversed(), ...passed, tail], label: lead.label };
    }
    return { points: [head, ...between, tail], label: { x: label.x, y: label.y } };
  };
  const lines = new Map(
    links.map((link) => [link.id, { from: link.from, to: link.to, ...drawLink(link) }]),
  );
  const { width = 0, height = 0 } = graph.graph();
  return { width, height, places, lines };
}
