import type { Database } from "../../src/db/database.ts";
import type { Statement } from "../../src/db/statement.ts";
import type { DecidedStatement } from "../../src/changes/command.ts";
import { filesBelow, readText, ROOT } from "../lint/project_files.ts";

/** An exported statement of a query module. Its name is the path to it, such as `role_queries CREATE_ROLE.0`. */
export interface NamedStatement {
  readonly name: string;
  readonly statement: Statement;
}

/** Every statement that the query modules under `src` export, alone or in lists and records. */
export async function collectStatements(): Promise<NamedStatement[]> {
  const statements: NamedStatement[] = [];
  for (const path of filesBelow("src/")) {
    const module = /\/(\w*queries)\.ts$/.exec(path)?.[1];
    if (module === undefined) continue;
    const exported: Record<string, unknown> = await import(new URL(path, ROOT).href);
    for (const [name, value] of Object.entries(exported)) {
      addStatements(statements, `${module} ${name}`, value);
    }
  }
  return statements;
}

/** Files under `src` that define statements where `collectStatements` does not look. */
export function strayDefinitions(): string[] {
  return filesBelow("src/").filter((path) =>
    path.endsWith(".ts") && !/queries\.ts$|\/command\.ts$|\/db\//.test(path) &&
    /\b(define|compile|rows(<.+>)?\(\w*\))\(/.test(readText(path))
  );
}

function addStatements(statements: NamedStatement[], name: string, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  if (isStatement(value)) {
    statements.push({ name, statement: value });
    const { command } = value as Partial<DecidedStatement>;
    if (command === undefined) return;
    // The reads and comparisons of its facts, which its previews share.
    if (statements.some(({ statement }) => statement === command.reads.many)) return;
    addStatements(statements, `${name}.facts`, command.reads);
    addStatements(statements, `${name}.guards`, command.guards);
    return;
  }
  if (!Array.isArray(value) && Object.getPrototypeOf(value) !== Object.prototype) return;
  for (const [key, part] of Object.entries(value)) addStatements(statements, `${name}.${key}`, part);
}

function isStatement(value: object): value is Statement {
  return "sql" in value && "parameters" in value && value.parameters instanceof Set;
}

/** The names of the database's own tables. */
export async function readTables(database: Database): Promise<string[]> {
  const sql =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'";
  return (await database.read<{ name: string }>({ sql, args: {} })).map(({ name }) => name);
}

/** The steps of the plan that read tables, in the words of `EXPLAIN QUERY PLAN`. */
export async function explain(database: Database, statement: Statement): Promise<string[]> {
  return (await explainLoops(database, statement)).flat();
}

/** The same, as lists of steps of which each is taken for every row of those before it. */
export async function explainLoops(
  database: Database,
  { sql, parameters }: Statement,
): Promise<string[][]> {
  // Without statistics a plan does not depend on values.
  const args = Object.fromEntries([...parameters].map((name) => [name, null]));
  const rows = await database.read<{ parent: number; detail: string }>({
    sql: `EXPLAIN QUERY PLAN ${sql}`,
    args,
  });
  const steps = rows.filter(({ detail }) => /^(SCAN|SEARCH) /.test(detail));
  return [...Map.groupBy(steps, ({ parent }) => parent).values()]
    .map((loop) => loop.map(({ detail }) => detail));
}

/** The ways in which a step of a plan reads more of a table than it needs. */
export type Waste = "scan" | "automatic index" | "range";

/**
 * Judges a step, or returns undefined if it wastes nothing. Scanning a CTE, a subquery or a JSON list is fine, since
 * the statement filled it itself. `tables` are the names under which the statement reads stored tables.
 */
export function wasteOf(step: string, tables: ReadonlySet<string>): Waste | undefined {
  const [, kind, name = "", how = ""] = /^(SCAN|SEARCH) (\w+)(.*)$/.exec(step) ?? [];
  if (!tables.has(name)) return undefined;
  // A text index that is asked for a text is no scan.
  if (kind === "SCAN" && / VIRTUAL TABLE INDEX \d+:.*M/.test(how)) return undefined;
  if (kind === "SCAN") return "scan";
  // SQLite builds an automatic index from the whole table at each execution.
  if (how.includes(" AUTOMATIC ")) return "automatic index";
  // `(parent_id=? AND id>?)` reads the rows of one parent, `(id>?)` the rest of the table.
  return how.includes("=?") ? undefined : "range";
}

/** The names under which a statement reads the given tables: their own, and every alias. */
export function tableNames(sql: string, tables: readonly string[]): Set<string> {
  const names = new Set(tables);
  for (const match of sql.matchAll(new RegExp(`\\b(?:${tables.join("|")})\\s+(?:AS\\s+)?(\\w+)`, "gi"))) {
    names.add(match[1] as string);
  }
  return names;
}
