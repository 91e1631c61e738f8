import type { InStatement, ResultSet, TransactionMode } from "@libsql/client/http";
import { meterQueue, type Queue } from "../../core/metrics.ts";
import { Shares } from "../../core/shares.ts";
import type { Database, DatabaseOptions, Row } from "../database.ts";
import { keepStreams } from "./kept_streams.ts";
import { openClient, translating } from "./libsql_client.ts";
import { gatherReads, PROBE_CALLS, PROBES_TOGETHER } from "./read_gathering.ts";
import { createServerPost } from "./server_post.ts";
import { retryWhileBusy } from "../retry.ts";
import { type BoundStatement, namedArgs } from "../statement.ts";

const DEFAULT_TIMEOUT_MS = 5000;
/**
 * Maximum number of running reads. Each has a stream, and so one of the server's connections: by default 128 for all
 * clients.
 */
const READ_SLOTS = 12;
/**
 * The server runs one write at a time. With two, it runs the next one while a response is on its way. More would only
 * compete for its lock; with four, a libSQL server that checkpoints by itself stalled all writes for seconds.
 */
const WRITE_SLOTS = 2;
/** Maximum number of waiting calls, in each queue. */
const MAX_WAITING = 1000;

/**
 * Opens a database on a libSQL server, at the URL of its primary. Connects at the first call. A write that ends in
 * `UNAVAILABLE` may have taken effect; `writeOnce` finds out. Any other write must do no harm if it runs twice: after a
 * cut connection, Deno's `fetch` sends a request again, once, even if the server has read it (denoland/deno#35610).
 */
export function openRemoteDatabase(url: string, options: DatabaseOptions = {}): Database {
  // A replica returns reads from before the latest write, even the same client's, and over HTTP a client cannot request
  // fresh ones: a revoked right would still work for a while. With sqld's replica, half of the reads right after a
  // write were stale or more; no write transaction was.
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const streams = keepStreams({ post: createServerPost(options.fetch), timeoutMs });
  const client = openClient({ url, authToken: options.authToken }, streams.fetch);
  // Separate, so that writes that wait for the server's lock hold up no reads, and long reads no probes.
  const openQueue = (queue: Queue, size: number): Shares =>
    new Shares({ size, waiting: MAX_WAITING, timeoutMs, meter: meterQueue(options.metrics, queue) });
  const probes = openQueue("probes", PROBE_CALLS * PROBES_TOGETHER);
  const reads = openQueue("reads", READ_SLOTS);
  const writes = openQueue("writes", WRITE_SLOTS);

  const gathered = gatherReads(sendReads);

  /** Runs a call in its turn. One that met a lock had not begun, so it is sent again; one without a response is not. */
  function runIn<T>(turns: Shares, call: () => Promise<T>): Promise<T> {
    return turns.run((deadline) => retryWhileBusy(call, deadline));
  }

  async function sendReads(statements: readonly BoundStatement[]): Promise<Row[][]> {
    const [only] = statements;
    if (only !== undefined && statements.length === 1) {
      return [rowsOf(await translating(() => client.execute(toWire(only))))];
    }
    return await sendTransaction(statements, "read");
  }

  async function sendTransaction(
    statements: readonly BoundStatement[],
    mode: TransactionMode,
  ): Promise<Row[][]> {
    return (await translating(() => client.batch(statements.map(toWire), mode))).map(rowsOf);
  }

  function readAll(statements: readonly BoundStatement[]): Promise<Row[][]> {
    return statements.every(({ isProbe }) => isProbe)
      ? runIn(probes, () => gathered(statements))
      : runIn(reads, () => sendReads(statements));
  }

  return {
    kind: "remote",
    async read<T = Row>(statement: BoundStatement): Promise<T[]> {
      const [rows] = await readAll([statement]);
      return rows as T[];
    },
    readAll,
    // It takes the server's only lock at once, so it cannot miss it halfway.
    write: (statements) => runIn(writes, () => sendTransaction(statements, "write")),
    async close(): Promise<void> {
      await Promise.all([probes.close(), reads.close(), writes.close()]);
      await streams.close();
      client.close();
    },
  };
}

function toWire(statement: BoundStatement): InStatement {
  return { sql: statement.sql, args: { ...namedArgs(statement) } };
}

/** The package's rows have further properties, which nothing enumerates. */
function rowsOf({ rows }: ResultSet): Row[] {
  const plain: readonly Row[] = rows;
  return [...plain];
}
