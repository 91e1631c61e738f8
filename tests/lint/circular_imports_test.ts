/** Neither the files of the program nor the entries of a folder import each other in a circle. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path/posix";
import { filesBelow, readText } from "./project_files.ts";

/** Static and dynamic imports of values, and re-exports. Imports of types do not exist at runtime. */
const IMPORT =
  /^\s*(?:import|export)\s(?!type\s)(?:[^;"]*\sfrom\s)?"(\.[^"]+\.tsx?)"|\bimport\(\s*"(\.[^"]+\.tsx?)"/gm;

/** The imports of each file. */
type ImportGraph = ReadonlyMap<string, readonly string[]>;

function readImports(): ImportGraph {
  return new Map(
    filesBelow("src/").filter((file) => /\.tsx?$/.test(file)).map((file) => {
      const found = readText(file).matchAll(IMPORT);
      return [file, Array.from(found, ([, fixed, dynamic = ""]) => join(dirname(file), fixed ?? dynamic))];
    }),
  );
}

/** The files of one cycle in the order of their imports, or undefined if there is none. */
function findCircle(graph: ImportGraph): string[] | undefined {
  const finished = new Set<string>();

  function follow(file: string, path: string[]): string[] | undefined {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (finished.has(file)) return undefined;
    for (const imported of graph.get(file) ?? []) {
      const circle = follow(imported, [...path, file]);
      if (circle !== undefined) return circle;
    }
    finished.add(file);
    return undefined;
  }

  for (const file of graph.keys()) {
    const circle = follow(file, []);
    if (circle !== undefined) return circle;
  }
  return undefined;
}

Deno.test("The files of the program have no circular import", () => {
  const graph = readImports();
  assert(graph.size > 0);
  const circle = findCircle(graph);
  assert.equal(circle, undefined, `Move what they share to a file of its own: ${circle?.join(" -> ")}`);
});

/** The imports between the direct entries of a folder, files and folders. */
function roomsOf(folder: string, graph: ImportGraph): ImportGraph {
  const rooms = new Map<string, string[]>();
  const roomOf = (file: string): string | undefined =>
    file.startsWith(folder) ? file.slice(folder.length).split("/")[0] : undefined;
  for (const [file, imported] of graph) {
    const room = roomOf(file);
    if (room === undefined) continue;
    const others = imported.map(roomOf).filter((other) => other !== undefined && other !== room);
    rooms.set(room, [...rooms.get(room) ?? [], ...others as string[]]);
  }
  return rooms;
}

Deno.test("The entries of a folder have no circular import", () => {
  const graph = readImports();
  const folders = new Set([...graph.keys()].map((file) => file.slice(0, file.lastIndexOf("/") + 1)));
  assert(folders.size > 1);
  for (const folder of folders) {
    const circle = findCircle(roomsOf(folder, graph));
    assert.equal(circle, undefined, `In ${folder}: ${circle?.join(" -> ")}`);
  }
});

Deno.test("Two folders that import each other are a cycle even if no files are", () => {
  const graph = new Map([["/a/b/1.ts", ["/a/c/2.ts"]], ["/a/c/2.ts", []], ["/a/c/3.ts", ["/a/b/1.ts"]]]);
  assert.equal(findCircle(graph), undefined);
  assert.deepEqual(findCircle(roomsOf("/a/", graph)), ["b", "c", "b"]);
});

Deno.test("A cycle is found, and two ways to one file are none", () => {
  const lozenge = new Map([["a", ["b", "c"]], ["b", ["d"]], ["c", ["d"]], ["d", []]]);
  assert.equal(findCircle(lozenge), undefined);
  assert.deepEqual(findCircle(new Map([...lozenge, ["d", ["c"]]])), ["d", "c", "d"]);
});
