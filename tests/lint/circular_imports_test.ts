import assert from "node:assert/strict";
import { type ImportGraph, readImports } from "./import_graph.ts";

const SOURCE = new URL("../../src/", import.meta.url);
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

Deno.test("The files of the program have no circular import", async () => {
  const graph = await readImports([SOURCE]);
  assert(graph.size > 0);
  const circle = findCircle(graph)?.map((file) => file.slice(SOURCE.href.length));
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

Deno.test("The entries of a folder have no circular import", async () => {
  const graph = await readImports([SOURCE]);
  const folders = new Set([...graph.keys()].map((file) => file.slice(0, file.lastIndexOf("/") + 1)));
  assert(folders.size > 1);
  for (const folder of folders) {
    const circle = findCircle(roomsOf(folder, graph));
    assert.equal(circle, undefined, `In ${folder.slice(SOURCE.href.length)}: ${circle?.join(" -> ")}`);
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
