import { type Client, createClient, type InStatement, type ResultSet } from "@libsql/client";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { createBoundedQueue } from "./bounded_queue.ts";
import type { Database, Row } from "./database.ts";
import type { DatabaseOptions } from "./open_database.ts";
import { createOrm } from "./read_client.ts";
import { isBusy, isConnectionClosed, isUnavailable, translateError, unavailable } from "./sql_errors.ts";
import type { BoundStatement } from "./statement.ts";

const DEFAULT_TIMEOUT_MS = 2000;
/** SQLite itself waits this long for a lock. It blocks the whole process meanwhile, hence so little. */
const LOCK_WAIT_MS = 20;
const MIN_PAUSE_MS = 2;
const MAX_PAUSE_MS = 80;
const MAX_WAITING_WRITES = 1000;

/** Taking and giving back the write lock. As a script its refusal leaves no trace on the connection. */
const TRY_LOCK = "BEGIN IMMEDIATE; ROLLBACK";
/** WAL: reads and the one write go on side by side. FULL: an acknowledged write survives a loss of power. */
const WRITER_SETUP = ["PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL"];
const READER_SETUP = ["PRAGMA query_only = ON"];

interface Connection {
  readonly client: Client;
  attempt<T>(operation: (client: Client) => Promise<T>): Promise<T>;
}

/**
 * Opens a database file, making it and its directory if need be. Writes queue up for one connection and run one after
 * the other; reads have a connection of their own. A lock held by another process is waited for, up to `timeoutMs`.
 */
export async function openFileDatabase(url: string, options: DatabaseOptions = {}): Promise<Database> {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  await Deno.mkdir(dirname(filePath(url)), { recursive: true });
  const queue = createBoundedQueue({ slots: 1, maxWaiting: MAX_WAITING_WRITES, timeoutMs });
  const writer = connect(url, WRITER_SETUP);
  const reader = connect(url, READER_SETUP);

  let closed = false;

  async function runRead<T>(operation: (client: Client) => Promise<T>): Promise<T> {
    if (closed) throw unavailable(new Error("The database is closed"));
    return await retryWhileBusy(() => reader.attempt(operation), performance.now() + timeoutMs);
  }

  function runWrite<T>(operation: (client: Client) => Promise<T>): Promise<T> {
    return queue.run((deadline) =>
      retryWhileBusy(async () => {
        await writer.client.executeMultiple(TRY_LOCK);
        return await writer.attempt(operation);
      }, deadline)
    );
  }

  async function close(): Promise<void> {
    closed = true;
    await queue.close();
    reader.client.close();
    // The driver lets go of its handles late, so that SQLite never sees the last one go and would leave the WAL behind.
    // Where that fails nothing is lost: whoever opens the file next reads the WAL.
    await writer.client.execute("PRAGMA wal_checkpoint(TRUNCATE)").catch(() => undefined);
    writer.client.close();
  }

  const execute = (statement: InStatement) => runRead((client) => client.execute(statement));
  const batch = (statements: InStatement[]) => runRead((client) => client.batch(statements, "read"));
  try {
    // The writer first: it turns the WAL on. Both touch the file, so that one which is no database is found out here.
    await runWrite((client) => client.execute("SELECT count(*) FROM sqlite_schema"));
    await execute("SELECT count(*) FROM sqlite_schema");
  } catch (error) {
    await close();
    throw error;
  }
  return {
    kind: "file",
    async read<T = Row>(statement: BoundStatement): Promise<T[]> {
      const rows: unknown = (await execute(statement)).rows;
      return rows as T[];
    },
    async readAll(statements: readonly BoundStatement[]): Promise<Row[][]> {
      return rowsOf(await batch([...statements]));
    },
    async write(statements: readonly BoundStatement[]): Promise<Row[][]> {
      return rowsOf(await runWrite((client) => client.batch([...statements], "write")));
    },
    orm: createOrm({ execute, batch }, "file"),
    close,
  };
}

/**
 * A connection whose `setup` runs before its first use and again after each reconnect. A batch that found the file
 * locked leaves a connection behind that acknowledges later writes and loses them
 * (tursodatabase/libsql-client-ts#352), so it is replaced before anything else can run on it.
 */
function connect(url: string, setup: readonly string[]): Connection {
  const client = createClient({ url, intMode: "number", timeout: LOCK_WAIT_MS, concurrency: 1 });
  let ready = false;
  return {
    client,
    async attempt<T>(operation: (client: Client) => Promise<T>): Promise<T> {
      try {
        if (!ready) {
          for (const pragma of setup) await client.execute(pragma);
          ready = true;
        }
        return await operation(client);
      } catch (error) {
        // A connection that is closed was either replaced just now, or closed for good.
        if (isUnavailable(error) && !isConnectionClosed(error)) {
          await client.reconnect();
          ready = false;
        }
        throw error;
      }
    },
  };
}

/** Tries again, after a pause of random length, as long as the file is locked. `deadline` as of `performance.now()`. */
async function retryWhileBusy<T>(operation: () => Promise<T>, deadline: number): Promise<T> {
  for (;;) {
    try {
      return await operation();
    } catch (error) {
      const pauseMs = MIN_PAUSE_MS + Math.random() * (MAX_PAUSE_MS - MIN_PAUSE_MS);
      if (!isBusy(error) && !isConnectionClosed(error)) throw translateError(error);
      if (performance.now() + pauseMs > deadline) throw unavailable(error);
      await delay(pauseMs);
    }
  }
}

function rowsOf(results: ResultSet[]): Row[][] {
  return results.map((result) => result.rows);
}

/** The path that a `file:` URL means to the driver. Throws on `:memory:`: each connection would see a database of its own. */
function filePath(url: string): string {
  const path = decodeURIComponent(url.replace(/^file:(\/\/[^/]*)?/, "").replace(/[?#].*$/, ""));
  if (path === "" || path === ":memory:") {
    throw new TypeError('Cannot open the database: name a file, for example "file:data/rolegrid.db"');
  }
  return path;
}
