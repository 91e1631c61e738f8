import type { Context } from "hono";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "./env.ts";

/** The message for an encoding that `readTextBody` does not support. */
export const ENCODING_MESSAGE = "The request body can only be compressed with gzip";

/**
 * Reads a body as UTF-8 text, decompressed if its `Content-Encoding` is gzip. Throws `PAYLOAD_TOO_LARGE` if the
 * text exceeds `maxBytes`, `MALFORMED_REQUEST` if it is not UTF-8 or not gzip, `UNSUPPORTED_MEDIA_TYPE` for
 * another encoding.
 */
export async function readTextBody(c: Context<AppEnv>, maxBytes: number): Promise<string> {
  const { body } = c.req.raw;
  if (body === null) return "";
  const encoding = c.req.header("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  if (encoding === "identity") return await collectText(body, maxBytes);
  if (encoding !== "gzip") {
    throw new AppError("UNSUPPORTED_MEDIA_TYPE", { message: ENCODING_MESSAGE });
  }
  return await collectText(body.pipeThrough(new DecompressionStream("gzip")), maxBytes);
}

async function collectText(stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let length = 0;
  let text = "";
  try {
    for await (const chunk of stream) {
      length += chunk.length;
      if (length > maxBytes) throw new AppError("PAYLOAD_TOO_LARGE");
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    // Invalid UTF-8 or gzip.
    if (error instanceof TypeError) throw new AppError("MALFORMED_REQUEST", { cause: error });
    throw error;
  }
}
