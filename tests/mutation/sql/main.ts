import { type CommandLine, parseCommandLine } from "../../../scripts/lib/command_line.ts";
import { print, printError } from "../../../scripts/lib/output.ts";
import { progress } from "../../../scripts/lib/progress.ts";
import { runTask, TaskError } from "../../../scripts/lib/run_task.ts";
import { openTestDatabase, type TestDatabase } from "../../helpers/databases.ts";
import type { PrintedStatement } from "./print_statements.ts";
import { type CommandOutcome, ProjectCopy } from "./project_copy.ts";
import { findUnfairness } from "./statement_check.ts";
import { countPassed, judge, type Verdict } from "./verdict.ts";
import { filterFor, makeWrong, type WrongStatement } from "./wrong_statement.ts";
import { WRONG_STATEMENTS } from "./wrong_statements.ts";

const COMMAND = {
  name: "mutate:sql",
  summary:
    `Makes statements wrong, one at a time, by forgetting or weakening one condition, and runs the tests that
must notice it, in a copy of the project. Prints how each was caught. Ends with status 1 where one was missed, or is
no fair test: a statement that cannot be prepared or bound fails whatever its tests look at. All of them take about
five minutes on two cores.`,
  options: {
    only: {
      type: "string",
      placeholder: "TEXT",
      description: "Only those with the text in their name or file",
    },
    list: { type: "boolean", description: "Print the names and files, and make nothing wrong" },
  },
} as const;

/** A run that takes longer is killed; the tests normally take a few seconds. */
const MOST_SECONDS = 180;

interface Bench {
  readonly copy: ProjectCopy;
  readonly opened: TestDatabase;
  readonly right: readonly PrintedStatement[];
}

async function mutateSql(): Promise<number> {
  const { values } = parseCommandLine(COMMAND);
  const chosen = choose(values);
  if (values.list) {
    for (const { name, file } of chosen) print(`${file}: ${name}`);
    return 0;
  }
  await using copy = await ProjectCopy.make();
  await using opened = await openTestDatabase("file");
  const startedAt = performance.now();
  await proveTestsPass(copy, chosen);
  const verdicts = await tryAll({ copy, opened, right: await printStatements(copy) }, chosen);
  const seconds = (performance.now() - startedAt) / 1000;
  const count = (kind: Verdict["kind"]): number => verdicts.filter((verdict) => verdict.kind === kind).length;
  print(
    `${chosen.length} wrong statements: ${count("caught")} caught, ${count("missed")} missed, ` +
      `${count("invalid")} invalid, in ${seconds.toFixed(0)} s`,
  );
  return count("caught") === chosen.length ? 0 : 1;
}

function choose({ only }: CommandLine<typeof COMMAND.options>["values"]): readonly WrongStatement[] {
  const chosen = WRONG_STATEMENTS.filter(({ name, file }) =>
    only === undefined || `${file} ${name}`.includes(only)
  );
  if (chosen.length === 0) {
    throw new TaskError(
      `No wrong statement has "${only}" in its name or file. See: deno task mutate:sql --list`,
    );
  }
  return chosen;
}

/** A test that always fails catches nothing. Throws a `TaskError` for such a test, and for a missing one. */
async function proveTestsPass(copy: ProjectCopy, chosen: readonly WrongStatement[]): Promise<void> {
  const namesByFile = new Map<string, Set<string>>();
  for (const { test: { file, name } } of chosen) {
    namesByFile.set(file, (namesByFile.get(file) ?? new Set()).add(name));
  }
  printError(`Running the tests of ${namesByFile.size} files on the right statements`);
  const bar = progress(namesByFile.size);
  try {
    for (const [file, names] of namesByFile) {
      const outcome = await runTests(copy, file, [...names]);
      if (outcome.code !== 0) {
        throw new TaskError(`A test fails before anything is made wrong: ${judge(outcome).detail}`);
      }
      if (countPassed(outcome.stdout) < names.size) {
        throw new TaskError(`${file} lacks some of these tests: ${[...names].join("; ")}`);
      }
      bar.advance();
    }
  } finally {
    bar.finish();
  }
}

async function tryAll(bench: Bench, chosen: readonly WrongStatement[]): Promise<Verdict[]> {
  printError(`Making ${chosen.length} statements wrong, one at a time`);
  const bar = progress(chosen.length);
  const verdicts: Verdict[] = [];
  for (const wrong of chosen) {
    const verdict = await tryOne(bench, wrong);
    verdicts.push(verdict);
    bar.finish();
    print(`${verdict.kind.padEnd(7)} ${wrong.file}: ${wrong.name}\n        ${verdict.detail}`);
    bar.advance();
  }
  bar.finish();
  return verdicts;
}

async function tryOne({ copy, opened, right }: Bench, wrong: WrongStatement): Promise<Verdict> {
  const text = await copy.read(wrong.file);
  await copy.write(wrong.file, makeWrong(text, wrong));
  try {
    const unfairness = await findUnfairness(opened.database, right, await printStatements(copy));
    if (unfairness !== undefined) return { kind: "invalid", detail: unfairness };
    return judge(await runTests(copy, wrong.test.file, [wrong.test.name]));
  } finally {
    await copy.write(wrong.file, text);
  }
}

async function printStatements(copy: ProjectCopy): Promise<PrintedStatement[]> {
  const args = ["run", "-A", "--no-check", "tests/mutation/sql/print_statements.ts"];
  const { code, stdout, stderr } = await copy.runDeno(args, MOST_SECONDS);
  if (code !== 0) throw new TaskError(`The statements cannot be read any more: ${stderr}`);
  return JSON.parse(stdout) as PrintedStatement[];
}

function runTests(copy: ProjectCopy, file: string, names: readonly string[]): Promise<CommandOutcome> {
  const options = ["-A", "--no-check", "--config", "tests/deno.json", "--fail-fast"];
  const preload = ["--preload", "tests/mutation/sql/without_shrinking.ts"];
  return copy.runDeno(["test", ...options, ...preload, "--filter", filterFor(names), file], MOST_SECONDS);
}

if (import.meta.main) await runTask(mutateSql);
