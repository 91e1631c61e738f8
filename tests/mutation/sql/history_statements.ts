import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Rights as they were, and explanations. */

export const HISTORY_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/role/history/moment_queries.ts", "tests/role/past_rights_test.ts", [
    {
      name: "a revision that is not there yet stands for the last",
      find: "WHEN coalesce(found.revision, 0) > history.last_rev OR coalesce(found.at, 0) > :now THEN",
      replace: "WHEN coalesce(found.at, 0) > :now THEN",
      by: "a moment in the future, or before the history, is refused",
    },
    {
      name: "a time in the future stands for now",
      find: "OR coalesce(found.at, 0) > :now THEN",
      replace: "OR :now IS NULL THEN",
      by: "a moment in the future, or before the history, is refused",
    },
    {
      name: "history that is not kept any more is read",
      find: "WHEN coalesce(found.revision, 0) < history.first_rev THEN 'before'",
      replace: "",
      by: "a moment in the future, or before the history, is refused",
    },
    {
      name: "what came after the moment counts",
      find: "AND ${row}.from_rev <= (SELECT revision FROM moment)`;",
      replace: "`;",
      by: "a check as of a revision or a time says what it said then",
    },
    {
      name: "what was over at the moment counts",
      find: "`${row}.to_rev > (SELECT revision FROM moment) AND",
      replace: "`${row}.to_rev >= (SELECT revision FROM moment) AND",
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
      find: " OR coalesce(max(is_wide), 0) FROM lineage",
      replace: " FROM lineage",
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
      name: "the memberships of others count",
      find: "AND mine.user_id = :actorId WHERE lineage.relation_id IS NULL",
      replace: "WHERE lineage.relation_id IS NULL",
      by: "a check as of a revision or a time says what it said then",
    },
  ]),
];
