import { readConfig } from "../src/service/config.ts";
import { backupFile, backupServer, BadBackupError, checkBackup } from "../src/db/backup/backup.ts";
import { filePath, isFileUrl } from "../src/db/file_url.ts";
import { isEmptyDatabase, readMigrations } from "../src/db/migrations.ts";
import { POINTS_MIGRATIONS } from "../src/telemetry/sqlite/points_file.ts";
import { exists, pointsBackup } from "./lib/backup_files.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { openTaskDatabase, readEnvironment } from "./lib/database_context.ts";
import { print } from "./lib/output.ts";
import { followProgress } from "./lib/progress_follower.ts";
import { runTask, TaskError } from "./lib/run_task.ts";
import { createUnfinished, type UnfinishedFile } from "./lib/unfinished_file.ts";

const COMMAND = {
  name: "backup",
  summary:
    `Copies the whole database into FILE, an SQLite database even if the source is a server. The copy is consistent and
contains every write that was acknowledged before the task began; the service can keep running. The copy is checked
before it replaces FILE. "deno task restore" restores it.

FILE is as confidential as the database: it contains password hashes, addresses and sealed secrets, and only its owner can
read it. SECRET_KEYS and TOKEN_KEYS are not included, except for the keys of a development database: back them up
separately. If TELEMETRY_URL names a file, its points are copied into FILE.points; telemetry in a separate engine is not
included.`,
  positionals: [{ name: "FILE", description: "File to write" }],
  options: { force: { type: "boolean", description: "Overwrite an existing file" } },
} as const;

const TIMEOUT_MS = 30_000;

async function backup(): Promise<number> {
  const { values, positionals: [path = ""] } = parseCommandLine(COMMAND);
  const { databaseUrl, telemetryUrl } = readConfig(await readEnvironment(), "development");
  const pointsUrl = telemetryUrl !== undefined && isFileUrl(telemetryUrl) ? telemetryUrl : undefined;
  for (const place of pointsUrl === undefined ? [path] : [path, pointsBackup(path)]) {
    if (!values.force && await exists(place)) {
      throw new TaskError(`${place} already exists. Name another file, or overwrite it with --force.`);
    }
  }
  await requireSource(databaseUrl, "TURSO_DATABASE_URL");
  if (pointsUrl !== undefined) await requireSource(pointsUrl, "TELEMETRY_URL");
  await using context = await openTaskDatabase(TIMEOUT_MS);
  const { database, config, migrations } = context;
  if (await isEmptyDatabase(database)) {
    throw new TaskError("There is nothing to back up: the database is empty.");
  }
  // First: each series of these points is then in the copy of the database, unless it was deleted meanwhile.
  await using points = pointsUrl === undefined ? undefined : await copyPoints(pointsUrl, path);
  await using unfinished = await createUnfinished(path);
  using bar = followProgress();
  if (database.kind === "file") {
    await backupFile(filePath(config.databaseUrl), unfinished.path, { onProgress: bar.report });
  } else {
    const { databaseUrl: url, databaseAuthToken: authToken } = config;
    await backupServer({ url, authToken }, unfinished.path, { onProgress: bar.report });
  }
  bar.finish();
  check(unfinished.path, migrations);
  await points?.finish();
  await unfinished.finish();
  if (points !== undefined) await printSize(pointsBackup(path));
  await printSize(path);
  return 0;
}

/** Copies the points' file beside its place in the backup. */
async function copyPoints(url: string, path: string): Promise<UnfinishedFile> {
  await using stack = new AsyncDisposableStack();
  const unfinished = stack.use(await createUnfinished(pointsBackup(path)));
  using bar = followProgress();
  await backupFile(filePath(url), unfinished.path, { onProgress: bar.report });
  bar.finish();
  check(unfinished.path, await readMigrations(POINTS_MIGRATIONS));
  stack.move();
  return unfinished;
}

async function printSize(path: string): Promise<void> {
  const { size } = await Deno.stat(path);
  print(`Wrote ${path}: ${Math.ceil(size / 1024)} KiB.`);
}

/** Throws a `TaskError` for a missing file, which opening would create. */
async function requireSource(url: string, variable: string): Promise<void> {
  if (!isFileUrl(url) || await exists(filePath(url))) return;
  throw new TaskError(
    `There is nothing to back up: ${filePath(url)} does not exist. Check ${variable}.`,
  );
}

function check(...args: Parameters<typeof checkBackup>): void {
  try {
    checkBackup(...args);
  } catch (error) {
    if (error instanceof BadBackupError) throw new TaskError(`The copy is unusable. ${error.message}.`);
    throw error;
  }
}

if (import.meta.main) await runTask(backup);
