import { dirname } from "node:path";

/** A file that is written beside its place, so that whoever looks there sees all of it or what was there before. */
export interface UnfinishedFile extends AsyncDisposable {
  readonly path: string;
  /** Puts what is written so far on the disk. */
  sync(): Promise<void>;
  /** Puts the file on the disk and into its place, over what is there. */
  finish(): Promise<void>;
}

/** What SQLite adds to the name of a database for its logs. */
export const LOG_SUFFIXES = ["-wal", "-shm", "-journal"] as const;

const OWNER_ONLY = 0o600;

/** Makes an empty file that only its owner may read. Disposing of it before it is finished removes it. */
export async function createUnfinished(place: string): Promise<UnfinishedFile> {
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

/** Puts what was renamed and linked beside `path` on the disk: syncing a file does not sync its name. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows opens no directory as a file, and keeps names by itself.
  if (Deno.build.os === "windows") return;
  using directory = await Deno.open(dirname(path));
  await directory.sync();
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}
