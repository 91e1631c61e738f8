import type { Database } from "./database.ts";
import { isMissingTable, uniqueViolation } from "./sql_errors.ts";
import { define, int, rows, sql, text } from "./sql.ts";
import { bind, type BoundStatement, probing } from "./statement.ts";

/** One step of the schema: its name in the journal and its statements in order. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

/** This table is in no schema: it has to be there before the first migration. */
const CREATE_APPLIED = define({}, () =>
  sql`
  CREATE TABLE IF NOT EXISTS applied_migration (name TEXT PRIMARY KEY NOT NULL, applied_at INTEGER NOT NULL)
  WITHOUT ROWID`);
/** A probe for a few dozen names, so that the start waits for no thread. */
const SELECT_APPLIED = probing(
  rows<{ readonly names: string }>()(
    {},
    () => sql`SELECT json_group_array(name) AS names FROM applied_migration`,
  ),
);
const SELECT_CREATION = rows<{ readonly createdAt: number | null }>()(
  {},
  () => sql`SELECT min(applied_at) AS createdAt FROM applied_migration`,
);
const INSERT_APPLIED = define(
  { name: text, appliedAt: int },
  ({ name, appliedAt }) =>
    sql`INSERT INTO applied_migration (name, applied_at) VALUES (${name}, ${appliedAt})`,
);

/**
 * Reads the migrations that drizzle-kit generated into `folder`, in the order of its journal. Throws if there are
 * none or the journal is malformed.
 */
export async function readMigrations(folder: URL): Promise<Migration[]> {
  const journal: unknown = JSON.parse(await Deno.readTextFile(new URL("meta/_journal.json", folder)));
  const migrations: Migration[] = [];
  for (const name of journalNames(journal)) {
    const text = await Deno.readTextFile(new URL(`${name}.sql`, folder));
    const statements = text.split("--> statement-breakpoint").map((statement) => statement.trim());
    migrations.push({ name, statements: statements.filter((statement) => statement !== "") });
  }
  return migrations;
}

/**
 * Applies the missing migrations in order. Returns the names of those that this call applied. Each is one atomic write
 * with its unique row in `applied_migration`, so a crash leaves none half applied, and several processes may migrate at
 * once. Throws a `RangeError`, and changes nothing, if the database has a migration that is not in the list.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  now: () => number = Date.now,
): Promise<string[]> {
  // Not Drizzle's own migrator: of two at once, one fails on a table that already exists, and it takes a newer database
  // for one that is up to date.
  const appliedHere: string[] = [];
  for (;;) {
    const applied = await readApplied(database);
    refuseNewer(applied, migrations);
    const next = migrations.find(({ name }) => !applied.has(name));
    if (next === undefined) return appliedHere;
    if (await applyMigration(database, next, now())) appliedHere.push(next.name);
  }
}

/**
 * Returns the names of the missing migrations; writes nothing. Accepts migrations that are not in the list: during a
 * rollout, the old version keeps serving a newer schema.
 */
export async function pendingMigrations(
  database: Database,
  migrations: readonly Migration[],
): Promise<string[]> {
  const applied = await readApplied(database);
  return migrations.map(({ name }) => name).filter((name) => !applied.has(name));
}

/** Returns when a migrated database was created, in milliseconds. Backups and copies of it have the same time. */
export async function readCreation(database: Database): Promise<number> {
  const [row] = await database.read(bind(SELECT_CREATION, {}));
  return row?.createdAt ?? 0;
}

async function readApplied(database: Database): Promise<Set<string>> {
  try {
    const [row] = await database.read(bind(SELECT_APPLIED, {}));
    return new Set(JSON.parse(row?.names ?? "[]") as string[]);
  } catch (error) {
    if (isMissingTable(error, "applied_migration")) return new Set();
    throw error;
  }
}

/** Returns false if another process has applied it in the meantime. */
async function applyMigration(database: Database, migration: Migration, appliedAt: number): Promise<boolean> {
  // The row goes first: if it exists, the batch fails there, and not at tables that exist.
  const batch: BoundStatement[] = [
    bind(CREATE_APPLIED, {}),
    bind(INSERT_APPLIED, { name: migration.name, appliedAt }),
    ...migration.statements.map((sql) => ({ sql, args: {} })),
  ];
  try {
    await database.write(batch);
    return true;
  } catch (error) {
    if (uniqueViolation(error) === "applied_migration.name") return false;
    throw error;
  }
}

function refuseNewer(applied: ReadonlySet<string>, migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = [...applied].filter((name) => !known.has(name)).sort();
  if (unknown.length === 0) return;
  throw new RangeError(
    `The database is newer than this program: it has ${unknown.join(", ")}, ` +
      "which this version does not know. Run the version that last migrated the database, or a later one.",
  );
}

function journalNames(journal: unknown): string[] {
  if (typeof journal !== "object" || journal === null || !("entries" in journal)) throw malformedJournal();
  if (!Array.isArray(journal.entries)) throw malformedJournal();
  return journal.entries.map((entry: unknown) => {
    if (typeof entry !== "object" || entry === null || !("tag" in entry)) throw malformedJournal();
    if (typeof entry.tag !== "string") throw malformedJournal();
    return entry.tag;
  });
}

function malformedJournal(): TypeError {
  return new TypeError(
    'Cannot read the migrations: meta/_journal.json lists no entries with a "tag". Restore it from version control',
  );
}
