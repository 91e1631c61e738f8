import { defineStatement, type Statement } from "../db/statement.ts";
import { SECOND_MS } from "../core/clock.ts";
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
  takeBackInNetworks,
  takeBackWithWait,
} from "../throttle/throttle_text.ts";
import {
  ADDRESS_IS_KNOWN,
  endSurplusSessions,
  hasActiveFactor,
  rememberAddress,
  whenResult,
} from "./identity_text.ts";
import { PARTIAL_LOGINS_PER_USER, REFRESH_IDLE_SECONDS, SESSION_SECONDS } from "./lifetimes.ts";
import { PARTIAL_TOKEN_TTL_SECONDS } from "./token/partial_token.ts";
import { ABANDON_ATTEMPT, FAIL_ATTEMPT } from "./security_queries.ts";

/** Wrong passwords of the account from this client, on the guess schedule. */
const PAIR = THROTTLE_SCOPES.password;
const OF_PAIR: Counter = { scope: PAIR, key: ":pairKey" };
const PAIR_WAITS_UNTIL = counterValue(PAIR, ":pairKey", "next_at");
const PAIR_FAILURES = counterValue(PAIR, ":pairKey", "count");

/** Only strangers are counted in these, and wait for them. */
const FAILURES: NetworkBudget = {
  scope: THROTTLE_SCOPES.passwordOfNetwork,
  windowSeconds: HOUR_SECONDS,
  most: CLIENT_FAILURES_PER_HOUR,
};
/** An account is counted while the failures of its pair are. */
const ACCOUNTS: NetworkBudget = {
  scope: THROTTLE_SCOPES.passwordAccountsOfNetwork,
  windowSeconds: HOUR_SECONDS,
  most: CLIENT_ACCOUNTS_PER_HOUR,
};
const OF_ACCOUNT: CrowdedBudget = {
  scope: THROTTLE_SCOPES.passwordOfStrangers,
  subject: ":accountKey",
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

/** SQL: the attempt was counted as a stranger's. `:known` is from its `AttemptRow`: the address may be known by now. */
const AS_STRANGER = ":known = 0";

/** While any throttle waits, nothing is written or hashed, so that a flood of attempts leaves no rows. */
const RECORD_ATTEMPT: Statement = defineStatement(`
  INSERT INTO security_event (op_id, at, event, result, user_id, address)
  SELECT :opId, :now, 'login', 'started', (SELECT id FROM user_account WHERE email = :email), :address
  WHERE ${PAIR_WAITS_UNTIL} <= :now AND (${ADDRESS_IS_KNOWN} OR ${STRANGERS_WAIT_UNTIL} <= :now)`);

/** The account to compare with if the attempt was recorded, or else the end of the longest wait. */
const READ_ATTEMPT: Statement = defineStatement(`
  SELECT ${STARTED} AS started, user_account.id AS userId, user_account.password_hash AS passwordHash,
    ${ADDRESS_IS_KNOWN} AS known,
    max(${PAIR_WAITS_UNTIL}, iif(${ADDRESS_IS_KNOWN}, 0, ${STRANGERS_WAIT_UNTIL})) AS nextAt
  FROM (SELECT 1) LEFT JOIN user_account ON user_account.email = :email`);

/**
 * Records an attempt before its password is checked, as if it had failed, so that concurrent attempts cannot
 * exceed the schedule. Returns an `AttemptRow`.
 */
export const BEGIN_LOGIN: readonly Statement[] = [
  RECORD_ATTEMPT,
  countGuess(PAIR, ":pairKey", STARTED),
  countInNetworks(FAILURES, `${STARTED} AND NOT ${ADDRESS_IS_KNOWN}`),
  countInNetworks(ACCOUNTS, `${STARTED} AND NOT ${ADDRESS_IS_KNOWN} AND ${PAIR_FAILURES} = 1`),
  countInNetworks(OF_ACCOUNT, `${STARTED} AND NOT ${ADDRESS_IS_KNOWN}`),
  READ_ATTEMPT,
];

/** The password was wrong: the counters stay as they are. */
export const FAIL_LOGIN: Statement = FAIL_ATTEMPT;

/**
 * The password could not be checked, so the attempt does not count. It began when no throttle was waiting, and
 * its own wait kept others from beginning, so clearing the wait is correct.
 */
export const ABANDON_LOGIN: readonly Statement[] = [
  takeBackInNetworks(ACCOUNTS, `${STARTED} AND ${AS_STRANGER} AND ${PAIR_FAILURES} = 1`),
  takeBackInNetworks(FAILURES, `${STARTED} AND ${AS_STRANGER}`),
  takeBackInNetworks(OF_ACCOUNT, `${STARTED} AND ${AS_STRANGER}`),
  takeBackWithWait([OF_PAIR], STARTED),
  ...ABANDON_ATTEMPT,
];

/**
 * SQL: JSON list of the methods that can complete the login of `:userId`: the kinds of the active factors,
 * recovery codes only while some are left.
 */
const METHODS = `(SELECT json_group_array(offered.kind) FROM second_factor offered
  WHERE offered.user_id = :userId AND offered.activated_at IS NOT NULL AND (offered.kind <> 'recovery_code'
    OR EXISTS (SELECT 1 FROM recovery_code left_code WHERE left_code.user_id = :userId AND left_code.used_at IS NULL)))`;

/**
 * The password was right, which only holds if the stored hash is still the one that was compared. Takes the
 * attempt back. Without a second factor, opens the session and remembers the address; with one, leaves a login
 * to be completed instead. The last row has `result` and `methods`.
 */
export const COMPLETE_LOGIN: readonly Statement[] = [
  defineStatement(`
    UPDATE security_event SET session_id = :sessionId, actor_id = user_id, result = CASE
      WHEN NOT EXISTS (SELECT 1 FROM user_account WHERE id = :userId AND password_hash = :comparedHash) THEN 'outdated'
      WHEN ${hasActiveFactor(":userId")} THEN 'second_factor' ELSE 'ok' END
    WHERE op_id = :opId AND result = 'started'`),
  defineStatement(`
    INSERT INTO partial_login (id, user_id, authenticated_at, security_version, expires_at, client, from_known_address)
    SELECT :sessionId, id, :now, security_version, :now + ${PARTIAL_TOKEN_TTL_SECONDS * SECOND_MS}, :client,
      :known
    FROM user_account WHERE id = :userId AND ${HALFWAY}`),
  // A stranger who knows only the password cannot end sign-ins from addresses known to the account. The index is named
  // because SQLite would choose the one over all sign-ins of a day, of which an account has any number.
  defineStatement(`
    UPDATE partial_login SET ended_at = :now
    WHERE ${HALFWAY} AND id IN (
      SELECT other.id FROM partial_login other INDEXED BY partial_login_open_of_user
      WHERE other.user_id = :userId AND other.ended_at IS NULL AND other.id <> :sessionId
      ORDER BY other.expires_at > :now DESC, other.from_known_address DESC, other.authenticated_at DESC
      LIMIT -1 OFFSET ${PARTIAL_LOGINS_PER_USER - 1})`),
  defineStatement(`
    INSERT INTO session (id, user_id, family_hash, created_at, authenticated_at, idle_until, expires_at, last_token_at,
      client)
    SELECT :sessionId, :userId, :familyHash, :now, :now, :now + ${REFRESH_IDLE_SECONDS * SECOND_MS},
      :now + ${SESSION_SECONDS * SECOND_MS}, :now, :client WHERE ${SUCCEEDED}`),
  endSurplusSessions({ id: ":sessionId", user: ":userId", condition: SUCCEEDED }),
  defineStatement(`
    UPDATE user_account SET password_hash = coalesce(:freshHash, password_hash) WHERE id = :userId AND ${RIGHT}`),
  takeBackInNetworks(ACCOUNTS, `${RIGHT} AND ${AS_STRANGER} AND ${PAIR_FAILURES} > 0`),
  takeBackInNetworks(FAILURES, `${RIGHT} AND ${AS_STRANGER}`),
  takeBackInNetworks(OF_ACCOUNT, `${RIGHT} AND ${AS_STRANGER}`),
  forgetCounters([OF_PAIR], RIGHT),
  rememberAddress(":userId", `WHERE ${SUCCEEDED}`),
  defineStatement(`SELECT result, ${METHODS} AS methods FROM security_event WHERE op_id = :opId`),
];
