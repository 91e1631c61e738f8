import type { MiddlewareHandler } from "hono";
import type { AppEnv } from "./env.ts";

/**
 * Has no cache keep an answer that does not say otherwise: what the service answers is one user's, and of that moment.
 */
export function storeNothing(): MiddlewareHandler<AppEnv> {
  return async function forbidStoring(c, next) {
    await next();
    if (!c.res.headers.has("Cache-Control")) c.header("Cache-Control", "no-store");
  };
}
