import { unavailable } from "../../db/sql_errors.ts";

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
   * Returns the body of a response. A long text counts as held until the client has it, disconnects or times out.
   * Throws `UNAVAILABLE` if too much is held already; one user may occupy half of the room.
   */
  send(text: string, userId: number): string | ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Texts of up to this many characters are sent without being counted. */
const SHORT = 64 * 1024;
/** Characters encoded at a time. */
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

  function stream(text: string, userId: number): ReadableStream<Uint8Array<ArrayBuffer>> {
    const { length } = text;
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
      if (text.length <= SHORT) return text;
      requireRoom(userId, text.length);
      return stream(text, userId);
    },
  };
}

function* encodeChunks(text: string): Generator<Uint8Array<ArrayBuffer>, undefined> {
  const encoder = new TextEncoder();
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + CHUNK);
    // Both halves of a surrogate pair belong to one chunk.
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end--;
    yield encoder.encode(text.slice(at, end));
    at = end;
  }
}
