import { AsyncLocalStorage } from "node:async_hooks";
import { describeError, type Log } from "../core/log.ts";
import { noteStreaming } from "../core/request_scope.ts";
import { createResponseRoom, type ResponseRoomOptions, tooSlow } from "./response_room.ts";

export interface SenderOptions extends ResponseRoomOptions {
  /** How long a client may take to fetch a text or part in memory, in milliseconds; default one minute. */
  readonly timeoutMs?: number;
}

/** The request that a response is for. */
export interface AnsweredRequest {
  readonly method: string;
  readonly log: Log;
  readonly requestId: string;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** The body of a response: a text if it is short. */
export type ResponseBody = string | ReadableStream<Bytes>;

/** A text in parts, joined chunk by chunk when sent: joining 32 MiB at once would hold up other requests. */
export type TextParts = readonly string[];

/** A part of a text, of up to `PAGE_BYTES`. */
export interface TextPart {
  readonly text: string;
  readonly isLast: boolean;
}

/** Makes the next part of a text. Never called after the last part, or concurrently. */
export type TextSource = () => Promise<TextPart>;

/**
 * Sends every response that may be long. Unfetched text occupies memory, so a long response counts against a room
 * until its client has it, disconnects, or takes too long for what is in memory (the whole text, or one part of a
 * text made while it is sent); then the connection is closed.
 */
export interface Sender {
  /** Throws `UNAVAILABLE` if there is no room for a long response of the caller. Call it before any work. */
  requireRoom(): void;
  /** Returns a body with a text in memory. Throws `UNAVAILABLE` if the text is long and there is no room. */
  sendText(request: AnsweredRequest, text: TextParts): ResponseBody;
  /**
   * Returns a body whose text is made while it is sent, in the context of the request. The first part is made before
   * this returns, so that its errors get a status; each further one once the client has fetched the previous. A later
   * error is logged and breaks the connection. `onEnd` follows the last part. Throws `UNAVAILABLE` without room.
   */
  sendParts(request: AnsweredRequest, source: TextSource, onEnd?: () => void): Promise<ResponseBody>;
  /** Returns a body with bytes in memory, such as a file: in chunks if they are long. Throws like `sendText`. */
  sendBytes(request: AnsweredRequest, bytes: Bytes): Bytes | ReadableStream<Bytes>;
}

/** Maximum number of characters of a text that is sent at once, and not counted. */
const SHORT = 64 * 1024;
/** Minimum number of characters per chunk of a text in memory. */
const CHUNK = 256 * 1024;
/** Characters counted for a response that is made while it is sent: a part, and the runtime's buffers. */
const COUNTED = 1024 * 1024;
const TIMEOUT_MS = 60_000;

/** A part of a response as it is sent. An empty one ends it. */
interface Chunk {
  readonly bytes: Bytes;
  readonly isLast: boolean;
}

/** A long response. */
interface LongResponse {
  readonly source: () => Promise<Chunk>;
  /** Number of characters that it counts. */
  readonly length: number;
  /** Whether the time limit applies to each part, or to the whole. */
  readonly isTimedByPart: boolean;
  /** Called once no more parts are made. */
  readonly onEnd?: (() => void) | undefined;
}

const encoder = new TextEncoder();

export function createSender({ timeoutMs = TIMEOUT_MS, ...options }: SenderOptions = {}): Sender {
  const room = createResponseRoom(options);

  function stream(
    request: AnsweredRequest,
    { source, length, isTimedByPart, onEnd }: LongResponse,
  ): ReadableStream<Bytes> {
    const { log, requestId } = request;
    noteStreaming();
    const inRequest = AsyncLocalStorage.snapshot();
    const held = room.hold(length, breakOff);
    let body: ReadableStreamDefaultController<Bytes>;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isComplete = false;
    let hasEnded = false;

    function end(): void {
      if (hasEnded) return;
      hasEnded = true;
      clearTimeout(timer);
      held.release();
      onEnd?.();
    }

    function breakOff(reason: string): void {
      end();
      body.error(new Error(reason));
    }

    function waitForClient(): void {
      held.setWaiting(true);
      timer ??= setTimeout(breakOff, timeoutMs, tooSlow(timeoutMs));
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
          const { bytes, isLast } = isComplete ? END : await inRequest(source);
          // The client went away meanwhile.
          if (hasEnded) return;
          isComplete = isLast;
          if (bytes.length === 0) {
            end();
            body.close();
          } else {
            body.enqueue(bytes);
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
    sendText(request, text) {
      const length = text.reduce((sum, part) => sum + part.length, 0);
      if (isSentAtOnce(request, length)) return text.join("");
      return stream(request, { source: encoded(chunksOf(text)), length, isTimedByPart: false });
    },
    sendBytes(request, bytes) {
      if (isSentAtOnce(request, bytes.length)) return bytes;
      return stream(request, { source: chunksOfBytes(bytes), length: COUNTED, isTimedByPart: true });
    },
    async sendParts(request, source, onEnd) {
      try {
        room.requireShare(COUNTED);
        const first = await takeParts(source);
        if (!isSentAtOnce(request, first.text.length)) {
          const parts = encoded(source, first);
          return stream(request, { source: parts, length: COUNTED, isTimedByPart: true, onEnd });
        }
        onEnd?.();
        return first.text;
      } catch (error) {
        onEnd?.();
        throw error;
      }
    },
  };
}

/** The end of a text, and of its bytes. */
const NOTHING: TextPart = { text: "", isLast: true };
const END: Chunk = { bytes: new Uint8Array(), isLast: true };

/** Whether a body is sent at once: if it is short, or the response to HEAD, whose body is never fetched. */
function isSentAtOnce(request: AnsweredRequest, length: number): boolean {
  return length <= SHORT || request.method === "HEAD";
}

/** Joins the next parts until they are long, or the last is made. */
async function takeParts(source: TextSource): Promise<TextPart> {
  let taken = await source();
  while (!taken.isLast && taken.text.length <= SHORT) {
    const { text, isLast } = await source();
    taken = { text: taken.text + text, isLast };
  }
  return taken;
}

/** Encodes a text in UTF-8. Its first part may be made already. */
function encoded(source: TextSource, first?: TextPart): () => Promise<Chunk> {
  let made = first;
  return async () => {
    const { text, isLast } = made ?? await takeParts(source);
    made = undefined;
    return { bytes: encoder.encode(text), isLast };
  };
}

function chunksOfBytes(bytes: Bytes): () => Promise<Chunk> {
  let start = 0;
  return () => {
    const chunk = bytes.subarray(start, start + CHUNK);
    start += CHUNK;
    return Promise.resolve({ bytes: chunk, isLast: start >= bytes.length });
  };
}

/** Joins the parts of a text into chunks. */
function chunksOf(parts: TextParts): TextSource {
  let next = 0;
  return () => {
    const start = next;
    for (let length = 0; length < CHUNK && next < parts.length; next++) length += parts[next]?.length ?? 0;
    return Promise.resolve({ text: parts.slice(start, next).join(""), isLast: next === parts.length });
  };
}

/** Returns a text whose parts a generator makes. */
export function generated(parts: AsyncIterator<string, void>): TextSource {
  return async () => {
    const { value, done } = await parts.next();
    return done ? NOTHING : { text: value, isLast: false };
  };
}
