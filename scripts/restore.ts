import { readConfig } from "../src/service/config.ts";
import { filePath } from "../src/db/file_database.ts";
import { pendingMigrations, readMigrations } from "../src/db/migrations.ts";
import { verifyClosure } from "../src/role/closure/closure_service.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { type DatabaseContext, openTaskDatabase, readEnvironment } from "./lib/database_context.ts";
import { print, printError } from "./lib/output.ts";
import { followProgress } from "./lib/progress_follower.ts";
import { restoreToDatabase, restoreToFile } from "./lib/restore_backup.ts";
import { runTask, TaskError } from "./lib/run_task.ts";

const COMMAND = {
  name: "restore",
  summary:
    `Restores a backup into the database at TURSO_DATABASE_URL, which must be empty. Stop the service first. The file is
checked before the restore; afterwards, the rights table is compared with the relations.

A backup of an older version is brought up to date by the next start or by "deno task migrate"; one of a newer version is
refused. Everything is as it was at the time of the backup: sessions, passwords and invitations that have ended since then
are valid again. An interrupted restore to a server leaves a database without its list of migrations, which no task
accepts: delete it and start again with a new one.`,
  positionals: [{ name: "FILE", description: 'File that "deno task backup" wrote' }],
  options: {
    force: {
      type: "boolean",
      description: "Replace an existing database file, even a damaged one; it is kept under another name",
    },
  },
} as const;

const TIMEOUT_MS = 120_000;
const MIGRATIONS = new URL("../migrations/", import.meta.url);

async function restore(): Promise<number> {
  const { values: { force }, positionals: [path = ""] } = parseCommandLine(COMMAND);
  const { databaseUrl } = readConfig(await readEnvironment(), "development");
  if (databaseUrl.startsWith("file:")) {
    const migrations = await readMigrations(MIGRATIONS);
    const target = filePath(databaseUrl);
    const kept = await restoreToFile({ backup: path, target, migrations, force });
    if (kept.length > 0) print(`The previous files are kept as ${kept.join(", ")}.`);
  } else {
    if (force) {
      throw new TaskError("--force only works for database files. A database on a server must be empty.");
    }
    await using context = await openTaskDatabase(TIMEOUT_MS);
    using bar = followProgress();
    await restoreToDatabase(path, context, bar.report);
  }
  await using context = await openTaskDatabase(TIMEOUT_MS);
  return await inspect(context);
}

async function inspect({ database, migrations }: DatabaseContext): Promise<number> {
  const { relations, rows, differenceCount, unmanagedRoleIds, cycle } = await verifyClosure(database, {
    maxDifferences: 0,
  });
  const pending = await pendingMigrations(database, migrations);
  print(`Restored: ${relations} relations, ${rows} rows of the rights table.`);
  if (pending.length > 0) {
    print(
      `The database lacks ${pending.join(", ")}. Run "deno task migrate" or start the service to add that.`,
    );
  }
  if (differenceCount === 0 && unmanagedRoleIds.length === 0 && cycle === undefined) return 0;
  printError(
    'The rights table differs from the relations, and did so when the backup was taken. Run "deno task closure:verify".',
  );
  return 1;
}

if (import.meta.main) await runTask(restore);
