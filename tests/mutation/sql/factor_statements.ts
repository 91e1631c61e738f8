import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Mailed codes, and the second factors themselves. */

export const FACTOR_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/identity/factor/one_time_code_queries.ts", "tests/password/reset_test.ts", [
    {
      name: "a mailed code is used twice",
      find: "(${code}.ended_at IS NULL AND ${code}.expires_at",
      replace: "(${code}.expires_at",
      by: "a mailed code is checked without being used up",
    },
    {
      name: "a mailed code works after it has expired",
      find: "AND ${code}.expires_at > :now AND",
      replace: "AND",
      by: "a code serves ten minutes to the second",
    },
    {
      name: "a mailed code works at the moment of its expiry",
      find: "${code}.expires_at > :now",
      replace: "${code}.expires_at >= :now",
      by: "a code serves ten minutes to the second",
    },
    {
      name: "a mailed code allows any number of wrong guesses",
      find: " AND ${code}.guesses_left > 0)",
      replace: ")",
      by: "a code ends at the tenth guess of several networks, and a link beside it works",
    },
    {
      name: "a mailed code allows one guess too many",
      find: "${code}.guesses_left > 0",
      replace: "${code}.guesses_left >= 0",
      by: "a code ends at the tenth guess of several networks, and a link beside it works",
    },
    {
      name: "a wrong guess does not count against a code",
      find: 'guesses_left = guesses_left - ${whenResult("wrong")}',
      replace: "guesses_left = guesses_left - 0",
      by: "a code bears five wrong guesses",
    },
    {
      name: "a code for one purpose works for another",
      find: "ON code.purpose = '${purpose}' AND code.subject",
      replace: "ON code.subject",
      by: "a code of one purpose never serves another",
      in: "tests/second_factor/email_otp_test.ts",
    },
    {
      name: "a code is made although no mail is allowed",
      find: "${guesses}\n    WHERE ${condition}",
      replace: "${guesses}\n    WHERE true",
      by: "a refused mail changes nothing",
      in: "tests/second_factor/email_otp_test.ts",
    },
    {
      name: "a code ends those that others asked for",
      find: "LIMIT -1 OFFSET ${keep})`);",
      replace: "LIMIT -1)`);",
      by: "a code serves the sign-in that asked for it",
      in: "tests/second_factor/email_otp_test.ts",
    },
    {
      name: "any number of codes is live at a time",
      find: "ORDER BY coalesce(pending.from_known_address, 1) DESC",
      replace: "AND false ORDER BY coalesce(pending.from_known_address, 1) DESC",
      by: "three codes are live at a time",
      in: "tests/second_factor/email_otp_test.ts",
    },
    {
      name: "a stranger's code ends the owner's",
      find: "ORDER BY coalesce(pending.from_known_address, 1) DESC, other.created_at DESC",
      replace: "ORDER BY other.created_at DESC",
      by: "three codes are live at a time",
      in: "tests/second_factor/email_otp_test.ts",
    },
  ]),
  ...wrongIn("src/second_factor/email_otp/queries.ts", "tests/second_factor/email_otp_test.ts", [
    {
      name: "codes are mailed without a wait in between",
      find: "`max(coalesce(factor.${nextMail}, 0), CASE",
      replace: "`max(0, CASE",
      by: "mails wait 60, 120, 300 and then 900 seconds",
    },
    {
      name: "any number of codes is mailed per day",
      find: "factor.mails_of_day >= ${FACTOR_MAILS_PER_WINDOW}",
      replace: "false",
      by: "ten mails a day, whatever succeeds between them",
    },
    {
      name: "strangers use up the mails of the day",
      find: "factor.stranger_mails_of_day >= ${STRANGER_FACTOR_MAILS_PER_WINDOW}",
      replace: "false",
      by: "strangers get half of the day's mails",
    },
    {
      name: "a stranger makes the owner wait",
      find: "countOwnMail(`NOT ${IS_STRANGER}`)",
      replace: 'countOwnMail("true")',
      by: "strangers get half of the day's mails",
    },
    {
      name: "an activation code that was mailed to another address stays valid",
      find: '{ asker: ":sessionId", keep: 0, result: "ok" }',
      replace: '{ asker: ":sessionId", keep: 2, result: "ok" }',
      by: "an activation code serves the session that asked for it",
    },
    {
      name: "the setup of an address never expires",
      find: "factor.pending_email IS NOT NULL AND factor.pending_until > :now, false",
      replace: "factor.pending_email IS NOT NULL, false",
      by: "an address waits a day for its activation",
    },
    {
      name: "a login has a code mailed to an address that is not active",
      find: "AND NOT (challenged.session_id IS NOT NULL AND ${SETUP_LIVES})`;",
      replace: "AND NOT (${SETUP_LIVES})`;",
      by: "a challenge sends the activation code anew while nothing is active",
    },
    {
      name: "an address is set up without fresh proof",
      find: '    event: "email_otp.setup",\n    proof: "fresh",',
      replace: '    event: "email_otp.setup",\n    proof: "any",',
      by: "with a factor active only a sudo token sets up",
      in: "tests/second_factor/totp_test.ts",
    },
  ]),
  ...wrongIn("src/second_factor/totp/queries.ts", "tests/second_factor/totp_test.ts", [
    {
      name: "a TOTP code is accepted twice",
      find: "CASE WHEN :step > coalesce(factor.last_step, -1)",
      replace: "CASE WHEN :step >= coalesce(factor.last_step, -1)",
      by: "an accepted step and those before it are never accepted again",
    },
    {
      name: "a TOTP code of a step before the last accepted one is accepted",
      find: "CASE WHEN :step > coalesce(factor.last_step, -1)",
      replace: "CASE WHEN :step <> coalesce(factor.last_step, -1)",
      by: "an accepted step and those before it are never accepted again",
    },
    {
      name: "a TOTP code of a replaced secret is accepted",
      find: "WHEN factor.sealed_secret IS NOT :comparedSecret THEN 'outdated' END`",
      replace: "WHEN :comparedSecret IS NULL THEN 'outdated' END`",
      by: "a secret that changes while a code is compared",
    },
    {
      name: "a TOTP code of an earlier setup activates the new secret",
      find: "WHEN factor.pending_sealed_secret IS NOT :comparedSecret THEN 'outdated' END`",
      replace: "WHEN :comparedSecret IS NULL THEN 'outdated' END`",
      by: "a setup that is begun anew while a code is compared",
    },
    {
      name: "the setup of a secret never expires",
      find: "factor.pending_sealed_secret IS NOT NULL AND factor.pending_until > :now, false",
      replace: "factor.pending_sealed_secret IS NOT NULL, false",
      by: "a setup does nothing until it is activated",
    },
    {
      name: "a secret is set up without fresh proof",
      find: 'event: "totp.setup", proof: "fresh"',
      replace: 'event: "totp.setup", proof: "any"',
      by: "with a factor active only a sudo token sets up",
    },
  ]),
  ...wrongIn("src/second_factor/recovery_code/queries.ts", "tests/second_factor/recovery_code_test.ts", [
    {
      name: "a recovery code is used twice",
      find: "stored.hash = :matchedHash\n        AND stored.used_at IS NULL)",
      replace: "stored.hash = :matchedHash)",
      by: "a recovery code steps up once, however it is typed",
    },
    {
      name: "a recovery code of a replaced set is accepted",
      find: "WHERE stored.user_id = :actorId AND stored.hash = :matchedHash\n",
      replace: "WHERE stored.user_id = :actorId AND :matchedHash IS NOT NULL\n",
      by: "a set that is replaced while a guess is hashed",
    },
    {
      name: "a session that ended while a recovery code was hashed gets tokens",
      find: "CASE WHEN NOT EXISTS (SELECT 1 FROM ${CHALLENGED}) THEN 'over'",
      replace: "CASE WHEN NOT EXISTS (SELECT 1 FROM ${CHALLENGED}) AND false THEN 'over'",
      by: "a session that ends while a guess is hashed",
    },
    {
      name: "guesses at recovery codes are hashed before they are counted",
      find: 'countFailure("recovery_code", "started"),',
      replace: "",
      by: "of fifty wrong guesses at once four are hashed",
    },
    {
      name: "recovery codes are replaced without fresh proof",
      find: '    event: "recovery_code.reset",\n    proof: "fresh",',
      replace: '    event: "recovery_code.reset",\n    proof: "any",',
      by: "with a factor active only a sudo token sets up",
      in: "tests/second_factor/totp_test.ts",
    },
    {
      name: "recovery codes are made without an active second factor",
      find: "CASE WHEN NOT ${hasActiveFactor(\"account.id\")} THEN 'disabled'\n      WHEN",
      replace: "CASE WHEN",
      by: "without a factor there are no recovery codes",
    },
  ]),
];
