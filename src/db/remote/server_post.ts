import { runWithLimit } from "../../core/deadline.ts";
import { ServerError, ServerUnreachableError } from "../sql_errors.ts";

/**
 * Posts a body of JSON to the server, and returns the text of its response. Throws `StreamLostError` if the server does
 * not know the stream, `ServerUnreachableError` if there is no usable response within `limitMs`, body included, and
 * `ServerError` if the server refuses. After each of them the stream is lost.
 */
export type ServerPost = (
  url: string,
  headers: HeadersInit,
  body: string,
  limitMs: number,
) => Promise<string>;

/** The server does not know the stream of this call, so it has not begun the call. */
export class StreamLostError extends ServerError {}

export function createServerPost(send: typeof fetch = fetch): ServerPost {
  return async (url, headers, body, limitMs) =>
    await runWithLimit(limitMs, async (signal) => {
      try {
        const response = await send(url, { method: "POST", headers, body, signal, redirect: "manual" });
        const text = await response.text();
        if (response.ok) return text;
        throw refusalOf(response.status, text);
      } catch (error) {
        if (error instanceof ServerError || error instanceof ServerUnreachableError) throw error;
        const message = signal.aborted
          ? `The database server did not respond within ${limitMs} ms`
          : "The database server cannot be reached";
        throw new ServerUnreachableError(message, { cause: error });
      }
    });
}

/** Returns the error for a status that is not 2xx. A redirect is not followed: it would carry the values elsewhere. */
function refusalOf(status: number, text: string): Error {
  if (status < 400 || status >= 500) {
    return new ServerUnreachableError(`The database server responded with status ${status}`);
  }
  const isAboutStream = (status === 404 || status === 400) && /baton|\bstream/i.test(text);
  // A copy of this very request may have used it: a gateway, or Deno's `fetch`, sent the request again.
  if (isAboutStream && text.includes("already been used")) {
    return new ServerUnreachableError("The baton was used twice");
  }
  // Any other refusal may follow after a part of the request has run.
  const Refusal = isAboutStream ? StreamLostError : ServerError;
  return new Refusal(`The database server responded with status ${status}`, `HTTP_${status}`, status);
}

/**
 * Reads a response. If it breaks the protocol, it does not tell what the server did. Types make any other `TypeError`
 * impossible here.
 */
export function reading<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError) {
      throw new ServerUnreachableError("The database server's response is not JSON", { cause: error });
    }
    if (!(error instanceof TypeError)) throw error;
    throw new ServerUnreachableError("The database server's response breaks the protocol", { cause: error });
  }
}
