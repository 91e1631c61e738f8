import type { Context, Hono, MiddlewareHandler, Next } from "hono";
import { matchedRoutes } from "hono/route";
import { type Actor, nameActor } from "../core/actor.ts";
import { SECOND_MS } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { knownMethod, type Metrics } from "../core/metrics.ts";
import { type Chains, letRequestGo, runForStranger } from "../core/request_scope.ts";
import type { BodyRoom } from "./body_room.ts";
import { addressBucket, findClientAddress, type TrustedProxies } from "./client_address.ts";
import { type AppEnv, createRouter, type ShapeCheck } from "./env.ts";
import { createErrorHandler, type ErrorHandlerDeps, toAppError } from "./error_handler.ts";
import { findOperation, passGuards } from "./guard_order.ts";
import { createHostCheck } from "./host_check.ts";
import { createMethodCheck } from "./method_check.ts";
import { RememberingRouter } from "./remembering_router.ts";
import type { Sender } from "./sender.ts";
import type { FindRequestTrace } from "./tracing.ts";

/** An id that a client gave its request: visible ASCII characters. */
const REQUEST_ID = /^[\x21-\x7e]{1,128}$/;

/** The path under which responses echo any `X-Request-Id`, as AuthZEN 1.0, 10.1.3 requires. */
const ECHOES_ANY_ID = "/access/";

/** The pattern of a request that no route matched: that of the frame itself. */
const NO_ROUTE = "/*";

/** The route of such requests in metrics. */
const UNKNOWN_ROUTE = "unknown";

/** Seconds that browsers use HTTPS alone for: a year, the least that ASVS 5.0 demands (3.4.1). */
const HTTPS_ONLY = "max-age=31536000; includeSubDomains";

export interface FrameDeps extends ErrorHandlerDeps {
  readonly trustedProxies: TrustedProxies;
  /** Present if requests are traced. */
  readonly findRequestTrace?: FindRequestTrace | undefined;
  readonly metrics?: Metrics | undefined;
  /** The networks of an address, the largest first. Default: the client's alone. */
  readonly networksOf?: (address: string) => readonly string[];
  /** The chains of callers. Without them, all requests count to networks. */
  readonly chains?: Chains | undefined;
  /** Lets pages of other origins read responses. */
  readonly allowOrigins?: MiddlewareHandler<AppEnv> | undefined;
}

/** What an app with operations needs besides. */
export interface AdmissionDeps {
  readonly bodyRoom: BodyRoom;
  readonly sender: Sender;
  /** The checks that all operations share; they run after the earlier guards. */
  readonly shapeChecks: readonly ShapeCheck[];
}

/**
 * Creates an app without routes, whose every request passes one frame. It gives the request an id (`X-Request-Id`, the
 * client's own if it matches `REQUEST_ID`), finds the client's address, admits it in the order of `GUARD_ORDER`,
 * releases what it held, and sets the headers of every response. It logs one line, with the route's pattern, never the
 * URL, which can hold secrets, and never an id that is merely echoed. With tracing, the line has the trace id, and the
 * span has the request id and the pattern. Without `admission`, nothing is checked.
 */
export function createFramedApp(deps: FrameDeps, admission?: AdmissionDeps): Hono<AppEnv> {
  const { log, trustedProxies, findRequestTrace, metrics, allowOrigins, chains } = deps;
  const { networksOf = (address: string) => [addressBucket(address)] } = deps;
  const app = createRouter(new RememberingRouter());
  const respondToError = createErrorHandler(deps);
  const admit = admission === undefined
    ? (_c: Context<AppEnv>, next: Next) => next()
    : createDoor(app, admission);
  const pass = allowOrigins === undefined ? admit : around(allowOrigins, admit);

  async function frame(c: Context<AppEnv>, next: Next): Promise<void> {
    const startedAt = c.env?.arrivedAt ?? performance.now();
    const { method, path, raw } = c.req;
    const ownId = raw.headers.get("X-Request-Id");
    const requestId = ownId !== null && REQUEST_ID.test(ownId) ? ownId : crypto.randomUUID();
    const trace = findRequestTrace?.();
    const operation = findOperation(matchedRoutes(c));
    c.set("requestId", requestId);
    c.set("log", log);
    c.set("operation", operation);
    try {
      await pass(c, next);
    } catch (error) {
      c.error = error instanceof Error ? error : new Error("Not an error", { cause: error });
      c.res = await respondToError(c.error, c);
    } finally {
      // Until now, the parsed values take at least as much memory as the body.
      c.get("heldBody")?.release();
      letRequestGo();
    }

    const { headers, status } = c.res;
    headers.set("X-Request-Id", ownId !== null && path.startsWith(ECHOES_ANY_ID) ? ownId : requestId);
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set("Strict-Transport-Security", HTTPS_ONLY);
    // Most responses are private and soon stale.
    if (!headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");

    const { route } = operation;
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
    const { error } = c;
    if (error !== undefined) {
      metrics?.add("rolegrid.request.errors", 1, { "rolegrid.error": toAppError(error).code });
    }
    trace?.describe({
      requestId,
      method,
      route: route === NO_ROUTE ? undefined : route,
      status,
      errorType: error instanceof AppError ? error.code : error?.name,
    });
  }

  app.onError(respondToError);
  app.use((c, next) => {
    const { raw } = c.req;
    const address = findClientAddress(trustedProxies, c.env?.remoteAddr?.hostname ?? "", raw.headers);
    c.set("clientAddress", address);
    const input = { networks: () => networksOf(address), chains, request: raw };
    return runForStranger(input, () => frame(c, next));
  });
  return app;
}

type Pass = (c: Context<AppEnv>, next: Next) => Promise<void>;

function around(outer: MiddlewareHandler<AppEnv>, inner: Pass): Pass {
  return async function passBoth(c, next) {
    const response: unknown = await outer(c, () => inner(c, next));
    // Hono's `next` resolves to the context.
    if (response instanceof Response) c.res = response;
  };
}

/** Returns what checks a request before its operation, and instead of a guard where that takes no token. */
function createDoor(app: Hono<AppEnv>, { bodyRoom, sender, shapeChecks }: AdmissionDeps): Pass {
  const requireMethod = createMethodCheck(app);
  const requireHost = createHostCheck();
  async function admitStranger(c: Context<AppEnv>, next: Next): Promise<void> {
    await passGuards(c);
    await next();
  }
  return function admit(c, next) {
    const { route, takesToken } = c.get("operation");
    requireMethod(c, route);
    requireHost(c.req.raw.headers.get("Host"));
    c.set("bodyRoom", bodyRoom);
    c.set("sender", sender);
    c.set("shapeChecks", shapeChecks);
    return takesToken ? next() : admitStranger(c, next);
  };
}
