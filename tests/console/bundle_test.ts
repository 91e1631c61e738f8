/** The files of the console: their sizes, their names, and that they evaluate no text and ask no other host. */
import assert from "node:assert/strict";
import { CONSOLE_FOLDER } from "../../src/console/console_build.ts";
import { ConsolePage } from "../../src/console/console_page.tsx";
import { makeFile } from "../../src/http/static_file.ts";
import { builtConsole } from "./built_console.ts";

/** Bytes that travel, compressed, for a person who opens every view in one language. */
const MOST_OF_ALL = 190_000;
const MOST_OF_FIRST_PAGE = 40_000;

/** Texts of another language take the place of the English ones. */
const OTHER_LANGUAGE = /^(nl|fr|de)-/;

async function readFiles(names: readonly string[]): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await Deno.readFile(new URL(name, CONSOLE_FOLDER))] as const),
    ),
  );
}

/** Fails, with the largest files, if the service sends more bytes for them together. */
async function assertAtMost(
  most: number,
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
): Promise<void> {
  const sizes = await Promise.all(
    Array.from(files, async ([name, file]) => ({ name, size: (await makeFile(file, "")).encoded.br.length })),
  );
  const sum = sizes.reduce((sum, { size }) => sum + size, 0);
  const largest = sizes.sort((a, b) => b.size - a.size).slice(0, 10).map(({ name, size }) =>
    `${name} ${size}`
  );
  assert.ok(sum <= most, `${sum} bytes in ${sizes.length} files: ${largest.join(", ")}, …`);
}

Deno.test("all files of the console are small enough to load over a bad connection", async () => {
  const { files } = await builtConsole();
  await assertAtMost(MOST_OF_ALL, await readFiles(files.filter((name) => !OTHER_LANGUAGE.test(name))));
});

Deno.test("the files of the console’s first page are small, and the page preloads all of them", async () => {
  const manifest = await builtConsole();
  const { script, preloads, style } = manifest;
  const page = String(ConsolePage({
    issuerName: "Rolegrid",
    manifest,
    publicUrl: "https://rolegrid.test",
    passkeyDomain: "rolegrid.test",
    historyDays: 400,
    trashDays: 30,
    rightPresets: [],
    hasDemo: false,
  }));
  const files = await readFiles([script, ...preloads, style]);
  await assertAtMost(
    MOST_OF_FIRST_PAGE,
    new Map([["the page", new TextEncoder().encode(page)], ...files]),
  );
  for (const name of [script, ...preloads]) {
    const text = new TextDecoder().decode(files.get(name));
    const imported = Array.from(text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g), ([, file = ""]) => file);
    const late = imported.filter((file) => !files.has(file));
    assert.deepEqual(late, [], `${name} imports what the page does not preload`);
  }
});

Deno.test("no file of the console evaluates text as code, or names another host", async () => {
  for (const [name, bytes] of await readFiles((await builtConsole()).files)) {
    const text = new TextDecoder().decode(bytes);
    assert.doesNotMatch(text, /\beval\s*\(|\bnew Function\b|\bFunction\s*\(["'`]/, name);
    const hosts = Array.from(text.matchAll(/https?:\/\/[^"'`\s)]+/g), ([url]) => url);
    assert.deepEqual(hosts.filter((url) => !url.startsWith("http://www.w3.org/")), [], name);
  }
});

Deno.test("the folder contains the files of the manifest, and each name but the icon’s has a hash", async () => {
  const { files } = await builtConsole();
  const held = Array.from(Deno.readDirSync(CONSOLE_FOLDER), ({ name }) => name);
  const finished = held.filter((name) =>
    !name.startsWith(".part-") && !["manifest.json", "sources.json"].includes(name)
  );
  assert.deepEqual(finished.sort(), [...files].sort());
  for (const name of files) {
    if (name !== "icon.svg") assert.match(name, /^[a-z_]+-[A-Z0-9]{8}\.(js|css)$/);
  }
});
