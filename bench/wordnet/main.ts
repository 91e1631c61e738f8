import { type CommandLine, parseCommandLine } from "../../scripts/lib/command_line.ts";
import { printError } from "../../scripts/lib/output.ts";
import { progress } from "../../scripts/lib/progress.ts";
import { createRandom } from "../../tests/helpers/random_numbers.ts";
import { ApiClient } from "./api_client.ts";
import { ExpectedGraph } from "./expected_graph.ts";
import { ExpectedRights } from "./expected_rights.ts";
import { buildHierarchy, type BuiltHierarchy, countSteps } from "./hierarchy_builder.ts";
import { MAX_COST, runImport } from "./import_run.ts";
import { invitePeople } from "./people.ts";
import { checkRights } from "./random_checks.ts";
import { reportBuild, reportImport } from "./report.ts";
import { startService } from "./running_service.ts";
import { type PlacedSynset, readSynsets } from "./synsets.ts";

const COMMAND = {
  name: "wordnet",
  summary:
    `Puts WordNet's noun hierarchy, named lemma.n.NN, into a new service, with random rights on every relation.
Then lets several people check random rights, compares each result with an independent model, and verifies the rights
table. Starts the service on a new database, which is deleted afterwards.

Builds the top of the hierarchy over HTTP, role by role. With --import, "deno task import" imports all of it
from a CSV file before the service starts; then roles are queried by id and by name, and the graph is changed at
random, also near the top, where the service refuses changes that would cost too much (422).

Ends with status 1 if a result or the rights table is wrong.`,
  options: {
    import: { type: "boolean", description: "Import the hierarchy, and change it over HTTP" },
    count: {
      type: "string",
      placeholder: "N",
      description: "Number of synsets (default: 20000 to build, all to import)",
    },
    checks: {
      type: "string",
      placeholder: "N",
      description: "Number of rights to check and, with --import, of queries",
      default: "2000",
    },
    changes: {
      type: "string",
      placeholder: "N",
      description: "Number of changes after an import",
      default: "1000",
    },
    seed: {
      type: "string",
      placeholder: "N",
      description: "Seed of all random choices",
      default: "1",
    },
  },
} as const;

const ROOT_NAME = "WordNet";
const BUILT_BY_DEFAULT = 20_000;
const PEOPLE = 6;

interface Choices {
  /** Undefined: the default of the mode. */
  readonly count: number | undefined;
  readonly checks: number;
  readonly changes: number;
  readonly seed: number;
}

async function runWordnet(): Promise<number> {
  const commandLine = parseCommandLine(COMMAND);
  const choices = readChoices(commandLine);
  if (choices === undefined) return 2;
  return commandLine.values.import ? await runImported(choices) : await runBuilt(choices);
}

async function runImported({ count = Infinity, checks, changes, seed }: Choices): Promise<number> {
  const synsets = await readSynsets(count);
  const run = await runImport({ synsets, checks, changes, seed, people: PEOPLE, maxCost: MAX_COST });
  reportImport(synsets, run);
  return exitCode(run.verified.every(({ isClean }) => isClean), run.wrong);
}

async function runBuilt({ count = BUILT_BY_DEFAULT, checks, seed }: Choices): Promise<number> {
  const synsets = await readSynsets(count);
  await using service = await startService(ROOT_NAME);
  const times = new Map<string, number[]>();
  const admin = await ApiClient.logIn(service.url, service.admin, times);
  const graph = new ExpectedGraph();
  const startedAt = performance.now();
  const built = await build(admin, synsets, seed, graph);
  const seconds = (performance.now() - startedAt) / 1000;
  const roleIds = [...built.roleIds.values()];
  const random = createRandom(seed + 1);
  const people = await invitePeople(service, admin, roleIds, { random, times, count: PEOPLE });
  const bar = progress(checks);
  const onStep = (): void => bar.advance();
  const expected = new ExpectedRights(graph);
  const checked = await checkRights({ people, expected, random, roleIds, count: checks, onStep });
  bar.finish();
  const verified = await service.runTask("closure:verify");
  reportBuild(synsets, { built, seconds, times, checked, verified: verified.output.trim() });
  return exitCode(verified.code === 0, checked.wrong);
}

function exitCode(isClean: boolean, wrong: readonly string[]): number {
  if (!isClean) printError("The rights table is wrong.");
  return isClean && wrong.length === 0 ? 0 : 1;
}

function readChoices({ values }: CommandLine<typeof COMMAND.options>): Choices | undefined {
  const [checks, changes, seed] = [values.checks, values.changes, values.seed].map(Number) as [
    number,
    number,
    number,
  ];
  const count = values.count === undefined ? undefined : Number(values.count);
  if ([count ?? 1, checks, changes, seed].every((number) => Number.isSafeInteger(number) && number >= 1)) {
    return { count, checks, changes, seed };
  }
  printError("wordnet: --count, --checks, --changes and --seed need positive whole numbers");
  return undefined;
}

async function build(
  client: ApiClient,
  synsets: readonly PlacedSynset[],
  seed: number,
  expected: ExpectedGraph,
): Promise<BuiltHierarchy> {
  const { role: [root] } = await client.send<{ role: { id: number }[] }>(
    "query roles",
    "POST",
    "/v1/role/query",
    {},
  );
  if (root === undefined) throw new Error("The administrator sees no root role");
  const bar = progress(countSteps(synsets));
  try {
    const onStep = (): void => bar.advance();
    return await buildHierarchy({ client, rootId: root.id, synsets, seed, expected, onStep });
  } finally {
    bar.finish();
  }
}

if (import.meta.main) Deno.exit(await runWordnet());
