import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

/**
 * Runs test files with `deno test`, several in one worker, which loads and compiles the service once. That saves half a
 * second of processor time per file. Without paths, runs all files of tests/:
 * `deno run -A tests/run.ts [--but <regular expression>] [folder or file] … [-- <options of deno test>]`.
 */

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const REGISTER = new URL("helpers/register_files.ts", import.meta.url).href;
const TEST_FILE = /_test\.ts$/;
/** Folders, and files with their own worker, slowest first: started early, so that no other worker waits at the end. */
const FIRST = [
  "tests/db/bounds/statement_bounds_test.ts",
  "tests/role/properties_test.ts",
  "tests/console",
  "tests/properties",
  "tests/telemetry",
  "tests/every_operation",
  "tests/flows",
  "tests/db",
  "tests/role",
];

/** Number of workers for all other folders. */
const WORKERS_OF_OTHERS = 4;

/**
 * Where a server could differ: these send every operation to one, run every statement on one, or compete, wait, end or
 * lose answers there. A run of all tests takes a file for the others, unless ROLEGRID_DATABASES names the databases.
 */
const ON_SERVER =
  /^tests\/(contract|crash|db|every_operation|purge|flows\/.*(cut_|concurren|process|later)|.*idempotency|insight\/change_wait|role\/properties_test|telemetry\/(libsql|rate_limit))/;

Deno.exit(await runTests());

async function runTests(): Promise<number> {
  const { values: { but }, positionals, tokens } = parseArgs({
    options: { but: { type: "string" } },
    allowPositionals: true,
    tokens: true,
  });
  const end = tokens.find(({ kind }) => kind === "option-terminator")?.index ?? Infinity;
  const afterEnd = tokens.filter(({ kind, index }) => kind === "positional" && index > end).length;
  const paths = positionals.slice(0, positionals.length - afterEnd);
  const isWhole = paths.length === 0;
  const left = but === undefined ? undefined : new RegExp(but);
  const files = (isWhole ? [`${ROOT}tests`] : paths.map((path) => Deno.realPathSync(path)))
    .flatMap(testFiles).map((path) => path.slice(ROOT.length)).filter((path) => !left?.test(path));

  const options = positionals.slice(positionals.length - afterEnd);
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_tests_" });
  try {
    const entries: string[] = [];
    for (const [share, shared] of sharesOf(files)) {
      const byKinds = Map.groupBy(shared, (path) => isWhole && !ON_SERVER.test(path) ? "file" : undefined);
      for (const [kinds, paths] of byKinds) {
        const name = share.replaceAll("/", "_").replace(/\.ts$/, "");
        const entry = `${directory}/${name}_on_${kinds ?? "both"}.ts`;
        const urls = JSON.stringify(paths.map((path) => pathToFileURL(ROOT + path).href));
        await Deno.writeTextFile(
          entry,
          `import { registerFiles } from "${REGISTER}";\nawait registerFiles(${urls}, ${
            JSON.stringify(kinds)
          });\n`,
        );
        entries.push(entry);
      }
    }
    return await runDeno([...options, ...entries]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/**
 * Runs `deno test` and returns its exit code. One more file runs at a time than there are processors, because many tests
 * mostly wait.
 */
async function runDeno(args: readonly string[]): Promise<number> {
  const command = ["test", "-A", "--no-check", "--config", `${ROOT}tests/deno.json`, "--parallel", ...args];
  const env = { DENO_JOBS: `${navigator.hardwareConcurrency + 1}`, ...Deno.env.toObject() };
  return (await new Deno.Command(Deno.execPath(), { args: command, env }).spawn().status).code;
}

/** Returns the test files at a path: the file itself, or all files in and below the folder. */
function testFiles(path: string): string[] {
  if (Deno.statSync(path).isFile) return [path];
  return [...Deno.readDirSync(path)].filter(({ name }) => name !== "node_modules")
    .toSorted((a, b) => a.name < b.name ? -1 : 1)
    .flatMap(({ name, isDirectory }) => {
      const below = `${path}/${name}`;
      return isDirectory ? testFiles(below) : TEST_FILE.test(name) ? [below] : [];
    });
}

/** Returns the workers in their starting order, each with its files. The folders not in `FIRST` share workers. */
function sharesOf(files: readonly string[]): [share: string, files: string[]][] {
  const folders = new Set(files.map(folderOf)).difference(new Set(FIRST));
  const shareOf = new Map([...folders].map((folder, i) => [folder, `others_${i % WORKERS_OF_OTHERS}`]));
  const shares = Map.groupBy(files, (file) => {
    if (FIRST.includes(file)) return file;
    return shareOf.get(folderOf(file)) ?? folderOf(file);
  });
  const rank = (share: string): number => (FIRST.indexOf(share) + FIRST.length + 1) % (FIRST.length + 1);
  return [...shares].toSorted(([a], [b]) => rank(a) - rank(b));
}

/** Its first two folders; bench/ has files itself. */
function folderOf(file: string): string {
  return file.split("/").slice(0, -1).slice(0, 2).join("/");
}
