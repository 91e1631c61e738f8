import { and, compile, eq, exists, select } from "../db/builder.ts";
import { knownAddress, userAccount } from "../db/schema/identity.ts";
import {
  assigned,
  bare,
  type Declared,
  define,
  inserted,
  int,
  placeholdersOf,
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
/** Selects the user of `email`. No row unless the account knows the client. */
const OWNER_WHO_KNOWS = select({ userId: owner.id }).from(owner).crossJoin(known)
  .where(and(eq(known.userId, owner.id), eq(owner.email, email), eq(known.address, addressBucket)));

/** Whether the account of `email` knows the client. False if there is no account. */
export const ADDRESS_IS_KNOWN: SQL = exists(OWNER_WHO_KNOWS);

export const FIND_USER_WHO_KNOWS = probing(
  compile({ email: text, addressBucket: text }, () => OWNER_WHO_KNOWS),
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
