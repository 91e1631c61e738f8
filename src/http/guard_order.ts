import type { Context, Hono, MiddlewareHandler } from "hono";
import { METHOD_NAME_ALL } from "hono/router";
import type { RouterRoute } from "hono/types";
import { AppError } from "../core/errors.ts";
import type { AppEnv, AskLife, Operation } from "./env.ts";

/**
 * The order in which every operation checks a request. A refusal is thus cheaper than the work, and no body is read
 * before the caller is known:
 *
 * - `method`: the path does not have it (405).
 * - `host`: not valid (400).
 * - `token`: missing, or not genuine (401).
 * - `life`: the session, partial sign-in or key has ended (401). Bodies of more than `UNASKED_BYTES` cost a query of
 *   their own; for shorter ones, the operation's statement checks, which saves a round trip.
 * - `size`: the body exceeds the operation's limit (413).
 * - `shape`: parameters, headers, body (400, 415).
 */
export const GUARD_ORDER = ["method", "host", "token", "life", "size", "shape"] as const;

/** Maximum bytes of a body that are read before the database confirms the caller's session or key. */
export const UNASKED_BYTES = 4096;

/** Maximum sizes of a body, in bytes. Without a token, as much as a form needs. */
export const MAX_BYTES = 1024 * 1024;
export const MAX_BYTES_WITHOUT_TOKEN = 16 * 1024;

/** The guards of tokens, with the tokens that they accept. */
const tokenGuards = new WeakMap<object, string>();
/** The handlers that read a body, with its maximum length in bytes. */
const bodyReaders = new WeakMap<object, number>();

/** Marks a guard, which must call `passGuards` once it knows the caller. `takes` names its tokens for the documents. */
export function asTokenGuard<M extends MiddlewareHandler<AppEnv>>(takes: string, guard: M): M {
  tokenGuards.set(guard, takes);
  return guard;
}

/** Marks a handler that reads a body of up to `maxBytes`, if the request has a token. */
export function asBodyReader<H extends object>(handler: H, maxBytes = MAX_BYTES): H {
  bodyReaders.set(handler, maxBytes);
  return handler;
}

/** What `findOperation` found, by the last of the routes that a request matched. */
const operations = new WeakMap<RouterRoute, { routes: readonly RouterRoute[]; operation: Operation }>();

/** Returns the operation of the routes that a request matched. Found once for each route, unless others match, too. */
export function findOperation(routes: readonly RouterRoute[]): Operation {
  const last = routes.at(-1) as RouterRoute;
  const known = operations.get(last);
  if (known?.routes.length === routes.length && routes.every((route, i) => route === known.routes[i])) {
    return known.operation;
  }
  // An operation of any method has a guard; other handlers of any method are middleware.
  const handlers = routes.filter(({ method, handler }) =>
    method !== METHOD_NAME_ALL || tokenGuards.has(handler)
  )
    .map(({ handler }) => handler);
  const operation = { route: last.path, handlers, ...demandsOf(handlers) };
  operations.set(last, { routes, operation });
  return operation;
}

function demandsOf(handlers: readonly object[]): Pick<Operation, "takesToken" | "maxBytes"> {
  const reader = handlers.find((handler) => bodyReaders.has(handler));
  return {
    takesToken: handlers.some((handler) => tokenGuards.has(handler)),
    maxBytes: reader && bodyReaders.get(reader),
  };
}

/** Whether the request's operation takes a token. */
export function takesToken(c: Context<AppEnv>): boolean {
  return c.get("operation").takesToken;
}

/** Runs the guards after the token's: life, size, and the part of the shape that all operations share. */
export async function passGuards(c: Context<AppEnv>, askLife?: AskLife): Promise<void> {
  const { maxBytes } = c.get("operation");
  if (maxBytes !== undefined) {
    const declared = Number(c.req.header("Content-Length") ?? 0);
    if (declared > UNASKED_BYTES) await askLife?.();
    // An undeclared or compressed body may turn out longer, so reading it asks.
    else c.set("askLife", askLife);
    if (declared > (askLife === undefined ? MAX_BYTES_WITHOUT_TOKEN : maxBytes)) {
      throw new AppError("PAYLOAD_TOO_LARGE");
    }
  }
  for (const check of c.get("shapeChecks")) check(c);
}

/** What an operation demands of a request before it does its work. */
export interface OperationGuards {
  /** As in the router: `/v1/role/:roleId`. */
  readonly method: string;
  readonly path: string;
  /** The tokens that it accepts; undefined if none. */
  readonly token: string | undefined;
  /** The maximum length of its body in bytes; undefined if it reads none. */
  readonly maxBytes: number | undefined;
  /** The guards that run before a long body is read, in order; undefined if no body is read. */
  readonly bodyReadAfter: readonly string[] | undefined;
}

/** Lists the guards of all operations, as declared by their handlers. */
export function listGuards(app: Hono<AppEnv>): OperationGuards[] {
  const operations = app.routes.filter(({ method }) => method !== METHOD_NAME_ALL);
  const byRoute = Map.groupBy(operations, ({ method, path }) => `${method} ${path}`);
  return Array.from(byRoute.values(), (routes) => {
    const [{ method, path }] = routes as [typeof routes[number]];
    const token = routes.map(({ handler }) => tokenGuards.get(handler)).find((each) => each !== undefined);
    const own = routes.map(({ handler }) => bodyReaders.get(handler)).find((each) => each !== undefined);
    const maxBytes = own === undefined || token !== undefined ? own : MAX_BYTES_WITHOUT_TOKEN;
    const passed = GUARD_ORDER.filter((guard) =>
      guard !== "shape" && (token !== undefined || (guard !== "token" && guard !== "life"))
    );
    return { method, path, token, maxBytes, bodyReadAfter: maxBytes === undefined ? undefined : passed };
  });
}
