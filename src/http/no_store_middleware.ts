import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./env.ts";

/**
 * Forbids caching of responses that do not set `Cache-Control` themselves: they are for one user and one moment.
 */
export function storeNothing(): MiddlewareHandler<AppEnv> {
  return async function forbidStoring(c, next) {
    await next();
    if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
  };
}
