import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

/**
 * Runs test files with `deno test`, many in one worker, which loads and compiles the service once. Without paths, runs
 * all files of tests/: `deno run -A tests/run.ts [--but <regular expression>] [folder or file] … [-- <options of deno
 * test>]`.
 */

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const REGISTER = new URL("helpers/register_files.ts", import.meta.url).href;
const TEST_FILE = /_test\.ts$/;

/** Workers of a whole run: enough that they end together, few enough that loading the service costs little. */
const WORKERS = 12;
/** Seconds that a file takes, about, unless it is named here. A worker gets as many as make up its share. */
const USUAL_SECONDS = 2;
/** A worker that takes less is not worth its start. */
const LEAST_SHARE = 75;
const SECONDS: Readonly<Record<string, number>> = {
  "clients/openapi_generator_test": 20,
  "console/account_data_browser_test": 15,
  "console/account_security_browser_test": 30,
  "console/bad_conditions_browser_test": 20,
  "console/change_forms_browser_test": 15,
  "console/change_members_browser_test": 14,
  "console/change_relations_browser_test": 8,
  "console/change_roles_browser_test": 9,
  "console/changes_browser_test": 25,
  "console/console_browser_test": 17,
  "console/demands_browser_test": 13,
  "console/demo_stories_browser_test": 12,
  "console/devices_browser_test": 12,
  "console/hand_over_browser_test": 12,
  "console/hierarchy_browser_test": 20,
  "console/house_stories_browser_test": 8,
  "console/looks_browser_test": 40,
  "console/passkeys_browser_test": 13,
  "console/plots_browser_test": 12,
  "console/role_browser_test": 30,
  "console/stories_browser_test": 36,
  "crash/crash_test": 25,
  "crash/points_file_test": 12,
  "db/query_plans_test": 10,
  "lists/device_listing_test": 13,
  "every_operation/bad_body_test": 20,
  "every_operation/failure_injection_process_test": 18,
  "every_operation/lost_answer_test": 18,
  "every_operation/openapi_examples_test": 9,
  "every_operation/tokens_test": 13,
  "flows/concurrency_process_test": 40,
  "flows/concurrency_test": 10,
  "http/docs_page_browser_test": 14,
  "explain/change_wait_process_test": 20,
  "accounts/password/foreign_hash_test": 12,
  "accounts/password/reset_page_browser_test": 18,
  "lists/role_listing_test": 12,
  "role/properties_test": 14,
  "scripts/account_test": 14,
  "scripts/backup_test": 16,
  "scripts/import_test": 12,
  "scripts/start_test": 10,
  "scripts/tasks_test": 12,
  "telemetry/collect_bounds_test": 10,
  "telemetry/engine_away_process_test": 10,
  "telemetry/points_file_process_test": 11,
  "telemetry/sqlite_store_test": 30,
  "telemetry/write_bounds_test": 10,
};

/**
 * Where a server could differ: these send every operation to one, run every statement on one, or compete, wait, end or
 * lose answers there, or compare a room with its model. A run of all tests takes a file for the others, unless
 * ROLEGRID_DATABASES names the databases.
 */
const ON_SERVER = new RegExp(
  "^tests/(crash|db|purge|flows/.*(cut_|concurren|process|later)|.*idempotency|explain/change_wait|role/properties_test|" +
    "every_operation/(ended_before|failure|lost_answer|openapi_examples|round_trips)|telemetry/sqlite_store)",
);

/**
 * What developers wait for while they write: the rules of each room on a file, without what takes long, needs a server, a
 * browser or another process, or sends every operation.
 */
const QUICK = new RegExp(
  "^tests/(accounts/(own|address|factors)|authzen|changes|core|device|explain|graph|identity|key|lists|mail|role|throttle)/",
);
const NOT_QUICK =
  /_(bounds?|browser|process|properties|property)_test|\/(closure|cost_bound|listing\w*|passkey|past_access|properties|refresh_properties|shares|summary)_test/;

Deno.exit(await runTests());

async function runTests(): Promise<number> {
  const { values: { but, quick }, positionals, tokens } = parseArgs({
    options: { but: { type: "string" }, quick: { type: "boolean" } },
    allowPositionals: true,
    tokens: true,
  });
  const end = tokens.find(({ kind }) => kind === "option-terminator")?.index ?? Infinity;
  const afterEnd = tokens.filter(({ kind, index }) => kind === "positional" && index > end).length;
  const paths = positionals.slice(0, positionals.length - afterEnd);
  const isWhole = paths.length === 0;
  const left = but === undefined ? undefined : new RegExp(but);
  const files = (isWhole ? [`${ROOT}tests`] : paths.map((path) => Deno.realPathSync(path)))
    .flatMap(testFiles).map((path) => path.slice(ROOT.length))
    .filter((path) => !left?.test(path) && (!quick || QUICK.test(path) && !NOT_QUICK.test(path)));

  const options = positionals.slice(positionals.length - afterEnd);
  const directory = await Deno.makeTempDir({ prefix: "rolegrid_tests_" });
  try {
    const entries: string[] = [];
    for (const [i, share] of sharesOf(files).entries()) {
      const entry = `${directory}/${i + 1}.ts`;
      const listed = share.map((path) => ({
        url: pathToFileURL(ROOT + path).href,
        ...(isWhole && !ON_SERVER.test(path) ? { databases: "file" } : {}),
      }));
      await Deno.writeTextFile(
        entry,
        `import { registerFiles } from "${REGISTER}";\nawait registerFiles(${JSON.stringify(listed)});\n`,
      );
      entries.push(entry);
    }
    return await runDeno([...options, ...entries]);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/**
 * Runs `deno test` and returns its exit code. Two more workers run at a time than there are processors, because many
 * tests mostly wait.
 */
async function runDeno(args: readonly string[]): Promise<number> {
  const command = ["test", "-A", "--no-check", "--config", `${ROOT}tests/deno.json`, "--parallel", ...args];
  const env = { DENO_JOBS: `${navigator.hardwareConcurrency + 2}`, ...Deno.env.toObject() };
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

/** Splits the files, in their order, into the shares of workers. Neighbours share servers and the browser. */
function sharesOf(files: readonly string[]): string[][] {
  const total = files.reduce((sum, file) => sum + secondsOf(file), 0);
  const most = Math.max(total / WORKERS, LEAST_SHARE);
  const shares: string[][] = [];
  let room = 0;
  for (const file of files) {
    if (room <= 0 || shares.length === 0) {
      shares.push([]);
      room += most;
    }
    room -= secondsOf(file);
    shares.at(-1)?.push(file);
  }
  return shares;
}

function secondsOf(file: string): number {
  return SECONDS[file.replace(/^tests\//, "").replace(/\.ts$/, "")] ?? USUAL_SECONDS;
}
