import { openPointsFile } from "../src/telemetry/sqlite/points_file.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { applyMigrations, openTaskDatabase } from "./lib/database_context.ts";
import { print } from "./lib/output.ts";
import { runTask } from "./lib/run_task.ts";

const SUMMARY =
  `Brings the schema of the database up to date. It is safe to run it repeatedly and concurrently.

  TURSO_DATABASE_URL  URL of the database (default: file:data/rolegrid.db)
  TURSO_AUTH_TOKEN    access token, if the database is on a server
  TELEMETRY_URL       if it names a file for points, that is brought up to date, too`;

/** Building an index on a large table takes longer than any request. */
const TIMEOUT_MS = 120_000;

async function migrateDatabase(): Promise<number> {
  parseCommandLine({ name: "migrate", summary: SUMMARY, options: {} });
  await using context = await openTaskDatabase(TIMEOUT_MS);
  const applied = await applyMigrations(context);
  for (const name of applied) print(`Applied ${name}`);
  const { database, config } = context;
  const onMigrated = (names: readonly string[]): void => {
    for (const name of names) print(`Applied points/${name}`);
    applied.push(...names);
  };
  await (await openPointsFile(config.telemetryUrl, { database, timeoutMs: TIMEOUT_MS, onMigrated }))?.close();
  if (applied.length === 0) print("Nothing to do: the database is up to date.");
  return 0;
}

if (import.meta.main) await runTask(migrateDatabase);
