import { type Client, createClient, LibsqlError } from "@libsql/client/http";
import { toHttpUrl } from "../http_url.ts";
import { ServerError, ServerUnreachableError } from "../sql_errors.ts";

export interface ServerOptions {
  readonly url: string;
  readonly authToken?: string | undefined;
}

/** Returns a client that sends its requests through `fetch`. The caller limits how many calls run at a time. */
export function openClient({ url, authToken }: ServerOptions, send: typeof fetch): Client {
  return createClient({
    url: toHttpUrl(url),
    ...(authToken !== undefined && { authToken }),
    fetch: send,
    concurrency: 0,
  });
}

/** Codes of a response that breaks the protocol, or does not tell about every statement. */
const PROTOCOL_CODES: ReadonlySet<string> = new Set(["HRANA_PROTO_ERROR", "TRANSACTION_CLOSED"]);

/** Runs a call of the client, and throws the errors of `sql_errors.ts` in place of the client's own. */
export async function translating<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    // The package throws a SyntaxError for an integer that is malformed.
    if (!(error instanceof LibsqlError) && !(error instanceof SyntaxError)) throw error;
    if (error instanceof LibsqlError && !PROTOCOL_CODES.has(error.code)) {
      throw new ServerError(error.message, error.code);
    }
    // JSON has no infinite numbers: the server sends null.
    if (error.message.endsWith("Expected number, received null")) {
      throw new RangeError("A real from the database is infinite", { cause: error });
    }
    throw new ServerUnreachableError("The database server's response breaks the protocol", { cause: error });
  }
}
