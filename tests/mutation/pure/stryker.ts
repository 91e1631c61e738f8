import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Target } from "./targets.ts";

/** The project's root, which Stryker copies from. */
export const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));
/** Pins Stryker and all that it needs. */
export const LOCK = fileURLToPath(new URL("stryker.lock", import.meta.url));

/** Not in tests/deno.json: its 176 packages (63 MB) would be installed by everyone who runs the tests. */
export const STRYKER = "npm:@stryker-mutator/core@10.1.1";

/** Mutants that are tried at the same time. */
const CONCURRENCY = 2;
/** How much longer than the tests alone a mutant may run, besides half as long again. */
const EXTRA_MS = 5000;

/** A mutant that ran out of time counts as noticed: the tests would never have passed. */
export type Outcome = "noticed" | "timed out" | "survived";

/** What the command runner reports; any other status means that a mutant was not tried. */
const OUTCOMES: Readonly<Record<string, Outcome>> = {
  Killed: "noticed",
  Timeout: "timed out",
  Survived: "survived",
};

/** One change of a module, and what the tests said to it. */
export interface Mutant {
  readonly target: Target;
  readonly line: number;
  /** The line that the change begins in, without its indentation. */
  readonly lineText: string;
  /** The text that was changed, and what it was changed to; each line break is a space. */
  readonly original: string;
  readonly replacement: string;
  readonly outcome: Outcome;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** A module's mutants could not be tried. The message says why, with what Stryker wrote. */
export class MutationError extends Error {
  override readonly name = "MutationError";
}

/** The part that is used of Stryker's report (mutation-testing-report-schema). */
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
 * Tries all mutants of a module, by position. Works in `directory`, which is outside of the project. Throws a
 * `MutationError` where it could not be done: its tests fail without any change, for one.
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
  // Packages come from Deno's cache: nothing reaches the project's node_modules, which a copy would only link to.
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

/** Columns count from 1; the end is exclusive. */
function textBetween(lines: readonly string[], { start, end }: { start: Position; end: Position }): string {
  const covered = lines.slice(start.line - 1, end.line);
  covered.push((covered.pop() ?? "").slice(0, end.column - 1));
  return covered.join("\n").slice(start.column - 1);
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}
