import { knownAddress, userAccount } from "../db/schema/identity.ts";
import {
  assigned,
  bare,
  type Declared,
  define,
  inserted,
  int,
  placeholdersOf,
  rows,
  rowsOf,
  type SQL,
  sql,
  text,
  type Value,
} from "../db/sql.ts";
import { probing, type Statement } from "../db/statement.ts";

/**
 * The client addresses known to an account, from which it was signed in to, or its password set by mail. Limits of
 * strangers do not apply to them, so an outsider cannot lock a user out. `addressBucket`: see the function of that
 * name.
 */

const { email, addressBucket, now } = placeholdersOf({ email: text, addressBucket: text, now: int });

const { owner, known } = rowsOf({ owner: userAccount, known: knownAddress });
/** The account of the address `email`, if it knows the client. */
const OWNER_WHO_KNOWS = sql`${owner} CROSS JOIN ${known} ON ${known.userId} = ${owner.id}
  WHERE ${owner.email} = ${email} AND ${known.address} = ${addressBucket}`;

/** The account of `email` knows the client. False without an account. */
export const ADDRESS_IS_KNOWN: SQL = sql`EXISTS (SELECT 1 FROM ${OWNER_WHO_KNOWS})`;

/** Reads the user of `email`, if the account knows the client. */
export const FIND_USER_WHO_KNOWS = probing(
  rows<{ readonly userId: number }>()(
    { email: text, addressBucket: text },
    () => sql`SELECT ${owner.id} AS userId FROM ${OWNER_WHO_KNOWS}`,
  ),
);

/** Remembers the client for the user selected by `source`: `FROM … WHERE …`, at most one row. */
export function rememberAddress(declared: Declared, user: Value, source: SQL): Statement {
  const { names, values } = inserted(knownAddress, {
    userId: user,
    address: addressBucket,
    lastSignInAt: now,
  });
  const { userId, address } = knownAddress;
  return define({ ...declared, addressBucket: text, now: int }, () =>
    sql`
    INSERT INTO ${knownAddress} (${names}) SELECT ${values} ${source}
    ON CONFLICT (${bare(userId, address)}) DO UPDATE SET ${assigned(knownAddress, { lastSignInAt: now })}`);
}
