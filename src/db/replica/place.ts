import Libsql from "libsql";
import { isBusy } from "../sql_errors.ts";
import { createCopyFiles, fingerprint, type LogPosition, readLogPosition } from "./copy_files.ts";
import type { PrimaryState } from "./primary_state.ts";

const PLACE_NAME = /^copy-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const LOCK = "lock";

/** The directory of one copy, which belongs to this process until it is left or removed. */
export interface Place {
  /** The path of the copy. */
  readonly database: string;
  /** How far the copy has got that an earlier run left here; undefined if it is empty, or cannot be trusted. */
  readonly left: PrimaryState | undefined;
  /** Leaves the closed copy to a later run. */
  leave(state: PrimaryState): void;
  /** Deletes the copy, unless it has vanished already. */
  remove(): Promise<void>;
}

/** What an orderly end notes beside a copy. The URL is a hash: it may contain a token. */
interface Note extends PrimaryState {
  readonly url: string;
  readonly files: string;
}

/** Whether a directory has the name of one that `createPlace` made, and not of somebody else's. */
export function isPlaceName(name: string): boolean {
  return PLACE_NAME.test(name);
}

/** Makes a directory with an empty copy below `folder`. */
export function createPlace(folder: string, urlHash: string): Place {
  const directory = `${folder}/copy-${crypto.randomUUID()}`;
  Deno.mkdirSync(directory, { mode: 0o700 });
  Deno.writeFileSync(`${directory}/${LOCK}`, new Uint8Array(), { mode: 0o600 });
  const place = lockPlace(directory, urlHash);
  if (place === undefined) throw new Error("A directory that was just created is in use");
  createCopyFiles(place.database);
  return place;
}

/**
 * Takes over the directory of a copy. Undefined if a process is using it: the lock is SQLite's, which the system
 * releases however a process ends.
 */
export function lockPlace(directory: string, urlHash: string): Place | undefined {
  const lock = new Libsql(`${directory}/${LOCK}`, { timeout: 0 });
  try {
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  const database = `${directory}/copy.db`;
  const notePath = `${directory}/note.json`;

  function unlock(): void {
    lock.exec("ROLLBACK");
    lock.close();
  }

  return {
    database,
    left: takeNote(notePath, database, urlHash),
    leave({ processId, logId, frame }): void {
      const note: Note = { processId, logId, frame, url: urlHash, files: fingerprint(database) };
      Deno.writeTextFileSync(notePath, JSON.stringify(note), { mode: 0o600 });
      unlock();
    },
    async remove(): Promise<void> {
      try {
        await Deno.remove(directory, { recursive: true });
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      } finally {
        unlock();
      }
    },
  };
}

/** Reads the note and deletes it: a copy that is in use has none. Undefined unless everything is as it was left. */
function takeNote(path: string, database: string, urlHash: string): PrimaryState | undefined {
  let note: Partial<Note>;
  let position: LogPosition | undefined;
  try {
    note = JSON.parse(Deno.readTextFileSync(path));
    Deno.removeSync(path);
    position = readLogPosition(database);
  } catch {
    return undefined;
  }
  const { processId, logId, frame } = note;
  const isWhole = note.url === urlHash && note.files === fingerprint(database) &&
    position !== undefined && position.logId === logId && position.frame === frame;
  if (!isWhole || processId === undefined || logId === undefined || frame === undefined) return undefined;
  return { processId, logId, frame };
}
