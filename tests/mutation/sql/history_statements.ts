import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Rights as they were, and explanations. */

export const HISTORY_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/role/history/moment_queries.ts", "tests/role/past_rights_test.ts", [
    {
      name: "a revision that is not there yet stands for the last",
      find:
        "WHEN revision > coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'change_log'), 0) THEN 'future'",
      replace: "",
      by: "a moment in the future, or before the history, is refused",
    },
    {
      name: "a time in the future stands for now",
      find: "WHEN :asOfMs > :now AND NOT EXISTS",
      replace: "WHEN :now IS NULL AND NOT EXISTS",
      by: "a moment in the future, or before the history, is refused",
    },
    {
      name: "a revision whose time is yet to come is in the future",
      find: "'change_log'), 0) THEN 'future'",
      replace: "'change_log'), 0) OR at > :now THEN 'future'",
      by: "the latest revision and its time are in no future for a clock that is behind it",
    },
    {
      name: "a time that the log shows is in the future",
      find: "AND NOT EXISTS (SELECT 1 FROM change_log moment_row WHERE moment_row.at >= :asOfMs)",
      replace: "",
      by: "the latest revision and its time are in no future for a clock that is behind it",
    },
    {
      name: "history that is not kept any more is read",
      find:
        "WHEN revision < coalesce((SELECT CAST(value AS INTEGER) FROM setting WHERE name = 'history_from'), 0)\n          THEN 'before'",
      replace: "",
      by: "a moment in the future, or before the history, is refused",
    },
    {
      name: "what came after the moment counts",
      find: "AND ${row}.from_rev <= ${revision}`;",
      replace: "`;",
      by: "a check as of a revision or a time says what it said then",
    },
    {
      name: "what was over at the moment counts",
      find: "`${row}.to_rev > ${revision} AND",
      replace: "`${row}.to_rev >= ${revision} AND",
      by: "a check as of a revision or a time says what it said then",
    },
    {
      name: "a membership that had ended counts",
      find: " AND (${member}.ends_at IS NULL OR ${member}.ends_at > (SELECT at FROM moment))`",
      replace: "`",
      by: "ends of memberships are judged at the time that was asked about",
    },
  ]),
  ...wrongIn("src/role/history/lineage_queries.ts", "tests/role/past_rights_test.ts", [
    {
      name: "a role that is not expanded counts as one without relations",
      find: " OR coalesce(max(is_wide), 0), count(*)",
      replace: ", count(*)",
      by: "a role into which too many relations lead is not expanded",
    },
    {
      name: "a walk that is cut counts as whole",
      find: "SELECT count(relation_id) > ${MAX_LINEAGE} OR coalesce",
      replace: "SELECT coalesce",
      by: "a check of the past follows up to 10,000 relations",
    },
    {
      name: "a relation lets rights through that it does not carry",
      find: "AND (entering.rights | ${PATH}) & reach.bit)",
      replace: ")",
      by: "the roles that reached a role at a revision are those of the closure then",
      in: "tests/role/past_reach_test.ts",
    },
  ]),
  ...wrongIn("src/role/history/check_queries.ts", "tests/role/past_rights_test.ts", [
    {
      name: "the past is told after the session has ended",
      find: "WHERE ${PRINCIPAL_LIVES}`",
      replace: "WHERE ${PRINCIPAL_LIVES} OR true`",
      by: "a moment in the future, or before the history, is refused",
    },
    {
      name: "the past of a role is told to whoever does not see it now",
      find: 'listed WHERE ${isVisible("listed.value")}),',
      replace: "listed WHERE true),",
      by: "an explanation follows up to 10,000 relations",
      in: "tests/insight/explain_bounds_test.ts",
    },
    {
      name: "the memberships of others count",
      find: "AND mine.user_id = :actorId WHERE lineage.relation_id IS NULL",
      replace: "WHERE lineage.relation_id IS NULL",
      by: "a check as of a revision or a time says what it said then",
    },
  ]),
  ...wrongIn("src/insight/explain/explain_queries.ts", "tests/insight/explain_test.ts", [
    {
      name: "everybody may ask about anybody",
      find: ': `coalesce(subject.id = :actorId, false) OR ${seesAsManager(":roleId")}`;',
      replace: ": `coalesce(subject.id = :actorId, false) OR true`;",
      by: "only oneself and managers get an explanation",
    },
    {
      name: "the past of a role is explained to whoever does not see it now",
      find: "${MOMENT_IS_KEPT} AND EXISTS (${walkedRole(asker)})",
      replace: "${MOMENT_IS_KEPT} AND ${IS_PERMITTED}",
      by: "an explanation follows up to 10,000 relations",
      in: "tests/insight/explain_bounds_test.ts",
    },
    {
      name: "only managers may ask about themselves",
      find: ': `coalesce(subject.id = :actorId, false) OR ${seesAsManager(":roleId")}`;',
      replace: ': seesAsManager(":roleId");',
      by: "only oneself and managers get an explanation",
    },
    {
      name: "the memberships of others count in an explanation",
      find: "AND held.user_id = ${SUBJECT} WHERE lineage.relation_id IS NULL",
      replace: "WHERE lineage.relation_id IS NULL",
      by: "only oneself and managers get an explanation",
    },
    {
      name: "names of roles are shown to whoever does not see these",
      find: "FROM seen\n      CROSS JOIN role ON role.id = seen.role_id) AS roles,",
      replace: "FROM guard_named\n      CROSS JOIN role ON role.id = guard_named.role_id) AS roles,",
      by: "what the caller does not see is hidden in its place",
    },
    {
      name: "everybody may widen a relation, as it seems",
      find: "WHERE ${MAY_WIDEN_RELATION}) AS relationIds,",
      replace: ") AS relationIds,",
      by: "whether the caller may widen something is what the change then says",
    },
    {
      name: "everybody may widen a role, as it seems",
      find: "WHERE widened.id = :roleId AND ${MAY_WIDEN_ROLE}) AS",
      replace: "WHERE widened.id = :roleId) AS",
      by: "an explanation shows the ways, where a right is lost, and what to widen",
    },
    {
      name: "everybody may widen a membership, as it seems",
      find: "WHERE widened.id = :memberId AND ${MAY_WIDEN_MEMBER}) AS",
      replace: "WHERE widened.id = :memberId) AS",
      by: "an explanation shows the ways, where a right is lost, and what to widen",
    },
    {
      name: "the memberships of others are named to whoever does not manage them",
      find: ':memberRoleId IS NOT NULL AND ${seesAsManager(":memberRoleId")} AS seesMember',
      replace: ":memberRoleId IS NOT NULL AS seesMember",
      by: "what the caller does not see is hidden in its place",
    },
    {
      name: "memberships are hidden from a key that asks",
      find: ':memberRoleId IS NOT NULL AND ${seesAsManager(":memberRoleId")} AS seesMember',
      replace:
        ':memberRoleId IS NOT NULL AND ${someAuthorizingRole(managesMembersOf(":memberRoleId"))} AS seesMember',
      by: "a key that asks is told of memberships in the roles that it reaches",
    },
    {
      name: "what is seen is told after the session has ended",
      find:
        ':memberRoleId IS NOT NULL AND ${seesAsManager(":memberRoleId")} AS seesMember, ${REVISION} WHERE ${PRINCIPAL_LIVES}`',
      replace:
        ':memberRoleId IS NOT NULL AND ${seesAsManager(":memberRoleId")} AS seesMember, ${REVISION} WHERE ${PRINCIPAL_LIVES} OR true`',
      by: "a session that ends between the two reads of an explanation ends it",
    },
  ]),
];
