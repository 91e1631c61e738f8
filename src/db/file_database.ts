import { dirname } from "node:path";
import { createLimiter } from "../core/limiter.ts";
import type { Database, DatabaseOptions, Row } from "./database.ts";
import { NativeConnection } from "./native_connection.ts";
import { retryWhileBusy } from "./retry.ts";
import { unavailable } from "./sql_errors.ts";
import type { BoundStatement } from "./statement.ts";

const DEFAULT_TIMEOUT_MS = 2000;
/** SQLite itself waits this long for a lock. It blocks the whole process meanwhile, hence so little. */
const LOCK_WAIT_MS = 20;
const MAX_WAITING_WRITES = 1000;

/** WAL: reads and the one write go on side by side. FULL: an acknowledged write survives a loss of power. */
const WRITER_SETUP = ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"];
const READER_SETUP = ["PRAGMA query_only = ON"];

/**
 * Opens a database file, making it and its directory if need be. Writes queue up for one connection and run one after
 * the other; reads have a connection of their own. A lock held by another process is waited for, up to `timeoutMs`.
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
      // The driver lets go of its handles late, so that SQLite never sees the last one go and would leave the WAL behind.
      writer.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Nothing is lost: whoever opens the file next reads the WAL.
    }
    writer.reset();
  }

  try {
    // The writer first: it turns the WAL on. Both touch the file, so that one which is no database is found out here.
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

/** The path that a `file:` URL means to the driver. Throws a `TypeError` on `:memory:`: each connection would see a database of its own. */
export function filePath(url: string): string {
  const path = decodeURIComponent(url.replace(/^file:(\/\/[^/]*)?/, "").replace(/[?#].*$/, ""));
  if (path === "" || path === ":memory:") {
    throw new TypeError('Cannot open the database: name a file, for example "file:data/rolegrid.db"');
  }
  return path;
}
