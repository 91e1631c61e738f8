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
 * unknown until it expires. To leave few, calls close their streams for that long.
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
  readonly url: string;
  readonly since: number;
}

interface WireError {
  readonly message: string;
  readonly code?: string | null;
}

type WireResult =
  | { readonly type: "error"; readonly error: WireError }
  | {
    readonly type: "ok";
    readonly response: {
      readonly type: string;
      readonly is_autocommit?: boolean;
      readonly result?: {
        readonly step_results?: readonly unknown[];
        readonly step_errors?: readonly (WireError | null)[];
      };
    };
  };

interface WireReply {
  readonly baton: string | null;
  readonly base_url: string | null;
  readonly results: readonly WireResult[];
}

interface Reply {
  readonly results: readonly WireResult[];
  /** Undefined if the server closed the stream. */
  readonly stream: Kept | undefined;
}

interface Target {
  readonly url: string;
  readonly headers: HeadersInit;
}

interface Call {
  /** Texts to store, and a statement or a batch: JSON, separated by commas. */
  readonly requests: string;
  /** Number of texts. */
  readonly stored: number;
  readonly isBatch: boolean;
}

const STATE = ',{"type":"get_autocommit"}';
const CLOSE = ',{"type":"close"}';
/** What the package sends around the requests of one call. */
const BEGINNING = '{"requests":[';
const END = `${CLOSE}]}`;

export function keepStreams(
  { post, timeoutMs, now = () => performance.now() }: KeptStreamsOptions,
): KeptStreams {
  /** The latest one is taken first, so the others become idle. Taking it out ensures that its baton is used once. */
  let idle: Kept[] = [];
  let keepsAgainAt = -Infinity;
  let server: { readonly url: string; readonly headers: HeadersInit } | undefined;

  function takeIdle(): Kept | undefined {
    const kept = idle.pop();
    return kept !== undefined && now() - kept.since < KEPT_MS ? kept : undefined;
  }

  async function send(requests: string, to: Target, limitMs: number, kept?: Kept): Promise<Reply> {
    const url = kept?.url ?? to.url;
    const baton = JSON.stringify(kept?.baton ?? null);
    const text = await post(url, to.headers, `{"baton":${baton},"requests":[${requests}]}`, limitMs);
    return reading(() => {
      const reply: WireReply = JSON.parse(text);
      const stream = reply.baton === null
        ? undefined
        : { baton: reply.baton, url: reply.base_url === null ? url : pipelineOf(reply.base_url), since: now() };
      return { results: reply.results, stream };
    });
  }

  async function close(to: Target, kept: Kept): Promise<void> {
    try {
      await send('{"type":"close"}', to, CLOSE_LIMIT_MS, kept);
    } catch {
      // The server closes it by itself a few seconds later.
    }
  }

  /** Runs a call on a stream, and returns the results that the package expects, without that of `close`. */
  async function run({ requests, stored, isBatch }: Call, to: Target): Promise<readonly WireResult[]> {
    const keeps = now() >= keepsAgainAt;
    const closed = Array.from({ length: stored }, (_, id) => `,{"type":"close_sql","sql_id":${id}}`).join("");
    const all = `${requests}${closed}${isBatch ? STATE : ""}${keeps ? "" : CLOSE}`;
    const taken = takeIdle();
    const { results, stream } = await send(all, to, timeoutMs, taken).catch((error: unknown) => {
      if (!(error instanceof StreamLostError) || taken === undefined) throw error;
      return send(all, to, timeoutMs);
    });
    const count = 2 * stored + 1 + (isBatch ? 1 : 0) + (keeps ? 0 : 1);
    const isClean = reading(() => isOutsideTransaction(results, count, isBatch));
    if (stream !== undefined && isClean) idle.push(stream);
    else if (stream !== undefined) await close(to, stream);
    reading(() => requireSuccess(results));
    return results.slice(0, stored + 1);
  }

  return {
    async fetch(request): Promise<Response> {
      if (!(request instanceof Request)) throw new TypeError("Only @libsql/client may use this fetch");
      server ??= {
        url: pipelineOf(new URL("..", request.url).href),
        // Compressing a response costs the server and this program more time than a line between them saves.
        headers: { ...Object.fromEntries(request.headers), "accept-encoding": "identity" },
      };
      try {
        const results = await run(readCall(await request.text()), server);
        const reply = { results: [...results, { type: "ok", response: { type: "close" } }] };
        // As a text, it would be parsed a second time.
        return Object.assign(new Response(), { json: () => Promise.resolve(reply) });
      } catch (error) {
        if (isOutcomeUnknown(error)) keepsAgainAt = now() + KEPT_MS;
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

/** Takes a call of the package apart. Inside of a JSON string, the quotes of these patterns would be escaped. */
function readCall(body: string): Call {
  if (!body.startsWith(BEGINNING) || !body.endsWith(END)) {
    throw new TypeError("@libsql/client sent something else than one call");
  }
  return {
    requests: body.slice(BEGINNING.length, -END.length),
    stored: body.match(/\{"type":"store_sql",/g)?.length ?? 0,
    isBatch: body.includes('{"type":"batch",'),
  };
}

/** Whether the stream is outside a transaction after these results, so that another call may use it. */
function isOutsideTransaction(results: readonly WireResult[], count: number, isBatch: boolean): boolean {
  if (results.length !== count) throw new TypeError("There is not one result per request");
  const last = results.at(-1);
  return last?.type === "ok" && (!isBatch || last.response.is_autocommit === true);
}

/**
 * Throws the error of the first statement that failed: the package would leave those of later steps unhandled. Also
 * throws if a step was skipped without an error; only the last one, which rolls back, is skipped after a success.
 */
function requireSuccess(results: readonly WireResult[]): void {
  for (const result of results) {
    if (result.type === "error") throw toError(result.error);
    const { step_results: steps = [], step_errors: errors = [] } = result.response.result ?? {};
    for (const error of errors) if (error !== null) throw toError(error);
    if (steps.slice(0, -1).includes(null)) throw new TypeError("A step was skipped");
  }
}

function toError({ message, code }: WireError): ServerError {
  return new ServerError(message, code ?? undefined);
}
