import { type Database, UnusableDatabaseError } from "./database.ts";
import { isMissingTable, uniqueViolation } from "./sql_errors.ts";
import { define, int, rows, sql, text } from "./sql.ts";
import { bind, type BoundStatement, probing } from "./statement.ts";
import { areSame, dropTriggers, readStoredTriggers, type Trigger } from "./triggers.ts";

export interface AppliedRow {
  /** JSON: a list of texts. */
  readonly names: string;
  readonly isEarlier: 0 | 1;
}

/** One step of the schema: its name and its statements in order. */
export interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

/** This table is in no schema: it has to be there before the first migration. */
const CREATE_APPLIED = define({}, () =>
  sql`
  CREATE TABLE IF NOT EXISTS applied_migration (name TEXT PRIMARY KEY NOT NULL, applied_at INTEGER NOT NULL)
  WITHOUT ROWID`);
/**
 * The names of the applied migrations, and whether a build before 1.0.0 applied them: it had further steps, and its first
 * one made fewer tables. A probe for a few dozen names, so that the start waits for no thread.
 */
export const SELECT_APPLIED = probing(
  rows<AppliedRow>()(
    {},
    () =>
      sql`
  SELECT json_group_array(name) AS names,
    max(name IN ('0001_account_security', '0000_points'))
      OR NOT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'root_points') AS isEarlier
  FROM applied_migration`,
  ),
);
/** Without the tables of SQLite, libSQL and Litestream. */
const FIND_TABLE = probing(
  rows<{ readonly found: 1 }>()(
    {},
    () =>
      sql`
  SELECT 1 AS found FROM sqlite_schema
  WHERE name NOT GLOB 'sqlite_*' AND name NOT GLOB 'libsql_*' AND name NOT GLOB '_litestream_*' LIMIT 1`,
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
/** Inserts a row twice, which fails, if there is one that is not known. */
const REFUSE_NEWER = define(
  { known: text },
  ({ known }) =>
    sql`INSERT INTO applied_migration (name, applied_at)
  SELECT name, applied_at FROM applied_migration WHERE name NOT IN (SELECT value FROM json_each(${known}))`,
);

/** Reads the migrations that drizzle-kit generated into `folder`, in the order of their numbers. */
export async function readMigrations(folder: URL): Promise<Migration[]> {
  const files = await Array.fromAsync(Deno.readDir(folder));
  const names = files.flatMap(({ name }) => /^(\d.*)\.sql$/.exec(name)?.[1] ?? []).sort();
  return await Promise.all(names.map(async (name) => {
    const text = await Deno.readTextFile(new URL(`${name}.sql`, folder));
    const statements = text.split("--> statement-breakpoint").map((statement) => statement.trim());
    return { name, statements: statements.filter((statement) => statement !== "") };
  }));
}

/**
 * Applies the missing migrations in one write, in order, and returns their names. The write has unique rows in
 * `applied_migration`, so a crash leaves none half applied, and several processes may migrate at once. Throws an
 * `UnusableDatabaseError`, and changes nothing, if the database has a migration that is not in the list, was made by a
 * build before 1.0.0, or is none of this program's.
 *
 * Afterwards, the database has exactly the given triggers. The write drops all of them first, because SQLite rebuilds no
 * table to which one refers, and then makes them anew: no other writer ever finds a table without its triggers. If only
 * the triggers differ, the same write is without migrations, and its name in the result is `triggers`.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  triggers: readonly Trigger[],
  now: () => number = Date.now,
): Promise<string[]> {
  // Not Drizzle's own migrator: of two at once, one fails on a table that already exists, and it takes a newer database
  // for one that is up to date.
  const known = migrations.map(({ name }) => name);
  for (;;) {
    const applied = await readApplied(database);
    refuseNewer(applied, known);
    const missing = migrations.filter(({ name }) => !applied.has(name));
    const stored = await readStoredTriggers(database);
    if (missing.length === 0 && areSame(stored, triggers)) return [];
    const statements = [
      ...dropTriggers([...stored, ...triggers]),
      ...missing.flatMap(({ statements }) => statements),
      ...triggers.map(({ sql }) => sql),
    ];
    if (!await apply(database, known, missing, statements, now())) continue;
    return missing.length === 0 ? ["triggers"] : missing.map(({ name }) => name);
  }
}

/**
 * Returns the names of the missing migrations; writes nothing. Accepts migrations that are not in the list: during a
 * rollout, the old version keeps serving a newer schema. Throws an `UnusableDatabaseError` for a database that a build
 * before 1.0.0 or another program made.
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

/** Whether a database has no table yet. */
export async function isEmptyDatabase(database: Database): Promise<boolean> {
  return (await database.read(bind(FIND_TABLE, {}))).length === 0;
}

/** Returns the names in the row of `SELECT_APPLIED`. Throws an `UnusableDatabaseError` for an earlier build's. */
export function parseApplied({ names, isEarlier }: AppliedRow): Set<string> {
  const applied = new Set(JSON.parse(names) as string[]);
  if (applied.size === 0 || isEarlier === 0) return applied;
  throw new UnusableDatabaseError(
    "The database is of a build before 1.0.0, and was left as it is: export it with that build " +
      "(deno task export --to FOLDER --hashes), and import that here into a new database (deno task import FOLDER/*.csv).",
  );
}

/** Returns none for an empty database. Throws an `UnusableDatabaseError` for one of an earlier build or of another program. */
async function readApplied(database: Database): Promise<Set<string>> {
  const applied = await findApplied(database);
  if (applied.size > 0 || await isEmptyDatabase(database)) return applied;
  // Another process may have made all tables in the meantime, in one write.
  const now = await findApplied(database);
  if (now.size > 0) return now;
  throw new UnusableDatabaseError(
    "The database has tables, but not by a migration of this program, and was left as it is: " +
      "it belongs to another program, or a restore to it was interrupted. Name an empty one.",
  );
}

async function findApplied(database: Database): Promise<Set<string>> {
  try {
    const [row] = await database.read(bind(SELECT_APPLIED, {}));
    return row === undefined ? new Set() : parseApplied(row);
  } catch (error) {
    if (isMissingTable(error, "applied_migration")) return new Set();
    throw error;
  }
}

/** Returns false if another process has applied some of the migrations, or later ones, in the meantime. */
async function apply(
  database: Database,
  known: readonly string[],
  missing: readonly Migration[],
  statements: readonly string[],
  appliedAt: number,
): Promise<boolean> {
  // The rows go first: if one exists, the batch fails there, and not at tables that exist.
  const batch: BoundStatement[] = [
    bind(CREATE_APPLIED, {}),
    bind(REFUSE_NEWER, { known: JSON.stringify(known) }),
    ...missing.map(({ name }) => bind(INSERT_APPLIED, { name, appliedAt })),
    ...statements.map((sql) => ({ sql, args: {} })),
  ];
  try {
    await database.write(batch);
    return true;
  } catch (error) {
    if (uniqueViolation(error) === "applied_migration.name") return false;
    throw error;
  }
}

function refuseNewer(applied: ReadonlySet<string>, known: readonly string[]): void {
  const unknown = [...applied].filter((name) => !known.includes(name)).sort();
  if (unknown.length === 0) return;
  throw new UnusableDatabaseError(
    `The database is newer than this program: it has ${unknown.join(", ")}, ` +
      "which this version does not know. Run the version that last migrated the database, or a later one.",
  );
}
