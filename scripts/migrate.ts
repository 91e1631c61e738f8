import { migrate, readMigrations } from "../src/db/migrations.ts";
import { openDatabase } from "../src/db/open_database.ts";
import { parseCommandLine } from "./lib/command_line.ts";

const SUMMARY = `Brings the database's schema up to date. Safe to run again, and from several places at once.

  TURSO_DATABASE_URL  names the database (default: file:data/rolegrid.db)
  TURSO_AUTH_TOKEN    is the proof of access, where the database is on a server`;

/** Building an index over a large table takes longer than any request may. */
const TIMEOUT_MS = 120_000;

/** Runs the command. Answers the process's exit code. */
async function runMigrate(): Promise<number> {
  parseCommandLine({ name: "migrate", summary: SUMMARY, options: {} });
  try {
    await migrateDatabase(Deno.env.get("TURSO_DATABASE_URL") ?? "file:data/rolegrid.db");
    return 0;
  } catch (error) {
    const reason = error instanceof Error ? reasonOf(error) : String(error);
    Deno.stderr.writeSync(new TextEncoder().encode(`The migration failed: ${reason}\n`));
    return 1;
  }
}

async function migrateDatabase(url: string): Promise<void> {
  const migrations = await readMigrations(new URL("../migrations/", import.meta.url));
  const authToken = Deno.env.get("TURSO_AUTH_TOKEN");
  const database = await openDatabase(url, { authToken, timeoutMs: TIMEOUT_MS });
  try {
    const applied = await migrate(database, migrations);
    for (const name of applied) print(`Applied ${name}`);
    if (applied.length === 0) print("Nothing to do: the database is up to date.");
  } finally {
    await database.close();
  }
}

/** The message of the innermost cause: what the driver said, rather than that the database is unavailable. */
function reasonOf(error: Error): string {
  return error.cause instanceof Error ? reasonOf(error.cause) : error.message;
}

function print(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}

if (import.meta.main) Deno.exit(await runMigrate());
