import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Decisions and searches of the Authorization API. */

const ALIKE = "a denial, somebody whom the caller may not ask about";
const OTHERS = "whoever may list the members of a role";
const SELF = "everybody may ask about themselves";

export const AUTHZEN_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/authzen/evaluation_queries.ts", "tests/authzen/rules_test.ts", [
    {
      name: "every caller may ask about others in a role",
      find: 'ELSE ${\n  seesAsManager("item.role_id")\n} END',
      replace: "ELSE true END",
      by: ALIKE,
    },
    {
      name: "whoever may ask about one resource may ask about all",
      find: "WHEN ${IS_SEEN} THEN EXISTS",
      replace: "WHEN EXISTS (SELECT 1 FROM seen) THEN EXISTS",
      by: "decisions and searches agree with the model",
      in: "tests/authzen/properties_test.ts",
    },
    {
      name: "nobody may ask about themselves unless they manage the role",
      find: "WHEN item.subject = :actorId THEN ${MAY_ACTOR}",
      replace: "WHEN item.subject = :actorId AND ${IS_SEEN} THEN ${MAY_ACTOR}",
      by: SELF,
    },
    {
      name: "the order of decisions is left to the database",
      find: "FROM decided item ORDER BY item.key))",
      replace: "FROM decided item ORDER BY item.role_id))",
      by: "a list of evaluations returns its decisions in order",
      in: "tests/authzen/certification_test.ts",
    },
    {
      name: "an ended session decides",
      find: "AS decisions, ${REVISION}\n  WHERE ${PRINCIPAL_LIVES}`);",
      replace: "AS decisions, ${REVISION}\n  WHERE true OR ${PRINCIPAL_LIVES}`);",
      by: "a key asks about itself, and with asks about others",
    },
    {
      name: "evaluations cost the same however many memberships they look at",
      find:
        "(:count * (1 + (SELECT count(*) FROM member own_membership WHERE own_membership.user_id = :actorId))",
      replace: "(:count",
      by: "lists of evaluations have a limit per caller",
    },
    {
      name: "roles above the resources cost nothing",
      find: "+ :roles / ${ROLES_PER_STEP})`",
      replace: "+ 0 * :roles / ${ROLES_PER_STEP})`",
      by: "roles above what a list is about use up its limit",
    },
    {
      name: "a list that is refused is charged",
      find: "EVALUATION_WINDOW_SECONDS, `${FITS} AND ${PRINCIPAL_LIVES}`, COST)",
      replace: "EVALUATION_WINDOW_SECONDS, PRINCIPAL_LIVES, COST)",
      by: "a refused list is not charged",
    },
    {
      name: "evaluations walk without end",
      find: "CASE WHEN (SELECT roles FROM walk) <= :maxRoles THEN (",
      replace: "CASE WHEN (SELECT roles FROM walk) >= 0 + 0 * :maxRoles THEN (",
      by: "evaluations below so many roles that they take too long are refused",
    },
  ]),
  ...wrongIn("src/authzen/search_queries.ts", "tests/authzen/rules_test.ts", [
    {
      name: "a subject search tells everybody who has access",
      find: 'WHERE EXISTS (SELECT 1 FROM ${rolesOf("item")} seen WHERE ${seesAsManager("seen.id")})),',
      replace: "),",
      by: OTHERS,
    },
    {
      name: "a subject search finds members without the right",
      find: 'WHERE (staffed.is_enough OR staffed.rights & held.rights) AND ${memberLives("held")}',
      replace: 'WHERE ${memberLives("held")}',
      by: "a search through many members",
    },
    {
      name: "a subject search finds members whose membership has ended",
      find: 'staffed.rights & held.rights) AND ${memberLives("held")}',
      replace: "staffed.rights & held.rights)",
      by: "a membership decides only until it ends",
    },
    {
      name: "a subject search finds the caller whatever they may do",
      find: 'AND EXISTS (SELECT 1 FROM ${rolesOf("item")} target WHERE ${someAuthorizingRole(MAY)})',
      replace: "",
      by: OTHERS,
    },
    {
      name: "an ended session searches for subjects",
      find: "FROM stretch WHERE ${PRINCIPAL_LIVES}`);",
      replace: "FROM stretch WHERE true OR ${PRINCIPAL_LIVES}`);",
      by: "a key asks about itself, and with asks about others",
    },
    {
      name: "a search tells what others may do to roles that the caller does not manage",
      find: 'other: `${seesEachAsManager("candidate.id")} AND ${may("candidate.id").other}`',
      replace: 'other: may("candidate.id").other',
      by: OTHERS,
    },
    {
      name: "a search tells what others may do to devices whose members the caller does not see",
      find: 'other: `${watchedBy(`held WHERE ${SEES_MEMBERS}`)} AND ${watchedBy("allowed")}`',
      replace: 'other: watchedBy("allowed")',
      by: "decisions and searches agree with the model",
      in: "tests/authzen/properties_test.ts",
    },
    {
      name: "a key that asks finds what it does not reach",
      find: "(SELECT last_id FROM walk_end) AND ${isVisible(id)}`",
      replace: "(SELECT last_id FROM walk_end)`",
      by: "a search through many roles",
    },
  ]),
  ...wrongIn("src/role/guard/guard_queries.ts", "tests/authzen/properties_test.ts", [
    {
      name: "every key sees who has access",
      find: "managesMembersOf(acting, on))} OR (${IS_ASKING_KEY} AND ${isVisible(on)}))`;",
      replace: "managesMembersOf(acting, on))} OR (${actorId} < 0 AND ${isVisible(on)}))`;",
      by: "decisions and searches agree with the model",
    },
  ]),
];
