import type { DevelopmentConfig } from "../../src/service/config.ts";
import { pendingMigrations } from "../../src/db/migrations.ts";
import { userAccount } from "../../src/db/schema/identity.ts";
import { rows, sql } from "../../src/db/sql.ts";
import { bind } from "../../src/db/statement.ts";
import { findDevelopmentKeys, keepDevelopmentKeys } from "../../src/service/development_keys.ts";
import { applyMigrations, type DatabaseContext, openTaskDatabase } from "./database_context.ts";
import { TaskError } from "./run_task.ts";
import { completeContext, type ServiceContext } from "./service_context.ts";

export interface DevelopmentContext extends ServiceContext {
  readonly config: DevelopmentConfig;
}

/** Opens the database for development: migrates it, and creates missing keys. */
export async function openDevelopment(): Promise<DevelopmentContext> {
  const context = await openTaskDatabase();
  try {
    await refuseForeignDatabase(context);
    await applyMigrations(context);
    const { config } = context;
    const kept = await keepDevelopmentKeys(context.database);
    return { ...await completeContext(context, config, kept), config };
  } catch (error) {
    await context[Symbol.asyncDispose]();
    throw error;
  }
}

const FIND_ANY_ACCOUNT = rows<{ readonly found: 1 }>()(
  {},
  () => sql`SELECT 1 AS found FROM ${userAccount} LIMIT 1`,
);

/** Throws a `TaskError` for a database of a service with keys of its own, which development keys would break. */
async function refuseForeignDatabase({ database, migrations }: DatabaseContext): Promise<void> {
  const pending = await pendingMigrations(database, migrations);
  if (pending.length === migrations.length) return;
  if (await findDevelopmentKeys(database) !== undefined) return;
  if ((await database.read(bind(FIND_ANY_ACCOUNT, {}))).length === 0) return;
  throw new TaskError(
    "This database has accounts and was not created for development, so nothing was changed. " +
      "Choose another one with TURSO_DATABASE_URL, in the environment or in .env. " +
      'For an import, let "deno task dev --no-demo" create it first.',
  );
}
