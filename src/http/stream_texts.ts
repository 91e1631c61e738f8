import type { Context } from "hono";
import { describeError } from "../core/log.ts";
import type { AppEnv } from "./env.ts";

/**
 * A body of texts that are made one after another while the client takes them, so that memory stays bounded. A failure is
 * logged and breaks the connection: what is cut short must not pass for complete.
 */
export function streamTexts(
  c: Context<AppEnv>,
  texts: AsyncIterator<string, void>,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  const { log, requestId } = c.var;
  return new ReadableStream({
    async pull(controller): Promise<void> {
      try {
        const { value, done } = await texts.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      } catch (error) {
        log.error("request.stream_failed", { requestId, ...describeError(error) });
        throw error;
      }
    },
    async cancel(): Promise<void> {
      await texts.return?.();
    },
  });
}
