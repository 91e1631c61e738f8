import { dirname } from "node:path";
import { createLimiter } from "../core/limiter.ts";
import type { Database, DatabaseOptions, Row } from "./database.ts";
import { NativeConnection } from "./native_connection.ts";
import { retryWhileBusy } from "./retry.ts";
import { unavailable } from "./sql_errors.ts";
import type { BoundStatement } from "./statement.ts";

const DEFAULT_TIMEOUT_MS = 2000;
/** How long SQLite itself waits for a lock. Short, because it blocks the whole process meanwhile. */
const LOCK_WAIT_MS = 20;
const MAX_WAITING_WRITES = 1000;

/** WAL: reads run beside the one write. FULL: an acknowledged write survives a loss of power. */
const WRITER_SETUP = ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"];
const READER_SETUP = ["PRAGMA query_only = ON"];

/**
 * Opens a database file, and creates it and its directory if they are missing. Writes are queued and run one at a
 * time on one connection; reads have a connection of their own. Calls wait up to `timeoutMs` for the lock of another
 * process. Throws a `TypeError` if the URL names no file.
 */
export async function openFileDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const path = filePath(url);
  await Deno.mkdir(dirname(path), { recursive: true });
  const queue = createLimiter({ running: 1, waiting: MAX_WAITING_WRITES, timeoutMs });
  const writer = new NativeConnection(path, LOCK_WAIT_MS, WRITER_SETUP);
  const reader = new NativeConnection(path, LOCK_WAIT_MS, READER_SETUP);
  let closed = false;

  function runRead<T>(operation: (connection: NativeConnection) => T): Promise<T> {
    if (closed) return Promise.reject(unavailable(new Error("The database is closed")));
    return retryWhileBusy(() => operation(reader), performance.now() + timeoutMs);
  }

  function runWrite<T>(operation: (connection: NativeConnection) => T): Promise<T> {
    return queue.run((deadline) => retryWhileBusy(() => operation(writer), deadline));
  }

  async function close(): Promise<void> {
    closed = true;
    await queue.close();
    reader.reset();
    try {
      // The driver closes its handles late, so SQLite would not notice the last one and would leave the WAL behind.
      writer.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Nothing is lost: the next connection reads the WAL.
    }
    writer.reset();
  }

  try {
    // The writer first: it turns the WAL on. Both read the file, so that one that is not a database fails here.
    await runWrite((connection) => connection.exec("SELECT count(*) FROM sqlite_schema"));
    await runRead((connection) => connection.exec("SELECT count(*) FROM sqlite_schema"));
  } catch (error) {
    await close();
    throw error;
  }
  return {
    kind: "file",
    read<T = Row>(statement: BoundStatement): Promise<T[]> {
      return runRead((connection) => connection.all(statement) as T[]);
    },
    readAll(statements: readonly BoundStatement[]): Promise<Row[][]> {
      return runRead((connection) => connection.transaction("DEFERRED", statements));
    },
    write(statements: readonly BoundStatement[]): Promise<Row[][]> {
      return runWrite((connection) => connection.transaction("IMMEDIATE", statements));
    },
    close,
  };
}

/** The path in a `file:` URL. Throws a `TypeError` on `:memory:`: each connection would have a database of its own. */
export function filePath(url: string): string {
  const path = decodeURIComponent(url.replace(/^file:(\/\/[^/]*)?/, "").replace(/[?#].*$/, ""));
  if (path === "" || path === ":memory:") {
    throw new TypeError('Cannot open the database: name a file, for example "file:data/rolegrid.db"');
  }
  return path;
}
