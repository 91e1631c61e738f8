/** Static and dynamic imports of values, and re-exports. Imports of types do not exist at runtime. */
const IMPORT =
  /^\s*(?:import|export)\s(?!type\s)(?:[^;"]*\sfrom\s)?"(\.[^"]+\.tsx?)"|\bimport\(\s*"(\.[^"]+\.tsx?)"/gm;

/** The imports of each file, by URL. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** The imports of all files in and below the directories. `leavesOut` selects dynamic imports to leave out. */
export async function readImports(
  directories: readonly URL[],
  leavesOut: (dynamic: string) => boolean = () => false,
): Promise<ImportGraph> {
  const graph = new Map<string, string[]>();
  for (const directory of directories) await readDirectory(directory, graph, leavesOut);
  return graph;
}

async function readDirectory(
  directory: URL,
  graph: Map<string, string[]>,
  leavesOut: (dynamic: string) => boolean,
): Promise<void> {
  for await (const entry of Deno.readDir(directory)) {
    const url = new URL(entry.isDirectory ? `${entry.name}/` : entry.name, directory);
    if (entry.isDirectory) await readDirectory(url, graph, leavesOut);
    if (!/\.tsx?$/.test(entry.name)) continue;
    const found = (await Deno.readTextFile(url)).matchAll(IMPORT);
    const imports = [...found].filter(([, , dynamic]) => dynamic === undefined || !leavesOut(dynamic));
    graph.set(url.href, imports.map(([, fixed, dynamic = ""]) => new URL(fixed ?? dynamic, url).href));
  }
}
