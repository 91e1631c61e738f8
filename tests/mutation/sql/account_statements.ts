import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** The address of an account, its deletion, and what the administrator may do. */

export const ACCOUNT_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/email_transfer/transfer_queries.ts", "tests/email_transfer/transfer_test.ts", [
    {
      name: "an email transfer begins without fresh proof",
      find: '    event: "email.initiate",\n    proof: "fresh",',
      replace: '    event: "email.initiate",\n    proof: "any",',
      by: "initiating wants fresh proof",
    },
    {
      name: "an address is transferred again while the last transfer can be undone",
      find: "CASE WHEN ${UNDOABLE} THEN 'too_soon' WHEN",
      replace: "CASE WHEN",
      by: "the old address is reserved for three days",
    },
    {
      name: "codes for a transfer are mailed beyond every budget",
      find: "WHEN ${withinBudgets(BUDGETS)} THEN 'ok' ELSE 'too_many' END`",
      replace: "WHEN true THEN 'ok' ELSE 'too_many' END`",
      by: "codes go out sixty seconds apart and three an hour",
    },
    {
      name: "another account takes a reserved address",
      find:
        "  OR EXISTS (SELECT 1 FROM reserved_email reserved WHERE reserved.email = code.email AND reserved.reserved_until > :now))`;",
      replace: ")`;",
      by: "the old address is reserved for three days",
    },
    {
      name: "a transfer leaves other sessions open",
      find: '  endOtherSessions("email_transferred"),\n',
      replace: "",
      by: "a transfer moves the account, ends the other sessions",
    },
  ]),
  ...wrongIn("src/email_transfer/undo_queries.ts", "tests/email_transfer/transfer_test.ts", [
    {
      name: "an undo link is used twice",
      find: "AND undo_link.ended_at IS NULL AND undo_link.expires_at > :now\n",
      replace: "AND undo_link.expires_at > :now\n",
      by: "an undo link that was used does not undo a later transfer",
    },
    {
      name: "an undo link works after it has expired",
      find: "AND undo_link.ended_at IS NULL AND undo_link.expires_at > :now\n",
      replace: "AND undo_link.ended_at IS NULL\n",
      by: "an undo link is over after three days",
    },
    {
      name: "an attacker keeps the password after the transfer is undone",
      find: 'passwordHash: "NULL"',
      replace: 'passwordHash: "password_hash"',
      by: "an undone transfer restores the address",
    },
    {
      name: "an attacker keeps their second factor after the transfer is undone",
      find: "  ...dropFactors(IS_SUSPECT),\n",
      replace: "",
      by: "a factor that was activated 72 hours before the transfer began",
      in: "tests/email_transfer/undo_factors_test.ts",
    },
    {
      name: "an attacker keeps a factor that they activated exactly 72 hours before the transfer",
      find: "(activated_at >= ${SUSPECT_SINCE}",
      replace: "(activated_at > ${SUSPECT_SINCE}",
      by: "a factor that was activated 72 hours before the transfer began",
      in: "tests/email_transfer/undo_factors_test.ts",
    },
    {
      name: "an attacker keeps a factor of the session that began the transfer",
      find: "activated_by IN (transfer.begun_by, transfer.completed_by)",
      replace: "activated_by = transfer.completed_by",
      by: "a factor goes, however old, with the transfer that its session began",
      in: "tests/email_transfer/undo_factors_test.ts",
    },
    {
      name: "an attacker keeps a factor of the session that completed the transfer",
      find: "activated_by IN (transfer.begun_by, transfer.completed_by)",
      replace: "activated_by = transfer.begun_by",
      by: "a factor goes, however old, with the transfer that its session completed",
      in: "tests/email_transfer/undo_factors_test.ts",
    },
    {
      name: "an attacker keeps a role's password that they set",
      find: "  ...voidRolePasswords({ user: CHANGED_USER, since: SUSPECT_SINCE }),\n",
      replace: "",
      by: "undoing a transfer voids the role passwords set since three days before it",
    },
    {
      name: "an undo voids all role passwords",
      find: "voidRolePasswords({ user: CHANGED_USER, since: SUSPECT_SINCE })",
      replace: 'voidRolePasswords({ user: CHANGED_USER, since: "0" })',
      by: "undoing a transfer voids the role passwords set since three days before it",
    },
    {
      name: "an undo removes every second factor",
      find: "dropFactors(IS_SUSPECT)",
      replace: 'dropFactors("true")',
      by: "what a thief activates after the transfer goes",
      in: "tests/email_transfer/undo_factors_test.ts",
    },
    {
      name: "an attacker keeps their sessions after the transfer is undone",
      find: '  endAllSessions("transfer_undone"),\n',
      replace: "",
      by: "an undone transfer restores the address",
    },
  ]),
  ...wrongIn("src/account/leave_queries.ts", "tests/account/account_test.ts", [
    {
      name: "guesses at passwords of roles stay counted to an account that is deleted",
      find: "  THROTTLE_SCOPES.rolePasswordOverRoles,\n",
      replace: "",
      by: "deleting an account deletes all data about its user",
    },
    {
      name: "mails about what was made stay counted to an account that is deleted",
      find: "  THROTTLE_SCOPES.madeNotice,\n",
      replace: "",
      by: "deleting an account deletes all data about its user",
    },
    {
      name: "the last member of a root role leaves",
      find: "CASE WHEN ${IS_LAST_OF_A_ROOT} THEN 'root_without_member'\n      WHEN",
      replace: "CASE WHEN",
      by: "the last member of a root role cannot leave",
    },
    {
      name: "an attacker deletes the account that they took over",
      find: "WHEN ${CAN_BE_UNDONE} THEN 'transferred' ELSE 'ok' END",
      replace: "ELSE 'ok' END",
      by: "whoever took an account over cannot delete it",
      in: "tests/email_transfer/transfer_test.ts",
    },
    {
      name: "an account is deleted without fresh proof",
      find: '    proof: "fresh",',
      replace: '    proof: "any",',
      by: "leaving wants fresh proof",
    },
    {
      name: "a deleted account leaves its address in the log",
      find: "UPDATE security_event SET address = NULL WHERE user_id = ${CHANGED_USER}`",
      replace: "UPDATE security_event SET address = NULL WHERE user_id = ${CHANGED_USER} AND false`",
      by: "deleting an account deletes all data about its user",
    },
  ]),
  ...wrongIn("src/account/export_reads.ts", "tests/account/account_test.ts", [
    {
      name: "an export contains rows of all users",
      find: "return isActors(userId);",
      replace: "return sql`(${isActors(userId)} OR true)`;",
      by: "the export holds everything about the user",
    },
    {
      name: "an export contains the memberships of all users",
      find: "isOwn(member),\n          or(isNull(member.endsAt)",
      replace: "or(isNull(member.endsAt)",
      by: "the export holds everything about the user",
    },
    {
      name: "a page of an export leaves out sessions that began when the last one before did",
      find:
        'sql`(${session.createdAt}, ${session.id}) > (${sql.placeholder("afterTime")}, ${sql.placeholder("afterSessionId")})`',
      replace:
        'sql`${session.createdAt} > ${sql.placeholder("afterTime")} AND ${sql.placeholder("afterSessionId")} NOT NULL`',
      by: "an export joins the pages of its lists",
      in: "tests/account/export_test.ts",
    },
  ]),
  ...wrongIn("src/account/account_reads.ts", "tests/account/account_test.ts", [
    {
      name: "the events of all users are listed",
      find: "isActors(securityEvent.userId),",
      replace: "sql`(${isActors(securityEvent.userId)} OR true)`,",
      by: "the security log is the user's own",
    },
    {
      name: "a page of events begins with the last event of the previous page",
      find: 'lt(securityEvent.id, sql.placeholder("beforeId"))',
      replace: 'sql`${securityEvent.id} <= ${sql.placeholder("beforeId")}`',
      by: "the security log is the user's own",
    },
  ]),
  ...wrongIn("src/account/account_queries.ts", "tests/account/account_test.ts", [
    {
      name: "a user whose session has ended sets the language",
      find: "WHERE ${ACTING_SESSION_LIVES})",
      replace: "WHERE acting.id = :sessionId AND acting.user_id = :actorId AND :now > 0)",
      by: "only an access token of a live session opens the account",
    },
  ]),
  ...wrongIn("src/account/administrator_queries.ts", "tests/account/administrator_test.ts", [
    {
      name: "the invitation of an account that is in use is sent again",
      find: "CASE WHEN account.password_hash IS NOT NULL THEN 'has_password'\n      WHEN",
      replace: "CASE WHEN",
      by: "an invitation is sent anew with a link in place",
    },
    {
      name: "sending an invitation again leaves the previous one valid",
      find: "AND purpose = 'invitation'`),",
      replace: "AND purpose = 'invitation' AND false`),",
      by: "an invitation is sent anew with a link in place",
    },
    {
      name: "ending the sessions leaves a login that waits for its second factor",
      find: 'endAllSessions("operator"),\n  END_PARTIAL_LOGINS,',
      replace: 'endAllSessions("operator"),',
      by: "the operator ends all sessions of one account",
    },
  ]),
];
