import { fileURLToPath } from "node:url";
import type { Database } from "../../src/db/database.ts";
import { migrate, readMigrations } from "../../src/db/migrations.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { readTriggers, type Trigger } from "../../src/db/triggers.ts";
import { print, printError } from "../../scripts/lib/output.ts";
import { runTask } from "../../scripts/lib/run_task.ts";
import { generate } from "./drizzle_kit.ts";
import { describeTrigger, readShape } from "./schema_shape.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Folders of migrations, each with the files of its tables. */
const PARTS = [
  { folder: "migrations", schema: "src/db/schema", triggers: await readTriggers() },
  { folder: "migrations/points", schema: "src/db/schema/points", triggers: [] },
] as const;
type Part = typeof PARTS[number];

const TRIGGER = /\b(CREATE|DROP) TRIGGER\b/i;

/**
 * Checks that migrations match the schema: drizzle-kit finds nothing to add to their last snapshot, and a database made
 * by them has the tables, columns, checks and indexes of one made from the schema alone, and the triggers of their files.
 * The second check is needed because the snapshot does not include manual edits of the SQL.
 */
async function checkMigrations(): Promise<number> {
  const scratch = await Deno.makeTempDir({ prefix: "rolegrid_migrations_" });
  try {
    const problems: string[] = [];
    for (const [i, part] of PARTS.entries()) {
      const place = `${scratch}/${i}`;
      problems.push(...await findMissingMigration(part, place), ...await findDifferences(part, place));
    }
    for (const problem of problems) printError(problem);
    if (problems.length > 0) return 1;
    print("The migrations are up to date with the schema.");
    return 0;
  } finally {
    await Deno.remove(scratch, { recursive: true });
  }
}

/** Runs drizzle-kit on a copy of the migrations. It must find nothing to generate, and no migration makes triggers. */
async function findMissingMigration(part: Part, scratch: string): Promise<string[]> {
  const copy = `${scratch}/copy`;
  await Deno.mkdir(`${copy}/meta`, { recursive: true });
  for (const folder of ["", "/meta"]) {
    for await (const { name, isFile } of Deno.readDir(ROOT + part.folder + folder)) {
      if (isFile) await Deno.copyFile(`${ROOT}${part.folder}${folder}/${name}`, `${copy}${folder}/${name}`);
    }
  }
  const before = await readMigrations(toFolder(copy));
  const triggering = before.find(({ statements }) => statements.some((sql) => TRIGGER.test(sql)));
  if (triggering !== undefined) {
    return [
      `${triggering.name} makes or drops triggers. They stand in src/db/schema/triggers/, and migrate() makes them.`,
    ];
  }
  await generate({ schema: part.schema, out: copy, name: "check" });
  const added = (await readMigrations(toFolder(copy))).slice(before.length);
  if (added.length === 0) return [];
  return [
    `${part.schema}/ says more than ${part.folder}/ does. Generate a migration ` +
    "(docs/development/recipes.md) and commit it. It would add:",
    ...added.flatMap(({ statements }) => statements),
  ];
}

/** Compares a database made by the migrations with one that drizzle-kit generates from the schema alone. */
async function findDifferences(part: Part, scratch: string): Promise<string[]> {
  const fresh = `${scratch}/fresh`;
  await generate({ schema: part.schema, out: fresh, name: "check" });
  await using migrated = await openMigrated(
    `${scratch}/migrated.db`,
    toFolder(ROOT + part.folder),
    part.triggers,
  );
  await using made = await openMigrated(`${scratch}/wanted.db`, toFolder(fresh), []);
  const found = await readShape(migrated.database);
  const wanted = (await readShape(made.database)).union(new Set(part.triggers.map(describeTrigger)));
  return [
    ...[...wanted.difference(found)].map((part) => `The migrations lack: ${part}`),
    ...[...found.difference(wanted)].map((part) => `The migrations make, but not the schema: ${part}`),
    ...await findMisfit(migrated.database),
  ];
}

async function openMigrated(path: string, folder: URL, triggers: readonly Trigger[]) {
  const database = await openDatabase(`file:${path}`);
  await migrate(database, await readMigrations(folder), triggers);
  return { database, [Symbol.asyncDispose]: () => database.close() };
}

/** To rename any table, SQLite compiles all triggers. Making one, it does not look at what it reads and writes. */
async function findMisfit(database: Database): Promise<string[]> {
  try {
    await database.write([{ sql: "ALTER TABLE applied_migration RENAME TO renamed", args: {} }]);
    return [];
  } catch (error) {
    return [`A trigger does not fit the tables: ${error instanceof Error ? error.message : error}`];
  }
}

function toFolder(path: string): URL {
  return new URL(`file://${path}/`);
}

if (import.meta.main) await runTask(checkMigrations);
