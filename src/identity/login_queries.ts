import { defineStatement, type Statement } from "../db/statement.ts";
import { SECOND_MS } from "../core/clock.ts";
import { ADDRESS_FAILURES_PER_WINDOW, ADDRESS_WINDOW_SECONDS, THROTTLE_SCOPES } from "../throttle/limits.ts";
import {
  type Counter,
  counterValue,
  countGuess,
  countInWindow,
  countStranger,
  forgetCounters,
  takeBack,
  takeBackWithWait,
} from "../throttle/throttle_queries.ts";
import { REFRESH_IDLE_SECONDS, SESSION_SECONDS } from "./lifetimes.ts";
import { PARTIAL_TOKEN_TTL_SECONDS } from "./token/partial_token.ts";
import { closeAttempt, hasActiveFactor, whenResult } from "./security_queries.ts";

const PAIR = THROTTLE_SCOPES.password;
const ADDRESS = THROTTLE_SCOPES.passwordOfAddress;
const STRANGERS = THROTTLE_SCOPES.passwordOfStrangers;

const STARTED = whenResult("started");
const SUCCEEDED = whenResult("ok");
const HALFWAY = whenResult("second_factor");
const RIGHT = whenResult("ok", "second_factor");

const ADDRESS_FAILURES = counterValue(ADDRESS, ":addressBucket", "count");
const ADDRESS_IS_FULL = `${ADDRESS_FAILURES} >= ${ADDRESS_FAILURES_PER_WINDOW}`;
const ADDRESS_IS_KNOWN = `EXISTS (SELECT 1 FROM user_account CROSS JOIN known_address
  ON known_address.user_id = user_account.id
  WHERE user_account.email = :email AND known_address.address = :addressBucket)`;

/** SQL: the end of the wait for logins from addresses unknown to the account. */
const STRANGERS_WAIT_UNTIL = counterValue(STRANGERS, ":accountKey", "next_at");

const OF_PAIR: Counter = { scope: PAIR, key: ":pairKey" };
const OF_ADDRESS: Counter = { scope: ADDRESS, key: ":addressBucket" };
const OF_STRANGERS: Counter = {
  scope: STRANGERS,
  key: ":accountKey",
  condition: `NOT ${ADDRESS_IS_KNOWN}`,
};

/** While any throttle waits, nothing is written or hashed, so that a flood of attempts leaves no rows. */
const RECORD_ATTEMPT: Statement = defineStatement(`
  INSERT INTO security_event (op_id, at, event, result, user_id, address)
  SELECT :opId, :now, 'login', 'started', (SELECT id FROM user_account WHERE email = :email), :address
  WHERE ${counterValue(PAIR, ":pairKey", "next_at")} <= :now AND NOT (${ADDRESS_IS_FULL})
    AND (${STRANGERS_WAIT_UNTIL} <= :now OR ${ADDRESS_IS_KNOWN})`);

/** The account to compare with if the attempt was recorded, or else the end of the longest wait. */
const READ_ATTEMPT: Statement = defineStatement(`
  SELECT ${STARTED} AS started, user_account.id AS userId, user_account.password_hash AS passwordHash,
    max(${counterValue(PAIR, ":pairKey", "next_at")},
      CASE WHEN ${ADDRESS_IS_FULL} THEN ${counterValue(ADDRESS, ":addressBucket", "expires_at")} ELSE 0 END,
      CASE WHEN ${ADDRESS_IS_KNOWN} THEN 0 ELSE ${STRANGERS_WAIT_UNTIL} END) AS nextAt
  FROM (SELECT 1) LEFT JOIN user_account ON user_account.email = :email`);

/**
 * Records an attempt before its password is checked, as if it had failed, so that concurrent attempts cannot
 * exceed the schedule. Returns an `AttemptRow`.
 */
export const BEGIN_LOGIN: readonly Statement[] = [
  RECORD_ATTEMPT,
  countGuess(PAIR, ":pairKey", STARTED),
  countInWindow(ADDRESS, ":addressBucket", ADDRESS_WINDOW_SECONDS, STARTED),
  countStranger(":accountKey", `${STARTED} AND NOT ${ADDRESS_IS_KNOWN}`),
  READ_ATTEMPT,
];

/** The password was wrong: the counters stay as they are. */
export const FAIL_LOGIN: Statement = closeAttempt("wrong");

/**
 * The password could not be checked, so the attempt does not count. It began when no throttle was waiting, and
 * its own wait kept others from beginning, so clearing the waits is correct.
 */
export const ABANDON_LOGIN: readonly Statement[] = [
  takeBackWithWait([OF_PAIR, OF_ADDRESS, OF_STRANGERS], STARTED),
  closeAttempt("abandoned"),
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
    INSERT INTO partial_login (id, user_id, authenticated_at, security_version, expires_at, client)
    SELECT :sessionId, id, :now, security_version, :now + ${PARTIAL_TOKEN_TTL_SECONDS * SECOND_MS}, :client
    FROM user_account WHERE id = :userId AND ${HALFWAY}`),
  defineStatement(`
    INSERT INTO session (id, user_id, family_hash, created_at, authenticated_at, idle_until, expires_at, last_token_at,
      client)
    SELECT :sessionId, :userId, :familyHash, :now, :now, :now + ${REFRESH_IDLE_SECONDS * SECOND_MS},
      :now + ${SESSION_SECONDS * SECOND_MS}, :now, :client WHERE ${SUCCEEDED}`),
  defineStatement(`
    UPDATE user_account SET password_hash = coalesce(:freshHash, password_hash) WHERE id = :userId AND ${RIGHT}`),
  forgetCounters([OF_PAIR, OF_STRANGERS], RIGHT),
  takeBack([OF_ADDRESS], RIGHT),
  defineStatement(`
    INSERT INTO known_address (user_id, address, last_sign_in_at) SELECT :userId, :addressBucket, :now WHERE ${SUCCEEDED}
    ON CONFLICT (user_id, address) DO UPDATE SET last_sign_in_at = :now`),
  defineStatement(`SELECT result, ${METHODS} AS methods FROM security_event WHERE op_id = :opId`),
];
