import { LoggableError } from "../core/errors.ts";
import type { QueueMeter } from "../core/metrics.ts";
import { Shares } from "../core/shares.ts";
import type { Database, Row } from "./database.ts";
import { NativeConnection } from "./native_connection.ts";
import { retryWhileBusy } from "./retry.ts";
import { unavailable } from "./sql_errors.ts";
import { type BoundStatement, probing } from "./statement.ts";
import type { ConnectionThread } from "./thread/connection_thread.ts";
import type { ConnectionSettings } from "./thread/messages.ts";

/** Maximum number of waiting reads. */
const MAX_WAITING = 1000;
const CHECK = probing({ sql: "SELECT count(*) FROM sqlite_schema", args: {} });

export interface LocalReaderOptions {
  readonly settings: ConnectionSettings;
  readonly threads: readonly ConnectionThread[];
  /** How long a read may wait for its turn and for locks, in milliseconds. */
  readonly timeoutMs: number;
  readonly meter?: QueueMeter | undefined;
}

/** The reads of a database file in this process. */
export interface LocalReader extends Pick<Database, "read" | "readAll"> {
  /** Throws if the file is not a readable database. */
  check(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens the reads of a database file: probes on the event loop, other reads on threads, since they may take long. Each
 * of them has a connection of its own.
 */
export function openLocalReader({ settings, threads, timeoutMs, meter }: LocalReaderOptions): LocalReader {
  // While SQLite waits for a lock, it stops the event loop: a few probes that retry again and again would stop it for
  // good.
  const local = new NativeConnection(settings.path, 0, settings.setup);
  const connections = threads.map((thread) => thread.connect(settings));
  const idle = [...connections];
  // One call at a time per thread: a second one might wait behind a long call while another thread idles.
  const turns = new Shares({ size: connections.length, waiting: MAX_WAITING, timeoutMs, meter });
  let closed = false;

  function probe(statements: readonly BoundStatement[]): Promise<Row[][]> {
    return retryWhileBusy(() => {
      // Checked each time: a probe that waits for a lock would open the file again.
      if (closed) throw unavailable(new LoggableError("The database is closed"));
      return local.readAll(statements);
    }, performance.now() + timeoutMs);
  }

  function readOnThread(statements: readonly BoundStatement[]): Promise<Row[][]> {
    return turns.run(async (deadline) => {
      const connection = idle.pop();
      if (connection === undefined) throw new RangeError("More reads run than there are threads");
      try {
        return await retryWhileBusy(() => connection.readAll(statements), deadline);
      } finally {
        idle.push(connection);
      }
    }, { isThread: true });
  }

  function readAll(statements: readonly BoundStatement[]): Promise<Row[][]> {
    return statements.every(({ isProbe }) => isProbe) ? probe(statements) : readOnThread(statements);
  }

  return {
    async read<T = Row>(statement: BoundStatement): Promise<T[]> {
      const [rows] = await readAll([statement]);
      return rows as T[];
    },
    readAll,
    async check(): Promise<void> {
      await probe([CHECK]);
    },
    async close(): Promise<void> {
      closed = true;
      await turns.close();
      await Promise.all(connections.map((connection) => connection.close()));
      local.close();
    },
  };
}
