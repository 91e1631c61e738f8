import {
  BatchCond,
  type HttpStream,
  openHttp,
  ResponseError,
  type RowsResult,
  Stmt,
} from "@libsql/hrana-client";
import { runWithLimit } from "../../core/deadline.ts";
import type { Row } from "../database.ts";
import { toHttpUrl } from "../http_url.ts";
import { ServerError, ServerUnreachableError } from "../sql_errors.ts";
import type { BoundStatement } from "../statement.ts";

export interface RemoteClientOptions {
  readonly url: string;
  readonly authToken?: string | undefined;
  /** Time limit of a request to the server, body included, in milliseconds. */
  readonly timeoutMs: number;
  readonly fetch?: typeof fetch | undefined;
}

/** How a transaction begins. A write takes the server's only lock at once, so it cannot fail for it halfway. */
export type Beginning = "BEGIN IMMEDIATE" | "BEGIN READONLY";

/**
 * The requests to a libSQL server, one for each call. Every call throws a `ServerError` that the server reports, and a
 * `ServerUnreachableError` if there is no usable response.
 */
export interface RemoteClient {
  /** Runs one statement outside a transaction. */
  execute(statement: BoundStatement): Promise<Row[]>;
  /** Runs statements as one transaction. Returns their rows; if it throws a `ServerError`, none of it took effect. */
  transact(beginning: Beginning, statements: readonly BoundStatement[]): Promise<Row[][]>;
  /** Runs `read` in one transaction of several requests, which the server ends after a few idle seconds. */
  snapshot<T>(read: (execute: RemoteClient["execute"]) => Promise<T>): Promise<T>;
}

/** A server stores no longer text, in bytes, and no more of them in a request. */
const MAX_STORED_TEXT = 5000;
const MAX_STORED_TEXTS = 50;

const encoder = new TextEncoder();

/**
 * Speaks the protocol with the client library of libSQL's makers. That of one level higher, `@libsql/client`, does the
 * same, but brings a database driver as native code.
 */
export function createRemoteClient(options: RemoteClientOptions): RemoteClient {
  const client = openHttp(toHttpUrl(options.url), options.authToken, limitRequests(options));
  client.intMode = "number";

  /** Everything that `use` asks for travels in one request, with the end of the stream. */
  async function inOneRequest<T>(use: (stream: HttpStream) => Promise<T>): Promise<T> {
    const stream = client.openStream();
    try {
      const result = use(stream);
      stream.closeGracefully();
      return await result;
    } catch (error) {
      throw toServerError(error);
    } finally {
      stream.close();
    }
  }

  return {
    execute: (statement) => inOneRequest(async (stream) => readRows(await stream.query(toStmt(statement)))),
    transact: (beginning, statements) => inOneRequest((stream) => runBatch(stream, beginning, statements)),
    async snapshot<T>(read: (execute: RemoteClient["execute"]) => Promise<T>): Promise<T> {
      const stream = client.openStream();
      try {
        await stream.run("BEGIN READONLY");
        return await read(async (statement) => readRows(await stream.query(toStmt(statement))));
      } catch (error) {
        throw toServerError(error);
      } finally {
        stream.close();
      }
    },
  };
}

async function runBatch(
  stream: HttpStream,
  beginning: Beginning,
  statements: readonly BoundStatement[],
): Promise<Row[][]> {
  const stored = storeRepeatedTexts(stream, statements);
  const batch = stream.batch(false);
  let last = batch.step();
  const begun = last.run(beginning);
  const then = (): typeof last => {
    const next = batch.step().condition(BatchCond.ok(last));
    last = next;
    return next;
  };
  const steps = statements.map((statement) => then().query(toStmt(statement, stored)));
  const committed = then().run("COMMIT");
  const rolledBack = batch.step().condition(BatchCond.not(BatchCond.ok(last))).run("ROLLBACK");
  // Of a batch without a response, no step ever settles.
  await batch.execute();
  await Promise.allSettled([begun, ...steps, committed, rolledBack]);
  await begun;
  const results = await Promise.all(steps);
  if (await committed === undefined) throw new TypeError("The transaction was not committed");
  return results.map((result) => {
    if (result === undefined) throw new TypeError("A statement was skipped");
    return readRows(result);
  });
}

/** Texts that occur several times are sent once: a thousand queries of one kind are one text. */
function storeRepeatedTexts(
  stream: HttpStream,
  statements: readonly BoundStatement[],
): ReadonlyMap<string, ReturnType<HttpStream["storeSql"]>> {
  const seen = new Set<string>();
  const stored = new Map<string, ReturnType<HttpStream["storeSql"]>>();
  for (const { sql } of statements) {
    const fits = stored.size < MAX_STORED_TEXTS && sql.length <= MAX_STORED_TEXT;
    if (seen.has(sql) && !stored.has(sql) && fits && encoder.encode(sql).length <= MAX_STORED_TEXT) {
      stored.set(sql, stream.storeSql(sql));
    }
    seen.add(sql);
  }
  return stored;
}

function toStmt(
  { sql, args }: BoundStatement,
  stored?: ReadonlyMap<string, ReturnType<HttpStream["storeSql"]>>,
): Stmt {
  const statement = new Stmt(stored?.get(sql) ?? sql);
  for (const [name, value] of Object.entries(args)) statement.bindName(name, value);
  return statement;
}

/** The library's rows have more properties than the columns. */
function readRows({ columnNames, rows }: RowsResult): Row[] {
  return rows.map((values) => {
    const row: Row = {};
    columnNames.forEach((name, i) => row[name ?? ""] = values[i]);
    return row;
  });
}

/** A `fetch` with a time limit, which returns a response once it is complete, and throws where the server refuses. */
function limitRequests(
  { timeoutMs, fetch: send = fetch }: RemoteClientOptions,
): (request: Request) => Promise<Response> {
  return (request) =>
    runWithLimit(timeoutMs, async (signal) => {
      // Compressing a response costs the server, and this program again, more time than a line between them saves.
      request.headers.set("Accept-Encoding", "identity");
      try {
        const response = await send(request, { signal });
        const body = await response.arrayBuffer();
        if (response.ok) return new Response(body);
        throw refusalOf(response.status);
      } catch (error) {
        if (error instanceof ServerError || error instanceof ServerUnreachableError) throw error;
        const reason = signal.aborted ? `did not respond within ${timeoutMs} ms` : "cannot be reached";
        throw new ServerUnreachableError(`The database server ${reason}`, { cause: error });
      }
    });
}

/** What a status of 400 or higher says. */
function refusalOf(status: number): Error {
  const message = `The database server responded with status ${status}`;
  return status >= 500
    ? new ServerUnreachableError(message)
    : new ServerError(message, `HTTP_${status}`, status);
}

/** What the server reports, or that its response cannot be read: then nothing can be said about what it did. */
function toServerError(error: unknown): unknown {
  if (error instanceof ServerError || error instanceof ServerUnreachableError) return error;
  if (error instanceof ResponseError) return new ServerError(error.message, error.code);
  if (error instanceof RangeError) return error;
  const reason = error instanceof SyntaxError ? "is not JSON" : "breaks the protocol";
  return new ServerUnreachableError(`The database server's response ${reason}`, { cause: error });
}
