import type { Statement } from "../db/statement.ts";
import {
  CHANGED_USER,
  mailChangedUser,
  rememberAddress,
  updateUser,
  whenResult,
} from "../identity/identity_text.ts";
import {
  END_EARLIER_PROOFS,
  endAllSessions,
  endOtherSessions,
  READ_RESULT,
} from "../identity/security_queries.ts";
import { THROTTLE_SCOPES } from "../throttle/limits.ts";
import { forgetCounters } from "../throttle/throttle_text.ts";

const STORE_PASSWORD: Statement = updateUser({ passwordHash: ":passwordHash" }, `id = ${CHANGED_USER}`);

/**
 * The effects of a reset: all sessions end. The client's address becomes known and starts the guess schedule anew, so
 * that the user can sign in from there at once, whatever strangers or they themselves have used up. Parameters:
 * `:pairKey`, `:addressBucket`.
 */
export const RESET_PASSWORD: readonly Statement[] = [
  STORE_PASSWORD,
  rememberAddress(CHANGED_USER, `WHERE ${whenResult("ok")}`),
  forgetCounters([{ scope: THROTTLE_SCOPES.password, key: ":pairKey" }], whenResult("ok")),
  ...END_EARLIER_PROOFS,
  endAllSessions("password_reset"),
  mailChangedUser("password_set"),
];

/** The effects of a change: the acting session continues, all others end. */
export const CHANGE_PASSWORD: readonly Statement[] = [
  STORE_PASSWORD,
  ...END_EARLIER_PROOFS,
  endOtherSessions("password_changed"),
  mailChangedUser("password_set"),
  READ_RESULT,
];
