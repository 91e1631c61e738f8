import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** When a session is live, which proof a change requires, and what it ends. */

export const PROOF_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/identity/session_life_queries.ts", "tests/identity/session_test.ts", [
    {
      name: "an ended session continues",
      find: "    AND ${endedAt} IS NULL AND ${idleUntil} > ${now}`;",
      replace: "    AND ${idleUntil} > ${now}`;",
      by: "logging out kills every token of the session at once",
    },
    {
      name: "a session that was idle too long continues",
      find: "AND ${idleUntil} > ${now}`;",
      replace: "AND ${now} IS NOT NULL`;",
      by: "an access token of a session that was idle too long",
    },
    {
      name: "a session accepts the token of another user",
      find: "sql`${id} = ${sessionId} AND ${userId} = ${actorId}",
      replace: "sql`${id} = ${sessionId} AND ${actorId} IS NOT NULL",
      by: "an access token holds only together with its own user's session",
    },
  ]),
  ...wrongIn("src/identity/security_queries.ts", "tests/second_factor/totp_test.ts", [
    {
      name: "recovery codes alone count as a second factor",
      find: "AND active_factor.kind IN ('totp', 'email_otp') AND",
      replace: "AND",
      by: "deactivating ends all other sessions",
    },
    {
      name: "a factor that is not activated counts as one",
      find: "IN ('totp', 'email_otp') AND active_factor.activated_at IS NOT NULL)`;",
      replace: "IN ('totp', 'email_otp'))`;",
      by: "a setup that was not activated changes nothing about a login",
      in: "tests/second_factor/second_factor_test.ts",
    },
    {
      name: "an old login counts as fresh proof",
      find: '`(${hasActiveFactor("acting.user_id")} OR ${stale})`',
      replace: '`(${hasActiveFactor("acting.user_id")})`',
      by: "without a factor the password's proof is fresh for fifteen minutes",
    },
    {
      name: "a login counts as fresh proof a moment too long",
      find: "acting.authenticated_at <= :now",
      replace: "acting.authenticated_at < :now",
      by: "without a factor the password's proof is fresh for fifteen minutes",
    },
    {
      name: "a password login counts as fresh proof although a second factor is active",
      find: '`(${hasActiveFactor("acting.user_id")} OR ${stale})`',
      replace: "`(${stale})`",
      by: "with a factor active only a sudo token sets up",
    },
    {
      name: "the password is changed without the active second factor",
      find: '    : hasActiveFactor("acting.user_id");',
      replace: '    : "false";',
      by: "an access token of any age will do without a second factor",
      in: "tests/password/own_password_test.ts",
    },
    {
      name: "a sudo token outlives a change of the account",
      find: "account.security_version = :sudoVersion)",
      replace: ":sudoVersion IS NOT NULL)",
      by: "a change of factors ends every sudo and partial token made before it",
    },
    {
      name: "an event that is sent again is written again",
      find: "SELECT op_id, at, event, result FROM security_event WHERE op_id = :opId`);",
      replace: "SELECT op_id, at, event, result FROM security_event WHERE op_id = :opId AND false`);",
      by: "a wrong password whose first answers are lost counts once, also where it sets a wait (sqld)",
      in: "tests/every_operation/lost_answer_test.ts",
    },
    {
      name: "attempts that were refused unseen fill the log",
      find: "CASE WHEN result NOT IN (${own})",
      replace: "CASE WHEN false",
      by: "attempts that are refused unseen share a row of the security log",
      in: "tests/flows/merged_refusals_test.ts",
    },
    {
      name: "attempts that could not be compared fill the log",
      find: "AND EXISTS (SELECT 1 FROM security_event merged WHERE merged.merge_key = ${ABANDONED})`",
      replace: "AND false`",
      by: "logins that cannot be compared for want of room share a row",
      in: "tests/flows/merged_refusals_test.ts",
    },
    {
      name: "wrong guesses share a row of the log",
      find: '["ok", "started", "wrong", "activation"]',
      replace: '["ok", "activation"]',
      by: "attempts that are refused unseen share a row of the security log",
      in: "tests/flows/merged_refusals_test.ts",
    },
    {
      name: "a refused change changes the account",
      find: "(SELECT user_id FROM security_event WHERE op_id = :opId AND result = 'ok')\"",
      replace: '(SELECT user_id FROM security_event WHERE op_id = :opId)"',
      by: "with a factor active only a sudo token sets up",
    },
    {
      name: "the effects of one result follow from any result",
      find: "    AND decided.result IN (${results.map((result) => `'${result}'`).join(\", \")}))`;",
      replace: ")`;",
      by: "of fifty wrong codes at once four are looked at",
    },
    {
      name: "a change of the account leaves earlier proofs valid",
      find: "SET security_version = security_version + 1",
      replace: "SET security_version = security_version",
      by: "a change of factors ends every sudo and partial token made before it",
    },
    {
      name: "a change of the account leaves mailed codes valid",
      find: "`UPDATE one_time_code SET ended_at = :now WHERE user_id = ${CHANGED_USER} AND ended_at IS NULL`",
      replace: "`UPDATE one_time_code SET ended_at = :now WHERE user_id = ${CHANGED_USER} AND false`",
      by: "a reset ends what was pending",
      in: "tests/password/reset_test.ts",
    },
    {
      name: "a change of the account leaves password links valid",
      find: "endPasswordLinks(`user_id = ${CHANGED_USER}`),",
      replace: "endPasswordLinks(`user_id = ${CHANGED_USER} AND false`),",
      by: "a mailed link sets a new password once",
      in: "tests/password/reset_test.ts",
    },
    {
      name: "a setup that began before a change of the account is completed after it",
      find: "dropSetups(`user_id = ${CHANGED_USER}`),",
      replace: "dropSetups(`user_id = ${CHANGED_USER} AND false`),",
      by: "an activation takes its code once",
    },
    {
      name: "a change of the account leaves other sessions open",
      find: " AND ended_at IS NULL AND id <> :sessionId`);",
      replace: " AND ended_at IS NULL AND id <> :sessionId AND false`);",
      by: "deactivating ends all other sessions",
    },
  ]),
  ...wrongIn("src/role/guard/principal_queries.ts", "tests/role/lasting_proof_test.ts", [
    {
      name: "a thief of a session enrols a factor, and makes keys with it",
      find: "(${LACKS_SUDO} OR coalesce((",
      replace: "(${LACKS_SUDO} OR false AND coalesce((",
      by: "a factor proves nothing in the session that enrolled it as the first",
    },
    {
      name: "enrolling another factor takes the proof of the first",
      find: "SELECT min(${enrolled.activatedBy} IS ${sessionId} OR EXISTS",
      replace: "SELECT max(${enrolled.activatedBy} IS ${sessionId} OR EXISTS",
      by: "a factor that another session enrolled stays proof",
    },
    {
      name: "a first factor is proof in sessions that were open when it was enrolled",
      find: "${since.authenticatedAt} < ${enrolled.activatedAt}",
      replace: "false",
      by: "a factor proves nothing in an older session either",
    },
  ]),
];
