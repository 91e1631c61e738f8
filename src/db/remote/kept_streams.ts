import { isOutcomeUnknown, ServerError } from "../sql_errors.ts";
import { reading, type ServerPost, StreamLostError } from "./server_post.ts";

/** A server closes a stream that was idle for 10 seconds. */
const KEPT_MS = 8000;
/** Closing only spares the server a few seconds of waiting, so it gets little time. */
const CLOSE_LIMIT_MS = 500;

export interface KeptStreamsOptions {
  readonly post: ServerPost;
  /** Time limit of a request to the server, in milliseconds. */
  readonly timeoutMs: number;
  /** Returns the time in milliseconds of a clock that is never set back. */
  readonly now?: () => number;
}

/**
 * A `fetch` for `@libsql/client` that keeps streams open between calls. The package opens one for each call, for which
 * sqld opens a connection and reads the schema: 3.6 ms of its processor for a check in place of 1. There are as many
 * streams as concurrent calls, which the caller limits. After a lost response, the server keeps a stream whose baton is
 * unknown until it expires. To leave few, calls close new streams for that long; and always, if the server continues
 * streams at another address.
 *
 * The `fetch` throws the errors of `ServerPost`, and a `ServerError` for the first statement that failed.
 */
export interface KeptStreams {
  readonly fetch: typeof fetch;
  /** Closes the idle streams at the server. */
  close(): Promise<void>;
}

/** An open stream between two calls: a connection of the server that waits for its owner. The baton works once. */
interface Kept {
  readonly baton: string;
  readonly since: number;
}

interface WireError {
  readonly message: string;
  readonly code?: string | null;
}

/** A result of the protocol, as far as it is read here; `@libsql/client` checks the rest. */
interface WireResult {
  /** Of a request that failed. */
  readonly error?: WireError;
  readonly response?: {
    readonly is_autocommit?: boolean;
    /** Of a batch. */
    readonly result?: {
      readonly step_results?: readonly unknown[];
      readonly step_errors?: readonly (WireError | null)[];
    };
  };
}

interface Reply {
  readonly results: readonly WireResult[];
  /** Undefined if the server closed the stream, or continues it at another address. */
  readonly stream: Kept | undefined;
}

/** The server's address, and the headers that the package sends. */
interface Target {
  readonly url: string;
  readonly headers: HeadersInit;
}

const CLOSE = '{"type":"close"}';
/** What the package sends around the requests of one call: texts to store, then a statement or a batch. */
const BEGINNING = '{"requests":[';
const END = `,${CLOSE}]}`;

