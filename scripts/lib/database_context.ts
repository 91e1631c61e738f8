import { type DevelopmentConfig, type Environment, readConfig } from "../../src/service/config.ts";
import type { Database } from "../../src/db/database.ts";
import { migrate, type Migration, pendingMigrations, readMigrations } from "../../src/db/migrations.ts";
import { openDatabase } from "../../src/db/open_database.ts";
import { readTriggers } from "../../src/db/triggers.ts";
import { parseEnvFile } from "./env_file.ts";
import { TaskError } from "./run_task.ts";

/** A file in the current directory with further variables for tasks. */
const ENV_FILE = ".env";
const MIGRATIONS = new URL("../../migrations/", import.meta.url);

/** An open database, for tasks without keys. Disposal closes it. */
export interface DatabaseContext extends AsyncDisposable {
  /**
   * The configuration of development, which requires no keys. Use only its non-secret settings, such as the database
   * URL.
   */
  readonly config: DevelopmentConfig;
  readonly database: Database;
  readonly migrations: readonly Migration[];
}

/** Reads the variables of the environment and, where it lacks them, of the file `.env`, if any. */
export async function readEnvironment(): Promise<Environment> {
  return { ...await readEnvFile(ENV_FILE), ...Deno.env.toObject() };
}

async function readEnvFile(path: string): Promise<Environment> {
  try {
    return parseEnvFile(await Deno.readTextFile(path));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return {};
    throw error;
  }
}

/** Opens the configured database, whatever its schema. `timeoutMs`: see `openDatabase`. */
export async function openTaskDatabase(timeoutMs?: number): Promise<DatabaseContext> {
  return await openConfigured(readConfig(await readEnvironment(), "development"), timeoutMs);
}

/** Opens the configured database. Throws a `TaskError` if its schema lacks migrations. */
export async function openMigratedDatabase(timeoutMs?: number): Promise<DatabaseContext> {
  return await requireMigrated(await openTaskDatabase(timeoutMs));
}

/** Migrates, and returns the names of the applied migrations (see `migrate`). */
export async function applyMigrations({ database, migrations }: DatabaseContext): Promise<string[]> {
  return await migrate(database, migrations, await readTriggers());
}

async function openConfigured(config: DevelopmentConfig, timeoutMs?: number): Promise<DatabaseContext> {
  const { databaseUrl, databaseAuthToken: authToken } = config;
  const migrations = await readMigrations(MIGRATIONS);
  const database = await openDatabase(databaseUrl, { authToken, timeoutMs });
  return { config, database, migrations, [Symbol.asyncDispose]: () => database.close() };
}

async function requireMigrated(context: DatabaseContext): Promise<DatabaseContext> {
  try {
    const pending = await pendingMigrations(context.database, context.migrations);
    if (pending.length === 0) return context;
    throw new TaskError(`The database lacks ${pending.join(", ")}. Run "deno task migrate" first.`);
  } catch (error) {
    await context[Symbol.asyncDispose]();
    throw error;
  }
}
