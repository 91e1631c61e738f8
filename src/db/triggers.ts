import type { Database } from "./database.ts";
import { rows, sql } from "./sql.ts";
import { bind, probing } from "./statement.ts";

/** A trigger of a table: its name, and the SQL that makes it, as SQLite stores that. */
export interface Trigger {
  readonly name: string;
  readonly table: string;
  readonly sql: string;
}

/** A file `<table>.sql` for each table that has triggers. */
const TRIGGERS = new URL("schema/triggers/", import.meta.url);

/** A probe for a few dozen rows, so that the start waits for no thread. */
const SELECT_TRIGGERS = probing(
  rows<Trigger>()(
    {},
    () => sql`SELECT name, tbl_name AS "table", sql FROM sqlite_schema WHERE type = 'trigger'`,
  ),
);

/** Reads the triggers of all tables. Throws a `TypeError` for a file that has anything else. */
export async function readTriggers(): Promise<Trigger[]> {
  const triggers: Trigger[] = [];
  for await (const { name } of Deno.readDir(TRIGGERS)) {
    if (!name.endsWith(".sql")) continue;
    triggers.push(...parseTriggers(name.slice(0, -4), await Deno.readTextFile(new URL(name, TRIGGERS))));
  }
  return triggers;
}

/** Each trigger ends with a line `END;`. */
function parseTriggers(table: string, text: string): Trigger[] {
  const parts = text.replaceAll(/^--.*$/gm, "").split(/^END;\s*$/m).map((part) => part.trim());
  return parts.filter((part) => part !== "").map((part) => {
    const name = /^CREATE TRIGGER `(\w+)` /.exec(part)?.[1];
    if (name !== undefined) return { name, table, sql: `${part}\nEND` };
    throw new TypeError(
      `Cannot read the triggers of ${table}: write each as "CREATE TRIGGER \`name\` …", with "END;" on the last line`,
    );
  });
}

/** Returns the triggers that a database has. */
export async function readStoredTriggers(database: Database): Promise<Trigger[]> {
  return await database.read(bind(SELECT_TRIGGERS, {}));
}

/** Whether both are the same triggers, in any order. */
export function areSame(some: readonly Trigger[], others: readonly Trigger[]): boolean {
  const sqls = new Set(others.map(({ sql }) => sql));
  return some.length === others.length && some.every(({ sql }) => sqls.has(sql));
}

/** Returns the SQL that drops triggers, of which another process may have dropped some in the meantime. */
export function dropTriggers(triggers: readonly Trigger[]): string[] {
  return triggers.map(({ name }) => `DROP TRIGGER IF EXISTS "${name.replaceAll('"', '""')}"`);
}
