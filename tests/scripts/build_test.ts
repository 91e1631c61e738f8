/** A build of the console is complete, and is made again once a source has changed. */
import assert from "node:assert/strict";
import { stop } from "esbuild";
import { buildConsole, isBuilt } from "../../scripts/build.ts";

function namesIn(folder: URL): string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
}

/** Ends the compiler's process, too. */
async function withFolder(body: (folder: URL) => Promise<void>): Promise<void> {
  const path = await Deno.makeTempDir({ prefix: "rolegrid_test_" });
  try {
    await body(new URL(`file://${path}/`));
  } finally {
    await stop();
    await Deno.remove(path, { recursive: true });
  }
}

Deno.test("a build leaves only the files of its manifest, even if two builds run at once", async () => {
  await withFolder(async (parent) => {
    const folder = new URL("console/", parent);
    const first = await buildConsole(folder);
    const expected = [...first.files, "manifest.json", "sources.json"].sort();
    assert.deepEqual(namesIn(folder), expected);
    assert.deepEqual(JSON.parse(await Deno.readTextFile(new URL("manifest.json", folder))), first);
    await Deno.writeTextFile(new URL("main-OLDOLDOL.js", folder), "1");
    const [second, third] = await Promise.all([buildConsole(folder), buildConsole(folder)]);
    assert.deepEqual([second, third], [first, first]);
    assert.deepEqual(namesIn(folder), expected);
  });
});

Deno.test("a build leaves another build's unfinished files alone", async () => {
  await withFolder(async (folder) => {
    await Deno.writeTextFile(new URL(".part-1", folder), "1");
    await buildConsole(folder);
    assert.ok(namesIn(folder).includes(".part-1"));
  });
});

Deno.test("a build of which a file is missing is made again", async () => {
  await withFolder(async (folder) => {
    const { files } = await buildConsole(folder);
    for (const name of [...files, "manifest.json"]) {
      await Deno.rename(new URL(name, folder), new URL("elsewhere", folder));
      assert.equal(await isBuilt(folder), false, name);
      await Deno.rename(new URL("elsewhere", folder), new URL(name, folder));
    }
    assert.equal(await isBuilt(folder), true);
  });
});

Deno.test("there is nothing to build as long as no source has changed, to a later or an earlier time, or is missing", async () => {
  await withFolder(async (folder) => {
    assert.equal(await isBuilt(folder), false);
    await buildConsole(folder);
    assert.equal(await isBuilt(folder), true);
    const file = new URL("sources.json", folder);
    const sources: [path: string, bytes: number, changedAt: number][] = JSON.parse(
      await Deno.readTextFile(file),
    );
    const names = sources.map(([path]) => path);
    for (const name of ["main.tsx", "style/main.css", "icon.svg", "../../../deno.lock"]) {
      assert.ok(names.includes(name), name);
    }
    const [[path, bytes, changedAt] = assert.fail(), ...others] = sources;
    for (const [more, later] of [[1, 0], [0, 1], [0, -1]] as const) {
      const other = [path, bytes + more, changedAt + later];
      await Deno.writeTextFile(file, JSON.stringify([...others, other]));
      assert.equal(await isBuilt(folder), false, `${more} bytes, ${later} ms`);
    }
    for (const damaged of [JSON.stringify([...sources, ["gone.ts", 1, 1]]), "", "[[", "{}", "[1]"]) {
      await Deno.writeTextFile(file, damaged);
      assert.equal(await isBuilt(folder), false, damaged);
    }
  });
});
