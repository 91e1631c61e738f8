import { AsyncLocalStorage } from "node:async_hooks";
import type { Context, MiddlewareHandler, TypedResponse } from "hono";
import { describeError } from "../core/log.ts";
import type { AppEnv } from "./env.ts";
import { createResponseRoom, type ResponseRoomOptions } from "./response_room.ts";

export interface SenderOptions extends ResponseRoomOptions {
  /** How long a client may take to fetch what is in memory, in milliseconds; a minute by default. */
  readonly timeoutMs?: number;
}

/** The body of a response: a text if it is short. */
export type ResponseBody = string | ReadableStream<Uint8Array<ArrayBuffer>>;

/** A text in parts that are joined only when they are sent: joining 32 MiB would hold up others. */
export type TextParts = readonly string[];

/** A text that is made part by part, each of up to `PAGE_BYTES`. */
export type TextSource = AsyncGenerator<string, void, undefined>;

/**
 * The way out for every response that may be long. What a client does not take occupies memory. So a long response counts
 * against a room until its client has it or goes away, or has not fetched in time what is in memory: all of a text, or
 * one part of what is made while it is sent. Then the connection is closed.
 */
export interface Sender {
  /** Throws `UNAVAILABLE` if there is no room for a long response to who asks, before any work is done. */
  requireRoom(): void;
  /** The body with a text that is in memory. Throws `UNAVAILABLE` if it is long and there is no room. */
  sendText(c: Context<AppEnv>, text: TextParts): ResponseBody;
  /**
   * The body with a text that is made while it is sent: a part once the client has taken the one before, and in the
   * context of this request, so that it takes turns as this user and reads as this request demands. A short text, or the
   * first part, is made before this returns, so that errors have a status. A later one is logged and breaks the
   * connection: what is cut short must not pass for complete. `onEnd` is called once nothing more is made. Throws
   * `UNAVAILABLE` if who asks has used up their share, before anything is made, or if a long text finds no room.
   */
  sendParts(c: Context<AppEnv>, parts: TextSource, onEnd?: () => void): Promise<ResponseBody>;
}

/** Texts of up to this many characters are sent at once, and not counted. */
const SHORT = 64 * 1024;
/** Characters from which a chunk of a text that is in memory is sent. */
const CHUNK = 256 * 1024;
/** What a response that is made while it is sent counts, in characters: a part, and what the runtime buffers. */
const COUNTED = 1024 * 1024;
const TIMEOUT_MS = 60_000;

/** The rest of a long response. */
interface Rest {
  /** Makes the next part: the empty text at the end. */
  readonly next: () => Promise<string>;
  /** What it counts, in characters. */
  readonly length: number;
  /** Whether the client has the time limit for each part, or for all. */
  readonly isTimedByPart: boolean;
  /** Called once when nothing more is made. */
  readonly onEnd: () => void;
}

export function createSender({ timeoutMs = TIMEOUT_MS, ...options }: SenderOptions = {}): Sender {
  const room = createResponseRoom(options);

  function stream(
    c: Context<AppEnv>,
    first: string,
    { next, length, isTimedByPart, onEnd }: Rest,
  ): ReadableStream<Uint8Array<ArrayBuffer>> {
    const [log, requestId] = [c.get("log"), c.get("requestId")];
    const inRequest = AsyncLocalStorage.snapshot();
    const encoder = new TextEncoder();
    const held = room.hold(length, breakOff);
    let body: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let ready = first;
    let hasEnded = false;

    function end(): void {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      held.release();
      onEnd();
    }

    function breakOff(limitMs: number): void {
      end();
      body.error(new Error(`The client did not fetch the response within ${limitMs} ms`));
    }

    function waitForClient(): void {
      held.setWaiting(true);
      timer ??= setTimeout(breakOff, timeoutMs, timeoutMs);
    }

    function stopWaiting(): void {
      held.setWaiting(false);
      if (!isTimedByPart) return;
      clearTimeout(timer);
      timer = undefined;
    }

    return new ReadableStream({
      start(controller): void {
        body = controller;
        waitForClient();
      },
      async pull(): Promise<void> {
        stopWaiting();
        try {
          const text = ready || await inRequest(next);
          ready = "";
          // The client went away meanwhile.
          if (hasEnded) return;
          if (text === "") {
            end();
            body.close();
          } else {
            body.enqueue(encoder.encode(text));
            waitForClient();
          }
        } catch (error) {
          if (hasEnded) return;
          end();
          log.error("request.stream_failed", { requestId, ...describeError(error) });
          throw error;
        }
      },
      cancel: end,
    }, { highWaterMark: 0 });
  }

  return {
    requireRoom: () => room.require(COUNTED),
    sendText(c, text) {
      const length = text.reduce((sum, part) => sum + part.length, 0);
      if (isSentAtOnce(c, length)) return text.join("");
      const chunks = chunksOf(text);
      const next = (): Promise<string> => Promise.resolve(chunks.next().value ?? "");
      return stream(c, "", {
        next,
        length,
        isTimedByPart: false,
        onEnd: () => void chunks.return(undefined),
      });
    },
    async sendParts(c, parts, onEnd) {
      function stop(): void {
        void parts.return();
        onEnd?.();
      }
      try {
        room.requireShare(COUNTED);
        const first = await takeText(parts);
        if (!isSentAtOnce(c, first.length)) {
          const next = (): Promise<string> => takeText(parts);
          return stream(c, first, { next, length: COUNTED, isTimedByPart: true, onEnd: stop });
        }
        stop();
        return first;
      } catch (error) {
        stop();
        throw error;
      }
    },
  };
}

/** Of a response to HEAD, no body is taken. */
function isSentAtOnce(c: Context<AppEnv>, length: number): boolean {
  return length <= SHORT || c.req.method === "HEAD";
}

/** What the parts make up from here on: a long text, or all of the rest. */
async function takeText(parts: TextSource): Promise<string> {
  let text = "";
  while (text.length <= SHORT) {
    const { value, done } = await parts.next();
    if (done) break;
    text += value;
  }
  return text;
}

function* chunksOf(text: TextParts): Generator<string, undefined> {
  let chunk: string[] = [];
  let length = 0;
  for (const part of text) {
    chunk.push(part);
    length += part.length;
    if (length < CHUNK) continue;
    yield chunk.join("");
    chunk = [];
    length = 0;
  }
  if (length > 0) yield chunk.join("");
}

/** Lets handlers send long responses. */
export function withSender(sender: Sender): MiddlewareHandler<AppEnv> {
  return (c, next) => {
    c.set("sender", sender);
    return next();
  };
}

/** Responds with a text of this type that is made while it is sent; see `Sender.sendParts`. */
export async function respondParts(c: Context<AppEnv>, type: string, parts: TextSource): Promise<Response> {
  const body = await c.get("sender").sendParts(c, parts);
  c.header("Content-Type", type);
  return c.body(body);
}

/** Responds with JSON that may be long. Throws the errors of `make`, and those of `Sender.sendParts`. */
export async function respondJson<T>(
  c: Context<AppEnv>,
  make: () => Promise<T>,
): Promise<Response & TypedResponse<T, 200, "json">> {
  async function* makeText(): TextSource {
    yield JSON.stringify(await make());
  }
  return await respondParts(c, "application/json", makeText()) as Response & TypedResponse<T, 200, "json">;
}
