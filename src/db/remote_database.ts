import { createClient, type InStatement, type ResultSet } from "@libsql/client/web";
import { type BoundedQueue, createBoundedQueue } from "./bounded_queue.ts";
import type { Database, DatabaseOptions, Row } from "./database.ts";
import { createOrm } from "./read_client.ts";
import { retryWhileBusy } from "./retry.ts";
import { ServerUnreachableError } from "./sql_errors.ts";
import type { BoundStatement } from "./statement.ts";

const DEFAULT_TIMEOUT_MS = 5000;
const READ_SLOTS = 64;
/**
 * The server runs writes one at a time: a few on their way hide the distance to it, more would only fight for its lock.
 */
const WRITE_SLOTS = 4;
const MAX_WAITING = 1000;

/**
 * A database on a libSQL server. Connects at the first call. A write is tried again only where it was not begun: one
 * that ends in `UNAVAILABLE` may have taken effect, and a caller that must know looks for the row that the write would have left.
 */
export function openRemoteDatabase(url: string, options: DatabaseOptions = {}): Database {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const config = {
    url: toHttpUrl(url),
    intMode: "number" as const,
    fetch: limitFetch(options.fetch ?? fetch, timeoutMs),
    ...(options.authToken === undefined ? {} : { authToken: options.authToken }),
  };
  // A client each: writes that wait for the server's lock must not keep reads from being sent.
  const reader = createClient({ ...config, concurrency: READ_SLOTS });
  const writer = createClient({ ...config, concurrency: WRITE_SLOTS });
  const reads = createBoundedQueue({ slots: READ_SLOTS, maxWaiting: MAX_WAITING, timeoutMs });
  const writes = createBoundedQueue({ slots: WRITE_SLOTS, maxWaiting: MAX_WAITING, timeoutMs });

  const execute = (statement: InStatement) => runIn(reads, () => reader.execute(statement));
  const batch = (statements: InStatement[]) => runIn(reads, () => reader.batch(statements, "read"));
  return {
    kind: "remote",
    async read<T = Row>(statement: BoundStatement): Promise<T[]> {
      const rows: unknown = (await execute(statement)).rows;
      return rows as T[];
    },
    async readAll(statements: readonly BoundStatement[]): Promise<Row[][]> {
      return rowsOf(await batch([...statements]));
    },
    async write(statements: readonly BoundStatement[]): Promise<Row[][]> {
      return rowsOf(await runIn(writes, () => writer.batch([...statements], "write")));
    },
    orm: createOrm({ execute, batch }, "http"),
    async close(): Promise<void> {
      await Promise.all([reads.close(), writes.close()]);
      reader.close();
      writer.close();
    },
  };
}

/** A batch that met another's lock was not begun, so it may be sent again; one without an answer may not. */
function runIn<T>(queue: BoundedQueue, operation: () => Promise<T>): Promise<T> {
  return queue.run((deadline) => retryWhileBusy(operation, deadline));
}

/**
 * A `fetch` that ends within `timeoutMs`, the body included, and whose failures can be told from a fault in this
 * program, which a `TypeError` from the plain one cannot.
 */
function limitFetch(send: typeof fetch, timeoutMs: number): (request: Request) => Promise<Response> {
  return async function fetchWithinLimit(request: Request): Promise<Response> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), timeoutMs);
    try {
      const response = await send(request, { signal: controller.signal });
      return new Response(await response.arrayBuffer(), response);
    } catch (error) {
      const reason = controller.signal.aborted
        ? `gave no answer within ${timeoutMs} ms`
        : "cannot be reached";
      throw new ServerUnreachableError(`The database server ${reason}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The same server speaks HTTP at its WebSocket address, and only there is a call one request with a time limit. */
function toHttpUrl(url: string): string {
  return url.replace(/^ws(s?):/, "http$1:");
}

function rowsOf(results: ResultSet[]): Row[][] {
  return results.map((result) => result.rows);
}
