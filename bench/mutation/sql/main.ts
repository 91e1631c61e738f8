import { createHash } from "node:crypto";
import { type CommandLine, parseCommandLine } from "../../../scripts/lib/command_line.ts";
import { print } from "../../../scripts/lib/output.ts";
import { progress } from "../../../scripts/lib/progress.ts";
import { runTask, TaskError } from "../../../scripts/lib/run_task.ts";
import { collectStatements } from "../../../tests/db/query_plans.ts";
import { openSchema } from "../../../tests/db/statements.ts";
import { ACCEPTED } from "./accepted.ts";
import { findMutants, type Mutant } from "./mutants.ts";
import { ProjectCopy } from "./project_copy.ts";
import { type Bench, type Trial, tryMutants, type Verdict } from "./trial.ts";
import { readUses, recordUses } from "./uses.ts";

const COMMAND = {
  name: "mutate:sql",
  summary:
    `Checks that tests notice a missing condition. A mutant is one condition that is left out of all statements of a
module that have it: "x → true" where x has to hold; "x → false" where it is one of several ways, the branch of a CASE
("WHEN x"), or all that decides whether something is written ("WHERE x"); "x & y → x" for a mask. Others move a boundary
("x < y → x <= y"), turn an ORDER BY, or lift the LIMIT of a page. In a copy of the project, each mutant gets the tests
that use its statements, until one fails (caught) or all have passed (survived). A test counts if it fails twice on the
mutant, or does not end, and passes on the right statements; else the mutant is "unclear". Prints the survivors. Ends with
status 1 if one is not in bench/mutation/sql/accepted.ts, or one that is there is caught. The tests are run once before,
to record which statements they use.`,
  options: {
    only: {
      type: "string",
      placeholder: "TEXT",
      description: "Only conditions of a module (role_queries), or of statements whose name has the text",
    },
    condition: { type: "string", placeholder: "TEXT", description: "Only conditions that contain the text" },
    sample: { type: "string", placeholder: "N", description: "Only N mutants, chosen at random" },
    seed: {
      type: "string",
      placeholder: "TEXT",
      default: "1",
      description: "Another seed chooses another sample",
    },
    tests: {
      type: "string",
      placeholder: "N",
      default: "1000",
      description: "Run at most N tests on each mutant",
    },
    jobs: {
      type: "string",
      placeholder: "N",
      default: "2",
      description: "Run N files of tests at the same time",
    },
    record: { type: "boolean", description: "Record anew which statements the tests use" },
    list: { type: "boolean", description: "Print the mutants, and try none" },
    all: { type: "boolean", description: "Print the caught ones, too, each with its test" },
  },
} as const;

/** This many mutants share the loading of test files; their texts are in memory. */
const TOGETHER = 500;

type Options = CommandLine<typeof COMMAND.options>["values"];

async function mutateSql(): Promise<number> {
  const { values } = parseCommandLine(COMMAND);
  const statements = await collectStatements();
  const mutants = choose(findMutants(statements), values);
  if (values.list) {
    for (const { module, name } of mutants) print(`${module}: ${name}`);
    return 0;
  }
  await using copy = await ProjectCopy.make();
  const uses = (values.record ? undefined : await readUses()) ?? await recordUses(copy, statements);
  const bench: Bench = {
    copy,
    schema: await openSchema(),
    uses,
    mostTests: numberOf(values.tests),
    jobs: numberOf(values.jobs),
    records: new Map(),
  };
  const startedAt = performance.now();
  const counts = await tryAll(bench, mutants, values.all);
  const seconds = (performance.now() - startedAt) / 1000;
  const listed = [...counts.verdicts].map(([verdict, count]) => `${count} ${verdict}`).join(", ");
  print(`${mutants.length} mutants in ${seconds.toFixed(0)} s: ${listed}`);
  if (counts.faults > 0) {
    print(`${counts.faults} marked with "!" need a test or an entry in accepted.ts, or have lost theirs`);
  }
  if (counts.verdicts.has("unused")) {
    print("Unused statements are in no test that was recorded; see --record");
  }
  return counts.faults > 0 ? 1 : 0;
}

function choose(
  mutants: readonly Mutant[],
  { only = "", condition = "", sample, seed }: Options,
): readonly Mutant[] {
  const isModule = mutants.some(({ module }) => module === only);
  const chosen = mutants.filter((mutant) =>
    (isModule ? mutant.module === only : mutant.statements.some((name) => name.includes(only))) &&
    mutant.condition.includes(condition)
  );
  if (chosen.length === 0) throw new TaskError("No mutant fits. See: deno task mutate:sql --list");
  if (sample === undefined) return chosen;
  const drawn = chosen.toSorted((a, b) => draw(seed, a) < draw(seed, b) ? -1 : 1);
  return drawn.slice(0, numberOf(sample));
}

function draw(seed: string, { module, name }: Mutant): string {
  return createHash("sha1").update(`${seed} ${module} ${name}`).digest("hex");
}

function numberOf(text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new TaskError(`"${text}" is no number of mutants, tests or jobs`);
}

async function tryAll(
  bench: Bench,
  mutants: readonly Mutant[],
  all: boolean,
): Promise<{ verdicts: Map<Verdict, number>; faults: number }> {
  const verdicts = new Map<Verdict, number>();
  let faults = 0;
  const bar = progress(mutants.length);
  for (let at = 0; at < mutants.length; at += TOGETHER) {
    await tryMutants(bench, mutants.slice(at, at + TOGETHER), (trial) => {
      const { mutant: { module, name }, verdict, detail } = trial;
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      const isFault = isUnexpected(trial);
      if (isFault) faults++;
      bar.finish();
      if (isFault || all) print(`${isFault ? "!" : " "} ${verdict} ${module}: ${name}\n    ${detail}`);
      bar.advance();
    });
  }
  bar.finish();
  return { verdicts, faults };
}

/** Whether a mutant survives without being accepted, or is accepted and does not survive. */
function isUnexpected({ mutant: { module, name }, verdict }: Trial): boolean {
  if (verdict === "unclear") return true;
  const isAccepted = ACCEPTED.some((entry) => entry.module === module && entry.mutants.includes(name));
  return isAccepted !== (verdict === "survived");
}

if (import.meta.main) await runTask(mutateSql);
