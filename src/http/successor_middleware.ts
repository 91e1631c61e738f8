import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./env.ts";

/**
 * Links a superseded operation to its successor (RFC 5829): at `path`, or at the same path followed by
 * `/query`. Successful responses only, because no error repeats what was submitted, and that includes the path.
 */
export function withSuccessor(path?: string): MiddlewareHandler<AppEnv> {
  return async function linkSuccessor(c, next) {
    await next();
    if (!c.res.ok) return;
    // The undecoded path: decoded, it could contain characters that a header must not.
    const { pathname } = new URL(c.req.url);
    c.res.headers.set("Link", `<${path ?? `${pathname}/query`}>; rel="successor-version"`);
  };
}
