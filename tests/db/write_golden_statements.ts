import { print } from "../../scripts/lib/output.ts";
import { collectStatements, type NamedStatement } from "./query_plans.ts";
import { layOut } from "./sql_layout.ts";

/**
 * Renders the longest statements as the database gets them. As a program, it writes them to `golden/`, and a test
 * compares them. The difference shows the effect of a change of a shared part.
 */

export const GOLDEN_FOLDER = new URL("golden/", import.meta.url);

/** Statements with more characters than this have a golden file. */
const LONG = 4000;

export interface GoldenStatement {
  readonly file: string;
  readonly text: string;
}

/**
 * The expected golden files. A statement that several exports share appears once, under the first name. A variant that
 * is nearly the same as another one of its export is only named in the file of that one.
 */
export async function renderGoldenStatements(): Promise<GoldenStatement[]> {
  const namesBySql = new Map<string, string[]>();
  for (const { name, statement: { sql } } of (await collectStatements()).filter(isLong)) {
    namesBySql.set(sql, [...namesBySql.get(sql) ?? [], name]);
  }
  const shown: { readonly name: string; readonly text: string; readonly notes: string[] }[] = [];
  for (const [sql, names] of namesBySql) {
    const [name = "", ...others] = names.sort();
    const text = layOut(sql);
    const like = shown.find((other) => exportOf(other.name) === exportOf(name) && isNearly(text, other.text));
    if (like === undefined) shown.push({ name, text, notes: others.map((other) => `-- also ${other}\n`) });
    else like.notes.push(...names.map((other) => `-- nearly the same: ${other}\n`));
  }
  return shown.map(({ name, text, notes }) => ({
    file: `${name.replace(" ", ".")}.sql`,
    text: notes.join("") + text,
  }));
}

function exportOf(name: string): string {
  return name.split(".", 1)[0] ?? name;
}

/** Whether fewer than a third of the lines are new, however they are indented. */
function isNearly(text: string, shown: string): boolean {
  const known = new Set(shown.split("\n").map((line) => line.trim()));
  const lines = text.split("\n").map((line) => line.trim());
  return lines.filter((line) => !known.has(line)).length < lines.length / 3;
}

function isLong({ statement: { sql } }: NamedStatement): boolean {
  return sql.replaceAll(/\s+/g, " ").length > LONG;
}

if (import.meta.main) {
  await Deno.remove(GOLDEN_FOLDER, { recursive: true });
  await Deno.mkdir(GOLDEN_FOLDER);
  const statements = await renderGoldenStatements();
  for (const { file, text } of statements) await Deno.writeTextFile(new URL(file, GOLDEN_FOLDER), text);
  print(`Statements of more than ${LONG} characters: ${statements.length}`);
}
