/** What libSQL appends to the name of a copy: its log, the index of that, and how far it has followed the primary. */
const SUFFIXES = ["", "-wal", "-shm", "-client_wal_index"] as const;

/** How far a copy has followed which log of the primary. */
export interface LogPosition {
  readonly logId: string;
  readonly frame: number;
}

/** Creates the files of an empty copy, so that nobody else may read what will be in them. */
export function createCopyFiles(database: string): void {
  for (const suffix of SUFFIXES) {
    Deno.writeFileSync(`${database}${suffix}`, new Uint8Array(), { createNew: true, mode: 0o600 });
  }
}

/**
 * Frees the room of a copy that is not read any more. The driver keeps files open that it has closed, at times until the
 * process ends, and a file that is open keeps its room when it is deleted.
 */
export async function emptyCopyFiles(database: string): Promise<void> {
  for (const path of [database, `${database}-wal`]) {
    try {
      await Deno.truncate(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
}

/**
 * Reads the note that libSQL writes after each transaction that it has copied, and before the first one of another log:
 * the id of the log and the number of the frame, little-endian. Undefined before the first contact with the primary.
 */
export function readLogPosition(database: string): LogPosition | undefined {
  const note = Deno.readFileSync(`${database}-client_wal_index`);
  if (note.length < 24) return undefined;
  const hex = Array.from(note.subarray(0, 16).reverse(), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
  const logId = hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  const frame = new DataView(note.buffer, note.byteOffset).getBigInt64(16, true);
  return { logId, frame: Number(frame) };
}

/**
 * Changes whenever the database or its log is written, replaced, cut off or deleted. Looks at names only: if this
 * process opened and closed the files, it would drop SQLite's locks on them. An empty log is like none: the last
 * connection deletes it.
 */
export function fingerprint(database: string): string {
  return JSON.stringify([database, `${database}-wal`].map((path) => {
    try {
      const { ino, size, mtime } = Deno.statSync(path);
      return size === 0 ? null : [ino, size, mtime?.getTime()];
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return null;
      throw error;
    }
  }));
}
