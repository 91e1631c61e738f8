import type { Plugin } from "esbuild";

/**
 * Puts what the page starts with into one file, whatever uses it later. By itself, esbuild makes a file for each set of
 * files that something is used by: dozens, each of which costs a request and compresses by itself. So whatever is loaded
 * later imports `start`, and all that this leads to is used by the same set of files. The source cannot do so: the start
 * leads to what is loaded later.
 */
export function oneSharedFile(start: URL): Plugin {
  const importStart = `import ${JSON.stringify(decodeURIComponent(start.pathname))};`;
  return {
    name: "one shared file",
    setup(build) {
      const late = new Set<string>();
      build.onResolve({ filter: /^\.\.?\/.+\.tsx?$/ }, ({ kind, path, resolveDir }) => {
        // Texts use nothing of the page.
        if (kind !== "dynamic-import" || path.includes("/texts/")) return undefined;
        const file = decodeURIComponent(new URL(path, `file://${resolveDir}/`).pathname);
        late.add(file);
        return { path: file };
      });
      build.onLoad(
        { filter: /\.tsx?$/ },
        async ({ path }) =>
          late.has(path)
            ? {
              contents: importStart + await Deno.readTextFile(path),
              loader: path.endsWith("x") ? "tsx" : "ts",
            }
            : undefined,
      );
    },
  };
}
