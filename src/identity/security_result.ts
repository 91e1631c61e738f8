/** The result of an operation in the security log. No other values are logged. */
export type SecurityResult =
  | "ok"
  /** Recorded, and counted as a failure, until a second batch decides it. */
  | "started"
  | "abandoned"
  | "wrong"
  | "waiting"
  /** The compared secret was replaced meanwhile. */
  | "outdated"
  /** The token became void meanwhile. */
  | "void"
  /** The session or login ended meanwhile. */
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
  | "too_soon"
  | "too_many"
  | "transferred"
  | "root_without_member"
  | "has_password"
  | "no_role"
  | "denied"
  /** A session that was ended because its refresh token was reused. */
  | "ended";

/** Why a session ended, other than by its own tokens. */
export type SessionEnd =
  | "password_reset"
  | "password_changed"
  | "email_transferred"
  | "transfer_undone"
  | "factor_deactivated"
  | "recovery_codes_reset"
  | "operator";
