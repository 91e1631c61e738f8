import { dirname, resolve } from "node:path";
import {
  BadBackupError,
  checkBackup,
  checkpointDatabaseFile,
  type FileState,
  restoreToServer,
} from "../../src/db/backup/backup.ts";
import type { Database } from "../../src/db/database.ts";
import { isEmptyDatabase, type Migration } from "../../src/db/migrations.ts";
import { makePrivateDatabase, makePrivateFolder } from "../../src/db/private_files.ts";
import { TaskError } from "./run_task.ts";
import { createUnfinished, LOG_SUFFIXES, syncDirectory } from "./unfinished_file.ts";

export interface FileRestore {
  readonly backup: string;
  /** The database file, or a symbolic link to it, which remains. */
  readonly target: string;
  readonly migrations: readonly Migration[];
  /** Whether to keep an existing file under another name, instead of refusing. */
  readonly force: boolean;
  /** The variable that names the file. */
  readonly variable: keyof typeof NAMES;
}

const NAMES = { TURSO_DATABASE_URL: "database", TELEMETRY_URL: "points' file" } as const;

/** A checked copy of a backup beside the file that it is to replace. Disposal before `finish` deletes it. */
export interface PreparedRestore extends AsyncDisposable {
  /**
   * Replaces the file: at every moment the old or the new one is in place. Returns the new names of earlier files; logs
   * without a database file are kept, too.
   */
  finish(): Promise<string[]>;
}

/**
 * Prepares to replace a database file, which no program may have open, by a backup. Throws a `TaskError`.
 */
export async function prepareRestore(
  { backup, target: named, migrations, force, variable }: FileRestore,
): Promise<PreparedRestore> {
  await requireFile(backup);
  const what = NAMES[variable];
  // SQLite looks for logs beside a link's target, and a rename would replace the link.
  const target = await followLinks(named);
  await makePrivateFolder(dirname(target));
  await using stack = new AsyncDisposableStack();
  const unfinished = stack.use(await createUnfinished(target));
  // The copy is checked, since the backup may change.
  await copyInto(backup, unfinished.path);
  requireSound(unfinished.path, migrations);
  const state = await checkpointDatabaseFile(target);
  if (state === "in use") {
    throw new TaskError(`Another program has the ${what} open: stop the service first.`);
  }
  if (state === "filled" && !force) {
    throw new TaskError(
      `The ${what} is not empty. Choose another one with ${variable}, or replace it with --force, which keeps it under another name.`,
    );
  }
  if (state === "damaged" && !force) {
    throw new TaskError(
      "The existing file is not a database, or is damaged. Stop the service and replace the file with --force, which keeps it under another name.",
    );
  }
  await unfinished.sync();
  const prepared = stack.move();
  return {
    async finish(): Promise<string[]> {
      const kept = await keepAside(target, state);
      await unfinished.finish();
      return kept;
    },
    [Symbol.asyncDispose]: () => prepared.disposeAsync(),
  };
}

async function followLinks(path: string): Promise<string> {
  try {
    return await Deno.realPath(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  try {
    // A link to a file that does not exist yet.
    return await followLinks(resolve(dirname(path), await Deno.readLink(path)));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return path;
    throw error;
  }
}

/**
 * Links the existing file under a second name, and renames its logs, which SQLite would replay into the new file.
 * Returns the new names.
 */
async function keepAside(target: string, state: FileState): Promise<string[]> {
  const aside = `${target}.before-${timestamp()}`;
  const kept: string[] = [];
  if (state !== "empty") {
    await makePrivateDatabase(target);
    await Deno.link(target, aside);
    kept.push(aside);
  }
  for (const suffix of LOG_SUFFIXES) {
    if (await renameIfThere(target + suffix, aside + suffix)) kept.push(aside + suffix);
  }
  // Synced before the new file is in place: otherwise a power loss could restore the logs beside it.
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

/** Loads a backup into an empty database of a server. Throws a `TaskError`. */
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

/** Copies only the content, so that the target keeps its mode. */
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

/** Returns the time for a file name: `20260131T235959123Z`. */
function timestamp(): string {
  return new Date().toISOString().replace(/[-:.]/g, "");
}
