import type { Plugin } from "esbuild";

/** A part of a package that the console does not use, which a build cannot know. */
interface UnusedPart {
  /** As it is written in the package. */
  readonly text: string;
  /** What is written instead; nothing unless given. */
  readonly instead?: string;
}

/** Ways to draw a series that no plot has, and what prepares data and dates for uPlot. */
const UPLOT: readonly UnusedPart[] = [
  { text: "(paths.stepped = stepped);" },
  { text: "(paths.bars    = bars);" },
  { text: "(paths.spline  = monotoneCubic);" },
  { text: "uPlot.join = join;" },
  { text: "uPlot.fmtDate = fmtDate;" },
  { text: "uPlot.tzDate  = tzDate;" },
];

/** For graphs other than pictures of hierarchies, which lead down, not back to themselves, and have no boxes within boxes. */
const DAGRE: readonly UnusedPart[] = [
  // The layout of what is inside of a box, before that of the whole.
  { text: "return In(e,q,n),e", instead: "let t=Rn(e);return Cn(t,q,n,null),Tn(e,t),e" },
  { text: `n("    parentDummyChains",()=>ln(e)),` },
  { text: `n("    addBorderSegments",()=>bn(e)),` },
  { text: `n("    removeBorderNodes",()=>Nr(e)),` },
  { text: `n("    removeSelfEdges",()=>Gr(e)),` },
  { text: `n("    insertSelfEdges",()=>vr(e)),` },
  { text: `,n("    positionSelfEdges",()=>kr(e))` },
  { text: `n("    adjustCoordinateSystem",()=>pn(e)),` },
  { text: `n("    undoCoordinateSystem",()=>mn(e)),` },
  { text: `e.graph().acyclicer==="greedy"?be(e,r(e)):` },
  // Graphs as JSON, and all algorithms (shortest paths, components, …) but the two that the layout takes.
  { text: "Mn(ie,{Graph:()=>T,alg:()=>H});" },
  { text: "Se(Dn,{read:()=>Bn,write:()=>An});" },
  {
    text: "CycleException:()=>K,bellmanFord:()=>Me,components:()=>zn,dijkstra:()=>J,dijkstraAll:()=>$n," +
      "findCycles:()=>Un,floydWarshall:()=>Kn,isAcyclic:()=>Zn,",
  },
  { text: ",prim:()=>rt,shortestPaths:()=>ot,tarjan:()=>Fe,topsort:()=>De" },
];

const FILES = [
  { file: /\/uPlot\.esm\.js$/, parts: UPLOT },
  { file: /\/dagre\.esm\.js$/, parts: DAGRE },
];

/**
 * Leaves out what the console does not use of its packages. Fails where a part is not as it was, after an update of the
 * package: it may be found anew, or taken off the list.
 */
export const withoutUnusedParts: Plugin = {
  name: "without unused parts",
  setup(build) {
    for (const { file, parts } of FILES) {
      build.onLoad({ filter: file }, async ({ path }) => ({
        contents: parts.reduce(leaveOut, await Deno.readTextFile(path)),
      }));
    }
  },
};

function leaveOut(program: string, { text, instead = "" }: UnusedPart): string {
  const [before = "", after, ...more] = program.split(text);
  if (after === undefined || more.length > 0) throw new Error(`A package does not have this once: ${text}`);
  return before + instead + after;
}
