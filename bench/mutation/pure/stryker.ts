import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Target } from "./targets.ts";

/** The project's root, which Stryker copies. */
export const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));
/** Pins Stryker and its dependencies. */
export const LOCK = fileURLToPath(new URL("stryker.lock", import.meta.url));

/** Not in tests/deno.json: its 176 packages (63 MB) would be installed by everyone who runs the tests. */
export const STRYKER = "npm:@stryker-mutator/core@10.1.1";

/** Number of mutants tried concurrently. */
const CONCURRENCY = 2;
/** Time that a mutant's run may take, in addition to 1.5 times that of the unchanged tests. */
const EXTRA_MS = 5000;

/** A mutant that runs into the time limit counts as noticed, because the tests would never pass. */
export type Outcome = "noticed" | "timed out" | "survived";

/** The statuses of the command runner. Any other means that a mutant was not tried. */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  Killed: "noticed",
  Timeout: "timed out",
  Survived: "survived",
};

/** One change of a module, and the result of the tests. */
export interface Mutant {
  readonly target: Target;
  readonly line: number;
  /** The first line of the change, without its indentation. */
  readonly lineText: string;
  /** The original text and its replacement, with line breaks as spaces. */
  readonly original: string;
  readonly replacement: string;
  readonly outcome: Outcome;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** A module's mutants could not be tried. The message contains the reason and Stryker's output. */
export class MutationError extends Error {
  override readonly name = "MutationError";
}

/** The used part of Stryker's report (mutation-testing-report-schema). */
interface Report {
  readonly files: Readonly<
    Record<string, {
      readonly source: string;
      readonly mutants: readonly {
        readonly status: string;
        readonly replacement?: string;
        readonly location: { readonly start: Position; readonly end: Position };
      }[];
    }>
  >;
}

/**
 * Tries all mutants of a module, ordered by position. Works in `directory`, which must be outside the project.
 * Throws a `MutationError` if that is impossible, for instance because the unchanged module's tests fail.
 */
export async function tryMutants(target: Target, directory: string): Promise<Mutant[]> {
  const reportFile = join(directory, "report.json");
  const configFile = join(directory, "stryker.json");
  await Deno.writeTextFile(configFile, JSON.stringify(configure(target, { directory, reportFile })));
  const options = ["--no-config", "--node-modules-dir=none", `--lock=${LOCK}`, "--frozen"];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", ...options, STRYKER, "run", configFile],
    cwd: PROJECT,
    env: { NO_COLOR: "1" },
  }).output();
  if (!success) {
    const output = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes)).join("");
    throw new MutationError(`cannot try the mutants of ${target.source}; Stryker says:\n${output}`);
  }
  const mutants = readReport(JSON.parse(await Deno.readTextFile(reportFile)), target);
  await Deno.remove(reportFile);
  return mutants;
}

function configure(
  { source, tests }: Target,
  { directory, reportFile }: { directory: string; reportFile: string },
): Record<string, unknown> {
  // Packages come from Deno's cache, because a copy would only link to the project's node_modules.
  const options = "--config tests/deno.json --frozen --node-modules-dir=none --fail-fast";
  return {
    testRunner: "command",
    commandRunner: { command: `"${Deno.execPath()}" test -A --no-check ${options} ${tests.join(" ")}` },
    plugins: [],
    mutate: [source],
    concurrency: CONCURRENCY,
    timeoutMS: EXTRA_MS,
    tempDirName: join(directory, "copy"),
    cleanTempDir: "always",
    symlinkNodeModules: false,
    ignorePatterns: ["**", "!openapi.json", "!src/**", "!tests/**", "!scripts/**", "tests/node_modules"],
    reporters: ["json"],
    jsonReporter: { fileName: reportFile },
    allowConsoleColors: false,
  };
}

function readReport({ files }: Report, target: Target): Mutant[] {
  const file = files[target.source];
  if (file === undefined) throw new MutationError(`there is nothing to change in ${target.source}`);
  const lines = file.source.split("\n");
  return file.mutants.map(({ status, replacement = "", location }) => {
    const outcome = OUTCOMES[status];
    if (outcome === undefined) {
      throw new MutationError(`${target.source}:${location.start.line}: a mutant came to "${status}"`);
    }
    return {
      target,
      line: location.start.line,
      lineText: (lines[location.start.line - 1] ?? "").trim(),
      original: inOneLine(textBetween(lines, location)),
      replacement: inOneLine(replacement),
      outcome,
    };
  }).toSorted((a, b) => a.line - b.line);
}

/** Columns start at 1; the end is exclusive. */
function textBetween(lines: readonly string[], { start, end }: { start: Position; end: Position }): string {
  const covered = lines.slice(start.line - 1, end.line);
  covered.push((covered.pop() ?? "").slice(0, end.column - 1));
  return covered.join("\n").slice(start.column - 1);
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
