import { readConfig } from "../src/service/config.ts";
import {
  backupFile,
  backupServer,
  BadBackupError,
  checkBackup,
  isEmptyDatabase,
} from "../src/db/backup/backup.ts";
import { filePath } from "../src/db/file_database.ts";
import { parseCommandLine } from "./lib/command_line.ts";
import { openTaskDatabase, readEnvironment } from "./lib/database_context.ts";
import { print } from "./lib/output.ts";
import { followProgress } from "./lib/progress_follower.ts";
import { runTask, TaskError } from "./lib/run_task.ts";
import { createUnfinished } from "./lib/unfinished_file.ts";

const COMMAND = {
  name: "backup",
  summary:
    `Copies the whole database into FILE, an SQLite database even if the source is a server. The copy is consistent and
contains every write that was acknowledged before the task began; the service can keep running. The copy is checked
before it replaces FILE. "deno task restore" restores it.

FILE is as confidential as the database: it contains password hashes, addresses and sealed secrets, and only its owner can
read it. SECRET_KEYS and TOKEN_KEYS are not included, except for the keys of a development database: back them up
separately. Telemetry in a separate engine (TELEMETRY_URL) is not included either.`,
  positionals: [{ name: "FILE", description: "File to write" }],
  options: { force: { type: "boolean", description: "Overwrite an existing file" } },
} as const;

const TIMEOUT_MS = 30_000;

async function backup(): Promise<number> {
  const { values, positionals: [path = ""] } = parseCommandLine(COMMAND);
  if (!values.force && await exists(path)) {
    throw new TaskError(`${path} already exists. Name another file, or overwrite it with --force.`);
  }
  await requireSource(readConfig(await readEnvironment(), "development").databaseUrl);
  await using context = await openTaskDatabase(TIMEOUT_MS);
  const { database, config, migrations } = context;
  if (await isEmptyDatabase(database)) {
    throw new TaskError("There is nothing to back up: the database is empty.");
  }
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
  await unfinished.finish();
  const { size } = await Deno.stat(path);
  print(`Wrote ${path}: ${Math.ceil(size / 1024)} KiB.`);
  return 0;
}

/** Throws a `TaskError` for a missing file, which opening would create. */
async function requireSource(databaseUrl: string): Promise<void> {
  if (!databaseUrl.startsWith("file:") || await exists(filePath(databaseUrl))) return;
  throw new TaskError(
    `There is nothing to back up: ${filePath(databaseUrl)} does not exist. Check TURSO_DATABASE_URL.`,
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

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

if (import.meta.main) await runTask(backup);
