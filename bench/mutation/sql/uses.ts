import { fileURLToPath } from "node:url";
import { printError } from "../../../scripts/lib/output.ts";
import { TaskError } from "../../../scripts/lib/run_task.ts";
import type { NamedStatement } from "../../../tests/db/query_plans.ts";
import { type Mutant, namesByText } from "./mutants.ts";
import { keyOf, type RecordedUse } from "./preload.ts";
import type { ProjectCopy } from "./project_copy.ts";

/** Which statements a test uses. */
export interface Use {
  /** Path from the project's root. */
  readonly file: string;
  readonly test: string;
  readonly ms: number;
  /** Names of statements. */
  readonly statements: readonly string[];
}

/** Not in Git: it differs with each change of a test. */
const CACHE = new URL("../../../node_modules/.cache/rolegrid/statement_uses.json", import.meta.url);

/** What `deno task test:fast` leaves out, what measures or reads the project itself, and what needs a build. */
const LEFT_OUT = [
  ..."clients crash examples load scripts wordnet stall bench mutation lint console".split(" "),
  ...["**/*_bounds_test.ts", "**/*_browser_test.ts", "**/*_process_test.ts"],
];

/** How long a test file takes to load, at least. */
const LOAD_MS = 300;
/** What a word in common counts against the statements in common. */
const WORD_WEIGHT = 3;

/** The recorded uses, or undefined if there are none. */
export async function readUses(): Promise<readonly Use[] | undefined> {
  try {
    return JSON.parse(await Deno.readTextFile(CACHE));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/**
 * The tests that use a mutant's statements, likely ones first: those that share words with the condition, use little
 * but its statements, and take little time.
 */
export function rankTests(
  uses: readonly Use[],
  { statements, condition, module }: Mutant,
): readonly Use[] {
  const [wanted, topic] = [new Set(statements), wordsOf(`${module} ${condition}`)];
  const users = new Map<string, number>();
  for (const name of uses.flatMap((use) => use.statements)) users.set(name, (users.get(name) ?? 0) + 1);
  const rarityOf = (names: readonly string[]): number =>
    names.reduce((sum, name) => sum + 1 / (users.get(name) ?? 1), 0);
  return uses.flatMap((use) => {
    const shared = use.statements.filter((name) => wanted.has(name));
    if (shared.length === 0) return [];
    const words = wordsOf(`${use.file} ${use.test}`).intersection(topic).size;
    const focus = rarityOf(shared) / rarityOf(use.statements);
    return [{ use, score: focus * (1 + WORD_WEIGHT * words) ** 2 / (use.ms + LOAD_MS) }];
  }).sort((a, b) => b.score - a.score).map(({ use }) => use);
}

/** The words of a text or of names in it, in the singular. */
function wordsOf(text: string): Set<string> {
  const words = text.replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ").toLowerCase().match(/[a-z]{4,}/g) ?? [];
  return new Set(words.map((word) => word.replace(/s$/, "")));
}

/**
 * Runs the tests in the copy, and keeps which of these statements each one binds. A test that fails uses none; so does
 * one that compares texts, which are replaced by others of the same meaning, because it would fail for any mutant.
 */
export async function recordUses(
  copy: ProjectCopy,
  statements: readonly NamedStatement[],
): Promise<readonly Use[]> {
  printError("Recording which statements each test uses; this takes some minutes");
  const names = new Map([...namesByText(statements)].map(([sql, name]) => [keyOf(sql), name]));
  const texts = Object.fromEntries(statements.map(({ statement: { sql } }) => [sql, `${sql} `]));
  const args = ["--parallel", `--ignore=${LEFT_OUT.map((path) => `tests/${path}`).join(",")}`, "tests/"];
  const recorded = await copy.runTests<RecordedUse>(args, (output) => ({ kind: "record", output, texts }));
  const uses = recorded.map(({ texts, ...use }) => {
    return { ...use, statements: texts.map((key) => names.get(key)).filter((name) => name !== undefined) };
  }).filter(({ statements }) => statements.length > 0);
  if (uses.length === 0) throw new TaskError("No test uses a statement: do the tests run at all?");
  await Deno.mkdir(new URL(".", CACHE), { recursive: true });
  await Deno.writeTextFile(CACHE, JSON.stringify(uses));
  printError(`${uses.length} tests use statements; kept in ${fileURLToPath(CACHE)}`);
  return uses;
}
