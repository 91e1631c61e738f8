import { readConfig } from "../src/service/config.ts";
import { filePath, isFileUrl } from "../src/db/file_url.ts";
import { pendingMigrations, readMigrations } from "../src/db/migrations.ts";
import { verifyClosure } from "../src/graph/closure/closure_service.ts";
import { POINTS_MIGRATIONS } from "../src/telemetry/sqlite/points_file.ts";
import { exists, pointsBackup } from "./lib/backup_files.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { type DatabaseContext, openTaskDatabase, readEnvironment } from "./lib/database_context.ts";
import { print, printError } from "./lib/output.ts";
import { followProgress } from "./lib/progress_follower.ts";
import { type PreparedRestore, prepareRestore, restoreToDatabase } from "./lib/restore_backup.ts";
import { runTask, TaskError } from "./lib/run_task.ts";

const COMMAND = {
  name: "restore",
  summary:
    `Restores a backup into the database at TURSO_DATABASE_URL, which must be empty. Stop the service first. The file is
checked before the restore; afterwards, the rights table is compared with the relations.

A backup of an older version is brought up to date by the next start or by "deno task migrate"; one of a newer version is
refused. Everything is as it was at the time of the backup: sessions, passwords and invitations that have ended since then
are valid again. An interrupted restore to a server leaves a database without its list of migrations, which no task
accepts: delete it and start again with a new one.

If TELEMETRY_URL names a file, FILE.points is restored into that, too.`,
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
  const { databaseUrl, telemetryUrl } = readConfig(await readEnvironment(), "development");
  // Both are checked before one is replaced.
  await using points = await preparePoints(path, telemetryUrl, force);
  if (isFileUrl(databaseUrl)) {
    const migrations = await readMigrations(MIGRATIONS);
    const target = filePath(databaseUrl);
    const variable = "TURSO_DATABASE_URL";
    await using rights = await prepareRestore({ backup: path, target, migrations, force, variable });
    printKept([...await points?.finish() ?? [], ...await rights.finish()]);
  } else {
    if (force && points === undefined) {
      throw new TaskError("--force only works for database files. A database on a server must be empty.");
    }
    await using context = await openTaskDatabase(TIMEOUT_MS);
    using bar = followProgress();
    await restoreToDatabase(path, context, bar.report);
    bar.finish();
    printKept(await points?.finish() ?? []);
  }
  await using context = await openTaskDatabase(TIMEOUT_MS);
  return await inspect(context);
}

/** Prepares the points' file, if there is one. Throws a `TaskError` if it and the backup do not go together. */
async function preparePoints(
  path: string,
  telemetryUrl: string | undefined,
  force: boolean,
): Promise<PreparedRestore | undefined> {
  const backup = pointsBackup(path);
  const hasPoints = await exists(backup);
  if (telemetryUrl === undefined || !isFileUrl(telemetryUrl)) {
    if (hasPoints) print(`${backup} is left out: TELEMETRY_URL names no file for points.`);
    return undefined;
  }
  if (!hasPoints) {
    throw new TaskError(
      `There is no ${backup} with the points for TELEMETRY_URL. Put it beside ${path}; ` +
        "or restore the database alone, with an empty TELEMETRY_URL for this task.",
    );
  }
  const migrations = await readMigrations(POINTS_MIGRATIONS);
  return await prepareRestore({
    backup,
    target: filePath(telemetryUrl),
    migrations,
    force,
    variable: "TELEMETRY_URL",
  });
}

function printKept(kept: readonly string[]): void {
  if (kept.length > 0) print(`The previous files are kept as ${kept.join(", ")}.`);
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
