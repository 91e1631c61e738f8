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
 * The server runs writes one at a time: while one's answer is on its way the next is run. More would only fight for its
 * lock, and a libSQL server that checkpoints by itself may then serve no write for seconds (seen with four and more).
 */
const WRITE_SLOTS = 2;
const MAX_WAITING = 1000;

/**
 * A database on a libSQL server. Connects at the first call. A write is tried again only where it was not begun: one
 * that ends in `UNAVAILABLE` may have taken effect. `writeOnce` is for batches that can find out.
 *
 * The URL must lead to the primary. Over HTTP the client has no word for how fresh an answer is to be: a replica passes
 * write transactions on and answers all else itself, `execute` and batches in the modes `read` and `deferred` alike,
 * and that from before the latest write, even its own client's. A right or a session that was just taken would hold on.
 * (Seen with sqld's own replica: of reads right after a write half and more were late; of write transactions none.)
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

/** A batch that met another's lock was not begun, so it may be sent again; one without an answer may not. */
function runIn<T>(limiter: Limiter, operation: () => Promise<T>): Promise<T> {
  return limiter.run((deadline) => retryWhileBusy(() => readAnswer(operation), deadline));
}

/** Of all that this program sends and gets, only an answer is JSON that it did not make itself. */
async function readAnswer<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ServerUnreachableError("The database server gave an answer that is no JSON", { cause: error });
  }
}

/**
 * A `fetch` that ends within `timeoutMs`, the body included, and whose failures can be told from a fault in this
 * program, which a `TypeError` from the plain one cannot.
 */
function limitFetch(send: typeof fetch, timeoutMs: number): (request: Request) => Promise<Response> {
  async function fetchAll(request: Request, signal: AbortSignal): Promise<Response> {
    try {
      const response = await send(request, { signal });
      const body = await response.arrayBuffer();
      if (response.status < 500) return new Response(body, response);
      throw new ServerUnreachableError(`The database server answered with status ${response.status}`);
    } catch (error) {
      if (error instanceof ServerUnreachableError) throw error;
      const reason = signal.aborted ? `gave no answer within ${timeoutMs} ms` : "cannot be reached";
      throw new ServerUnreachableError(`The database server ${reason}`, { cause: error });
    }
  }
  return (request) => runWithLimit(timeoutMs, (signal) => fetchAll(request, signal));
}

/** The same server speaks HTTP at its WebSocket address, and only there is a call one request with a time limit. */
function toHttpUrl(url: string): string {
  return url.replace(/^ws(s?):/, "http$1:");
}

function rowsOf(results: ResultSet[]): Row[][] {
  return results.map((result) => result.rows);
}
