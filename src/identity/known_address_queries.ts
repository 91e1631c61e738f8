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
 * The client addresses known to an account: those from which its user has signed in, or set the password by mail. The
 * limits for strangers do not apply to them, so an outsider cannot lock a user out. `addressBucket` is the result of
 * the function of that name.
 */

const { email, addressBucket, now } = placeholdersOf({ email: text, addressBucket: text, now: int });

const { owner, known } = rowsOf({ owner: userAccount, known: knownAddress });
/** The account of the address `email`, if it knows the client. */
const OWNER_WHO_KNOWS = sql`${owner} CROSS JOIN ${known} ON ${known.userId} = ${owner.id}
  WHERE ${owner.email} = ${email} AND ${known.address} = ${addressBucket}`;

/** Whether the account of `email` knows the client. False if there is no account. */
export const ADDRESS_IS_KNOWN: SQL = sql`EXISTS (SELECT 1 FROM ${OWNER_WHO_KNOWS})`;

/** Reads the user of `email`. No row unless the account knows the client. */
export const FIND_USER_WHO_KNOWS = probing(
  rows<{ readonly userId: number }>()(
    { email: text, addressBucket: text },
    () => sql`SELECT ${owner.id} AS userId FROM ${OWNER_WHO_KNOWS}`,
  ),
);

/** Records the client as known to the user selected by `source`: `FROM … WHERE …`, at most one row. */
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
