import type { Database } from "./database.ts";
import { isMissingTable, uniqueViolation } from "./sql_errors.ts";
import { define, int, rows, sql, text } from "./sql.ts";
import { bind, type BoundStatement, probing } from "./statement.ts";
import { areSame, dropTriggers, readStoredTriggers, type Trigger } from "./triggers.ts";

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
/** Inserts a row twice, which fails, if there is one that is not known. */
const REFUSE_NEWER = define(
  { known: text },
  ({ known }) =>
    sql`INSERT INTO applied_migration (name, applied_at)
  SELECT name, applied_at FROM applied_migration WHERE name NOT IN (SELECT value FROM json_each(${known}))`,
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
 * Applies the missing migrations in order. Returns the names of those that this call applied. Each write is atomic and
 * has unique rows in `applied_migration`, so a crash leaves none half applied, and several processes may migrate at
 * once. Throws a `RangeError`, and changes nothing, if the database has a migration that is not in the list.
 *
 * Afterwards, the database has exactly the given triggers. Early migrations made triggers themselves, and run one by one.
 * The later ones are one write, which drops all triggers first, because SQLite rebuilds no table to which one refers, and
 * then makes them anew: no other writer ever finds a table without its triggers. If only the triggers differ, the same
 * write is without migrations, and its name in the result is `triggers`. Without `triggers`, they stay as they are.
 */
export async function migrate(
  database: Database,
  migrations: readonly Migration[],
  triggers: readonly Trigger[] | undefined,
  now: () => number = Date.now,
): Promise<string[]> {
  // Not Drizzle's own migrator: of two at once, one fails on a table that already exists, and it takes a newer database
  // for one that is up to date.
  const appliedHere: string[] = [];
  const known = migrations.map(({ name }) => name);
  const early = triggers === undefined ? migrations.length : migrations.findLastIndex(namesTriggers) + 1;
  for (;;) {
    const applied = await readApplied(database);
    refuseNewer(applied, known);
    const missing = migrations.filter(({ name }) => !applied.has(name));
    const [next] = missing;
    if (next !== undefined && migrations.indexOf(next) < early) {
      if (await apply(database, known, [next], next.statements, now())) appliedHere.push(next.name);
      continue;
    }
    if (triggers === undefined) return appliedHere;
    const stored = await readStoredTriggers(database);
    if (missing.length === 0 && areSame(stored, triggers)) return appliedHere;
    const statements = [
      ...dropTriggers([...stored, ...triggers]),
      ...missing.flatMap(({ statements }) => statements),
      ...triggers.map(({ sql }) => sql),
    ];
    if (!await apply(database, known, missing, statements, now())) continue;
    return [...appliedHere, ...missing.length === 0 ? ["triggers"] : missing.map(({ name }) => name)];
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

/** Whether a migration makes or drops triggers, as none does since they have files of their own. */
export function namesTriggers({ statements }: Migration): boolean {
  return statements.some((statement) => /\b(CREATE|DROP) TRIGGER\b/i.test(statement));
}

/** Returns false if another process has applied some of the migrations, or later ones, in the meantime. */
async function apply(
  database: Database,
  known: readonly string[],
  migrations: readonly Migration[],
  statements: readonly string[],
  appliedAt: number,
): Promise<boolean> {
  // The rows go first: if one exists, the batch fails there, and not at tables that exist.
  const batch: BoundStatement[] = [
    bind(CREATE_APPLIED, {}),
    bind(REFUSE_NEWER, { known: JSON.stringify(known) }),
    ...migrations.map(({ name }) => bind(INSERT_APPLIED, { name, appliedAt })),
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
