import { userAccount } from "../../db/schema/identity.ts";
import { placeholdersOf, sql, text } from "../../db/sql.ts";
import type { Statement } from "../../db/statement.ts";
import { rememberAddress } from "../../identity/known_address_queries.ts";
import {
  CHANGED_USER,
  END_EARLIER_PROOFS,
  endAllSessions,
  endOtherSessions,
  mailChangedUser,
  READ_RESULT,
  whenResult,
} from "../../identity/security_queries.ts";
import { updateUser } from "../../identity/user_queries.ts";
import { THROTTLE_SCOPES } from "../../throttle/limits.ts";
import { forgetCounters } from "../../throttle/throttle_queries.ts";

const { passwordHash, pairKey } = placeholdersOf({ passwordHash: text, pairKey: text });

const STORE_PASSWORD = updateUser(
  { opId: text, passwordHash: text },
  { passwordHash },
  sql`${userAccount.id} = ${CHANGED_USER}`,
);

/**
 * The effects of a reset. All sessions end; the client's address becomes known and its guess schedule starts anew, so
 * that the user can sign in from there at once, regardless of earlier guesses.
 */
export const RESET_PASSWORD: readonly Statement[] = [
  STORE_PASSWORD,
  rememberAddress({ opId: text }, CHANGED_USER, sql`WHERE ${whenResult("ok")}`),
  forgetCounters(
    { opId: text, pairKey: text },
    [{ scope: THROTTLE_SCOPES.password, key: pairKey }],
    whenResult("ok"),
  ),
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
