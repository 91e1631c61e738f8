/** The result of an operation in the security log. No other values are logged. */
export type SecurityResult =
  | "ok"
  /** Recorded and counted as a failure, until a second batch decides. */
  | "started"
  | "abandoned"
  | "wrong"
  /** The stored hash of the password cannot be compared, so that every password is wrong. */
  | "unreadable"
  /** The passkey's counter did not increase, so there may be a copy of it. */
  | "copied"
  | "waiting"
  /** The compared secret has been replaced. */
  | "outdated"
  /** The token has become void. */
  | "void"
  /** The session or login has ended. */
  | "over"
  | "proof_required"
  | "second_factor"
  | "activation"
  | "uninitialized"
  | "inactive"
  | "disabled"
  | "needs_codes"
  | "no_code"
  | "in_use"
  | "unknown"
  | "unconfirmed"
  | "too_soon"
  | "too_many"
  | "transferred"
  | "root_without_member"
  | "has_password"
  | "no_role"
  | "denied"
  /** A session ended because its refresh token was reused. */
  | "ended";

/** Why a session ended, unless its own tokens ended it. */
export type SessionEnd =
  | "password_reset"
  | "password_changed"
  | "email_transferred"
  | "transfer_undone"
  | "factor_deactivated"
  | "recovery_codes_reset"
  | "operator";
