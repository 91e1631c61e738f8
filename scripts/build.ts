import type { BuildOptions, BuildResult, Metafile } from "esbuild";
import { CONSOLE_FOLDER, type ConsoleManifest, ICON } from "../src/console/console_build.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { print } from "./lib/output.ts";
import { runTask } from "./lib/run_task.ts";

const SUMMARY =
  `Builds the console's page from src/console/web/ into dist/console/, which the service serves. Does nothing if the
files there were made of the sources as they are now.`;

const SOURCE = new URL("../src/console/web/", import.meta.url);
const ENTRY = "main.tsx";
const STYLE = "style/main.css";
const LATE_STYLE = "style/late.css";

/**
 * Returns the options of a build. It makes few files, since each costs a request and compresses by itself. A name has the
 * hash of its content, so that browsers keep the file for ever. The output stays in memory, for `publish`.
 */
function optionsFor(folder: URL) {
  return {
    absWorkingDir: decodeURIComponent(SOURCE.pathname),
    entryPoints: [ENTRY, STYLE, LATE_STYLE],
    outdir: decodeURIComponent(folder.pathname),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    bundle: true,
    splitting: true,
    // As if each file imported it: what it loads is then one file, although later files need parts of that, too.
    inject: [ENTRY],
    minify: true,
    format: "esm",
    // Supported by browsers of the last three years.
    target: "es2023",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    // Served as UTF-8: an escape takes more bytes than its character.
    charset: "utf8",
    metafile: true,
    write: false,
    logLevel: "warning",
  } as const satisfies BuildOptions;
}

type Built = BuildResult<ReturnType<typeof optionsFor>>;

/** Builds into a folder. */
export async function buildConsole(folder: URL): Promise<ConsoleManifest> {
  const { build } = await loadBuilder();
  const begunAt = Date.now();
  return await publish(folder, await build(optionsFor(folder)), begunAt);
}

/** Loads esbuild, which takes longer than finding out that there is nothing to build. */
function loadBuilder(): Promise<typeof import("esbuild")> {
  return import("esbuild");
}

/** Builds into a folder, and again after each change of a source file, until esbuild stops. Prints mistakes. */
export async function watchConsole(folder: URL): Promise<void> {
  const { context } = await loadBuilder();
  const options = optionsFor(folder);
  let begunAt = 0;
  const watching = await context({
    ...options,
    plugins: [{
      name: "publish",
      setup: ({ onStart, onEnd }) => {
        onStart(() => void (begunAt = Date.now()));
        onEnd(async (result) => {
          if (result.errors.length === 0) await publish(folder, result as Built, begunAt);
        });
      },
    }],
  });
  await watching.watch();
}

/**
 * Writes the output where a service may be reading. Existing files have the same content, since their names contain
 * its hash, and the manifest is replaced at once.
 */
async function publish(
  folder: URL,
  { metafile, outputFiles }: Built,
  begunAt: number,
): Promise<ConsoleManifest> {
  const manifest = describeOutputs(metafile);
  const contents = new Map(outputFiles.map(({ path, contents }) => [nameOf(path), contents]));
  contents.set(ICON, await Deno.readFile(new URL(ICON, SOURCE)));
  const encoder = new TextEncoder();
  contents.set(MANIFEST, encoder.encode(JSON.stringify(manifest)));
  // The last one: it says that all others are there.
  contents.set(SOURCES, encoder.encode(JSON.stringify(describeSources(metafile, begunAt))));
  await Deno.mkdir(folder, { recursive: true });
  for (const [name, content] of contents) await replaceFile(new URL(name, folder), content);
  for await (const { name } of Deno.readDir(folder)) {
    const isOld = !contents.has(name) && !name.startsWith(PART);
    if (isOld) await Deno.remove(new URL(name, folder)).catch(ignoreMissing);
  }
  return manifest;
}

const MANIFEST = "manifest.json";

/** The file that says what a build was made of: a list of sources. */
const SOURCES = "sources.json";

/** A file, relative to `SOURCE`, with its bytes and the time of its last change in milliseconds, both when it was read. */
type Source = readonly [path: string, bytes: number, changedAt: number];

/** What shapes a build besides the files that go into it: this file, and the versions of packages. */
const OTHER_SOURCES = [ICON, "../../../scripts/build.ts", "../../../deno.lock"];

function describeSources({ inputs }: Metafile, begunAt: number): Source[] {
  return [...Object.keys(inputs), ...OTHER_SOURCES].map((path) => {
    const [bytes, changedAt] = stateOf(path);
    // Changed while the build ran, which may have read it before: the next build must not skip it.
    return [path, bytes, changedAt < begunAt ? changedAt : 0];
  });
}

function stateOf(path: string): [bytes: number, changedAt: number] {
  const { size, mtime } = Deno.statSync(new URL(path, SOURCE));
  return [size, mtime?.getTime() ?? 0];
}

/**
 * Whether a folder holds the build, with all files, of the sources as they are. None may have changed, not even to an
 * earlier time: an upgrade can unpack files that are older than the last build.
 */
export async function isBuilt(folder: URL): Promise<boolean> {
  try {
    const sources: Source[] = JSON.parse(await Deno.readTextFile(new URL(SOURCES, folder)));
    const { files }: ConsoleManifest = JSON.parse(await Deno.readTextFile(new URL(MANIFEST, folder)));
    for (const name of files) Deno.statSync(new URL(name, folder));
    return sources.every(([path, ...then]) => String(then) === String(stateOf(path)));
  } catch {
    // A file is missing or damaged, whichever way: a new build replaces it, or says what hinders it.
    return false;
  }
}

/** The prefix of an unfinished file's name. */
const PART = ".part-";

/** Replaces a file at once: no reader sees half of it. */
async function replaceFile(file: URL, content: Uint8Array): Promise<void> {
  const part = new URL(`${PART}${crypto.randomUUID()}`, file);
  await Deno.writeFile(part, content);
  await Deno.rename(part, file);
}

/** Ignores a missing file: a concurrent build removes the same files. Throws other errors. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function describeOutputs({ outputs }: Metafile): ConsoleManifest {
  const all = Object.entries(outputs);
  const find = (entry: string) => all.find(([, { entryPoint }]) => entryPoint === entry) ?? [];
  const [scriptPath, script] = find(ENTRY);
  const [[style], [lateStyle]] = [find(STYLE), find(LATE_STYLE)];
  if (scriptPath === undefined || style === undefined || lateStyle === undefined) {
    throw new TypeError("The build has no script or no style");
  }
  const preloads = script?.imports.filter(({ kind }) => kind === "import-statement").map(({ path }) =>
    nameOf(path)
  );
  return {
    script: nameOf(scriptPath),
    preloads: preloads ?? [],
    style: nameOf(style),
    lateStyle: nameOf(lateStyle),
    files: [...all.map(([path]) => nameOf(path)), ICON],
  };
}

async function runBuild(): Promise<number> {
  parseCommandLine({ name: "build", summary: SUMMARY, options: {} });
  if (await isBuilt(CONSOLE_FOLDER)) {
    print("The console is built: no source has changed.");
    return 0;
  }
  const { files } = await buildConsole(CONSOLE_FOLDER);
  print(`Built the console: ${files.length} files.`);
  return 0;
}

if (import.meta.main) await runTask(runBuild);
