/** The files of the console: their sizes, their names, and that they evaluate no text and ask no other host. */
import assert from "node:assert/strict";
import { CONSOLE_FOLDER, ICON } from "../../src/console/console_build.ts";
import { ConsolePage } from "../../src/console/console_page.tsx";
import { makeFile } from "../../src/http/static_file.ts";
import { builtConsole } from "./built_console.ts";

/** Bytes that travel, compressed, for a person who opens every view in one language. */
const MOST_OF_ALL = 190_000;
/** The same for a person who opens one view, until their first click. */
const MOST_OF_VIEW = 120_000;
const MOST_OF_FIRST_PAGE = 40_000;

/** What each view loads when it is opened first, by the names of the sources of its files. */
const VIEWS = {
  "a role": ["layout", "details", "role"],
  "why a person has a right": ["layout", "details", "why"],
  "a device": ["details", "devices", "plot"],
  "the changes": ["details"],
  "home, a person, people and the account": ["details", "role", "pages"],
};
/** What opens on a click. */
const LATER = ["forms"];
const LANGUAGES = ["en", "nl", "fr", "de"];

/** The bytes of each part at the last look, to tell which of them has grown since. */
const BEFORE: Readonly<Record<string, number>> = {
  start: 37_400,
  "late style": 5_900,
  layout: 16_300,
  details: 16_300,
  role: 14_000,
  why: 4_900,
  devices: 8_200,
  plot: 22_800,
  pages: 13_300,
  forms: 23_700,
  en: 20_700,
  nl: 24_800,
  fr: 25_600,
  de: 25_000,
};

type Files = ReadonlyMap<string, Uint8Array<ArrayBuffer>>;

async function readFiles(names: readonly string[]): Promise<Files> {
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await Deno.readFile(new URL(name, CONSOLE_FOLDER))] as const),
    ),
  );
}

/** The bytes that the service sends for each file. */
async function measure(files: Files): Promise<ReadonlyMap<string, number>> {
  return new Map(
    await Promise.all(
      Array.from(
        files,
        async ([name, file]) => [name, (await makeFile(file, "")).encoded.br.length] as const,
      ),
    ),
  );
}

/** The files that a script imports at once. */
function importsOf(script: Uint8Array | undefined): string[] {
  const text = new TextDecoder().decode(script);
  return Array.from(text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g), ([, file = ""]) => file);
}

/** The files that a browser loads for some parts, after those of the first page, by part. */
async function filesOf(parts: readonly string[], files: Files): Promise<Map<string, string[]>> {
  const { script, style, lateStyle } = await builtConsole();
  const loaded = new Set<string>();
  const load = (names: readonly string[]): string[] => {
    const before = loaded.size;
    for (const name of names) loaded.add(name);
    // The loop adds what it goes through.
    for (const name of loaded) for (const imported of importsOf(files.get(name))) loaded.add(imported);
    return [...loaded].slice(before);
  };
  const found = new Map([["start", load([script, style, ICON])], ["late style", load([lateStyle])]]);
  for (const part of new Set(parts)) {
    found.set(part, load([...files.keys()].filter((name) => name.startsWith(`${part}-`))));
  }
  return found;
}

/** Fails if the service sends more bytes for these files together, and says which part has grown. */
function assertAtMost(
  most: number,
  what: string,
  parts: ReadonlyMap<string, readonly string[]>,
  sizes: ReadonlyMap<string, number>,
): void {
  const sumOf = (names: readonly string[]): number =>
    names.reduce((sum, name) => sum + (sizes.get(name) ?? Infinity), 0);
  const told = Array.from(parts, ([part, names]) => ({ part, size: sumOf(names) }))
    .map(({ part, size }) => ({ part, size, growth: size - (BEFORE[part] ?? 0) }))
    .sort((a, b) => b.growth - a.growth)
    .map(({ part, size, growth }) => `${part} ${size} (${growth > 0 ? "+" : ""}${growth})`);
  const sum = sumOf([...parts.values()].flat());
  assert.ok(sum <= most, `${what}: ${sum} bytes, at most ${most}: ${told.join(", ")}`);
}

Deno.test("all files of the console are small enough to load over a bad connection", async () => {
  const files = await readFiles((await builtConsole()).files);
  const parts = await filesOf([...Object.values(VIEWS).flat(), ...LATER, "en"], files);
  assertAtMost(MOST_OF_ALL, "all", parts, await measure(files));
});

Deno.test("each view of the console that is opened first loads little, in each language", async () => {
  const files = await readFiles((await builtConsole()).files);
  const sizes = await measure(files);
  for (const [view, parts] of Object.entries(VIEWS)) {
    for (const language of LANGUAGES) {
      assertAtMost(MOST_OF_VIEW, `${view}, ${language}`, await filesOf([...parts, language], files), sizes);
    }
  }
});

Deno.test("each file of the console belongs to the first page, a view, a language, or what opens on a click", async () => {
  const files = await readFiles((await builtConsole()).files);
  const parts = await filesOf([...Object.values(VIEWS).flat(), ...LATER, ...LANGUAGES], files);
  assert.deepEqual([...parts.values()].flat().sort(), [...files.keys()].sort());
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
  const whole = new Map([["the page", new TextEncoder().encode(page)], ...files]);
  assertAtMost(
    MOST_OF_FIRST_PAGE,
    "first page",
    new Map([["start", [...whole.keys()]]]),
    await measure(whole),
  );
  for (const name of [script, ...preloads]) {
    const late = importsOf(files.get(name)).filter((file) => !files.has(file));
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
