import { dirname, resolve } from "node:path";
import {
  BadBackupError,
  checkBackup,
  checkpointDatabaseFile,
  type FileState,
  isEmptyDatabase,
  restoreToServer,
} from "../../src/db/backup/backup.ts";
import type { Database } from "../../src/db/database.ts";
import type { Migration } from "../../src/db/migrations.ts";
import { TaskError } from "./run_task.ts";
import { createUnfinished, LOG_SUFFIXES, syncDirectory } from "./unfinished_file.ts";

export interface FileRestore {
  readonly backup: string;
  /** The database file, or a symbolic link to it, which stays. */
  readonly target: string;
  readonly migrations: readonly Migration[];
  /** Keep what is there under another name, rather than refuse. */
  readonly force: boolean;
}

/**
 * Puts a backup in the place of a database file that nobody has open. Answers the names under which what was there is
 * kept, if anything was: there is no moment without the old file or the new one. Logs of a database that is gone are kept,
 * too. Throws a `TaskError`; then the target is what it was.
 */
export async function restoreToFile(
  { backup, target: named, migrations, force }: FileRestore,
): Promise<string[]> {
  await requireFile(backup);
  // SQLite looks for the logs beside the file that a link leads to, and a rename would replace the link.
  const target = await followLinks(named);
  await Deno.mkdir(dirname(target), { recursive: true });
  await using unfinished = await createUnfinished(target);
  // Checked is what takes the place, not what the backup may have become meanwhile.
  await copyInto(backup, unfinished.path);
  requireSound(unfinished.path, migrations);
  const state = await checkpointDatabaseFile(target);
  if (state === "in use") {
    throw new TaskError("Another program has the database open: stop the service first.");
  }
  if (state === "filled" && !force) {
    throw new TaskError(
      "The database is not empty. Choose another one with TURSO_DATABASE_URL, or replace it with --force, which keeps it under another name.",
    );
  }
  if (state === "damaged" && !force) {
    throw new TaskError(
      "The existing file is not a database, or is damaged. Stop the service and replace the file with --force, which keeps it under another name.",
    );
  }
  await unfinished.sync();
  const kept = await keepAside(target, state);
  await unfinished.finish();
  return kept;
}

async function followLinks(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  try {
    // A link to a file that is still to be made.
    return await followLinks(resolve(dirname(path), await Deno.readLink(path)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return path;
    throw error;
  }
}

/**
 * Gives what is there a second name, and its logs another one: SQLite would play those into whichever file takes the
 * place. Answers the names.
 */
async function keepAside(target: string, state: FileState): Promise<string[]> {
  const aside = `${target}.before-${timestamp()}`;
  const kept: string[] = [];
  if (state !== "empty") {
    await Deno.link(target, aside);
    kept.push(aside);
  }
  for (const suffix of LOG_SUFFIXES) {
    if (await renameIfThere(target + suffix, aside + suffix)) kept.push(aside + suffix);
  }
  // On the disk before the new file is there, or a loss of power could bring the logs back beside it.
  if (kept.length > 0) await syncDirectory(target);
  return kept;
}

async function renameIfThere(from: string, to: string): Promise<boolean> {
  try {
    await Deno.rename(from, to);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** Puts a backup into a server's database, which must be empty. Throws a `TaskError`. */
export async function restoreToDatabase(
  backup: string,
  { database, migrations }: { database: Database; migrations: readonly Migration[] },
  onProgress: (done: number, total: number) => void,
): Promise<void> {
  await requireFile(backup);
  requireSound(backup, migrations);
  if (!await isEmptyDatabase(database)) {
    throw new TaskError("The database is not empty. Create a new one and set TURSO_DATABASE_URL to it.");
  }
  await restoreToServer(backup, database, { onProgress });
}

async function requireFile(path: string): Promise<void> {
  try {
    if ((await Deno.stat(path)).isFile) return;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  throw new TaskError(`The file ${path} does not exist.`);
}

/** Copies the content alone: the file keeps the mode it was made with. */
async function copyInto(from: string, to: string): Promise<void> {
  using source = await Deno.open(from);
  using target = await Deno.open(to, { write: true });
  await source.readable.pipeTo(target.writable);
}

function requireSound(path: string, migrations: readonly Migration[]): void {
  try {
    checkBackup(path, migrations);
  } catch (error) {
    if (error instanceof BadBackupError) throw new TaskError(`${error.message}. Nothing was changed.`);
    throw error;
  }
}

/** As part of a file's name: `20260131T235959123Z`. */
function timestamp(): string {
  return new Date().toISOString().replace(/[-:.]/g, "");
}
