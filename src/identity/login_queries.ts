import { SECOND_MS } from "../core/clock.ts";
import { and, compile, eq, insertFrom, select, update } from "../db/builder.ts";
import {
  partialLogin,
  recoveryCode,
  secondFactor,
  securityEvent,
  userAccount,
} from "../db/schema/identity.ts";
import {
  assigned,
  define,
  inserted,
  int,
  nullable,
  placeholdersOf,
  row,
  rowsOf,
  sql,
  text,
} from "../db/sql.ts";
import type { Statement } from "../db/statement.ts";
import {
  CLIENT_ACCOUNTS_PER_HOUR,
  CLIENT_FAILURES_PER_HOUR,
  DAY_SECONDS,
  HOUR_SECONDS,
  STRANGER_FAILURES_CROWDED,
  STRANGER_FAILURES_OVERALL,
  STRANGER_FAILURES_PER_DAY,
  THROTTLE_SCOPES,
} from "../throttle/limits.ts";
import {
  type Counter,
  counterValue,
  countGuess,
  countInNetworks,
  type CrowdedBudget,
  forgetCounters,
  type NetworkBudget,
  networksFreeAt,
  nextGuessAt,
  takeBackInNetworks,
  takeBackWithWait,
} from "../throttle/throttle_queries.ts";
import { ADDRESS_IS_KNOWN, rememberAddress } from "./known_address_queries.ts";
import { PARTIAL_LOGINS_PER_USER } from "./lifetimes.ts";
import { PARTIAL_TOKEN_TTL_SECONDS } from "./token/partial_token.ts";
import { ABANDON_ATTEMPT, hasActiveFactor, whenResult } from "./security_queries.ts";
import { SHOWN } from "./session_proof.ts";
import { endSurplusSessions, openSession } from "./session_queries.ts";

/** The submitted email address, and the keys of its counters. */
const ATTEMPT = { email: text, addressBucket: text, pairKey: text, accountKey: text, networks: text };
const { email, pairKey, accountKey } = placeholdersOf(ATTEMPT);
const OPERATION = { opId: text, now: int };
const { opId, now } = placeholdersOf(OPERATION);
const { userId, sessionId, client, known } = placeholdersOf({
  userId: int,
  sessionId: text,
  client: text,
  known: int,
});

/** Wrong passwords for the account from this client, on the guess schedule. */
const OF_PAIR: Counter = { scope: THROTTLE_SCOPES.password, key: pairKey };
const PAIR_WAITS_UNTIL = nextGuessAt(OF_PAIR);
const PAIR_FAILURES = counterValue(OF_PAIR, "count");

/** Only strangers are counted here, and wait. */
const FAILURES: NetworkBudget = {
  scope: THROTTLE_SCOPES.passwordOfNetwork,
  windowSeconds: HOUR_SECONDS,
  most: CLIENT_FAILURES_PER_HOUR,
};
/** Counts an account as long as its pair has failures. */
const ACCOUNTS: NetworkBudget = {
  scope: THROTTLE_SCOPES.passwordAccountsOfNetwork,
  windowSeconds: HOUR_SECONDS,
  most: CLIENT_ACCOUNTS_PER_HOUR,
};
const OF_ACCOUNT: CrowdedBudget = {
  scope: THROTTLE_SCOPES.passwordOfStrangers,
  subject: accountKey,
  windowSeconds: DAY_SECONDS,
  most: STRANGER_FAILURES_PER_DAY,
  crowded: STRANGER_FAILURES_CROWDED,
  overall: STRANGER_FAILURES_OVERALL,
};
const STRANGERS_WAIT_UNTIL = networksFreeAt([FAILURES, ACCOUNTS, OF_ACCOUNT]);

const STARTED = whenResult("started");
const SUCCEEDED = whenResult("ok");
const HALFWAY = whenResult("second_factor");
const RIGHT = whenResult("ok", "second_factor");

/** The attempt counts as a stranger's. */
const BY_STRANGER = sql`${STARTED} AND NOT ${ADDRESS_IS_KNOWN}`;
/**
 * The attempt was counted as a stranger's. `known` is from its `AttemptRow`, because the address may have become
 * known since.
 */
const AS_STRANGER = sql`${known} = 0`;

