import { unavailable } from "../../db/sql_errors.ts";

export interface AnswerSenderOptions {
  /** Characters of answers that may be in memory while they are sent (by default 128 Mi: four of the greatest). */
  readonly maxCharacters?: number;
  /** How long a client may take for his answer, in milliseconds (by default a minute); then it breaks off. */
  readonly timeoutMs?: number;
}

export interface AnswerSender {
  /** Throws `UNAVAILABLE` where no more could be sent to the user: before the work is done rather than after. */
  requireRoom(userId: number): void;
  /**
   * The body of a response with the text. A long one is held until the client has it, is gone or too slow. Throws
   * `UNAVAILABLE` where too much is held already, half of the room at most for one user.
   */
  send(text: string, userId: number): string | ReadableStream<Uint8Array<ArrayBuffer>>;
}

/** Texts up to here are sent without being counted, in characters. */
const SHORT = 64 * 1024;
/** Characters that are encoded at once. */
const CHUNK = 256 * 1024;
const MAX_CHARACTERS = 128 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/** Sends answers so that those which nobody fetches cannot fill the memory. */
export function createAnswerSender(
  { maxCharacters = MAX_CHARACTERS, timeoutMs = TIMEOUT_MS }: AnswerSenderOptions = {},
): AnswerSender {
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
      new Error(`${held} characters of answers are being sent already, ${ofUser} to user ${userId}`),
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
          controller.error(new Error(`The client did not fetch the answer within ${timeoutMs} ms`));
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
    // Both halves of a character beyond 16 bits belong to one chunk.
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end--;
    yield encoder.encode(text.slice(at, end));
    at = end;
  }
}
