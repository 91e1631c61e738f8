import { AsyncLocalStorage } from "node:async_hooks";
import { AppError } from "../core/errors.ts";
import type { TextParts } from "./export_service.ts";

/** How long a client may take none of an export, in milliseconds. Then the connection is closed. */
const TIMEOUT_MS = 60_000;
/** When a user whose export is running may try again. */
const RETRY_SECONDS = 5;

export interface ExportSenderOptions {
  readonly timeoutMs?: number;
  /** Hears of a failure after the response has begun, which then breaks off. */
  readonly onFailure?: (error: unknown) => void;
}

/** Sends exports as their clients take them, one of each user at a time. */
export interface ExportSender {
  /**
   * The body of a response, which is read while it is sent. It ends when the client has it, goes away, or takes nothing
   * for too long. Throws what `start` throws, and `TOO_MANY_EXPORTS` while another one of that user is being sent.
   */
  send(
    userId: number,
    start: () => Promise<TextParts>,
    options?: ExportSenderOptions,
  ): Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;
}

export function createExportSender(): ExportSender {
  const users = new Set<number>();
  return {
    async send(userId, start, options): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
      if (users.has(userId)) throw new AppError("TOO_MANY_EXPORTS", { retryAfterSeconds: RETRY_SECONDS });
      users.add(userId);
      try {
        return stream(await start(), () => users.delete(userId), options);
      } catch (error) {
        users.delete(userId);
        throw error;
      }
    },
  };
}

function stream(
  parts: TextParts,
  onEnd: () => void,
  { timeoutMs = TIMEOUT_MS, onFailure }: ExportSenderOptions = {},
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  // The parts are read for the user of this request, whoever asks for them.
  const inRequest = AsyncLocalStorage.snapshot();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasEnded = false;

  function end(): void {
    clearTimeout(timer);
    // Once: the user's next export may be running.
    if (!hasEnded) onEnd();
    hasEnded = true;
  }

  function waitForClient(controller: ReadableStreamDefaultController): void {
    timer = setTimeout(() => {
      end();
      controller.error(new Error(`The client took nothing for ${timeoutMs} ms`));
    }, timeoutMs);
  }

  return new ReadableStream({
    start: waitForClient,
    async pull(controller): Promise<void> {
      clearTimeout(timer);
      try {
        const { value } = await inRequest(() => parts.next());
        // The client went away meanwhile.
        if (hasEnded) return;
        if (value === undefined) {
          end();
          controller.close();
        } else {
          controller.enqueue(encoder.encode(value));
          waitForClient(controller);
        }
      } catch (error) {
        end();
        onFailure?.(error);
        throw error;
      }
    },
    cancel: end,
  }, { highWaterMark: 0 });
}
