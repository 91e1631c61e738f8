import type { Context, MiddlewareHandler } from "hono";
import { routePath } from "hono/route";
import { type Actor, nameActor } from "../core/actor.ts";
import { SECOND_MS } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { knownMethod, type Metrics } from "../core/metrics.ts";
import type { AppEnv } from "./env.ts";
import { toAppError } from "./error_handler.ts";
import type { FindRequestTrace } from "./tracing.ts";

/** An id that a client gave its request: visible ASCII characters. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The path under which responses echo any `X-Request-Id`, as AuthZEN 1.0, 10.1.3 requires. */
const ECHOES_ANY_ID = "/access/";

/** What `routePath` returns if only middleware matched, but no route. */
const NO_ROUTE = "/*";

/** The route of requests that no route matched, in metrics. */
const UNKNOWN_ROUTE = "unknown";

/** What the log's middleware reports to, besides the log. */
export interface Observers {
  readonly findRequestTrace?: FindRequestTrace | undefined;
  readonly metrics?: Metrics | undefined;
}

/**
 * Gives each request an id (`X-Request-Id`, the client's own if it matches `REQUEST_ID`), and logs one line per
 * response. The line has the route's pattern, never the URL, which can hold secrets, and never an id that is merely
 * echoed. With tracing, the line has the trace id, and the span has the request id and the pattern.
 */
export function withRequestLog(
  log: Log,
  { findRequestTrace: findTrace, metrics }: Observers = {},
): MiddlewareHandler<AppEnv> {
  return async function logRequest(c, next) {
    const ownId = c.req.header("X-Request-Id");
    const requestId = ownId !== undefined && REQUEST_ID.test(ownId) ? ownId : crypto.randomUUID();
    const startedAt = c.env?.arrivedAt ?? performance.now();
    const trace = findTrace?.();
    c.set("requestId", requestId);
    c.set("log", log);
    await next();
    const echoed = c.req.path.startsWith(ECHOES_ANY_ID) ? ownId : undefined;
    c.res.headers.set("X-Request-Id", echoed ?? requestId);
    const { method } = c.req;
    const { status } = c.res;
    const route = routePath(c, -1);
    // Not set unless a guard ran.
    const actor: Actor | undefined = c.get("actor");
    const milliseconds = performance.now() - startedAt;
    log.info("request", {
      requestId,
      traceId: trace?.traceId,
      method,
      route,
      status,
      ...(actor === undefined ? {} : nameActor(actor)),
      milliseconds: Math.round(milliseconds * 10) / 10,
    });
    metrics?.record("rolegrid.request.duration", milliseconds / SECOND_MS, {
      "http.request.method": knownMethod(method),
      "http.route": route === NO_ROUTE ? UNKNOWN_ROUTE : route,
      "http.response.status_code": status,
    });
    if (c.error !== undefined) {
      metrics?.add("rolegrid.request.errors", 1, { "rolegrid.error": toAppError(c.error).code });
    }
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
