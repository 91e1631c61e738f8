import { defineStatement, probing, type Statement } from "../db/statement.ts";

/**
 * The client addresses that an account knows: from these somebody signed in to it, or set its password by mail. What
 * strangers use up does not affect them, so an outsider cannot lock a user out. Parameters: `:addressBucket`, the
 * client's address as `addressBucket` returns it, and `:now`.
 */

/** SQL: the account of the address `:email` knows the client. False if there is no account. */
export const ADDRESS_IS_KNOWN = `EXISTS (SELECT 1 FROM user_account CROSS JOIN known_address
  ON known_address.user_id = user_account.id
  WHERE user_account.email = :email AND known_address.address = :addressBucket)`;

/** The user of the address `:email`, if the account knows the client. */
export const FIND_USER_WHO_KNOWS = probing(defineStatement(`
  SELECT user_account.id AS userId FROM user_account CROSS JOIN known_address
  ON known_address.user_id = user_account.id
  WHERE user_account.email = :email AND known_address.address = :addressBucket`));

/** Remembers the client for the user that `source` selects; `source` is SQL: `FROM … WHERE …`, one row or none. */
export function rememberAddress(user: string, source: string): Statement {
  return defineStatement(`
    INSERT INTO known_address (user_id, address, last_sign_in_at) SELECT ${user}, :addressBucket, :now ${source}
    ON CONFLICT (user_id, address) DO UPDATE SET last_sign_in_at = :now`);
}
