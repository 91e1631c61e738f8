import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./env.ts";

/**
 * Links the successor of a superseded operation (RFC 5829): `path`, or the same path followed by `/query`. Only on
 * success: an error repeats nothing that was submitted, not even the path.
 */
export function withSuccessor(path?: string): MiddlewareHandler<AppEnv> {
  return async function linkSuccessor(c, next) {
    await next();
    if (!c.res.ok) return;
    // The path as spelled in the URL: a decoded one could contain characters that a header must not.
    const { pathname } = new URL(c.req.url);
    c.header("Link", `<${path ?? `${pathname}/query`}>; rel="successor-version"`);
  };
}
