import { defineStatement, type Statement } from "../db/statement.ts";

/** Writes to `user_account`, for the batches of every area. Values and conditions are SQL expressions. */

/**
 * Creates an account for `:email` for each row of `source`. An existing account stays as it is. Parameter:
 * `:now`.
 */
export function insertUser({ language, source }: { language: string; source: string }): Statement {
  return defineStatement(`
    INSERT INTO user_account (email, language, created_at) SELECT :email, ${language}, :now ${source}
    ON CONFLICT (email) DO NOTHING`);
}

export interface UserChange {
  readonly email?: string;
  readonly language?: string;
  /** Also sets the time of the password's last change to `:now`. */
  readonly passwordHash?: string;
}

/** Changes the accounts that meet the condition. `returning`: the columns to return. */
export function updateUser(change: UserChange, condition: string, returning?: string): Statement {
  const { email, language, passwordHash } = change;
  const changes = [
    ...(email === undefined ? [] : [`email = ${email}`]),
    ...(language === undefined ? [] : [`language = ${language}`]),
    ...(passwordHash === undefined ? [] : [`password_hash = ${passwordHash}`, "password_changed_at = :now"]),
  ];
  return defineStatement(`UPDATE user_account SET ${changes.join(", ")}
    WHERE ${condition} ${returning === undefined ? "" : `RETURNING ${returning}`}`);
}
