import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Mails, the purge, imports, and the first role. */

export const UPKEEP_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/mail/delivery_queries.ts", "tests/mail/delivery_test.ts", [
    {
      name: "a mail is sent twice",
      find: '"delivered_at IS NULL AND dropped_at IS NULL AND next_attempt_at <= :now"',
      replace: '"dropped_at IS NULL AND next_attempt_at <= :now"',
      by: "a mail that was sent is not sent again",
    },
    {
      name: "a mail is claimed while another courier sends it",
      find: 'AND dropped_at IS NULL AND next_attempt_at <= :now"',
      replace: 'AND dropped_at IS NULL AND :now IS NOT NULL"',
      by: "several services at once deliver each of many mails once",
    },
    {
      name: "a code is sent after it has expired",
      find: "`(recipient IS NULL OR expires_at <= :now OR created_at",
      replace: "`(recipient IS NULL OR created_at",
      by: "a code is not sent from the second on in which it expires",
    },
    {
      name: "delivery of a mail is tried for ever",
      find: "OR expires_at <= :now OR created_at <= :now - ${GIVE_UP_MS})`;",
      replace: "OR expires_at <= :now)`;",
      by: "what nobody is to get, or not any more, is dropped",
    },
    {
      name: "a courier that has lost the lease of a mail postpones it",
      find: "id = :id AND attempts = :attempts AND delivered_at IS NULL",
      replace: "id = :id AND :attempts IS NOT NULL AND delivered_at IS NULL",
      by: "who lost the lease of a mail does not drop it",
    },
    {
      name: "a delivered mail keeps its secrets",
      find: "SET delivered_at = :now, sealed_params = NULL WHERE",
      replace: "SET delivered_at = :now WHERE",
      by: "a mail is written from its row, sent once",
    },
  ]),
  ...wrongIn("src/purge/purge_queries.ts", "tests/purge/purge_test.ts", [
    {
      name: "rows are purged before their retention ends",
      find: "WHERE ${time} <= :now - ${keptSeconds * SECOND_MS} AND ${condition}",
      replace: "WHERE ${time} <= :now AND ${condition}",
      by: "every kind of row is kept to the millisecond of its retention",
    },
    {
      name: "rows are purged without checking the other conditions",
      find: "${keptSeconds * SECOND_MS} AND ${condition} LIMIT",
      replace: "${keptSeconds * SECOND_MS} LIMIT",
      by: "the last change stays, however old",
    },
    {
      name: "one statement deletes any number of rows",
      find: " LIMIT ${PURGE_BATCH})`;",
      replace: ")`;",
      by: "one statement deletes a batch and no more",
    },
    {
      name: "an account with a password is purged",
      find: "`password_hash IS NULL AND password_changed_at IS NULL AND",
      replace: "`password_changed_at IS NULL AND",
      by: "an account that was opened, is a member",
    },
    {
      name: "an account whose password was taken back is purged",
      find: "AND password_changed_at IS NULL AND",
      replace: "AND",
      by: "an account that was opened, is a member",
    },
    {
      name: "an account that is a member of a role is purged",
      find: "  AND NOT EXISTS (SELECT 1 FROM member WHERE member.user_id = user_account.id)\n",
      replace: "",
      by: "an account that was opened, is a member",
    },
    {
      name: "an invited account is purged while its link is valid",
      find: "    AND password_link.ended_at IS NULL AND password_link.expires_at > :now)",
      replace: "    AND false)",
      by: "an account that was opened, is a member",
    },
    {
      name: "an account is purged while a code mailed to it is valid",
      find: "    AND one_time_code.ended_at IS NULL AND one_time_code.expires_at > :now)`;",
      replace: "    AND false)`;",
      by: "an account that was opened, is a member",
    },
    {
      name: "the last revision of the log is purged",
      find: '"rev < (SELECT max(newest.rev) FROM change_log newest)"',
      replace: '"rev <= (SELECT max(newest.rev) FROM change_log newest)"',
      by: "the last change stays, however old",
    },
    {
      name: "successful changes are purged as early as refused ones",
      find: "decision NOT IN ('ok', 'noop') AND rev <> ${HISTORY_FROM} AND ${NOT_LAST}",
      replace: "rev <> ${HISTORY_FROM} AND ${NOT_LAST}",
      by: "every kind of row is kept to the millisecond of its retention",
    },
    {
      name: "a mail is purged while it waits for delivery",
      find: '"(delivered_at IS NOT NULL OR dropped_at IS NOT NULL OR expires_at <= :now)"',
      replace: '"true"',
      by: "a mail that still waits is kept",
    },
    {
      name: "the alarm of a reused token is purged as early as refused operations",
      find: "\"result <> 'ok' AND result <> 'ended'\"",
      replace: "\"result <> 'ok'\"",
      by: "the alarm of a reused token is kept",
    },
  ]),
  ...wrongIn("src/role/transfer/import_queries.ts", "tests/role/import_test.ts", [
    {
      name: "an import is placed under a role that does not exist",
      find: "CASE WHEN NOT found THEN 'denied' WHEN cost",
      replace: "CASE WHEN cost",
      by: "the graph may change while an import is staged",
    },
    {
      name: "an import exceeds the limit of a change",
      find: "CASE WHEN found AND cost <= :maxCost THEN 'write' ELSE 'none' END",
      replace: "CASE WHEN found THEN 'write' ELSE 'none' END",
      by: "an import that became too large while it was staged",
    },
    {
      name: "an import is completed although a part of it is missing",
      find: "  WHERE (SELECT count(*) FROM import_chunk WHERE import_id = :opId) = :chunkCount`);",
      replace: "  WHERE :chunkCount IS NOT NULL`);",
      by: "the graph may change while an import is staged",
    },
    {
      name: "ancestors of the import's parent get all rights on it",
      find: "above.rights & ${RIGHTS}\n",
      replace: "${RIGHTS}\n",
      by: "the graph may change while an import is staged",
    },
  ]),
  ...wrongIn("src/role/bootstrap_queries.ts", "tests/role/bootstrap_test.ts", [
    {
      name: "a root role is created again",
      find: "FROM user_account WHERE email = :email AND NOT ${ROOT_EXISTS}`),",
      replace: "FROM user_account WHERE email = :email`),",
      by: "of many who bootstrap the same role for one account at once one makes it",
    },
    {
      name: "the administrator replaces the password of an account that has one",
      find: "`:passwordHash IS NOT NULL AND password_hash IS NULL AND id",
      replace: "`:passwordHash IS NOT NULL AND id",
      by: "without a password the first member is invited",
    },
    {
      name: "an account with a password is invited",
      find:
        'user: "id",\n    expiresAt: ":linkExpiresAt",\n    source: `FROM user_account WHERE password_hash IS NULL AND id',
      replace: 'user: "id",\n    expiresAt: ":linkExpiresAt",\n    source: `FROM user_account WHERE id',
      by: "without a password the first member is invited",
    },
  ]),
];
