/**
 * Every way in which a request can fail on purpose. The HTTP layer maps each code to its status and
 * message in one file (`http/error_responses.ts`); nothing else decides what a client sees.
 */
export type ErrorCode =
  | "MALFORMED_REQUEST"
  | "PASSWORD_TOO_SHORT"
  | "PASSWORD_TOO_LONG"
  | "PASSWORD_TOO_COMMON"
  | "PASSWORD_EQUALS_NAME"
  | "PASSWORD_BREACHED"
  | "TOKEN_MISSING"
  | "TOKEN_INVALID"
  | "PASSWORD_INCORRECT"
  | "OTP_INVALID_EXPIRED"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "WOULD_CREATE_CYCLE"
  | "ROLE_WITHOUT_MANAGER"
  | "ROOT_WITHOUT_MEMBER"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "CLOSURE_CHANGE_TOO_LARGE"
  | "TOO_MANY_FAILED_PASSWORD_CHECKS"
  | "TOO_MANY_INVITATIONS"
  | "UNAVAILABLE"
  | "INTERNAL";

/** One malformed field of a request: where it is and what is expected there. Never the submitted value. */
export interface ErrorDetail {
  path: string;
  message: string;
}

export interface AppErrorOptions {
  /** Whole seconds until another try can succeed; sent as `retryAfter` and `Retry-After`. */
  retryAfterSeconds?: number;
  /** The fields that a `MALFORMED_REQUEST` is about. */
  details?: readonly ErrorDetail[];
  /** Replaces the standard message where a figure belongs in it. */
  message?: string;
  /** What went wrong underneath; for the log only. */
  cause?: unknown;
}

/** A failure the client is told about, under a stable code. Anything else that is thrown becomes an opaque 500. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly retryAfterSeconds: number | undefined;
  readonly details: readonly ErrorDetail[];
  readonly publicMessage: string | undefined;

  constructor(readonly code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? code, { cause: options.cause });
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.details = options.details ?? [];
    this.publicMessage = options.message;
  }
}
