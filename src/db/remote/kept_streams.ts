import type { StreamRequest } from "./hrana_requests.ts";
import { isStreamClean, type StreamResult } from "./hrana_results.ts";
import { type HranaClient, type IdleStream, StreamLostError, type StreamReply } from "./hrana_client.ts";
import { isOutcomeUnknown } from "../sql_errors.ts";

/** A server closes a stream that was idle for 10 seconds. */
const KEPT_MS = 8000;
/** Closing only spares the server a few seconds of waiting, so it gets little time. */
const CLOSE_LIMIT_MS = 500;

export interface KeptStreamsOptions {
  readonly client: HranaClient;
  /** Time limit of a request to the server, in milliseconds. */
  readonly timeoutMs: number;
  /** Returns the time in milliseconds of a clock that is never set back. */
  readonly now?: () => number;
}

/**
 * Streams that stay open between calls, since a server opens a connection and reads the schema for each new one. There
 * are as many as concurrent calls, which the caller limits. With the package `@libsql/client`, which opens one for each
 * call, `deno task load` reached 200 requests a second in place of 350. After a lost response, the server keeps a stream
 * whose baton is unknown until it expires. To leave few, calls close their streams for that long.
 */
export interface KeptStreams {
  /** Runs requests on a stream; see `HranaClient`. A stream that may be inside a transaction is closed. */
  run(requests: readonly StreamRequest[]): Promise<readonly StreamResult[]>;
  /** Closes the idle streams at the server. */
  close(): Promise<void>;
}

interface Kept {
  readonly stream: IdleStream;
  readonly since: number;
}

export function createKeptStreams(
  { client, timeoutMs, now = () => performance.now() }: KeptStreamsOptions,
): KeptStreams {
  /** The latest one is taken first, so the others become idle. Taking it out ensures that its baton is used once. */
  let idle: Kept[] = [];
  let keepsAgainAt = -Infinity;

  function takeIdle(): IdleStream | undefined {
    const kept = idle.pop();
    return kept !== undefined && now() - kept.since < KEPT_MS ? kept.stream : undefined;
  }

  async function send(requests: readonly StreamRequest[], stream?: IdleStream): Promise<StreamReply> {
    const isKept = now() >= keepsAgainAt;
    try {
      const reply = await client(isKept ? requests : [...requests, { type: "close" }], timeoutMs, stream);
      return { ...reply, results: reply.results.slice(0, requests.length) };
    } catch (error) {
      if (isOutcomeUnknown(error)) keepsAgainAt = now() + KEPT_MS;
      throw error;
    }
  }

  async function close(stream: IdleStream): Promise<void> {
    try {
      await client([{ type: "close" }], CLOSE_LIMIT_MS, stream);
    } catch {
      // The server closes it by itself a few seconds later.
    }
  }

  return {
    async run(requests): Promise<readonly StreamResult[]> {
      const { results, stream } = await send(requests, takeIdle()).catch((error: unknown) => {
        if (!(error instanceof StreamLostError)) throw error;
        return send(requests);
      });
      if (stream !== undefined && isStreamClean(results)) idle.push({ stream, since: now() });
      else if (stream !== undefined) await close(stream);
      return results;
    },
    async close(): Promise<void> {
      const closing = idle.filter(({ since }) => now() - since < KEPT_MS);
      idle = [];
      await Promise.all(closing.map(({ stream }) => close(stream)));
    },
  };
}
