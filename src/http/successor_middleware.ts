import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./env.ts";

/** Tells clients of a superseded operation where its successor is (RFC 5829). */
export function withSuccessor(path: string): MiddlewareHandler<AppEnv> {
  return async function linkSuccessor(c, next) {
    await next();
    c.header("Link", `<${path}>; rel="successor-version"`);
  };
}
