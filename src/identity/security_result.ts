/** What the security log says of an operation: done, under way, or why not. Nothing else is ever logged. */
export type SecurityResult =
  | "ok"
  /** Recorded, and counted as if it had failed, until a second batch decides it. */
  | "started"
  | "abandoned"
  | "wrong"
  | "waiting"
  /** What was compared has been replaced meanwhile. */
  | "outdated"
  /** The token has become void meanwhile. */
  | "void"
  /** The session or sign-in has ended meanwhile. */
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
  /** An alarm: the session of a token that was used twice. */
  | "ended";

/** Why a session ended that its own tokens did not end. */
export type SessionEnd =
  | "password_reset"
  | "password_changed"
  | "email_transferred"
  | "transfer_undone"
  | "factor_deactivated"
  | "recovery_codes_reset"
  | "operator";