/** Records an attempt, unless a throttle waits. Then nothing is written or hashed, so a flood leaves no rows. */
const RECORD_ATTEMPT = define({ ...ATTEMPT, ...OPERATION, address: text }, ({ address }) => {
  const { names, values } = inserted(securityEvent, {
    opId,
    at: now,
    event: sql`'login'`,
    result: sql`'started'`,
    userId: sql`(SELECT ${userAccount.id} FROM ${userAccount} WHERE ${userAccount.email} = ${email})`,
    address,
  });
  return sql`
  INSERT INTO ${securityEvent} (${names})
  SELECT ${values}
  WHERE ${PAIR_WAITS_UNTIL} <= ${now} AND (${ADDRESS_IS_KNOWN} OR ${STRANGERS_WAIT_UNTIL} <= ${now})`;
});

/** Reads the account to compare with if the attempt was recorded, and the end of the longest wait. */
const READ_ATTEMPT = define({ ...ATTEMPT, ...OPERATION }, () =>
  sql`
  SELECT ${STARTED} AS started, ${userAccount.id} AS userId, ${userAccount.passwordHash} AS passwordHash,
    ${ADDRESS_IS_KNOWN} AS known,
    max(${PAIR_WAITS_UNTIL}, iif(${ADDRESS_IS_KNOWN}, 0, ${STRANGERS_WAIT_UNTIL})) AS nextAt
  FROM (SELECT 1) LEFT JOIN ${userAccount} ON ${userAccount.email} = ${email}`);

/** The arguments of `BY_STRANGER`. */
const BY_ADDRESS = { opId: text, email: text, addressBucket: text };

/**
 * Records an attempt as failed, before its password is checked, so that concurrent attempts cannot exceed the
 * schedule. Returns an `AttemptRow`.
 */
export const BEGIN_LOGIN: readonly Statement[] = [
  RECORD_ATTEMPT,
  countGuess({ opId: text, pairKey: text }, OF_PAIR, STARTED),
  countInNetworks(BY_ADDRESS, FAILURES, BY_STRANGER),
  countInNetworks({ ...BY_ADDRESS, pairKey: text }, ACCOUNTS, sql`${BY_STRANGER} AND ${PAIR_FAILURES} = 1`),
  countInNetworks({ ...BY_ADDRESS, accountKey: text }, OF_ACCOUNT, BY_STRANGER),
  READ_ATTEMPT,
];

/** The arguments of `AS_STRANGER` with a result, and of the other counters. */
const AS_COUNTED = { opId: text, known: int };
const AS_COUNTED_OF_PAIR = { ...AS_COUNTED, pairKey: text, now: int };
const AS_COUNTED_OF_ACCOUNT = { ...AS_COUNTED, accountKey: text };

/**
 * Takes back an attempt whose password could not be checked. Clearing its wait is correct: no throttle waited when it
 * began, and its own wait kept others from beginning.
 */
export const ABANDON_LOGIN: readonly Statement[] = [
  takeBackInNetworks(
    AS_COUNTED_OF_PAIR,
    ACCOUNTS,
    sql`${STARTED} AND ${AS_STRANGER} AND ${PAIR_FAILURES} = 1`,
  ),
  takeBackInNetworks(AS_COUNTED, FAILURES, sql`${STARTED} AND ${AS_STRANGER}`),
  takeBackInNetworks(AS_COUNTED_OF_ACCOUNT, OF_ACCOUNT, sql`${STARTED} AND ${AS_STRANGER}`),
  takeBackWithWait({ opId: text, pairKey: text }, [OF_PAIR], STARTED),
  ...ABANDON_ATTEMPT,
];

const { offered, unused } = rowsOf({ offered: secondFactor, unused: recoveryCode });
/**
 * JSON list of the methods that can complete the login of `userId`: the kinds of active factors, and recovery codes
 * while some are unused.
 */
const METHODS = sql`(SELECT json_group_array(${offered.kind}) FROM ${offered}
    WHERE ${offered.userId} = ${userId} AND ${offered.activatedAt} IS NOT NULL
      AND (${offered.kind} <> 'recovery_code' OR EXISTS (SELECT 1 FROM ${unused}
        WHERE ${unused.userId} = ${userId} AND ${unused.usedAt} IS NULL)))`;

