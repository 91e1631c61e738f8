import { session, userAccount } from "../db/schema/identity.ts";
import {
  assigned,
  bare,
  type Declared,
  define,
  inserted,
  int,
  placeholdersOf,
  row,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";

/** Writes to `user_account`, for the batches of all areas. `declared`: the arguments of their parts. */

const { email, now } = placeholdersOf({ email: text, now: int });

export interface NewUser {
  readonly language: Value;
  /** `FROM … WHERE …`. */
  readonly source: SQL;
}

/** Creates an account for `email` per row of `source`. An existing account stays unchanged. */
export function insertUser(declared: Declared, { language, source }: NewUser): Statement {
  const { names, values } = inserted(userAccount, { email, language, createdAt: now });
  return define({ ...declared, email: text, now: int }, () =>
    sql`
    INSERT INTO ${userAccount} (${names}) SELECT ${values} ${source}
    ON CONFLICT (${bare(userAccount.email)}) DO NOTHING`);
}

export interface UserChange {
  readonly email?: Value;
  readonly language?: Value;
  readonly name?: Value;
  /** Also sets the time of the password's last change to `now`. */
  readonly passwordHash?: Value;
}

/** Changes the accounts that meet the condition. `returning`: the columns to return. */
export function updateUser(
  declared: Declared,
  change: UserChange,
  condition: SQL,
  returning?: SQL,
): Statement {
  const setsPassword = change.passwordHash !== undefined;
  const changes = assigned(userAccount, { ...change, ...(setsPassword && { passwordChangedAt: now }) });
  return define(
    { ...declared, ...(setsPassword && { now: int }) },
    () =>
      sql`UPDATE ${userAccount} SET ${changes}
    WHERE ${condition} ${returning === undefined ? sql`` : sql`RETURNING ${returning}`}`,
  );
}

/** Whether the account was never opened: it never had a password or a factor, and no session. */
export function neverOpened(
  { id, passwordHash, passwordChangedAt, securityVersion }: typeof userAccount,
): SQL {
  const begun = row(session, "begun");
  return sql`(${passwordHash} IS NULL AND ${passwordChangedAt} IS NULL AND ${securityVersion} = 0
  AND NOT EXISTS (SELECT 1 FROM ${begun} WHERE ${begun.userId} = ${id}))`;
}
