import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./env.ts";

/**
 * Sets `Cache-Control: no-store` on responses without a `Cache-Control` of their own: most are private and
 * current only when sent.
 */
export function storeNothing(): MiddlewareHandler<AppEnv> {
  return async function forbidStoring(c, next) {
    await next();
    if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
  };
}
