import type { Context } from "hono";
import { AppError } from "../core/errors.ts";
import { isUserAsking } from "../core/request_scope.ts";
import { yieldToEventLoop } from "../core/yield_to_event_loop.ts";
import { type HeldBody, WINDOW_BYTES } from "./body_room.ts";
import type { AppEnv, AskLife } from "./env.ts";
import { MAX_BYTES, MAX_BYTES_WITHOUT_TOKEN, UNASKED_BYTES } from "./guard_order.ts";

/** The message for an unsupported `Content-Encoding` in operations that accept gzip. */
export const ENCODING_MESSAGE = "The request body can only be compressed with gzip";

/**
 * Compressed bytes per decompression step. Gzip expands up to a thousandfold, and Deno returns all output of a step
 * at once.
 */
const GZIP_PIECE_BYTES = 1024;

/** Bytes read from a stream before other requests get a turn; a chunk counts as at least `CHUNK_COST` bytes. */
const TURN_BYTES = 256 * 1024;
const CHUNK_COST = 8192;

/** Maximum number of chunks of a body: `CHUNKS`, plus one per `BYTES_PER_CHUNK`. A client may send single bytes. */
const CHUNKS = 100;
const BYTES_PER_CHUNK = 512;

export interface ReadOptions {
  /** Limit in bytes for requests with a token; of the decompressed text if the body is compressed. */
  readonly maxBytes?: number;
  /** Decompresses gzip. Refuses other encodings, and text that is not UTF-8. */
  readonly decode?: boolean;
}

/**
 * Reads the body of a request as text. Run after the guards: only a verified token raises the limit. Throws
 * `PAYLOAD_TOO_LARGE`, `UNAVAILABLE` (no room for bodies), `BODY_INCOMPLETE` (too slow, or broken off),
 * `UNSUPPORTED_MEDIA_TYPE`, and with `decode` also `MALFORMED_REQUEST`, always with details.
 */
export async function readBody(
  c: Context<AppEnv>,
  { maxBytes = MAX_BYTES, decode = false }: ReadOptions = {},
): Promise<string> {
  const isGzip = usesGzip(c, decode);
  const hasToken = isUserAsking();
  const limit = hasToken ? maxBytes : MAX_BYTES_WITHOUT_TOKEN;
  const declared = c.req.header("Content-Length");
  const length = declared === undefined ? undefined : Number(declared);
  if (length !== undefined && length > limit) throw new AppError("PAYLOAD_TOO_LARGE");
  const held = c.get("bodyRoom").admit(hasToken);
  c.set("heldBody", held);
  held.hold(length ?? 0);
  // Reading the body as a stream costs several times more.
  const isPlain = !decode && length !== undefined && c.req.header("Transfer-Encoding") === undefined;
  if (isPlain && length <= WINDOW_BYTES) return await readAtOnce(c, held);
  const { body } = c.req.raw;
  if (body === null) return "";
  const askLife = c.get("askLife");
  const options = { limit, decode, isGzip, askLife };
  if (!isGzip) return await collectText(body, held, options);
  const ending = new AbortController();
  try {
    return await collectText(decompress(body, ending.signal), held, options);
  } finally {
    // Otherwise the rest of a refused body would stay in memory.
    ending.abort();
  }
}

/** Whether the body is compressed with gzip. Throws `UNSUPPORTED_MEDIA_TYPE` for another `Content-Encoding`. */
function usesGzip(c: Context<AppEnv>, decode: boolean): boolean {
  const encoding = c.req.header("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity") return false;
  if (!decode) throw new AppError("UNSUPPORTED_MEDIA_TYPE");
  if (encoding !== "gzip") throw new AppError("UNSUPPORTED_MEDIA_TYPE", { message: ENCODING_MESSAGE });
  return true;
}

function readAtOnce(c: Context<AppEnv>, held: HeldBody): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown): void => {
      held.stopExpecting();
      reject(new AppError("BODY_INCOMPLETE", { cause }));
    };
    held.expect(() => 0, fail);
    c.req.raw.text().then(resolve, fail).finally(() => held.stopExpecting());
  });
}

/** Decompresses a body until the signal ends it. The rest is not cancelled: that would read it. */
function decompress(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  return body.pipeThrough(inPieces(GZIP_PIECE_BYTES), { signal, preventCancel: true })
    .pipeThrough(new DecompressionStream("gzip"));
}

function inPieces(bytes: number): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  const count = countChunks();
  return new TransformStream({
    transform(chunk, controller): void {
      count(chunk);
      for (let at = 0; at < chunk.length; at += bytes) controller.enqueue(chunk.slice(at, at + bytes));
    },
  });
}

/** Returns a counter of chunks, which throws `MALFORMED_REQUEST` once a body has too many. */
function countChunks(): (chunk: Uint8Array) => void {
  let [chunks, bytes] = [0, 0];
  return ({ length }) => {
    bytes += length;
    if (++chunks > CHUNKS + bytes / BYTES_PER_CHUNK) {
      throw malformed(`Expected chunks of at least ${BYTES_PER_CHUNK} bytes`);
    }
  };
}

interface CollectOptions {
  /** In bytes. */
  readonly limit: number;
  readonly decode: boolean;
  readonly isGzip: boolean;
  /** Undefined if a guard has asked already. */
  readonly askLife: AskLife | undefined;
}

async function collectText(
  stream: ReadableStream<Uint8Array>,
  held: HeldBody,
  { limit, decode, isGzip, askLife }: CollectOptions,
): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: decode });
  const decodeText = (bytes?: Uint8Array): string => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
    } catch (cause) {
      throw malformed("Expected text in UTF-8", cause);
    }
  };
  const count = isGzip ? () => undefined : countChunks();
  let [arrived, turn, isLate, isAsked, text] = [0, 0, false, askLife === undefined, ""];
  held.expect(() => arrived, () => {
    isLate = true;
    // Ends the pending read.
    reader.cancel().catch(() => undefined);
  });
  try {
    for (;;) {
      const { value } = await reader.read();
      if (isLate) throw new AppError("BODY_INCOMPLETE");
      if (value === undefined) return text + decodeText();
      count(value);
      arrived += value.length;
      if (!isAsked && arrived > UNASKED_BYTES) {
        isAsked = true;
        await askLife?.();
      }
      if (arrived > limit) throw new AppError("PAYLOAD_TOO_LARGE");
      held.hold(arrived);
      text += decodeText(value);
      turn += Math.max(value.length, CHUNK_COST);
      if (turn < TURN_BYTES) continue;
      turn = 0;
      await yieldToEventLoop();
    }
  } catch (error) {
    if (error instanceof AppError) throw error;
    // Thrown by the decompression.
    if (isGzip && error instanceof TypeError) throw malformed("Expected complete and valid gzip", error);
    throw new AppError("BODY_INCOMPLETE", { cause: error });
  } finally {
    held.stopExpecting();
  }
}

function malformed(message: string, cause?: unknown): AppError {
  return new AppError("MALFORMED_REQUEST", { extra: { details: [{ path: "body", message }] }, cause });
}
