import { ConfigError, readConfig } from "./src/config.ts";
import { createLog, describeError } from "./src/core/log.ts";
import { migrate, pendingMigrations, readMigrations } from "./src/db/migrations.ts";
import { openDatabase } from "./src/db/open_database.ts";
import { isTransactionTimeout } from "./src/db/sql_errors.ts";
import { serve } from "./src/serve.ts";

/** The production service: configuration, database, app. Development starts in `scripts/dev.ts`. */
async function main(): Promise<void> {
  const config = readConfig(Deno.env.toObject(), "production");
  // deno-lint-ignore no-console -- standard output is where a service's log goes
  const log = createLog(config.logLevel, (line) => console.log(line));
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
  await serve({ config, keys: config, database, migrations, log });
}

try {
  await main();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  // deno-lint-ignore no-console -- for the operator, before there is a log
  console.error(error.message);
  Deno.exit(1);
}
