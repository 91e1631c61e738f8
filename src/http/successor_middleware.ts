import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./env.ts";

/**
 * Tells clients of a superseded operation where its successor is (RFC 5829): at `path`, or at the same path followed by
 * `/query`. Only with a success: an error repeats nothing that was submitted, a path with who knows what in it included.
 */
export function withSuccessor(path?: string): MiddlewareHandler<AppEnv> {
  return async function linkSuccessor(c, next) {
    await next();
    if (!c.res.ok) return;
    // The URL's own spelling of the path: a decoded one could hold what a header must not.
    const { pathname } = new URL(c.req.url);
    c.header("Link", `<${path ?? `${pathname}/query`}>; rel="successor-version"`);
  };
}
