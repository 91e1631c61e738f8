import type { Context, ErrorHandler, NotFoundHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { AppError, FRESH_SIGN_IN_SECONDS } from "../core/errors.ts";
import { describeError, type Log } from "../core/log.ts";
import type { AppEnv } from "./env.ts";
import { ERROR_RESPONSES, STATUS_NAMES } from "./openapi/error_responses.ts";

export interface ErrorHandlerDeps {
  readonly log: Log;
  /** In development, a 400 has the details of the malformed fields even if the request does not ask for them. */
  readonly development: boolean;
}

/** Responds to every thrown error: to an `AppError` by its code, to any other with an opaque 500 that only the log explains. */
export function createErrorHandler({ log, development }: ErrorHandlerDeps): ErrorHandler<AppEnv> {
  return (error, c) => {
    const appError = toAppError(error);
    if (appError.code === "INTERNAL" || appError.code === "UNAVAILABLE") {
      log.error("request.failed", {
        requestId: c.var.requestId,
        code: appError.code,
        ...describeError(appError.cause ?? error),
      });
    }
    return respond(c, appError, development);
  };
}

/** Responds to an unknown route. */
export function createNotFoundHandler(): NotFoundHandler<AppEnv> {
  return (c) => respond(c, new AppError("NOT_FOUND"), false);
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  // Drizzle wraps the errors of the database layer.
  if (error instanceof Error && error.cause instanceof AppError) return error.cause;
  // Hono's own exceptions come from reading a body: an aborted or oversized stream, for example.
  if (error instanceof HTTPException) {
    if (error.status === 413) return new AppError("PAYLOAD_TOO_LARGE");
    if (error.status === 400) return new AppError("MALFORMED_REQUEST");
  }
  return new AppError("INTERNAL", { cause: error });
}

/** Responds with an error by its code. */
export function respond(c: Context<AppEnv>, error: AppError, development: boolean): Response {
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
    const wanted = development || c.req.header("X-Error-Details") === "true";
    if (wanted && error.details.length > 0) body.details = error.details;
  }
  c.header("Cache-Control", "no-store");
  return c.json(body, status);
}

/** Only /auth and /user distinguish a missing token; under /v1 it has the message of one that does not verify. */
function messageFor(c: Context<AppEnv>, error: AppError): string | undefined {
  if (error.code === "TOKEN_MISSING" && c.req.path.startsWith("/v1/")) {
    return ERROR_RESPONSES.TOKEN_INVALID.message;
  }
  return error.publicMessage;
}

/**
 * RFC 6750, section 3.1: no `error` attribute if the request had no credentials. RFC 9470: a step-up is missing or too old,
 * and the maximum age.
 */
function challengeFor(error: AppError): string {
  if (error.code === "TOKEN_INVALID") return 'Bearer error="invalid_token"';
  if (error.code !== "SUDO_TOKEN_REQUIRED") return "Bearer";
  return `Bearer error="insufficient_user_authentication", max_age=${FRESH_SIGN_IN_SECONDS}`;
}
