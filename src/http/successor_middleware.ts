import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./env.ts";

/**
 * Links a superseded operation to its successor (RFC 5829): at `path`, or at the same path plus `/query`. Only on
 * success, because no error repeats submitted text, the path included.
 */
export function withSuccessor(path?: string): MiddlewareHandler<AppEnv> {
  return async function linkSuccessor(c, next) {
    await next();
    if (!c.res.ok) return;
    // Undecoded: the decoded path could contain characters that a header must not.
    const { pathname } = new URL(c.req.url);
    c.res.headers.set("Link", `<${path ?? `${pathname}/query`}>; rel="successor-version"`);
  };
}
