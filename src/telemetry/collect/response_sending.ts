import { unavailable } from "../../db/sql_errors.ts";
import type { TextParts } from "./result_text.ts";

export interface ResponseSenderOptions {
  /** Characters of responses that may be in memory while they are sent; 128 Mi by default, four of the largest. */
  readonly maxCharacters?: number;
  /**
   * How long a client may take to fetch its response, in milliseconds; a minute by default. Then the connection is
   * closed.
   */
  readonly timeoutMs?: number;
}

export interface ResponseSender {
  /** Throws `UNAVAILABLE` if nothing more could be sent to the user, before any work is done. */
  requireRoom(userId: number): void;
  /**
   * Returns the body of a response with the text. A long one counts as held until the client has it, disconnects or
   * times out. Throws `UNAVAILABLE` if too much is held already; one user may occupy half of the room.
   */
  send(text: TextParts, userId: number): string | ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Texts of up to this many characters are sent without being counted. */
const SHORT = 64 * 1024;
/** Characters from which a chunk is encoded and sent. */
const CHUNK = 256 * 1024;
const MAX_CHARACTERS = 128 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/** Sends responses, and bounds the memory that slow clients can occupy. */
export function createResponseSender(
  { maxCharacters = MAX_CHARACTERS, timeoutMs = TIMEOUT_MS }: ResponseSenderOptions = {},
): ResponseSender {
  let held = 0;
  const heldFor = new Map<number, number>();

  function hold(userId: number, length: number): void {
    held += length;
    const ofUser = (heldFor.get(userId) ?? 0) + length;
    if (ofUser > 0) heldFor.set(userId, ofUser);
    else heldFor.delete(userId);
  }

  function requireRoom(userId: number, length: number): void {
    const ofUser = heldFor.get(userId) ?? 0;
    if (held + length <= maxCharacters && ofUser + length <= maxCharacters / 2) return;
    throw unavailable(
      new Error(`${held} characters of responses are being sent already, ${ofUser} to user ${userId}`),
    );
  }

  function stream(text: TextParts, length: number, userId: number): ReadableStream<Uint8Array<ArrayBuffer>> {
    hold(userId, length);
    const chunks = encodeChunks(text);
    let timer: ReturnType<typeof setTimeout> | undefined;
    function release(): void {
      clearTimeout(timer);
      hold(userId, -length);
    }
    return new ReadableStream({
      start(controller) {
        timer = setTimeout(() => {
          release();
          chunks.return(undefined);
          controller.error(new Error(`The client did not fetch the response within ${timeoutMs} ms`));
        }, timeoutMs);
      },
      pull(controller) {
        const { value } = chunks.next();
        if (value !== undefined) return controller.enqueue(value);
        release();
        controller.close();
      },
      cancel: release,
    });
  }

  return {
    requireRoom: (userId) => requireRoom(userId, SHORT),
    send(text, userId) {
      const length = text.reduce((sum, part) => sum + part.length, 0);
      if (length <= SHORT) return text.join("");
      requireRoom(userId, length);
      return stream(text, length, userId);
    },
  };
}

function* encodeChunks(text: TextParts): Generator<Uint8Array<ArrayBuffer>, undefined> {
  const encoder = new TextEncoder();
  let chunk: string[] = [];
  let length = 0;
  for (const part of text) {
    chunk.push(part);
    length += part.length;
    if (length < CHUNK) continue;
    yield encoder.encode(chunk.join(""));
    chunk = [];
    length = 0;
  }
  if (length > 0) yield encoder.encode(chunk.join(""));
}
