import type { AppDeps } from "../../src/app.ts";
import { type Config, readConfig } from "../../src/service/config.ts";
import { createLog } from "../../src/core/log.ts";
import { findDevelopmentKeys, type ServiceKeys } from "../../src/service/development_keys.ts";
import { createAppDeps } from "../../src/service/serve.ts";
import type { Database } from "../../src/db/database.ts";
import { openPointsFile } from "../../src/telemetry/sqlite/points_file.ts";
import { type DatabaseContext, openMigratedDatabase, readEnvironment } from "./database_context.ts";
import { printError } from "./output.ts";

/** The dependencies of the service, for tasks that act through it. */
export interface ServiceContext extends Pick<DatabaseContext, "database" | "migrations">, AsyncDisposable {
  readonly config: Config;
  readonly keys: ServiceKeys;
  /** The points' file, if `TELEMETRY_URL` names one. */
  readonly points: Database | undefined;
  readonly deps: AppDeps;
}

/**
 * Opens the dependencies of the service. A development database uses its own keys and development's defaults. For
 * others, throws a `ConfigError` that lists missing production variables. `timeoutMs`: see `openDatabase`.
 */
export async function openService(timeoutMs?: number): Promise<ServiceContext> {
  const context = await openMigratedDatabase(timeoutMs);
  try {
    const kept = await findDevelopmentKeys(context.database);
    if (kept !== undefined) return await completeContext(context, context.config, kept);
    const config = readConfig(await readEnvironment(), "production");
    return await completeContext(context, config, config);
  } catch (error) {
    await context[Symbol.asyncDispose]();
    throw error;
  }
}

/** Builds the dependencies of the service. In development, keys of the environment take precedence over stored ones. */
export async function completeContext(
  context: DatabaseContext,
  config: Config,
  kept: ServiceKeys,
): Promise<ServiceContext> {
  const { database, migrations } = context;
  const keys = {
    tokenKeys: config.tokenKeys ?? kept.tokenKeys,
    secretKeys: config.secretKeys ?? kept.secretKeys,
  };
  const log = createLog("warn", printError);
  const points = await openPointsFile(config.telemetryUrl, { database });
  const deps = await createAppDeps({ config, keys, database, points, migrations, log });
  const close = async (): Promise<void> => void (await Promise.all([database.close(), points?.close()]));
  return { config, keys, database, points, migrations, deps, [Symbol.asyncDispose]: close };
}
