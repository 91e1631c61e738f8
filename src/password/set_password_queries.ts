import type { Statement } from "../db/statement.ts";
import {
  CHANGED_USER,
  END_EARLIER_PROOFS,
  endAllSessions,
  endOtherSessions,
  mailChangedUser,
  READ_RESULT,
} from "../identity/security_queries.ts";
import { updateUser } from "../identity/user_queries.ts";

const STORE_PASSWORD: Statement = updateUser({ passwordHash: ":passwordHash" }, `id = ${CHANGED_USER}`);

/** The effects of a reset: all sessions end. */
export const RESET_PASSWORD: readonly Statement[] = [
  STORE_PASSWORD,
  ...END_EARLIER_PROOFS,
  endAllSessions("password_reset"),
  mailChangedUser("password_set"),
  READ_RESULT,
];

/** The effects of a change: the acting session continues, all others end. */
export const CHANGE_PASSWORD: readonly Statement[] = [
  STORE_PASSWORD,
  ...END_EARLIER_PROOFS,
  endOtherSessions("password_changed"),
  mailChangedUser("password_set"),
  READ_RESULT,
];
