import { print } from "../../scripts/lib/output.ts";
import { collectStatements } from "./query_plans.ts";
import { layOut } from "./sql_layout.ts";

/**
 * Renders the longest statements as the database gets them. As a program, it writes them to `golden/`, and a test
 * compares them. The difference shows the effect of a change of a shared part. `deno task statements --show` prints any.
 */

export const GOLDEN_FOLDER = new URL("golden/", import.meta.url);

/** Statements with more characters than this have a golden file, or are named in one. */
const LONG = 4000;

/** Shorter lines, such as a parenthesis, are in most statements. */
const TELLING = 12;

export interface GoldenStatement {
  readonly file: string;
  readonly text: string;
}

interface Shown {
  readonly name: string;
  readonly text: string;
  readonly lines: ReadonlySet<string>;
  readonly notes: string[];
}

/**
 * The expected golden files, the longest first. A statement has one if half of its lines are in no longer statement;
 * else it is named in the file that it has most in common with. So each shared part is shown, but not in all its uses.
 */
export async function renderGoldenStatements(): Promise<GoldenStatement[]> {
  const statements = await collectStatements();
  const long = statements.map(({ name, statement }) => ({ name, text: layOut(statement.sql) }))
    .filter(({ text }) => text.replaceAll(/\s+/g, " ").length > LONG)
    .toSorted((a, b) => b.text.length - a.text.length || (a.name < b.name ? -1 : 1));
  const known = new Set<string>();
  const shown: Shown[] = [];
  for (const { name, text } of long) {
    const lines = tellingLines(text);
    if (lines.difference(known).size >= lines.size / 2) {
      shown.push({ name, text, lines, notes: [] });
      for (const line of lines) known.add(line);
      continue;
    }
    const inCommon = (other: Shown): number => other.lines.intersection(lines).size;
    shown.reduce((most, other) => inCommon(other) > inCommon(most) ? other : most).notes.push(name);
  }
  return shown.map(({ name, text, notes }) => ({
    file: `${name.replace(" ", ".")}.sql`,
    text: notes.sort().map((note) => `-- like this: ${note}\n`).join("") + text,
  }));
}

function tellingLines(text: string): Set<string> {
  return new Set(text.split("\n").map((line) => line.trim()).filter(({ length }) => length >= TELLING));
}

if (import.meta.main) {
  await Deno.remove(GOLDEN_FOLDER, { recursive: true });
  await Deno.mkdir(GOLDEN_FOLDER);
  const statements = await renderGoldenStatements();
  for (const { file, text } of statements) await Deno.writeTextFile(new URL(file, GOLDEN_FOLDER), text);
  print(`Statements of more than ${LONG} characters: ${statements.length}`);
}
