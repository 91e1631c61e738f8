/** All failures that a request can report. Only `http/openapi/error_responses.ts` maps a code to status and message. */
export type ErrorCode =
  | "MALFORMED_REQUEST"
  | "PARTIAL_WRITE"
  | "PASSWORD_TOO_SHORT"
  | "PASSWORD_TOO_LONG"
  | "PASSWORD_TOO_COMMON"
  | "PASSWORD_EQUALS_NAME"
  | "PASSWORD_BREACHED"
  | "TOKEN_MISSING"
  | "TOKEN_INVALID"
  | "SUDO_TOKEN_REQUIRED"
  | "STEP_UP_REQUIRED"
  | "PASSWORD_INCORRECT"
  | "SECOND_FACTOR_REQUIRED"
  | "OTP_INVALID_EXPIRED"
  | "TOTP_INVALID"
  | "PASSKEY_INVALID"
  | "PASSKEY_UNKNOWN"
  | "RECOVERY_CODE_INVALID"
  | "FORBIDDEN"
  | "NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "WOULD_CREATE_CYCLE"
  | "ROLE_WITHOUT_MANAGER"
  | "WOULD_DELETE"
  | "ROOT_WITHOUT_MEMBER"
  | "ROOT_WITHOUT_MANAGER"
  | "ROOT_WITHOUT_AWAKE_MANAGER"
  | "EMAIL_OTP_UNINITIALIZED"
  | "EMAIL_OTP_INACTIVE"
  | "EMAIL_OTP_ALREADY_INACTIVE"
  | "TOTP_UNINITIALIZED"
  | "TOTP_INACTIVE"
  | "TOTP_ALREADY_INACTIVE"
  | "PASSKEY_UNINITIALIZED"
  | "PASSKEY_UNCONFIRMED"
  | "PASSKEY_ALREADY_ACTIVE"
  | "TOO_MANY_PASSKEYS"
  | "RECOVERY_CODES_UNINITIALIZED"
  | "SECOND_FACTOR_DISABLED"
  | "TRANSFER_TOO_SOON"
  | "NEW_EMAIL_ALREADY_IN_USE"
  | "TOO_MANY_KEYS"
  | "TOO_MANY_MONITORS"
  | "TOO_MANY_ROLES"
  | "TOO_MANY_DEVICES"
  | "NODE_ID_TAKEN"
  | "EXTERNAL_ID_TAKEN"
  | "CANNOT_END_MONITORS"
  | "NODE_ID_FIXED"
  | "DEVICE_MODIFIED"
  | "BEFORE_HISTORY"
  | "EFFECT_CHANGED"
  | "CANNOT_UNDO"
  | "CHANGED_SINCE"
  | "BODY_INCOMPLETE"
  | "PAYLOAD_TOO_LARGE"
  | "UNSUPPORTED_MEDIA_TYPE"
  | "CLOSURE_CHANGE_TOO_LARGE"
  | "TOO_MUCH_TO_END"
  | "LINEAGE_TOO_LARGE"
  | "IDEMPOTENCY_KEY_REUSED"
  | "PROPERTIES_TOO_LARGE"
  | "OUTSIDE_PERIOD"
  | "PERIOD_BEGINS_EARLIER"
  | "PERIOD_EMPTY"
  | "TELEMETRY_REFUSED"
  | "TOO_MUCH_TELEMETRY"
  | "TELEMETRY_BUCKET_TOO_SMALL"
  | "EVALUATIONS_TOO_COSTLY"
  | "TOO_MANY_FAILED_PASSWORD_CHECKS"
  | "TOO_MANY_INVITATIONS"
  | "TOO_MANY_ADDITIONS"
  | "TOO_MANY_EXPORTS"
  | "TOO_MANY_WAITS"
  | "TOO_MANY_OTP_EMAILS"
  | "TOO_MANY_EMAIL_OTP_CHECKS"
  | "TOO_MANY_TOTP_CHECKS"
  | "TOO_MANY_PASSKEY_CHECKS"
  | "TOO_MANY_RECOVERY_CODE_CHECKS"
  | "TOO_MANY_RESET_MAIL_ATTEMPTS"
  | "TOO_MANY_TRANSFER_ATTEMPTS"
  | "TOO_MANY_ROLE_PASSWORD_CHECKS"
  | "TELEMETRY_BUCKET_FULL"
  | "TELEMETRY_STORE_FULL"
  | "CHANGE_BUCKET_FULL"
  | "UNAVAILABLE"
  | "CANNOT_STORE"
  | "INTERNAL";

/** Maximum age, in seconds, of a password sign-in that makes a sudo token unnecessary. */
export const FRESH_SIGN_IN_SECONDS = 900;

/** A malformed field of a request: its path and the expected value, never the submitted one. */
export interface ErrorDetail {
  path: string;
  message: string;
}

/** An error whose message may be logged: it is a text of this program, without submitted or stored data. */
export class LoggableError extends Error {
  override readonly name: string = "LoggableError";
}

interface AppErrorOptions {
  /** Seconds until a retry can succeed; sent as `retryAfter` and `Retry-After`. Default: 1 for `UNAVAILABLE`. */
  retryAfterSeconds?: number;
  /** For `SUDO_TOKEN_REQUIRED`: the maximum age of proof, in seconds. Default: `FRESH_SIGN_IN_SECONDS`. */
  maxAgeSeconds?: number;
  /** For `STEP_UP_REQUIRED`: the authentication context class that the session needs. */
  acr?: string | undefined;
  /** The malformed fields of a `MALFORMED_REQUEST`. */
  details?: readonly ErrorDetail[];
  /** Replaces the standard message, to include a figure. */
  message?: string;
  /** Public fields of the response besides the standard ones. */
  extra?: Readonly<Record<string, unknown>>;
  /** The underlying error, for the log only. */
  cause?: unknown;
}

/** An error with a stable code for the client. Any other thrown error becomes an opaque 500. */
export class AppError extends Error {
  override readonly name = "AppError";
  readonly retryAfterSeconds: number | undefined;
  readonly maxAgeSeconds: number;
  readonly acr: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly publicMessage: string | undefined;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(readonly code: ErrorCode, options: AppErrorOptions = {}) {
    super(options.message ?? code, { cause: options.cause });
    // Most outages are short, and without a time clients retry at once.
    this.retryAfterSeconds = options.retryAfterSeconds ?? (code === "UNAVAILABLE" ? 1 : undefined);
    this.maxAgeSeconds = options.maxAgeSeconds ?? FRESH_SIGN_IN_SECONDS;
    this.acr = options.acr;
    this.details = options.details ?? [];
    this.publicMessage = options.message;
    this.extra = options.extra ?? {};
  }
}

/**
 * Returns a reusable refusal for a full queue. Create it once per reason: a refusal must cost less than the work, and
 * the stack is half the cost of an error.
 */
export function makeRefusal(reason: string): AppError {
  return new AppError("UNAVAILABLE", { cause: new LoggableError(reason) });
}