export function keepStreams(
  { post, timeoutMs, now = () => performance.now() }: KeptStreamsOptions,
): KeptStreams {
  /** The latest one is taken first, so the others become idle. Taking it out ensures that its baton is used once. */
  let idle: Kept[] = [];
  let keepsAgainAt = -Infinity;
  let server: Target | undefined;

  function takeIdle(): Kept | undefined {
    const kept = idle.pop();
    return kept !== undefined && now() - kept.since < KEPT_MS ? kept : undefined;
  }

  async function send(requests: string, to: Target, limitMs: number, kept?: Kept): Promise<Reply> {
    const baton = JSON.stringify(kept?.baton ?? null);
    const text = await post(to.url, to.headers, `{"baton":${baton},"requests":[${requests}]}`, limitMs);
    return reading(() => {
      const { baton, base_url: next, results } = JSON.parse(text);
      // Only the configured address gets the token and the values. Another one may be out of reach.
      const isElsewhere = typeof next === "string" && pipelineOf(next) !== to.url;
      if (isElsewhere) keepsAgainAt = Infinity;
      const continues = typeof baton === "string" && !isElsewhere;
      return { results, stream: continues ? { baton, since: now() } : undefined };
    });
  }

  async function close(to: Target, kept: Kept): Promise<void> {
    try {
      await send(CLOSE, to, CLOSE_LIMIT_MS, kept);
    } catch {
      // The server closes it by itself a few seconds later.
    }
  }

  /** Runs a call of the package on a stream, and returns the results that it expects, but that of `close`. */
  async function run(call: string, to: Target): Promise<readonly WireResult[]> {
    // In a JSON string, the quotes of these patterns would be escaped.
    const stored = call.match(/\{"type":"store_sql",/g)?.length ?? 0;
    const isBatch = call.includes('{"type":"batch",');
    const beforeClose = [
      call,
      ...Array.from({ length: stored }, (_, id) => `{"type":"close_sql","sql_id":${id}}`),
      ...(isBatch ? ['{"type":"get_autocommit"}'] : []),
    ];
    const ofNewStream = (): string[] => now() >= keepsAgainAt ? beforeClose : [...beforeClose, CLOSE];
    const taken = takeIdle();
    // A kept one stays open: after a close, it would be unknown to a copy of the request, which would then run again.
    let requests = taken === undefined ? ofNewStream() : beforeClose;
    const { results, stream } = await send(requests.join(","), to, timeoutMs, taken).catch(
      (error: unknown) => {
        if (!(error instanceof StreamLostError) || taken === undefined) throw error;
        requests = ofNewStream();
        return send(requests.join(","), to, timeoutMs);
      },
    );
    // A stream inside a transaction, or with a text that is still stored, must not serve another call.
    const isClean = reading(() => {
      if (results.length !== stored + requests.length) {
        throw new TypeError("There is not one result per request");
      }
      return results.every(({ response }) => response !== undefined) &&
        (!isBatch || results.at(-1)?.response?.is_autocommit === true);
    });
    if (stream !== undefined && isClean) idle.push(stream);
    else if (stream !== undefined) await close(to, stream);
    const called = results.slice(0, stored + 1);
    reading(() => requireSuccess(called, call.match(/"want_rows":/g)?.length));
    return called;
  }

  return {
    async fetch(request): Promise<Response> {
      if (!(request instanceof Request)) throw new TypeError("Only @libsql/client may use this fetch");
      server ??= {
        url: pipelineOf(new URL("..", request.url).href),
        // Compressing a response costs the server and this program more time than a line between them saves.
        headers: { ...Object.fromEntries(request.headers), "accept-encoding": "identity" },
      };
      const body = await request.text();
      if (!body.startsWith(BEGINNING) || !body.endsWith(END)) {
        throw new TypeError("Not one call of @libsql/client");
      }
      try {
        const results = await run(body.slice(BEGINNING.length, -END.length), server);
        const reply = { results: [...results, { type: "ok", response: { type: "close" } }] };
        // As a text, it would be parsed a second time.
        return Object.assign(new Response(), { json: () => Promise.resolve(reply) });
      } catch (error) {
        if (isOutcomeUnknown(error)) keepsAgainAt = Math.max(keepsAgainAt, now() + KEPT_MS);
        throw error;
      }
    },
    async close(): Promise<void> {
      const closing = idle.filter(({ since }) => now() - since < KEPT_MS);
      idle = [];
      const to = server;
      if (to !== undefined) await Promise.all(closing.map((kept) => close(to, kept)));
    },
  };
}

/** Version 3 of the protocol is version 2, in which the package writes, and `get_autocommit`. */
function pipelineOf(baseUrl: string): string {
  return new URL("v3/pipeline", baseUrl).href;
}

/**
 * Throws the error of the first statement that failed: the package would leave those of later steps unhandled. Also
 * throws if a step was skipped without an error; only the last one, which rolls back, is skipped after a success.
 */
function requireSuccess(results: readonly WireResult[], statements: number | undefined): void {
  for (const result of results) {
    const { step_results: steps, step_errors: errors = [] } = result.response?.result ?? {};
    for (const error of [result.error, ...errors]) {
      if (error) throw new ServerError(error.message, error.code ?? undefined);
    }
    if (steps !== undefined && (steps.length !== statements || steps.slice(0, -1).includes(null))) {
      throw new TypeError("A step was skipped");
    }
  }
}
