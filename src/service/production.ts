import { type Environment, type ProductionConfig, readConfig } from "./config.ts";
import { ConfigError } from "./config_error.ts";
import { AppError } from "../core/errors.ts";
import { createLog } from "../core/log.ts";
import { createMetrics, type Metrics } from "../core/metrics.ts";
import { migrate, pendingMigrations, readMigrations } from "../db/migrations.ts";
import { UnusableDatabaseError } from "../db/database.ts";
import { openDatabase } from "../db/open_database.ts";
import { readTriggers } from "../db/triggers.ts";
import type { TracingApi } from "../http/tracing.ts";
import { DECIDING_THREAD } from "../role/deciding.ts";
import { openPointsFile } from "../telemetry/sqlite/points_file.ts";
import type { ServiceInput } from "./serve.ts";

const encoder = new TextEncoder();

export interface ProductionInput extends ServiceInput {
  readonly config: ProductionConfig;
}

/**
 * Reads the configuration and opens the database, and the points' file if there is one. Migrates files; a server must
 * already be migrated. Throws errors for `explainStartFailure`.
 */
export async function openProduction(env: Environment): Promise<ProductionInput> {
  const config = readConfig(env, "production");
  const log = createLog(config.logLevel, writeLine);
  const { promise: damaged, resolve: onDamage } = Promise.withResolvers<Error>();
  const observability = await loadObservability(env);
  const database = await openDatabase(config.databaseUrl, {
    deciding: DECIDING_THREAD,
    authToken: config.databaseAuthToken,
    onDamage,
    metrics: observability.metrics,
  });
  const migrations = await readMigrations(new URL("../../migrations/", import.meta.url));
  // A file belongs to this process. A remote database is migrated once per deployment, not by each instance.
  if (database.kind === "file") await migrate(database, migrations, await readTriggers());
  const pending = await pendingMigrations(database, migrations);
  if (pending.length > 0) {
    throw new ConfigError(`The database lacks ${pending.join(", ")}. Run "deno task migrate" first.`);
  }
  const points = await openPointsFile(config.telemetryUrl, {
    database,
    onDamage,
    metrics: observability.metrics,
  });
  return { config, keys: config, database, points, damaged, migrations, log, ...observability };
}

/**
 * Loads OpenTelemetry's API if the runtime exports traces or metrics: it delays the start, and costs a little per call.
 */
async function loadObservability(
  env: Environment,
): Promise<{ readonly tracing?: TracingApi; readonly metrics?: Metrics }> {
  // The runtime's own switches; Deno Deploy exports without them.
  const isOn = env["OTEL_DENO"] === "true" || env["DENO_DEPLOY"] === "true";
  if (!isOn) return {};
  const api = await import("@opentelemetry/api");
  return {
    ...(env["OTEL_DENO_TRACING"] === "false" ? {} : { tracing: api }),
    ...(env["OTEL_DENO_METRICS"] === "false" ? {} : { metrics: createMetrics(api) }),
  };
}

/** Writes to standard output directly: the console's formatting costs as much as a small request. */
function writeLine(line: string): void {
  const bytes = encoder.encode(`${line}\n`);
  try {
    // A pipe may take only a part at a time.
    for (let written = 0; written < bytes.length;) written += Deno.stdout.writeSync(bytes.subarray(written));
  } catch {
    // The log has no reader any more, which must not fail the request.
  }
}

/** Returns a message for failures that the administrator can fix; undefined if the failure needs a stack trace. */
export function explainStartFailure(error: unknown): string | undefined {
  const tells = [ConfigError, RangeError, UnusableDatabaseError];
  if (tells.some((kind) => error instanceof kind)) return (error as Error).message;
  if (error instanceof Deno.errors.AddrInUse) {
    return "The port is already in use. Set PORT to another one, or stop the program that uses it.";
  }
  if (error instanceof AppError && error.code === "UNAVAILABLE") {
    return "The database is unreachable. Check TURSO_DATABASE_URL and TURSO_AUTH_TOKEN, and that the server is running; " +
      "for a file, also that of TELEMETRY_URL, that this user may write it and its directory, and that no other program keeps it locked.";
  }
  return undefined;
}
