import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { AppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { AppEnv } from "./env.ts";
import type { FindRequestTrace } from "./tracing.ts";

/** What `routePath` says where only middleware, and no route, matched. */
const NO_ROUTE = "/*";

/**
 * Gives each request an id (answered as `X-Request-Id`) and logs one line for it when it is answered. The line names
 * the route's pattern, never the URL: paths and query strings can hold secrets. Where requests are traced, the line
 * names the trace, and the trace's span the request id and the same pattern.
 */
export function withRequestLog(log: Log, findTrace?: FindRequestTrace): MiddlewareHandler<AppEnv> {
  return async function logRequest(c, next) {
    const requestId = crypto.randomUUID();
    const startedAt = performance.now();
    const trace = findTrace?.();
    c.set("requestId", requestId);
    c.set("log", log);
    c.header("X-Request-Id", requestId);
    await next();
    const { method } = c.req;
    const { status } = c.res;
    const route = routePath(c, -1);
    log.info("request", {
      requestId,
      traceId: trace?.traceId,
      method,
      route,
      status,
      userId: c.var.actor?.userId,
      milliseconds: Math.round((performance.now() - startedAt) * 10) / 10,
    });
    trace?.describe({
      requestId,
      method,
      route: route === NO_ROUTE ? undefined : route,
      status,
      errorType: nameError(c),
    });
  };
}

function nameError({ error }: Context<AppEnv>): string | undefined {
  return error instanceof AppError ? error.code : error?.name;
}
