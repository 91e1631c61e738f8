import type { ErrorCode } from "../../core/errors.ts";

/** The statuses of errors, with their names for the `error` field. */
export const STATUS_NAMES = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  412: "Precondition Failed",
  413: "Payload Too Large",
  415: "Unsupported Media Type",
  422: "Unprocessable Entity",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
} as const;

export type ErrorStatus = keyof typeof STATUS_NAMES;

/** The status and message of each error code: the only place that maps codes to responses. */
export const ERROR_RESPONSES: Readonly<Record<ErrorCode, { status: ErrorStatus; message: string }>> = {
  MALFORMED_REQUEST: { status: 400, message: "Missing or misformatted query parameter or body" },
  PARTIAL_WRITE: { status: 400, message: "partial write: … dropped=…" },
  PASSWORD_TOO_SHORT: { status: 400, message: "PASSWORD_TOO_SHORT" },
  PASSWORD_TOO_LONG: { status: 400, message: "PASSWORD_TOO_LONG" },
  PASSWORD_TOO_COMMON: { status: 400, message: "PASSWORD_TOO_COMMON" },
  PASSWORD_EQUALS_NAME: { status: 400, message: "PASSWORD_EQUALS_NAME" },
  PASSWORD_BREACHED: { status: 400, message: "PASSWORD_BREACHED" },
  TOKEN_MISSING: { status: 401, message: "NO_TOKEN_PROVIDED" },
  TOKEN_INVALID: { status: 401, message: "Failed to verify token" },
  SUDO_TOKEN_REQUIRED: { status: 401, message: "SUDO_TOKEN_REQUIRED" },
  STEP_UP_REQUIRED: { status: 401, message: "SECOND_FACTOR_REQUIRED" },
  SECOND_FACTOR_REQUIRED: { status: 401, message: "2FA_REQUIRED" },
  TOTP_INVALID: { status: 401, message: "TOTP_INVALID" },
  PASSKEY_INVALID: { status: 401, message: "PASSKEY_INVALID" },
  PASSKEY_UNKNOWN: { status: 401, message: "PASSKEY_UNKNOWN" },
  RECOVERY_CODE_INVALID: { status: 401, message: "RECOVERY_CODE_INVALID" },
  PASSWORD_INCORRECT: { status: 401, message: "PASSWORD_INCORRECT" },
  OTP_INVALID_EXPIRED: { status: 401, message: "OTP_INVALID_EXPIRED" },
  FORBIDDEN: { status: 403, message: "User does not have sufficient rights" },
  NOT_FOUND: { status: 404, message: "Resource not found" },
  METHOD_NOT_ALLOWED: { status: 405, message: "The resource does not have this method" },
  WOULD_CREATE_CYCLE: {
    status: 409,
    message: "The proposed manages relation cannot be added since it would create a cycle in the role graph",
  },
  ROLE_WITHOUT_MANAGER: {
    status: 409,
    message: "The role would be left without a role that manages it",
  },
  WOULD_DELETE: { status: 409, message: "WOULD_DELETE" },
  ROOT_WITHOUT_MEMBER: { status: 409, message: "The root role would be left without a member" },
  ROOT_WITHOUT_MANAGER: {
    status: 409,
    message: "The root role would be left without a lasting member with roleManagement",
  },
  ROOT_WITHOUT_AWAKE_MANAGER: {
    status: 409,
    message:
      "No lasting member with roleManagement on the root role is known to meet this demand: let one of them set it",
  },
  EMAIL_OTP_UNINITIALIZED: { status: 409, message: "EMAIL_OTP_UNINITIALIZED" },
  EMAIL_OTP_INACTIVE: { status: 409, message: "EMAIL_OTP_INACTIVE" },
  EMAIL_OTP_ALREADY_INACTIVE: { status: 409, message: "EMAIL_OTP_ALREADY_INACTIVE" },
  TOTP_UNINITIALIZED: { status: 409, message: "TOTP_UNINITIALIZED" },
  TOTP_INACTIVE: { status: 409, message: "TOTP_INACTIVE" },
  TOTP_ALREADY_INACTIVE: { status: 409, message: "TOTP_ALREADY_INACTIVE" },
  PASSKEY_UNINITIALIZED: { status: 409, message: "PASSKEY_UNINITIALIZED" },
  PASSKEY_UNCONFIRMED: { status: 409, message: "PASSKEY_UNCONFIRMED" },
  PASSKEY_ALREADY_ACTIVE: { status: 409, message: "PASSKEY_ALREADY_ACTIVE" },
  TOO_MANY_PASSKEYS: {
    status: 409,
    message: "The account has 20 passkeys already: remove one that is not needed",
  },
  RECOVERY_CODES_UNINITIALIZED: { status: 409, message: "RECOVERY_CODES_UNINITIALIZED" },
  SECOND_FACTOR_DISABLED: { status: 409, message: "2FA_IS_DISABLED" },
  TRANSFER_TOO_SOON: { status: 409, message: "TRANSFER_TOO_SOON" },
  NEW_EMAIL_ALREADY_IN_USE: { status: 409, message: "NEW_EMAIL_ALREADY_IN_USE" },
  TOO_MANY_KEYS: { status: 409, message: "The role has 100 keys already: delete one that is not needed" },
  TOO_MANY_MONITORS: {
    status: 409,
    message:
      "100 roles monitor the device already, or 200 have: delete one of these relations, or let a role above monitor " +
      "the device",
  },
  TOO_MANY_ROLES: {
    status: 409,
    message:
      "The quota of roles (QUOTA_ROLES) is used up: delete roles that are not needed, or ask the administrator",
  },
  TOO_MANY_DEVICES: {
    status: 409,
    message:
      "The quota of devices (QUOTA_DEVICES) is used up: delete devices that are not needed, or ask the administrator",
  },
  NODE_ID_TAKEN: { status: 409, message: "The nodeId belongs to another device" },
  EXTERNAL_ID_TAKEN: {
    status: 409,
    message:
      "The externalId is that of another one below the same root role: give this one a different externalId",
  },
  CANNOT_END_MONITORS: {
    status: 409,
    message: "The device has monitors relations that you may not end: ask those who manage them to do it",
  },
  NODE_ID_FIXED: { status: 409, message: "The nodeId of a device cannot be changed" },
  BEFORE_HISTORY: { status: 410, message: "BEFORE_HISTORY" },
  EFFECT_CHANGED: { status: 409, message: "EFFECT_CHANGED" },
  CANNOT_UNDO: { status: 409, message: "CANNOT_UNDO" },
  CHANGED_SINCE: { status: 409, message: "CHANGED_SINCE" },
  DEVICE_MODIFIED: { status: 412, message: "The device was modified after the specified time" },
  BODY_INCOMPLETE: { status: 408, message: "The request body did not arrive in time" },
  PAYLOAD_TOO_LARGE: { status: 413, message: "The request body is too large" },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: "The request body must be sent as application/json, without compression",
  },
  LINEAGE_TOO_LARGE: {
    status: 422,
    message:
      "More relations lead to these roles than a request may follow: ask about fewer roles, or a shorter period",
  },
  CLOSURE_CHANGE_TOO_LARGE: { status: 422, message: "The change affects too many pairs of roles" },
  TOO_MUCH_TO_END: { status: 422, message: "Too much would end at once" },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    message: "The Idempotency-Key was already used for a different request: send this one with a new key",
  },
  PROPERTIES_TOO_LARGE: {
    status: 422,
    message: "The properties of the device would be larger than 16384 bytes",
  },
  OUTSIDE_PERIOD: {
    status: 422,
    message: "The period does not lie within that of a relation by which you manage the device",
  },
  PERIOD_BEGINS_EARLIER: {
    status: 422,
    message: "The period of a monitors relation cannot begin earlier than before",
  },
  PERIOD_EMPTY: { status: 422, message: "The period does not end after its beginning" },
  TELEMETRY_REFUSED: { status: 422, message: "The telemetry store refused the points" },
  TOO_MUCH_TELEMETRY: { status: 422, message: "The queries would return too many points" },
  TELEMETRY_BUCKET_TOO_SMALL: {
    status: 422,
    message: "The request costs more than the rate limit ever allows",
  },
  EVALUATIONS_TOO_COSTLY: { status: 422, message: "The evaluations cost too much together: send fewer" },
  TELEMETRY_BUCKET_FULL: { status: 429, message: "The rate limit of telemetry is reached" },
  TELEMETRY_STORE_FULL: {
    status: 429,
    message: "The root role's points take up all of its space: only deleting gives room for others",
  },
  CHANGE_BUCKET_FULL: {
    status: 429,
    message:
      "Changes have stored as much as they may for now (CHANGE_BUCKET): wait, or ask the administrator for more",
  },
  TOO_MANY_FAILED_PASSWORD_CHECKS: { status: 429, message: "TOO_MANY_FAILED_PASSWORD_CHECKS" },
  TOO_MANY_EXPORTS: { status: 429, message: "TOO_MANY_EXPORTS" },
  TOO_MANY_WAITS: { status: 429, message: "TOO_MANY_WAITS" },
  TOO_MANY_INVITATIONS: { status: 429, message: "TOO_MANY_INVITATIONS" },
  TOO_MANY_ADDITIONS: { status: 429, message: "TOO_MANY_ADDITIONS" },
  TOO_MANY_OTP_EMAILS: { status: 429, message: "TOO_MANY_OTP_EMAILS" },
  TOO_MANY_EMAIL_OTP_CHECKS: { status: 429, message: "TOO_MANY_EMAIL_OTP_CHECKS" },
  TOO_MANY_TOTP_CHECKS: { status: 429, message: "TOO_MANY_TOTP_CHECKS" },
  TOO_MANY_PASSKEY_CHECKS: { status: 429, message: "TOO_MANY_PASSKEY_CHECKS" },
  TOO_MANY_RECOVERY_CODE_CHECKS: { status: 429, message: "TOO_MANY_RECOVERY_CODE_CHECKS" },
  TOO_MANY_RESET_MAIL_ATTEMPTS: { status: 429, message: "TOO_MANY_RESET_MAIL_ATTEMPTS" },
  TOO_MANY_TRANSFER_ATTEMPTS: { status: 429, message: "TOO_MANY_TRANSFER_ATTEMPTS" },
  TOO_MANY_ROLE_PASSWORD_CHECKS: {
    status: 429,
    message:
      "The provided childRolePassword query parameter cannot be checked, since too many successive failed role " +
      "query calls occured",
  },
  UNAVAILABLE: { status: 503, message: "The service is temporarily unavailable, try again later" },
  CANNOT_STORE: {
    status: 503,
    message:
      "The service cannot store anything at the moment, try again later: it only responds to requests that read",
  },
  INTERNAL: { status: 500, message: "Internal server error" },
};

/** The second factors that `SECOND_FACTOR_REQUIRED` names as `methods`. A factor that is missing does not compile. */
export const LOGIN_METHODS = ["passkey", "totp", "emailOtp", "recoveryCode"] as const;
export type LoginMethod = (typeof LOGIN_METHODS)[number];
