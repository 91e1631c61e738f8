import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { AppError } from "../core/errors.ts";
import type { AppEnv } from "./env.ts";

/** Default limit of a request body, in bytes. */
const MAX_BODY_BYTES = 1024 * 1024;

export interface BodyLimits {
  /** For paths without a limit of their own, in bytes. */
  readonly maxBytes?: number;
  /** By path, in bytes. */
  readonly maxBytesOf?: ReadonlyMap<string, number>;
}

/** Refuses larger bodies with 413, with or without a `Content-Length`. */
export function limitBody(
  { maxBytes = MAX_BODY_BYTES, maxBytesOf = new Map() }: BodyLimits = {},
): MiddlewareHandler<AppEnv> {
  const standard = limitTo(maxBytes);
  const ofPath = new Map(Array.from(maxBytesOf, ([path, bytes]) => [path, limitTo(bytes)]));
  return (c, next) => (ofPath.get(c.req.path) ?? standard)(c, next);
}

function limitTo(maxSize: number): MiddlewareHandler<AppEnv> {
  const limitBytes = bodyLimit({
    maxSize,
    onError: () => {
      throw new AppError("PAYLOAD_TOO_LARGE");
    },
  });
  return (c, next) => {
    // A small body passes by its header alone: once the body is touched as a stream, reading it costs several times more.
    const isSmall = Number(c.req.header("Content-Length")) <= maxSize;
    return isSmall && c.req.header("Transfer-Encoding") === undefined ? next() : limitBytes(c, next);
  };
}
