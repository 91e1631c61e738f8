import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Throttles, and the passwords and mails that they protect. */

export const PASSWORD_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/throttle/throttle_queries.ts", "tests/identity/throttle_test.ts", [
    {
      name: "a counter never expires",
      find: "AND counter.key = ${key} AND counter.expires_at > :now), 0)`;",
      replace: "AND counter.key = ${key} AND :now IS NOT NULL), 0)`;",
      by: "links and codes share a budget for each address and client, to the second",
      in: "tests/password/reset_test.ts",
    },
    {
      name: "a window never ends",
      find:
        "      count = CASE WHEN expires_at <= :now THEN ${amount} ELSE count + ${amount} END,\n      started_at",
      replace: "      count = count + ${amount},\n      started_at",
      by: "one address fails fifty times an hour over all accounts",
    },
    {
      name: "a window is prolonged by each event",
      find: "      expires_at = CASE WHEN expires_at <= :now THEN ${end} ELSE expires_at END`);",
      replace: "      expires_at = ${end}`);",
      by: "one address fails fifty times an hour over all accounts",
    },
    {
      name: "old failures count towards the next wait",
      find: 'const failures = "CASE WHEN expires_at <= :now THEN 1 ELSE count + 1 END";',
      replace: 'const failures = "count + 1";',
      by: "wrong passwords are forgotten a day after",
      in: "tests/identity/throttle_test.ts",
    },
    {
      name: "a budget allows one event too many",
      find: '"count")} >= ${most}`;',
      replace: '"count")} > ${most}`;',
      by: "links and codes share a budget for each address and client, to the second",
      in: "tests/password/reset_test.ts",
    },
    {
      name: "a mail is sent although one of the budgets is used up",
      find: '`NOT (${budgets.map(isUsedUp).join(" OR ")})`',
      replace: '`NOT (${budgets.map(isUsedUp).join(" AND ")})`',
      by: "links and codes share a budget for each address and client, to the second",
      in: "tests/password/reset_test.ts",
    },
    {
      name: "wrong guesses never lock",
      find: "`WHEN ${failures} >= ${GUESS_LOCK_FAILURES} THEN",
      replace: "`WHEN false THEN",
      by: "the hundredth failure in a row waits a day",
    },
    {
      name: "unlocking an account unlocks all accounts",
      find: "\n      AND key >= ${key} || ' ' AND key < ${key} || '!' AND ${condition}`);",
      replace: " AND ${condition}`);",
      by: "the operator ends the waits after wrong passwords and codes",
      in: "tests/account/administrator_test.ts",
    },
  ]),
  ...wrongIn("src/throttle/throttle_queries.ts", "tests/throttle/strangers_test.ts", [
    {
      name: "strangers fail without bound over all networks",
      find: "CASE WHEN ${overall} >= ${budget.overall} THEN ${overallEnd} ELSE 0 END",
      replace: "0",
      by: "strangers fail at most a thousand times a day, and a reset by mail lets its client in",
    },
    {
      name: "a network that has failed goes on after the hundredth failure",
      find: "WHEN spent.count > 0 AND ${overall} >= ${budget.crowded} THEN",
      replace: "WHEN false THEN",
      by: "after a hundred failures, a network that has failed waits until the day is over",
    },
    {
      name: "a network allows no more than a client",
      find: "spent.count >= ${most} * network.value",
      replace: "spent.count >= ${most}",
      by: "of guesses at once from many clients of a network, its share is looked at",
    },
  ]),
  ...wrongIn("src/password/reset_queries.ts", "tests/password/reset_test.ts", [
    {
      name: "reset mails are sent beyond every budget of their client",
      find: "WHERE ${withinBudgets(PAIR_BUDGETS)} AND (",
      replace: "WHERE (",
      by: "links and codes share a budget for each address and client, to the second",
    },
    {
      name: "strangers request any number of reset mails",
      find: "(${ADDRESS_IS_KNOWN} OR ${STRANGERS_WAIT_UNTIL} <= :now)`),",
      replace: "true`),",
      by: "after twenty mails for strangers each new network gets one",
      in: "tests/throttle/strangers_test.ts",
    },
    {
      name: "the mails of strangers keep the owner from theirs",
      find: "(${ADDRESS_IS_KNOWN} OR ${STRANGERS_WAIT_UNTIL} <= :now)`),",
      replace: "${STRANGERS_WAIT_UNTIL} <= :now`),",
      by: "after twenty mails for strangers each new network gets one",
      in: "tests/throttle/strangers_test.ts",
    },
    {
      name: "strangers in one network use up a reset code",
      find: " < ${RESET_CODE_GUESSES_PER_NETWORK}`;",
      replace: " < ${RESET_CODE_GUESSES}`;",
      by: "a code ends at the tenth guess of several networks, and a link beside it works",
    },
    {
      name: "any number of reset links is valid at once",
      find: "AND live.ended_at IS NULL AND live.expires_at > :now\n      ORDER BY",
      replace: "AND false\n      ORDER BY",
      by: "a link serves thirty minutes, and the three latest serve together",
    },
    {
      name: "the right code for an address without an account is accepted",
      find: "iif(EXISTS (SELECT 1 FROM user_account owner WHERE owner.id = code.user_id), 'ok', 'wrong')",
      replace: "'ok'",
      by: "what was made for an unknown address opens no account that comes later",
    },
  ]),
  ...wrongIn("src/password/link_queries.ts", "tests/password/reset_test.ts", [
    {
      name: "a password link is used twice",
      find: "AND password_link.ended_at IS NULL AND",
      replace: "AND",
      by: "a mailed link sets a new password once",
    },
    {
      name: "a password link works after it has expired",
      find: "AND password_link.expires_at > :now`;",
      replace: "AND ${now} IS NOT NULL`;",
      by: "a link serves thirty minutes, and the three latest serve together",
    },
    {
      name: "a password link works at the moment of its expiry",
      find: "password_link.expires_at > :now`;",
      replace: "password_link.expires_at >= :now`;",
      by: "a link serves thirty minutes, and the three latest serve together",
    },
  ]),
  ...wrongIn("src/password/set_password_queries.ts", "tests/password/own_password_test.ts", [
    {
      name: "a reset leaves sessions open",
      find: '  endAllSessions("password_reset"),\n',
      replace: "",
      by: "a mailed link sets a new password once",
      in: "tests/password/reset_test.ts",
    },
    {
      name: "a refused change sets the password",
      find: '{ passwordHash: ":passwordHash" }, `id = ${CHANGED_USER}`);',
      replace:
        '{ passwordHash: ":passwordHash" }, "id = (SELECT user_id FROM security_event WHERE op_id = :opId)");',
      by: "a password that was replaced while it was compared",
    },
  ]),
  ...wrongIn("src/password/own_password_queries.ts", "tests/password/own_password_test.ts", [
    {
      name: "guesses at one's own password do not wait",
      find: "CASE WHEN ${NEXT_GUESS_AT} > :now THEN 'waiting' ELSE 'started' END",
      replace: "CASE WHEN :now IS NULL THEN 'waiting' ELSE 'started' END",
      by: "wrong passwords of both operations and of all sessions follow one schedule",
    },
    {
      name: "a password that was replaced during the comparison is accepted",
      find: "CASE WHEN account.password_hash = :comparedHash THEN",
      replace: "CASE WHEN :comparedHash IS NOT NULL THEN",
      by: "a password that was replaced while it was compared",
    },
    {
      name: "a password that was replaced during the comparison resets the failures",
      find: 'forgetCounters([{ scope: SCOPE, key: KEY }], whenResult("ok")),',
      replace: 'forgetCounters([{ scope: SCOPE, key: KEY }], "true"),',
      by: "a password that was replaced while it was compared",
    },
  ]),
];
