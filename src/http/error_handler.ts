import type { Context, ErrorHandler, NotFoundHandler } from "hono";
import { SECOND_MS } from "../core/clock.ts";
import { AppError } from "../core/errors.ts";
import { describeError, type Log } from "../core/log.ts";
import { isStrangerAsking } from "../core/request_scope.ts";
import type { AppEnv } from "./env.ts";
import { createOutageLog } from "./outage_log.ts";
import { ERROR_RESPONSES, STATUS_NAMES } from "./openapi/error_responses.ts";

/**
 * Minimum wait of a stranger (caller without a token) for a 503, in milliseconds: the same as its `Retry-After`. A
 * random part of up to the same length spreads the retries of a crowd.
 */
const REFUSAL_MS = SECOND_MS;
/** Maximum number of strangers who wait for their 503 at the same time. */
const MOST_REFUSED = 4000;

export interface ErrorHandlerDeps {
  readonly log: Log;
  /** In place of `REFUSAL_MS`. */
  readonly refusalMs?: number;
}

/**
 * Responds to every thrown error: to an `AppError` according to its code, to others with an opaque 500 whose cause is
 * only logged. 503s are logged once a second.
 */
export function createErrorHandler(
  { log, refusalMs = REFUSAL_MS }: ErrorHandlerDeps,
): ErrorHandler<AppEnv> {
  const outages = createOutageLog(log);
  const waitingRoom = createWaitingRoom(refusalMs);
  return async (error, c) => {
    const appError = toAppError(error);
    if (appError.code === "UNAVAILABLE" || appError.code === "CANNOT_STORE") {
      // What cannot be stored has lines of its own (`db/storage_watch.ts`).
      if (appError.code === "UNAVAILABLE") outages.note(appError, c.get("requestId"));
      // The wait holds no room for bodies.
      c.get("heldBody")?.release();
      if (isStrangerAsking()) await waitingRoom.wait();
    } else if (appError.code === "INTERNAL") {
      log.error("request.failed", {
        requestId: c.get("requestId"),
        code: appError.code,
        ...describeError(appError.cause ?? error),
      });
    }
    return respond(c, appError);
  };
}

/**
 * Returns the queue in which strangers wait for their 503. It keeps a crowd from retrying at once and using up the
 * time that the refusals save. Once it is full, further strangers do not wait.
 */
function createWaitingRoom(ms: number): { wait(): Promise<void> } {
  let waiting = 0;
  return {
    async wait() {
      if (waiting >= MOST_REFUSED) return;
      waiting++;
      await new Promise((resolve) => setTimeout(resolve, ms * (1 + Math.random())));
      waiting--;
    },
  };
}

/** Responds with 404 where no route matches. */
export function createNotFoundHandler(): NotFoundHandler<AppEnv> {
  return (c) => respond(c, new AppError("NOT_FOUND"));
}

/** Returns the error that the response reports. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // Drizzle wraps the errors of the database layer.
  if (error instanceof Error && error.cause instanceof AppError) return error.cause;
  return new AppError("INTERNAL", { cause: error });
}

/** Returns the response to an error, with its headers. */
export function respond(c: Context<AppEnv>, error: AppError): Response {
  const { status, message } = ERROR_RESPONSES[error.code];
  const body: Record<string, unknown> = {
    statusCode: status,
    error: STATUS_NAMES[status],
    message: messageFor(c, error) ?? message,
    ...error.extra,
  };
  if (error.retryAfterSeconds !== undefined) {
    const seconds = Math.max(1, Math.ceil(error.retryAfterSeconds));
    c.header("Retry-After", String(seconds));
    if (status === 429) body.retryAfter = seconds;
  }
  if (status === 401) c.header("WWW-Authenticate", challengeFor(error));
  if (error.code === "MALFORMED_REQUEST") {
    const wanted = c.req.header("X-Error-Details") === "true";
    if (wanted && error.details.length > 0) body.details = error.details;
  }
  c.header("Cache-Control", "no-store");
  // The rest of the body may still be on its way (RFC 9110, 15.5.9).
  if (status === 408) c.header("Connection", "close");
  return c.json(body, status);
}

/** Returns the message of an error. For a missing token, paths under /v1 use the message of an invalid one. */
function messageFor(c: Context<AppEnv>, error: AppError): string | undefined {
  if (error.code === "TOKEN_MISSING" && c.req.path.startsWith("/v1/")) {
    return ERROR_RESPONSES.TOKEN_INVALID.message;
  }
  return error.publicMessage;
}

/**
 * Returns the value of `WWW-Authenticate`: without an `error` attribute if the request carried no credentials (RFC
 * 6750, 3.1), with `max_age` if fresh proof is missing or too old, and with `acr_values` if the session has to prove
 * more (RFC 9470).
 */
function challengeFor(error: AppError): string {
  if (error.code === "TOKEN_INVALID") return 'Bearer error="invalid_token"';
  if (error.code === "STEP_UP_REQUIRED") {
    return `Bearer error="insufficient_user_authentication", acr_values="${error.acr}"`;
  }
  if (error.code !== "SUDO_TOKEN_REQUIRED") return "Bearer";
  return `Bearer error="insufficient_user_authentication", max_age=${error.maxAgeSeconds}`;
}
