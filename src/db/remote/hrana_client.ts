import { runWithLimit } from "../../core/deadline.ts";
import type { StreamRequest } from "./hrana_requests.ts";
import { reading, type StreamResult } from "./hrana_results.ts";
import { toHttpUrl } from "../http_url.ts";
import { ServerError, ServerUnreachableError } from "../sql_errors.ts";

export interface HranaOptions {
  readonly url: string;
  readonly authToken?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** An open stream between two calls: a connection of the server that waits for its owner. The baton works once. */
export interface IdleStream {
  readonly baton: string;
  readonly baseUrl: string;
}

export interface StreamReply {
  readonly results: readonly StreamResult[];
  /** Undefined if the server closed the stream. */
  readonly stream: IdleStream | undefined;
}

/**
 * Sends requests to a stream, or to a new one, and returns one result per request. Throws `StreamLostError` if the
 * server does not know the stream, `ServerUnreachableError` if there is no usable response within `limitMs`, body
 * included, and `ServerError` if the server refuses. After each of them the stream is lost.
 */
export type HranaClient = (
  requests: readonly StreamRequest[],
  limitMs: number,
  stream?: IdleStream,
) => Promise<StreamReply>;

/** The server no longer knows the stream of this call, so it has not begun the call. */
export class StreamLostError extends Error {
  override readonly name = "StreamLostError";

  constructor() {
    super("The database server does not know the stream");
  }
}

/**
 * Returns a client for Hrana 3 in JSON over HTTP, which sqld and Turso both speak without negotiation. (The npm package
 * `@libsql/hrana-client` sends a used baton again after a lost response, requests the version first, and stays closed
 * if that fails.)
 */
export function createHranaClient({ url, authToken, fetch: send = fetch }: HranaOptions): HranaClient {
  const firstUrl = toHttpUrl(url);
  const headers = {
    "Content-Type": "application/json",
    // Compressing a response costs the server and this program more time than a line between them saves.
    "Accept-Encoding": "identity",
    ...(authToken !== undefined && { Authorization: `Bearer ${authToken}` }),
  };

  async function post(
    requests: readonly StreamRequest[],
    stream: IdleStream | undefined,
    signal: AbortSignal,
  ): Promise<StreamReply> {
    const baseUrl = stream?.baseUrl ?? firstUrl;
    const body = JSON.stringify({ baton: stream?.baton ?? null, requests });
    const response = await send(new URL("v3/pipeline", baseUrl), { method: "POST", headers, body, signal });
    const text = await response.text();
    if (!response.ok) throw refusalOf(response.status, text, stream !== undefined);
    return reading(() => readReply(JSON.parse(text), requests.length, baseUrl));
  }

  return async (requests, limitMs, stream) => {
    return await runWithLimit(limitMs, async (signal) => {
      try {
        return await post(requests, stream, signal);
      } catch (error) {
        if (isKnown(error)) throw error;
        throw new ServerUnreachableError(describe(error, signal, limitMs), { cause: error });
      }
    });
  };
}

function isKnown(error: unknown): boolean {
  return error instanceof StreamLostError || error instanceof ServerError ||
    error instanceof ServerUnreachableError;
}

function describe(error: unknown, signal: AbortSignal, limitMs: number): string {
  if (error instanceof SyntaxError) return "The database server's response is not JSON";
  if (signal.aborted) return `The database server did not respond within ${limitMs} ms`;
  return "The database server cannot be reached";
}

/** Returns the error for a status of 400 or higher. */
function refusalOf(status: number, text: string, hadBaton: boolean): Error {
  if (status >= 500) return new ServerUnreachableError(`The database server responded with status ${status}`);
  // A server also refuses a request with 400 after it has run a part of it.
  if (hadBaton && (status === 404 || status === 400 && /baton|stream/i.test(text))) {
    // A copy of this very request may have used it: a gateway, or Deno's `fetch`, sent the request again.
    if (text.includes("already been used")) return new ServerUnreachableError("The baton was used twice");
    return new StreamLostError();
  }
  return new ServerError(`The database server responded with status ${status}`, `HTTP_${status}`, status);
}

interface WireReply {
  readonly baton: string | null;
  readonly base_url: string | null;
  readonly results: readonly StreamResult[];
}

function readReply(reply: WireReply, count: number, baseUrl: string): StreamReply {
  const { baton, base_url: newUrl, results } = reply;
  if (results.length !== count) throw new TypeError("There is not one result per request");
  return { results, stream: baton === null ? undefined : { baton, baseUrl: newUrl ?? baseUrl } };
}
