import { createClient, type ResultSet } from "@libsql/client/web";
import { runWithLimit } from "../core/deadline.ts";
import { createLimiter, type Limiter } from "../core/limiter.ts";
import type { Database, DatabaseOptions, Row } from "./database.ts";
import { retryWhileBusy } from "./retry.ts";
import { ServerUnreachableError } from "./sql_errors.ts";
import type { BoundStatement } from "./statement.ts";

const DEFAULT_TIMEOUT_MS = 5000;
const READ_SLOTS = 64;
/**
 * The server runs one write at a time. With two, it runs the next one while a response is on its way. More would only
 * compete for its lock, and a libSQL server that checkpoints by itself may then stall all writes for seconds (seen
 * with four and more).
 */
const WRITE_SLOTS = 2;
const MAX_WAITING = 1000;

/**
 * A database on a libSQL server. Connects at the first call. A write is retried only if it had not begun: one that
 * ends in `UNAVAILABLE` may have taken effect. `writeOnce` is for batches that can find out.
 *
 * The URL must lead to the primary. Over HTTP a client cannot ask for fresh reads: a replica forwards write
 * transactions, but runs `execute` and the batch modes `read` and `deferred` itself, and returns a state from before
 * the latest write, even before the same client's. A revoked right or session would still work for a while. (With
 * sqld's own replica, half or more of the reads right after a write were stale; no write transaction was.)
 */
export function openRemoteDatabase(url: string, options: DatabaseOptions = {}): Database {
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const config = {
    url: toHttpUrl(url),
    intMode: "number" as const,
    fetch: limitFetch(options.fetch ?? fetch, timeoutMs),
    ...(options.authToken === undefined ? {} : { authToken: options.authToken }),
  };
  // Separate clients, so that writes that wait for the server's lock do not hold up reads.
  const reader = createClient({ ...config, concurrency: READ_SLOTS });
  const writer = createClient({ ...config, concurrency: WRITE_SLOTS });
  const reads = createLimiter({ running: READ_SLOTS, waiting: MAX_WAITING, timeoutMs });
  const writes = createLimiter({ running: WRITE_SLOTS, waiting: MAX_WAITING, timeoutMs });

  return {
    kind: "remote",
    async read<T = Row>(statement: BoundStatement): Promise<T[]> {
      const rows: unknown = (await runIn(reads, () => reader.execute(statement))).rows;
      return rows as T[];
    },
    async readAll(statements: readonly BoundStatement[]): Promise<Row[][]> {
      return rowsOf(await runIn(reads, () => reader.batch([...statements], "read")));
    },
    async write(statements: readonly BoundStatement[]): Promise<Row[][]> {
      return rowsOf(await runIn(writes, () => writer.batch([...statements], "write")));
    },
    async close(): Promise<void> {
      await Promise.all([reads.close(), writes.close()]);
      reader.close();
      writer.close();
    },
  };
}

/** A batch that met a lock had not begun, so it may be sent again; one without a response may not. */
function runIn<T>(limiter: Limiter, operation: () => Promise<T>): Promise<T> {
  return limiter.run((deadline) => retryWhileBusy(() => readResponse(operation), deadline));
}

/** A `SyntaxError` can only come from a response: all other JSON here is made by this program. */
async function readResponse<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ServerUnreachableError("The database server's response is not JSON", { cause: error });
  }
}

/**
 * A `fetch` that ends within `timeoutMs`, including the body. It throws `ServerUnreachableError`, since the
 * `TypeError` of a plain `fetch` could also be a bug in this program.
 */
function limitFetch(send: typeof fetch, timeoutMs: number): (request: Request) => Promise<Response> {
  async function fetchAll(request: Request, signal: AbortSignal): Promise<Response> {
    try {
      const response = await send(request, { signal });
      const body = await response.arrayBuffer();
      if (response.status < 500) return new Response(body, response);
      throw new ServerUnreachableError(`The database server responded with status ${response.status}`);
    } catch (error) {
      if (error instanceof ServerUnreachableError) throw error;
      const reason = signal.aborted ? `did not respond within ${timeoutMs} ms` : "cannot be reached";
      throw new ServerUnreachableError(`The database server ${reason}`, { cause: error });
    }
  }
  return (request) => runWithLimit(timeoutMs, (signal) => fetchAll(request, signal));
}

/** The server also speaks HTTP at its WebSocket address, and only there is each call one request with a time limit. */
function toHttpUrl(url: string): string {
  return url.replace(/^ws(s?):/, "http$1:");
}

function rowsOf(results: ResultSet[]): Row[][] {
  return results.map((result) => result.rows);
}
