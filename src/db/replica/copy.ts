import type { Row } from "../database.ts";
import { openLocalReader } from "../local_reader.ts";
import type { BoundStatement } from "../statement.ts";
import type { ConnectionThread } from "../thread/connection_thread.ts";
import { emptyCopyFiles, fingerprint, readLogPosition } from "./copy_files.ts";
import { CopyLostError } from "./copy_lost_error.ts";
import type { Place } from "./place.ts";
import type { PrimaryAddress, PrimaryState } from "./primary_state.ts";
import { startSyncThread } from "./sync_thread.ts";

/** How long a read may wait for its turn. */
const TIMEOUT_MS = 5000;
/** How long SQLite itself waits for a lock. A reader meets one only while the file is being opened. */
const LOCK_WAIT_MS = 20;
const READER_SETUP = ["PRAGMA query_only = ON"];

/** A copy of the primary's database in a local file. */
export interface Copy {
  /**
   * Why it must not be used any more, now that the primary is in this state; undefined if it may. The primary was asked
   * when the copy had `frameBefore`.
   */
  troubleWith(primary: PrimaryState, frameBefore: number): string | undefined;
  /** The number of the last frame that it has; -1 while it is empty. */
  frame(): number;
  /** Its files as they are: another text whenever they have changed. */
  files(): string;
  /**
   * Fetches what the primary has committed. Takes as long as the primary does. Whoever calls meanwhile shares the sync,
   * which may have begun too early for them: they look at `frame` and call again. Throws `CopyLostError` if the copy must
   * not be used any more, and any other error if it can be tried again.
   */
  catchUp(primary: PrimaryState): Promise<void>;
  /**
   * Runs read statements on one snapshot. Returns one list of rows per statement. Throws what `Database.readAll` throws,
   * and `CopyLostError` if the rows may be from another log.
   */
  readAll(statements: readonly BoundStatement[]): Promise<Row[][]>;
  /** Closes the copy and leaves it to a later run, if nothing else has changed its files. */
  keep(): Promise<void>;
  /** Closes the copy and deletes it, as soon as its thread is free. */
  discard(): Promise<void>;
  /** Leaves the copy as it is, for a later run to delete. For the end of the process: it waits for nothing. */
  abandon(): void;
}

export interface CopyOptions {
  readonly place: Place;
  readonly address: PrimaryAddress;
  /** The primary's state right now. */
  readonly primary: PrimaryState;
  /** The threads that read. */
  readonly threads: readonly ConnectionThread[];
}

/** Begins a copy, which is empty, or was kept by an earlier run. It must catch up before it is read. */
export function startCopy({ place, address, primary, threads }: CopyOptions): Copy {
  const { database } = place;
  const { processId, logId } = primary;
  const { url, authToken = "" } = address;
  const thread = startSyncThread();
  // Opens its connections at the first read, when the driver has created the file.
  const settings = { path: database, lockWaitMs: LOCK_WAIT_MS, setup: READER_SETUP };
  const reader = openLocalReader({ settings, threads, timeoutMs: TIMEOUT_MS });
  let frame = place.left?.frame ?? -1;
  let files = fingerprint(database);
  let syncing: Promise<void> | undefined;
  let isLost = false;
  const opened = thread.call({ kind: "open", database, url, authToken, kept: place.left !== undefined });

  /** Whether the driver has turned to another log: it notes that before it writes anything from there. */
  function hasTurned(): boolean {
    const position = readLogPosition(database);
    return position !== undefined && position.logId !== logId;
  }

  /** Sees how far a sync has got, which may have failed half-way. */
  function noteProgress(): void {
    const position = readLogPosition(database);
    if (position?.logId !== logId || position.frame < frame) isLost = true;
    else frame = position.frame;
    files = fingerprint(database);
  }

  async function sync(primary: PrimaryState): Promise<void> {
    try {
      await opened;
      const reached = await thread.call({ kind: "sync" });
      noteProgress();
      isLost ||= reached === undefined || frame < primary.frame;
    } catch (error) {
      noteProgress();
      isLost ||= !isPassing(error);
      if (!isLost) throw error;
      throw new CopyLostError("The copy cannot catch up", { cause: error });
    }
    if (isLost) throw new CopyLostError("The copy follows another log");
  }

  async function close(kept: boolean): Promise<void> {
    isLost = true;
    await reader.close();
    await opened.then(() => thread.call({ kind: "close", kept }), () => undefined);
    thread.end();
  }

  async function remove(): Promise<void> {
    try {
      await emptyCopyFiles(database);
    } finally {
      await place.remove();
    }
  }

  return {
    troubleWith(state, frameBefore): string | undefined {
      // The new process may serve an older state under the same id of the log: a backup was restored.
      if (state.processId !== processId) return "The primary was started anew";
      if (state.logId !== logId) return "The primary has another log";
      if (state.frame < frameBefore) return "The primary is behind the copy";
      if (syncing === undefined && fingerprint(database) !== files) {
        return "Something else has changed its files";
      }
      return undefined;
    },
    frame: () => frame,
    files: () => fingerprint(database),
    catchUp(state): Promise<void> {
      syncing ??= sync(state).finally(() => syncing = undefined);
      return syncing;
    },
    async readAll(statements): Promise<Row[][]> {
      const results = await reader.readAll(statements);
      if (isLost || syncing !== undefined && hasTurned()) {
        throw new CopyLostError("The copy follows another log");
      }
      return results;
    },
    async keep(): Promise<void> {
      const isSound = !isLost && fingerprint(database) === files;
      await close(isSound);
      if (isSound) place.leave({ processId, logId, frame });
      else await remove();
    },
    async discard(): Promise<void> {
      await close(false);
      await remove();
    },
    abandon: () => thread.end(),
  };
}

/** Errors of the network or of the primary, which leave the copy as it was. */
function isPassing(error: unknown): boolean {
  return error instanceof Error && /\bClient\(|Handshake/.test(error.message);
}
