import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "./env.ts";

/** Greatest size of a request body, in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Refuses a larger body with 413, whether its length was announced or not. */
export function limitBody(maxBytes: number = MAX_BODY_BYTES): MiddlewareHandler<AppEnv> {
  return bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw new AppError("PAYLOAD_TOO_LARGE");
    },
  });
}
