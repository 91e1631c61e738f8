import { createLimiter, type Limiter } from "../../core/limiter.ts";
import type { Database, DatabaseOptions, Row } from "../database.ts";
import { requestStatement, requestTransaction, type StreamRequest } from "./hrana_requests.ts";
import { readStatement, readTransaction, type StreamResult } from "./hrana_results.ts";
import { createHranaClient } from "./hrana_client.ts";
import { createKeptStreams } from "./kept_streams.ts";
import { retryWhileBusy } from "../retry.ts";
import type { BoundStatement } from "../statement.ts";

const DEFAULT_TIMEOUT_MS = 5000;
/** Each running call has a stream, and so a connection of the server, which has 128 by default for all its clients. */
const READ_SLOTS = 16;
/**
 * The server runs one write at a time. With two, it runs the next one while a response is on its way. More would only
 * compete for its lock, and a libSQL server that checkpoints by itself may then stall all writes for seconds (seen
 * with four and more).
 */
const WRITE_SLOTS = 2;
/** Of everybody, and of one asker: nobody fills the queue alone. */
const MAX_WAITING = 1000;
const MAX_CALLS_OF_ASKER = 250;
/** One waiting task for each of this many networks: see `AskerQueue.yieldToStranger`. */
const MAX_WAITING_STRANGERS = 256;

/**
 * A database on a libSQL server. Connects at the first call. A write is retried only if it had not begun: one that
 * ends in `UNAVAILABLE` may have taken effect. `writeOnce` is for batches that can find out. Any other write must do no
 * harm if it runs twice: when a connection is cut, Deno's `fetch` itself sends the request again, once, even if the
 * server has read it (denoland/deno#35610).
 *
 * The URL must lead to the primary. Over HTTP a client cannot ask for fresh reads: a replica forwards write
 * transactions, but runs other statements itself, and returns a state from before the latest write, even before the
 * same client's. A revoked right or session would still work for a while. (With sqld's own replica, half or more of
 * the reads right after a write were stale; no write transaction was.)
 */
export function openRemoteDatabase(url: string, options: DatabaseOptions = {}): Database {
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const client = createHranaClient({ url, authToken: options.authToken, fetch: options.fetch });
  const streams = createKeptStreams({ client, timeoutMs });
  // Separate, so that writes that wait for the server's lock do not hold up reads.
  const limits = {
    waiting: MAX_WAITING,
    waitingForStrangers: MAX_WAITING_STRANGERS,
    perKey: MAX_CALLS_OF_ASKER,
    timeoutMs,
  };
  const reads = createLimiter({ running: READ_SLOTS, ...limits });
  const writes = createLimiter({ running: WRITE_SLOTS, ...limits });

  /** A call that met a lock had not begun, so it may be sent again; one without a response may not. */
  function runIn<T>(
    limiter: Limiter,
    requests: readonly StreamRequest[],
    read: (results: readonly StreamResult[]) => T,
  ): Promise<T> {
    return limiter.run((deadline) => retryWhileBusy(async () => read(await streams.run(requests)), deadline));
  }

  return {
    kind: "remote",
    async read<T = Row>(statement: BoundStatement): Promise<T[]> {
      return await runIn(reads, requestStatement(statement), readStatement) as T[];
    },
    async readAll(statements: readonly BoundStatement[]): Promise<Row[][]> {
      return await runIn(reads, requestTransaction("BEGIN READONLY", statements), readTransaction);
    },
    async write(statements: readonly BoundStatement[]): Promise<Row[][]> {
      return await runIn(writes, requestTransaction("BEGIN IMMEDIATE", statements), readTransaction);
    },
    async close(): Promise<void> {
      await Promise.all([reads.close(), writes.close()]);
      await streams.close();
    },
  };
}
