import { dirname } from "node:path";
import { meterQueue, type Queue } from "../core/metrics.ts";
import { type Database, type DatabaseOptions, type Row, UnusableDatabaseError } from "./database.ts";
import { filePath } from "./file_url.ts";
import { openLocalReader } from "./local_reader.ts";
import { requireSafeSqlite } from "./safe_sqlite.ts";
import { isDamage } from "./sql_errors.ts";
import { makePrivateDatabase, makePrivateFolder } from "./private_files.ts";
import type { BoundStatement } from "./statement.ts";
import { type ConnectionThreads, createConnectionThreads } from "./thread/thread_pool.ts";
import { createWriteQueue } from "./write_queue.ts";

const WRITE_TIMEOUT_MS = 2000;
const READ_TIMEOUT_MS = 5000;
/** How long SQLite itself waits for a lock on a thread, before the call pauses and other calls may have their turn. */
const LOCK_WAIT_MS = 20;
/** Maximum number of waiting writes. */
const MAX_WAITING_WRITES = 1000;

/**
 * WAL: reads run beside the one write. FULL: an acknowledged write survives a loss of power. Sorted and materialized
 * rows stay in memory: with files, the default of the runtime's SQLite, a change took a sixth longer.
 */
const SETUP = ["PRAGMA temp_store = MEMORY"];
const WRITER_SETUP = ["PRAGMA journal_mode = WAL", ...SETUP, "PRAGMA synchronous = FULL"];
/** Without WAL, which is written into the file: one that is refused stays as it is. */
const READER_SETUP = [...SETUP, "PRAGMA query_only = ON"];

export interface FileDatabaseOptions extends DatabaseOptions {
  /** Threads that several databases share. By default a database has its own, which end when it is closed. */
  readonly threads?: ConnectionThreads | undefined;
  /** The program of a thread of its own that writes and decides; see `Database.decides`. */
  readonly deciding?: URL | undefined;
  /** The names of its queues in metrics: by default `reads` and `writes`. */
  readonly queues?: { readonly reads: Queue; readonly writes: Queue } | undefined;
}

/**
 * Opens a database file; creates it and its directory, for their owner alone, if missing. Queued writes run on one
 * thread, reads on others, probes on the event loop. Throws a `TypeError` if the URL names no file, and an
 * `UnusableDatabaseError` if the file is damaged, or the runtime's SQLite has a fault that loses writes.
 */
export async function openFileDatabase(url: string, options: FileDatabaseOptions = {}): Promise<Database> {
  const path = filePath(url);
  const { queues = { reads: "reads", writes: "writes" } } = options;
  requireSafeSqlite();
  await makePrivateFolder(dirname(path));
  await makePrivateDatabase(path);
  const threads = options.threads ?? createConnectionThreads(options.deciding);
  const file = { path, lockWaitMs: LOCK_WAIT_MS };
  const reader = openLocalReader({
    settings: { ...file, setup: READER_SETUP },
    threads: threads.readers,
    timeoutMs: options.timeoutMs ?? READ_TIMEOUT_MS,
    meter: meterQueue(options.metrics, queues.reads),
  });
  const writer = threads.writer.connect({ ...file, setup: WRITER_SETUP });
  const writes = createWriteQueue({
    writeGroup: writer.writeGroup,
    waiting: MAX_WAITING_WRITES,
    timeoutMs: options.timeoutMs ?? WRITE_TIMEOUT_MS,
    metrics: options.metrics,
    meter: meterQueue(options.metrics, queues.writes),
  });

  async function close(): Promise<void> {
    await Promise.all([writes.close(), reader.close()]);
    await writer.close();
    if (options.threads === undefined) threads.end();
  }

  /** Settles like the call, but damage becomes an error of its own, which the owner of the database gets, too. */
  const watch = <T>(call: Promise<T>): Promise<T> =>
    call.catch((error: unknown) => {
      if (!isDamage(error)) throw error;
      const damaged = damagedFile(path, error);
      options.onDamage?.(damaged);
      throw damaged;
    });

  try {
    await watch(reader.check());
  } catch (error) {
    await close();
    throw error;
  }
  return {
    kind: "file",
    decides: threads.decides,
    read: <T = Row>(statement: BoundStatement): Promise<T[]> => watch(reader.read<T>(statement)),
    readAll: (statements) => watch(reader.readAll(statements)),
    write: (statements) => watch(writes.write(statements)),
    close,
  };
}

function damagedFile(path: string, cause: unknown): UnusableDatabaseError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new UnusableDatabaseError(
    `The database file ${path} is damaged (${reason}). Stop every program that uses it, and restore a backup with ` +
      '"deno task restore", which keeps the damaged file under another name.',
    { cause },
  );
}
