import { DatabaseSync } from "node:sqlite";
import { migrate, readMigrations } from "../../src/db/migrations.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { readTriggers } from "../../src/db/triggers.ts";
import { parseCommandLine } from "../../scripts/lib/command_line.ts";
import { print, printError } from "../../scripts/lib/output.ts";
import { runTask, TaskError } from "../../scripts/lib/run_task.ts";
import { collectStatements, type NamedStatement } from "./query_plans.ts";
import { layOut } from "./sql_layout.ts";

const COMMAND = {
  name: "statements",
  summary:
    `Prepares every SQL statement of the service against the schema, which finds a misspelled column. To rewrite statements
without changing them: keep their programs first, and compare afterwards. A program is what SQLite compiles a
statement to; the names of rows leave no trace in it.`,
  options: {
    show: {
      type: "string",
      placeholder: "NAME",
      description: "Print the statements whose name contains NAME as the database gets them, laid out",
    },
    keep: { type: "string", placeholder: "FILE", description: "Write all programs to a file" },
    same: {
      type: "string",
      placeholder: "FILE",
      description: "Name the statements whose programs differ from the file's",
    },
  },
} as const;

/** Programs by the name of their statement. */
type Programs = Record<string, readonly string[]>;

/** How many faults are shown in full. */
const SHOWN = 20;

async function checkStatements(): Promise<number> {
  const { values: { show, keep, same } } = parseCommandLine(COMMAND);
  const statements = await collectStatements();
  if (show !== undefined) return showStatements(statements.filter(({ name }) => name.includes(show)));
  const { programs, faults } = compile(statements, await openSchema());
  if (same !== undefined) faults.push(...differences(JSON.parse(await Deno.readTextFile(same)), programs));
  for (const fault of faults.slice(0, SHOWN)) printError(fault);
  if (faults.length > SHOWN) printError(`… and ${faults.length - SHOWN} more`);
  if (faults.length > 0) return 1;
  if (keep !== undefined) await Deno.writeTextFile(keep, JSON.stringify(programs));
  const suffix = same === undefined ? "" : `, and compile to the programs of ${same}`;
  print(`${Object.keys(programs).length} statements fit the schema${suffix}.`);
  return 0;
}

function showStatements(statements: readonly NamedStatement[]): number {
  if (statements.length === 0) {
    throw new TaskError('No statement has such a name. One is "manages_queries PUT_RELATION.apply.0"');
  }
  print(statements.map(({ name, statement: { sql } }) => `-- ${name}\n${layOut(sql)}`).join("\n"));
  return 0;
}

/** An empty database with the tables of the migrations, and the triggers. It is deleted when the process ends. */
export async function openSchema(): Promise<DatabaseSync> {
  const folder = await Deno.makeTempDir({ prefix: "rolegrid_schema_" });
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));
  const database = await openDatabase(`file:${folder}/schema.db`);
  const migrations = await readMigrations(new URL("../../migrations/", import.meta.url));
  await migrate(database, migrations, await readTriggers());
  await database.close();
  return new DatabaseSync(`${folder}/schema.db`);
}

export function compile(
  statements: readonly NamedStatement[],
  database: DatabaseSync,
): { programs: Programs; faults: string[] } {
  const programs: Programs = {};
  const faults: string[] = [];
  for (const { name, statement } of statements) {
    try {
      programs[name] = programOf(database, statement.sql);
      const ambiguous = ambiguousColumns(database, statement.sql);
      if (ambiguous.length > 0) faults.push(`${name}: returns columns named ${ambiguous.join(", ")}`);
    } catch (error) {
      faults.push(`${name}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return { programs, faults };
}

/**
 * Names of columns that a row cannot tell apart: a file's has the last column of a name, a server's the first. A server's
 * row has a length of its own.
 */
function ambiguousColumns(database: DatabaseSync, sql: string): string[] {
  const names = database.prepare(sql).columns().map(({ name }) => name);
  return names.filter((name, i) => name === "length" || names.indexOf(name) !== i);
}

/** A line for each instruction, without the notes about the plan, which name the rows, and addresses in memory. */
export function programOf(database: DatabaseSync, sql: string): string[] {
  return database.prepare(`EXPLAIN ${sql}`).all()
    .filter(({ opcode }) => opcode !== "Explain")
    .map(({ addr, opcode, p1, p2, p3, p4, p5 }) =>
      [addr, opcode, p1, p2, p3, `${p4}`.replace(/^vtab:.*/, "vtab"), p5].join(" ")
    );
}

export function differences(before: Programs, now: Programs): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
  return names.flatMap((name) => {
    const [was, is] = [before[name], now[name]];
    if (was === undefined) return [`${name}: new`];
    if (is === undefined) return [`${name}: gone`];
    const at = was.findIndex((line, i) => line !== is[i]);
    if (at === -1 && was.length === is.length) return [];
    return [`${name}: was "${was[at] ?? "the end"}", is "${is[at] ?? "longer"}"`];
  });
}

if (import.meta.main) await runTask(checkStatements);
