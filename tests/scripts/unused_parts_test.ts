import assert from "node:assert/strict";
import { build, type Plugin, stop } from "esbuild";
import { withoutUnusedParts } from "../../scripts/lib/unused_parts.ts";
import { layOut } from "../../src/console/web/picture/layout.ts";
import { makeScene } from "../console/make_scene.ts";

const WEB = new URL("../../src/console/web/", import.meta.url);

/** Bundles a file as the console’s build does. */
async function bundle(entry: string, ...plugins: Plugin[]): Promise<string> {
  try {
    const { outputFiles: [file] } = await build({
      entryPoints: [new URL(entry, WEB).pathname],
      bundle: true,
      minify: true,
      format: "esm",
      write: false,
      logLevel: "silent",
      plugins: [...plugins, withoutUnusedParts],
    });
    return file?.text ?? "";
  } finally {
    await stop();
  }
}

Deno.test("without the parts that the build leaves out, pictures are laid out the same", async () => {
  const program = await bundle("picture/layout.ts");
  const built: { layOut: typeof layOut } = await import(
    `data:text/javascript,${encodeURIComponent(program)}`
  );
  for (let seed = 1; seed <= 60; seed++) {
    const scene = makeScene(seed);
    assert.deepEqual(built.layOut(scene), layOut(scene));
  }
});

Deno.test("a build fails if a package does not have what is to be left out", async () => {
  const folder = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  try {
    const path = `${folder}/uPlot.esm.js`;
    await Deno.writeTextFile(path, "export default class {}");
    const anotherVersion: Plugin = {
      name: "another version",
      setup: ({ onResolve }) => onResolve({ filter: /^uplot$/ }, () => ({ path })),
    };
    await assert.rejects(
      bundle("views/devices/plot.tsx", anotherVersion),
      /does not have this once: \(paths\.stepped/,
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
