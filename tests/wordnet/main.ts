import { RIGHT_NAMES } from "../../src/role/rights.ts";
import { type CommandLine, parseCommandLine } from "../../scripts/lib/command_line.ts";
import { formatTable, print, printError } from "../../scripts/lib/output.ts";
import { progress } from "../../scripts/lib/progress.ts";
import { createRandom, quantile, randomInteger } from "../bench/statistics.ts";
import { ApiClient } from "./api_client.ts";
import { ExpectedRights } from "./expected_rights.ts";
import { buildHierarchy, type BuiltHierarchy, countSteps } from "./hierarchy_builder.ts";
import { invitePeople, type Person } from "./people.ts";
import { startService } from "./running_service.ts";
import { type PlacedSynset, readSynsets } from "./synsets.ts";

const COMMAND = {
  name: "wordnet",
  summary:
    `Builds the top of WordNet's noun hierarchy in a running service, over HTTP, with random rights on every relation.
Then lets several people check random rights, compares each answer with a computation of its own, and verifies the
rights table. Starts the service itself, on a new database that is deleted afterwards.`,
  options: {
    count: { type: "string", placeholder: "N", description: "Synsets to create", default: "20000" },
    checks: { type: "string", placeholder: "N", description: "Rights to check", default: "2000" },
    seed: {
      type: "string",
      placeholder: "N",
      description: "What all random choices follow from",
      default: "1",
    },
  },
} as const;

const ROOT_NAME = "WordNet";

interface Choices {
  readonly count: number;
  readonly checks: number;
  readonly seed: number;
}

async function runWordnet(): Promise<number> {
  const choices = readChoices(parseCommandLine(COMMAND));
  if (choices === undefined) return 2;
  const synsets = await readSynsets(choices.count);
  await using service = await startService(ROOT_NAME);
  const times = new Map<string, number[]>();
  const admin = await ApiClient.logIn(service.url, service.admin, times);
  const expected = new ExpectedRights();
  const startedAt = performance.now();
  const built = await build(admin, synsets, choices.seed, expected);
  const seconds = (performance.now() - startedAt) / 1000;
  const random = createRandom(choices.seed + 1);
  const people = await invitePeople(service, admin, [...built.roleIds.values()], { random, times });
  const checked = await checkRights(people, expected, { ...choices, roleIds: [...built.roleIds.values()] });
  const verified = await service.runTask("closure:verify");
  report(synsets, built, { seconds, times, checked, verified: verified.output.trim() });
  if (verified.code !== 0) printError("The rights table is wrong.");
  return verified.code === 0 && checked.wrong.length === 0 ? 0 : 1;
}

function readChoices({ values }: CommandLine<typeof COMMAND.options>): Choices | undefined {
  const [count, checks, seed] = [values.count, values.checks, values.seed].map(Number) as [
    number,
    number,
    number,
  ];
  if ([count, checks, seed].every((number) => Number.isSafeInteger(number) && number >= 1)) {
    return { count, checks, seed };
  }
  printError("wordnet: --count, --checks and --seed need whole numbers from 1 on");
  return undefined;
}

async function build(
  client: ApiClient,
  synsets: readonly PlacedSynset[],
  seed: number,
  expected: ExpectedRights,
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

interface Checked {
  readonly count: number;
  readonly allowed: number;
  /** What the service answered otherwise than expected. */
  readonly wrong: readonly string[];
}

/** Lets the people check random rights one by one. Half of the roles asked about are below one of their own. */
async function checkRights(
  people: readonly Person[],
  expected: ExpectedRights,
  { checks, seed, roleIds }: Choices & { readonly roleIds: readonly number[] },
): Promise<Checked> {
  const random = createRandom(seed + 2);
  const oneOf = <T>(list: readonly T[]): T => list[randomInteger(random, list.length)] as T;
  const wrong: string[] = [];
  let allowed = 0;
  const bar = progress(checks);
  for (let n = 0; n < checks; n++) {
    const person = oneOf(people);
    const bit = randomInteger(random, RIGHT_NAMES.length);
    const own = oneOf(person.roleIds);
    const below = [own, ...expected.reachedFrom(own, 1)];
    const roleId = oneOf(n % 2 === 0 ? below : roleIds);
    const right = RIGHT_NAMES[bit];
    const answer = await person.client.send<{ allowed: boolean[] }>(
      "check a right",
      "POST",
      "/v1/rights/check",
      {
        checks: [{ roleId, right }],
      },
    );
    const should = (expected.rightsOn(roleId, person.roleIds) & (1 << bit)) !== 0;
    if (should) allowed++;
    if (answer.allowed[0] !== should) wrong.push(`${right} on role ${roleId}: should be ${should}`);
    bar.advance();
  }
  bar.finish();
  return { count: checks, allowed, wrong };
}

interface Outcome {
  readonly seconds: number;
  readonly times: ReadonlyMap<string, readonly number[]>;
  readonly checked: Checked;
  readonly verified: string;
}

function report(synsets: readonly PlacedSynset[], built: BuiltHierarchy, outcome: Outcome): void {
  const { seconds, times, checked, verified } = outcome;
  const requests = built.relations + built.refused;
  print(
    `${synsets.length} roles down to depth ${
      synsets.at(-1)?.depth
    }, ${built.rolesWithSeveralParents} with several parents`,
  );
  print(`${built.relations} relations; ${built.refused} refused because they would close a cycle`);
  print(`Built in ${seconds.toFixed(1)} s: ${Math.round(requests / seconds)} requests a second`);
  print(
    `Checked ${checked.count} rights, ${checked.allowed} of them held: ${checked.wrong.length} wrong answers`,
  );
  for (const line of checked.wrong.slice(0, 20)) print(`  ${line}`);
  print(`Rights table: ${verified}\n`);
  const rows = Array.from(times, ([kind, list]) => {
    const sorted = list.toSorted((a, b) => a - b);
    return [
      kind,
      String(list.length),
      ...[0.5, 0.99].map((part) => `${quantile(sorted, part).toFixed(2)} ms`),
    ];
  });
  for (const line of formatTable([["Request", "Times", "p50", "p99"], ...rows])) print(line);
}

if (import.meta.main) Deno.exit(await runWordnet());
