import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Logins, with a password and a second factor. */

export const SIGN_IN_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/identity/login_queries.ts", "tests/identity/throttle_test.ts", [
    {
      name: "a stranger's sign-in counts as one from a known address",
      find: ":client,\n      :known\n",
      replace: ":client,\n      1\n",
      by: "strangers get half of the day's mails",
      in: "tests/second_factor/email_otp_test.ts",
    },
    {
      name: "a login does not wait after wrong passwords",
      find: "WHERE ${PAIR_WAITS_UNTIL} <= :now AND (",
      replace: "WHERE (",
      by: "while waiting nothing is hashed and nothing written",
    },
    {
      name: "strangers fail any number of times",
      find: "(${ADDRESS_IS_KNOWN} OR ${STRANGERS_WAIT_UNTIL} <= :now)`);",
      replace: "true`);",
      by: "one address fails fifty times an hour over all accounts",
    },
    {
      name: "strangers lock the owner out",
      find: "(${ADDRESS_IS_KNOWN} OR ${STRANGERS_WAIT_UNTIL} <= :now)`);",
      replace: "${STRANGERS_WAIT_UNTIL} <= :now`);",
      by: "strangers fail at most a thousand times a day, and a reset by mail lets its client in",
      in: "tests/throttle/strangers_test.ts",
    },
    {
      name: "a client's accounts are counted at each failure",
      find: " AND ${PAIR_FAILURES} = 1`),\n  countInNetworks(OF_ACCOUNT",
      replace: "`),\n  countInNetworks(OF_ACCOUNT",
      by: "one address fails fifty times an hour over all accounts",
    },
    {
      name: "failures where the account is known count against others there",
      find: "  countInNetworks(FAILURES, `${STARTED} AND NOT ${ADDRESS_IS_KNOWN}`),",
      replace: "  countInNetworks(FAILURES, STARTED),",
      by: "failures of an account where it is known count against no other account there",
      in: "tests/throttle/strangers_test.ts",
    },
    {
      name: "a password that was replaced during the comparison logs in",
      find: "WHERE id = :userId AND password_hash = :comparedHash)",
      replace: "WHERE id = :userId AND :comparedHash IS NOT NULL)",
      by: "a password that changes while it is compared does not log in",
      in: "tests/identity/login_test.ts",
    },
    {
      name: "a password logs in without the active second factor",
      find: "WHEN ${hasActiveFactor(\":userId\")} THEN 'second_factor' ELSE 'ok' END",
      replace: "ELSE 'ok' END",
      by: "a right password alone opens no session once a factor is active",
      in: "tests/second_factor/second_factor_test.ts",
    },
    {
      name: "sign-ins that wait for a second factor end those of others",
      find: "WHERE other.user_id = :userId AND other.ended_at IS NULL AND other.id <> :sessionId",
      replace: "WHERE other.ended_at IS NULL AND other.id <> :sessionId",
      by: "of a user's sign-ins that wait for a second factor",
      in: "tests/second_factor/second_factor_test.ts",
    },
    {
      name: "whoever knows the password ends the sign-ins from known addresses",
      find: "other.expires_at > :now DESC, other.from_known_address DESC, other.authenticated_at DESC",
      replace: "other.expires_at > :now DESC, other.authenticated_at DESC",
      by: "of a user's sign-ins that wait for a second factor",
      in: "tests/second_factor/second_factor_test.ts",
    },
    {
      name: "expired sign-ins count more than others",
      find: "ORDER BY other.expires_at > :now DESC, other.from_known_address DESC",
      replace: "ORDER BY other.from_known_address DESC",
      by: "of a user's sign-ins that wait for a second factor",
      in: "tests/second_factor/second_factor_test.ts",
    },
    {
      name: "a login that waits for its second factor opens a session",
      find: ":now + ${SESSION_SECONDS * SECOND_MS}, :now, :client WHERE ${SUCCEEDED}`),",
      replace: ":now + ${SESSION_SECONDS * SECOND_MS}, :now, :client WHERE ${RIGHT}`),",
      by: "a right password alone opens no session once a factor is active",
      in: "tests/second_factor/second_factor_test.ts",
    },
    {
      name: "a password alone makes the address known although a second factor is active",
      find: 'rememberAddress(":userId", `WHERE ${SUCCEEDED}`)',
      replace: 'rememberAddress(":userId", `WHERE ${RIGHT}`)',
      by: "a right password alone opens no session once a factor is active",
      in: "tests/second_factor/second_factor_test.ts",
    },
    {
      name: "a login offers factors that are not active",
      find: "WHERE offered.user_id = :userId AND offered.activated_at IS NOT NULL AND (",
      replace: "WHERE offered.user_id = :userId AND (",
      by: "a factor that is only set up is not named",
      in: "tests/second_factor/second_factor_test.ts",
    },
    {
      name: "a login offers recovery codes that are used up",
      find: "WHERE left_code.user_id = :userId AND left_code.used_at IS NULL)))`;",
      replace: "WHERE left_code.user_id = :userId)))`;",
      by: "the methods named are those that can be used",
      in: "tests/second_factor/second_factor_test.ts",
    },
  ]),
  ...wrongIn("src/identity/known_address_queries.ts", "tests/throttle/strangers_test.ts", [
    {
      name: "the known address of one account is known to all accounts",
      find: "WHERE user_account.email = :email AND known_address.address = :addressBucket)`;",
      replace: "WHERE :email IS NOT NULL AND known_address.address = :addressBucket)`;",
      by: "a client that one account knows is a stranger to another",
    },
    {
      name: "every address is known to an account that has a known address",
      find: "WHERE user_account.email = :email AND known_address.address = :addressBucket)`;",
      replace: "WHERE user_account.email = :email AND :addressBucket IS NOT NULL)`;",
      by: "after a hundred failures, a network that has failed waits until the day is over",
    },
  ]),
  ...wrongIn("src/identity/factor/challenge_queries.ts", "tests/second_factor/second_factor_test.ts", [
    {
      name: "a login that has ended accepts a code",
      find: "AND pending.user_id = :actorId AND pending.ended_at IS NULL\n",
      replace: "AND pending.user_id = :actorId\n",
      by: "the fifth wrong factor ends a login",
    },
    {
      name: "a factor is never locked",
      find: "`(factor.failures >= ${GUESS_LOCK_FAILURES} OR factor.next_guess_at > :now)`",
      replace: "`(factor.next_guess_at > :now)`",
      by: "a hundred failures lock a factor until another one succeeds",
    },
    {
      name: "guesses at a factor need not wait",
      find: "`(factor.failures >= ${GUESS_LOCK_FAILURES} OR factor.next_guess_at > :now)`",
      replace: "`(factor.failures >= ${GUESS_LOCK_FAILURES})`",
      by: "of fifty wrong codes at once four are looked at",
      in: "tests/second_factor/totp_test.ts",
    },
    {
      name: "a wrong code does not count",
      find: "SET failures = failures + 1, next_guess_at",
      replace: "SET failures = failures, next_guess_at",
      by: "of fifty wrong codes at once four are looked at",
      in: "tests/second_factor/totp_test.ts",
    },
    {
      name: "a wrong code resets the guess schedule",
      find: 'endGuessWaits(`user_id = ${GUESSER} AND ${whenResult("ok")}\n      AND (kind',
      replace: "endGuessWaits(`user_id = ${GUESSER}\n      AND (kind",
      by: "of fifty wrong codes at once four are looked at",
      in: "tests/second_factor/totp_test.ts",
    },
    {
      name: "a right code resets the guess schedule of other factors that are not locked",
      find: "        AND (kind = '${kind}' OR failures >= ${GUESS_LOCK_FAILURES})`),",
      replace: "`),",
      by: "a right code leaves the failures of another factor",
    },
    {
      name: "a wrong second factor opens a session",
      find:
        'FROM partial_login WHERE id = :partialLoginId AND ${whenResult("ok")}`),\n  endSurplusSessions({',
      replace: "FROM partial_login WHERE id = :partialLoginId`),\n  endSurplusSessions({",
      by: "a wrong second factor opens no session",
    },
    {
      name: "a wrong second factor makes the address known",
      find:
        'rememberAddress("user_id", `FROM partial_login WHERE id = :partialLoginId AND ${whenResult("ok")}`)',
      replace: 'rememberAddress("user_id", "FROM partial_login WHERE id = :partialLoginId")',
      by: "a wrong second factor opens no session",
    },
    {
      name: "a login allows any number of wrong codes",
      find: 'WHEN ${whenResult("ok")} OR failures + 1 >= ${PARTIAL_LOGIN_FAILURES} THEN :now END',
      replace: 'WHEN ${whenResult("ok")} THEN :now END',
      by: "the fifth wrong factor ends a login",
    },
    {
      name: "nobody is told of wrong codes that are spread over logins",
      find: "${PARTIAL_LOGIN_FAILURES} IN (pending.failures, factor.failures)",
      replace: "pending.failures = ${PARTIAL_LOGIN_FAILURES}",
      by: "five wrong codes in a row tell the user once",
    },
    {
      name: "a login is completed twice",
      find: 'WHEN ${whenResult("ok")} OR failures + 1 >= ${PARTIAL_LOGIN_FAILURES} THEN :now END',
      replace: "WHEN failures + 1 >= ${PARTIAL_LOGIN_FAILURES} THEN :now END",
      by: "a right password alone opens no session once a factor is active",
    },
  ]),
  ...wrongIn("src/identity/factor/factor_queries.ts", "tests/second_factor/totp_test.ts", [
    {
      name: "a factor is deactivated without fresh proof",
      find: '      event: `${kind}.deactivate`,\n      proof: "fresh",',
      replace: '      event: `${kind}.deactivate`,\n      proof: "any",',
      by: "with a factor active only a sudo token sets up",
    },
    {
      name: "recovery codes outlive the last factor",
      find: "AND kind = 'recovery_code' AND NOT ${hasActiveFactor(CHANGED_USER)}`",
      replace: "AND false`",
      by: "deactivating ends all other sessions",
    },
    {
      name: "a recovery code is not used up",
      find: "UPDATE recovery_code SET used_at = :now",
      replace: "UPDATE recovery_code SET used_at = nullif(:now, :now)",
      by: "a recovery code steps up once, however it is typed",
      in: "tests/second_factor/recovery_code_test.ts",
    },
  ]),
];
