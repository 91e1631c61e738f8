import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./env.ts";

/** Sets `Cache-Control: no-store` unless a response has its own: most are private and soon stale. */
export function storeNothing(): MiddlewareHandler<AppEnv> {
  return async function forbidStoring(c, next) {
    await next();
    const { headers } = c.res;
    if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  };
}
