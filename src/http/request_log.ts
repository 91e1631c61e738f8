import type { MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import type { Log } from "../core/log.ts";
import type { AppEnv } from "./env.ts";

/**
 * Gives each request an id (answered as `X-Request-Id`) and logs one line for it when it is answered. The line names
 * the route's pattern, never the URL: paths and query strings can hold secrets.
 */
export function withRequestLog(log: Log): MiddlewareHandler<AppEnv> {
  return async function logRequest(c, next) {
    const requestId = crypto.randomUUID();
    const startedAt = performance.now();
    c.set("requestId", requestId);
    c.set("log", log);
    c.header("X-Request-Id", requestId);
    await next();
    log.info("request", {
      requestId,
      method: c.req.method,
      route: routePath(c, -1),
      status: c.res.status,
      userId: c.var.actor?.userId,
      milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
    });
  };
}
