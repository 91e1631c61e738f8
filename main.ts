import { ConfigError, readConfig } from "./src/config.ts";
import { AppError } from "./src/core/errors.ts";
import { createLog, describeError } from "./src/core/log.ts";
import { migrate, pendingMigrations, readMigrations } from "./src/db/migrations.ts";
import { openDatabase } from "./src/db/open_database.ts";
import { isTransactionTimeout } from "./src/db/sql_errors.ts";
import type { TracingApi } from "./src/http/tracing.ts";
import { serve } from "./src/serve.ts";

const encoder = new TextEncoder();

/** The production service: configuration, database, app. Development starts in `scripts/dev.ts`. */
async function main(): Promise<void> {
  const config = readConfig(Deno.env.toObject(), "production");
  const log = createLog(config.logLevel, writeLine);
  // The driver leaves a rejection behind when the server ends a transaction that ran too long. The request was answered
  // already; anything else that nobody handles ends the process, as it should.
  globalThis.addEventListener("unhandledrejection", (event) => {
    if (!isTransactionTimeout(event.reason)) return;
    event.preventDefault();
    log.warn("database.transaction_timeout", describeError(event.reason));
  });
  const database = await openDatabase(config.databaseUrl, { authToken: config.databaseAuthToken });
  const migrations = await readMigrations(new URL("migrations/", import.meta.url));
  // A local file belongs to this process; a remote database is migrated once, at deploy, not by each instance.
  if (database.kind === "file") await migrate(database, migrations);
  const pending = await pendingMigrations(database, migrations);
  if (pending.length > 0) {
    throw new ConfigError(`The database lacks ${pending.join(", ")}. Run "deno task migrate" first.`);
  }
  await serve({ config, keys: config, database, migrations, log, tracing: await loadTracing() });
}

/** OpenTelemetry's API where the runtime exports what it is told: it costs time at the start, and a little per call. */
async function loadTracing(): Promise<TracingApi | undefined> {
  // The runtime's own switch. Deno Deploy exports without it.
  const isOn = Deno.env.get("OTEL_DENO") === "true" || Deno.env.get("DENO_DEPLOY") === "true";
  return isOn ? await import("@opentelemetry/api") : undefined;
}

/** Straight to standard output: the console would format the line anew, at the price of a small request. */
function writeLine(line: string): void {
  const bytes = encoder.encode(`${line}\n`);
  try {
    // A pipe may take only a part at a time.
    for (let written = 0; written < bytes.length;) written += Deno.stdout.writeSync(bytes.subarray(written));
  } catch {
    // Nobody reads the log any more: that must not fail the request that the line is about.
  }
}

/** What the operator can do something about, in one line; undefined for what only a stack trace explains. */
function explain(error: unknown): string | undefined {
  if (error instanceof ConfigError || error instanceof RangeError) return error.message;
  if (error instanceof Deno.errors.AddrInUse) {
    return "The port is taken by another program. Set PORT to a free one, or stop that program.";
  }
  if (error instanceof AppError && error.code === "UNAVAILABLE") {
    return "The database does not answer. Check TURSO_DATABASE_URL and TURSO_AUTH_TOKEN, and that it is running.";
  }
  return undefined;
}

try {
  await main();
} catch (error) {
  const message = explain(error);
  if (message === undefined) throw error;
  // deno-lint-ignore no-console -- for the operator, before there is a log
  console.error(message);
  Deno.exit(1);
}
