import { dirname } from "node:path";

/** A file written beside its place and then renamed: readers see the old file or the whole new one. */
export interface UnfinishedFile extends AsyncDisposable {
  readonly path: string;
  /** Syncs the data written so far. */
  sync(): Promise<void>;
  /** Syncs the file and renames it to its place, replacing any existing file. */
  finish(): Promise<void>;
}

/** Suffixes of the log files of SQLite. */
export const LOG_SUFFIXES = ["-wal", "-shm", "-journal"] as const;

const OWNER_ONLY = 0o600;

/**
 * Creates an empty file readable only by its owner. Disposal before `finish` deletes it. Throws an `IsADirectory` error
 * if the place is a directory, which `finish` could not replace.
 */
export async function createUnfinished(place: string): Promise<UnfinishedFile> {
  const existing = await Deno.stat(place).catch(ignoreMissing);
  if (existing?.isDirectory) throw new Deno.errors.IsADirectory(`${place} is a directory`);
  const path = `${place}.${crypto.randomUUID()}.unfinished`;
  (await Deno.open(path, { write: true, createNew: true, mode: OWNER_ONLY })).close();

  async function sync(): Promise<void> {
    using file = await Deno.open(path, { read: true, write: true });
    await file.sync();
  }

  return {
    path,
    sync,
    async finish(): Promise<void> {
      await sync();
      await Deno.rename(path, place);
      await syncDirectory(place);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      for (const name of ["", ...LOG_SUFFIXES].map((suffix) => path + suffix)) {
        await Deno.remove(name).catch(ignoreMissing);
      }
    },
  };
}

/** Syncs renames and links beside `path`: syncing a file does not sync its name. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory as a file, and does not need this.
  if (Deno.build.os === "windows") return;
  using directory = await Deno.open(dirname(path));
  await directory.sync();
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
