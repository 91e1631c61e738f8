import assert from "node:assert/strict";
import { type ImportGraph, readImports } from "./import_graph.ts";

const ROOT = new URL("../../", import.meta.url);
const DIRECTORIES = [new URL("src/", ROOT), new URL("scripts/", ROOT)];

/** The entry files that serve requests. */
const STARTS = [
  "src/service/serve.ts",
  "scripts/dev.ts",
  "scripts/dev_server.ts",
];

/** The only files of the project that may import Drizzle, as a lint rule enforces. */
const LOADS_DRIZZLE = /\/src\/db\/(schema\/|define_read\.ts$)|_reads\.ts$/;

/** A chain of imports from a start to a file that loads Drizzle, or undefined if there is none. */
function findDrizzle(graph: ImportGraph, starts: readonly string[]): string[] | undefined {
  const chains = starts.map((start) => [start]);
  const seen = new Set(starts);
  for (const chain of chains) {
    const file = chain.at(-1) as string;
    if (LOADS_DRIZZLE.test(file)) return chain;
    for (const imported of graph.get(file) ?? []) {
      if (seen.has(imported)) continue;
      seen.add(imported);
      chains.push([...chain, imported]);
    }
  }
  return undefined;
}

Deno.test("The first answer does not wait for Drizzle, which is loaded where a plain read runs", async () => {
  const graph = await readImports(DIRECTORIES, (dynamic) => dynamic.endsWith("_reads.ts"));
  const starts = STARTS.map((path) => new URL(path, ROOT).href);
  assert.deepEqual(starts.filter((start) => !graph.has(start)), []);
  const chain = findDrizzle(graph, starts)?.map((file) => file.slice(ROOT.href.length));
  assert.equal(chain, undefined, `Import the reads where they run: ${chain?.join(" -> ")}`);
});

Deno.test("A chain of imports to a file that loads Drizzle is found", async () => {
  const graph = new Map([["/a.ts", ["/b.ts", "/c.ts"]], ["/b.ts", []], ["/c.ts", [
    "/src/db/schema/role.ts",
  ]]]);
  assert.deepEqual(findDrizzle(graph, ["/a.ts"]), ["/a.ts", "/c.ts", "/src/db/schema/role.ts"]);
  assert.equal(findDrizzle(graph, ["/b.ts"]), undefined);
  const everyImport = await readImports(DIRECTORIES);
  assert.notEqual(findDrizzle(everyImport, STARTS.map((path) => new URL(path, ROOT).href)), undefined);
});
