import assert from "node:assert/strict";
import { stop } from "esbuild";
import { buildConsole } from "../../scripts/build.ts";

function namesIn(folder: URL): string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
}

Deno.test("a build leaves only the files of its manifest, even if two builds run at once", async () => {
  const parent = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  const folder = new URL(`file://${parent}/console/`);
  try {
    const first = await buildConsole(folder);
    const expected = [...first.files, "manifest.json"].sort();
    assert.deepEqual(namesIn(folder), expected);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(new URL("manifest.json", folder))), first);
    await Deno.writeTextFile(new URL("main-OLDOLDOL.js", folder), "1");
    const [second, third] = await Promise.all([buildConsole(folder), buildConsole(folder)]);
    assert.deepEqual([second, third], [first, first]);
    assert.deepEqual(namesIn(folder), expected);
  } finally {
    await stop();
    await Deno.remove(parent, { recursive: true });
  }
});

Deno.test("a build leaves another build's unfinished files alone", async () => {
  const parent = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  const folder = new URL(`file://${parent}/`);
  try {
    await Deno.writeTextFile(new URL(".part-1", folder), "1");
    await buildConsole(folder);
    assert.ok(namesIn(folder).includes(".part-1"));
  } finally {
    await stop();
    await Deno.remove(parent, { recursive: true });
  }
});
