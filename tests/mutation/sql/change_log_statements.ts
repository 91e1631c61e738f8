import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** What the readers of the change log see, and what the purge leaves of history. */
export const CHANGE_LOG_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/insight/changes/change_log_queries.ts", "tests/insight/changes_test.ts", [
    {
      name: "whoever is a member of a role reads its changes",
      find: 'WHERE ${someRole("guard_place.role_id", managesMembersOf("guard_place.role_id"))} LIMIT',
      replace: 'WHERE ${isVisible("guard_place.role_id")} LIMIT',
      by: "a manager of a role and one of its parent see a change",
    },
    {
      name: "everybody reads the changes of a deleted role",
      find: 'WHERE ${someRole("guard_place.role_id", managesMembersOf("guard_place.role_id"))} LIMIT',
      replace:
        'WHERE guard_place.role_id IS NOT ${role} OR ${someRoleAbove("guard_place.role_id", managesMembersOf("guard_place.role_id"))} LIMIT',
      by: "what concerns a deleted role is shown to who manages the parent",
    },
    {
      name: "a parent is named to somebody who does not see it",
      find: 'parentRoleId: "CASE WHEN shown.sees_parent THEN change.parent_id END"',
      replace: 'parentRoleId: "change.parent_id"',
      by: "a manager of a role and one of its parent see a change",
    },
    {
      name: "a role is named to somebody who does not see it",
      find: 'roleId: "CASE WHEN shown.sees_role THEN change.role_id END"',
      replace: 'roleId: "change.role_id"',
      by: "a refusal is shown to who manages the role",
    },
    {
      name: "the filter finds a role that the reader does not see",
      find:
        '(SELECT CASE WHEN ${isOneVisible(":roleId")} OR ${seenBy(":roleId", (_, condition) => someAuthorizingRole(condition))} IS NOT NULL THEN :roleId END)',
      replace: "(SELECT :roleId)",
      by: "a refusal is shown to who manages the role",
    },
    {
      name: "the address of anybody who tried is shown",
      find: "actorEmail: `CASE WHEN change.actor_id > 0 AND shown.shows_actor THEN",
      replace: "actorEmail: `CASE WHEN change.actor_id > 0 THEN",
      by: "a refusal is shown to who manages the role",
    },
    {
      name: "the filter tells who tried",
      find: "(:actorEmail IS NULL OR actor_id = :actorId",
      replace: "(true OR :actorEmail IS NULL OR actor_id = :actorId",
      by: "filters by kind, decision, time and actor narrow the log",
    },
    {
      name: "a refused invitation tells whose address has an account",
      find: "(change.decision IN ('ok', 'noop') AND shown.role_id = change.role_id)",
      replace: "(shown.role_id = change.role_id)",
      by: "a refused invitation does not tell whether the address has an account",
    },
    {
      name: "an attempt is shown before it is settled",
      find: "change.effect NOT IN ('compare', 'abandoned')",
      replace: "change.effect <> 'abandoned'",
      by: "an attempt with a role's password is shown once it is settled",
    },
    {
      name: "a preview is shown as a change",
      find: "AND change.kind NOT LIKE '%${DRY_RUN_SUFFIX}'",
      replace: "",
      by: "a preview is not shown",
    },
    {
      name: "the log is read without a session",
      find: "WHERE ${PRINCIPAL_LIVES}`);",
      replace: "WHERE ${PRINCIPAL_LIVES} OR :sessionId IS NOT NULL`);",
      by: "a session that has ended reads nothing",
    },
  ]),
  ...wrongIn("src/role/manages/manages_queries.ts", "tests/insight/hidden_refusals_test.ts", [
    {
      name: "a refusal tells of a relation that whoever asked does not see",
      find: "decision <> 'denied' OR ",
      replace: "decision <> 'never' OR ",
      by: "a refusal tells nothing of what is hidden",
    },
  ]),
  ...wrongIn("src/role/manages/password_relation_queries.ts", "tests/insight/changes_test.ts", [
    {
      name: "a wrong guess is settled under the revision of the attempt",
      find: "FROM change_log WHERE op_id = :attemptId AND effect = 'compare'`),\n  ...REPLACE_ATTEMPT,",
      replace: "FROM change_log WHERE op_id = :attemptId AND effect = 'never'`),\n  ...REPLACE_ATTEMPT,",
      by: "an attempt with a role's password is shown once it is settled",
    },
  ]),
  ...wrongIn("src/purge/purge_queries.ts", "tests/purge/history_purge_test.ts", [
    {
      name: "a membership is removed before it ends",
      find: "WHERE ends_at <= :now ORDER BY",
      replace: "WHERE ends_at <= :now + 86400000 ORDER BY",
      by: "memberships and keys that have ended are removed, each with its row in the log",
    },
    {
      name: "a key outlives its membership",
      find: "DELETE FROM role_key WHERE id IN (${ENDED})",
      replace: "DELETE FROM role_key WHERE id IN (${ENDED}) AND false",
      by: "memberships and keys that have ended are removed, each with its row in the log",
    },
    {
      name: "history that can be asked for is forgotten",
      find: "to_rev < ${OPEN_REVISION} AND to_rev <= ${HISTORY_FROM} AND",
      replace: "to_rev < ${OPEN_REVISION} AND",
      by: "history is kept for the days that are configured, and then its beginning moves",
    },
    {
      name: "the log forgets from which parent a role was deleted",
      find: '"to_rev < (SELECT min(oldest.rev) FROM change_log oldest)"',
      replace: '"true"',
      by: "history is kept for the days that are configured, and then its beginning moves",
    },
    {
      name: "the revision that the history begins with loses its time",
      find: "condition: `rev < ${HISTORY_FROM} AND ${NOT_LAST}`",
      replace: "condition: `${NOT_LAST}`",
      by: "the log keeps the revision that the history begins with, and its time",
    },
  ]),
];
