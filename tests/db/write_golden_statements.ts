import { print } from "../../scripts/lib/output.ts";
import { collectStatements, type NamedStatement } from "./query_plans.ts";
import { layOut } from "./sql_layout.ts";

/**
 * Renders the longest statements as the database gets them. As a program, it writes them to `golden/`, and a test
 * compares them. The difference shows the effect of a change of a shared part.
 */

export const GOLDEN_FOLDER = new URL("golden/", import.meta.url);

/** Statements with more characters than this have a golden file. */
const LONG = 2000;

export interface GoldenStatement {
  readonly file: string;
  readonly text: string;
}

/** The expected golden files. A statement that several exports share appears once, under the first name. */
export async function renderGoldenStatements(): Promise<GoldenStatement[]> {
  const namesBySql = new Map<string, string[]>();
  for (const { name, statement: { sql } } of (await collectStatements()).filter(isLong)) {
    namesBySql.set(sql, [...namesBySql.get(sql) ?? [], name]);
  }
  return Array.from(namesBySql, ([sql, names]) => {
    const [first = "", ...others] = names.sort();
    const alsoAs = others.map((name) => `-- also ${name}\n`).join("");
    return { file: `${first.replace(" ", ".")}.sql`, text: alsoAs + layOut(sql) };
  });
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