/** Decides the attempt. */
const JUDGE_LOGIN = compile(
  { opId: text, sessionId: text, userId: int, comparedHash: text },
  ({ comparedHash }) => {
    const isOutdated = sql`NOT EXISTS (SELECT 1 FROM ${userAccount}
        WHERE ${userAccount.id} = ${userId} AND ${userAccount.passwordHash} = ${comparedHash})`;
    const result = sql`CASE
      WHEN ${isOutdated} THEN 'outdated'
      WHEN ${hasActiveFactor(userId)} THEN 'second_factor' ELSE 'ok' END`;
    return update(securityEvent, { sessionId, actorId: securityEvent.userId, result })
      .where(and(eq(securityEvent.opId, opId), eq(securityEvent.result, "started")));
  },
);

const OPEN_PARTIAL_LOGIN = compile(
  { ...OPERATION, sessionId: text, userId: int, client: text, known: int },
  () => {
    const opened = select({
      id: sessionId,
      userId: userAccount.id,
      authenticatedAt: now,
      securityVersion: userAccount.securityVersion,
      expiresAt: sql<number>`${now} + ${PARTIAL_TOKEN_TTL_SECONDS * SECOND_MS}`,
      client,
      fromKnownAddress: known,
    }).from(userAccount).where(and(eq(userAccount.id, userId), HALFWAY));
    return insertFrom(partialLogin, opened);
  },
);

/**
 * Ends surplus partial logins. Those from known addresses end last, so that a stranger with only the password cannot
 * end them. The index is named because SQLite would choose the one over all sign-ins of a day.
 */
const END_SURPLUS_PARTIAL_LOGINS = define({ ...OPERATION, sessionId: text, userId: int }, () => {
  const other = row(partialLogin, "other");
  return sql`
    UPDATE ${partialLogin} SET ${assigned(partialLogin, { endedAt: now })}
    WHERE ${HALFWAY} AND ${partialLogin.id} IN (
      SELECT ${other.id} FROM ${other} INDEXED BY partial_login_open_of_user
      WHERE ${other.userId} = ${userId} AND ${other.endedAt} IS NULL AND ${other.id} <> ${sessionId}
      ORDER BY ${other.expiresAt} > ${now} DESC, ${other.fromKnownAddress} DESC, ${other.authenticatedAt} DESC
      LIMIT -1 OFFSET ${PARTIAL_LOGINS_PER_USER - 1})`;
});

const OPEN_SESSION = openSession({ opId: text, sessionId: text, userId: int, client: text }, {
  id: sessionId,
  user: userId,
  authenticatedAt: now,
  assuranceLevel: 1,
  proven: { methods: SHOWN.password, meets: 0 },
  client,
  source: sql`WHERE ${SUCCEEDED}`,
});

/** Replaces the stored hash if `freshHash` is not null. */
const REHASH = compile({ opId: text, userId: int, freshHash: nullable(text) }, ({ freshHash }) => {
  const passwordHash = sql<string>`coalesce(${freshHash}, ${userAccount.passwordHash})`;
  return update(userAccount, { passwordHash }).where(and(eq(userAccount.id, userId), RIGHT));
});

/**
 * Completes a login with a right password, if the stored hash is still the compared one, and takes the count back.
 * Without a second factor, opens the session and remembers the address; with one, opens a partial login. The last row
 * has `result` and `methods`.
 */
export const COMPLETE_LOGIN: readonly Statement[] = [
  JUDGE_LOGIN,
  OPEN_PARTIAL_LOGIN,
  END_SURPLUS_PARTIAL_LOGINS,
  OPEN_SESSION,
  endSurplusSessions({ sessionId: text, userId: int }, { id: sessionId, user: userId, condition: SUCCEEDED }),
  REHASH,
  takeBackInNetworks(AS_COUNTED_OF_PAIR, ACCOUNTS, sql`${RIGHT} AND ${AS_STRANGER} AND ${PAIR_FAILURES} > 0`),
  takeBackInNetworks(AS_COUNTED, FAILURES, sql`${RIGHT} AND ${AS_STRANGER}`),
  takeBackInNetworks(AS_COUNTED_OF_ACCOUNT, OF_ACCOUNT, sql`${RIGHT} AND ${AS_STRANGER}`),
  forgetCounters({ opId: text, pairKey: text }, [OF_PAIR], RIGHT),
  rememberAddress({ opId: text, userId: int }, userId, sql`WHERE ${SUCCEEDED}`),
  compile({ opId: text, userId: int }, () =>
    select({ result: securityEvent.result, methods: METHODS })
      .from(securityEvent).where(eq(securityEvent.opId, opId))),
];
