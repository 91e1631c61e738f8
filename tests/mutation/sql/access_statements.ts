import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Lists of access. */

export const ACCESS_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/insight/access/people_queries.ts", "tests/insight/access_to_role_test.ts", [
    {
      name: "whoever sees a role sees who has access to it",
      find: "const ACTOR: Reader = { maySee: seesAsManager,",
      replace: "const ACTOR: Reader = { maySee: isVisible,",
      by: "a role that the caller does not manage looks like an unknown one",
    },
    {
      name: "roles are named that the asker does not see",
      find: 'met WHERE ${isOneVisible("met.role_id")}`',
      replace: "met`",
      by: "the list of a role has its members",
    },
    {
      name: "a list outlives the session",
      find: "seenOf: seenByFew, acts: PRINCIPAL_LIVES };",
      replace: "seenOf: seenByFew, acts: `${PRINCIPAL_LIVES} OR true` };",
      by: "a list breaks off when its session ends, and the log says so",
    },
    {
      name: "memberships that have ended give access",
      find: 'held")} WHERE ${lives("held")})`,',
      replace: 'held")} WHERE true OR ${lives("held")})`,',
      by: "several memberships add up",
    },
    {
      name: "the mask of a membership is left out",
      find: "stretch.rights & held.rights, held.ends_at",
      replace: "stretch.rights, held.ends_at",
      by: "several memberships add up",
    },
    {
      name: "an access ends with the first membership",
      find: "CASE WHEN count(*) = count(ends_at) THEN max(ends_at) END,",
      replace: "CASE WHEN count(*) = count(ends_at) THEN min(ends_at) END,",
      by: "several memberships add up",
    },
    {
      name: "one of the rights that are asked for is enough",
      find: 'HAVING ${unionOfMasks("rights")} & :rights = :rights',
      replace: 'HAVING :rights = 0 OR ${unionOfMasks("rights")} & :rights',
      by: "filters narrow the list",
    },
    {
      name: "a page of keys begins anew",
      find: "min(0, ${KEYS_AFTER} - :afterId) - 1",
      replace: "min(0, :afterId - :afterId) - 1",
      by: "pages have everybody once",
    },
    {
      name: "a list of the past judges memberships as of now",
      find: "  lives: memberLivedThen,",
      replace: "  lives: memberLives,",
      by: "the lists of every past moment say what they said then",
      in: "tests/insight/past_access_test.ts",
    },
  ]),
  ...wrongIn("src/insight/access/roles_queries.ts", "tests/insight/access_of_principal_test.ts", [
    {
      name: "whoever sees a role sees who else has access to it",
      find: 'OR ${seesEachAsManager("candidate.role_id")})`',
      replace: 'OR ${isVisible("candidate.role_id")})`',
      by: "a manager sees what somebody has access to",
    },
    {
      name: "the roles of others are listed for everybody",
      find: "CASE WHEN ${MAY_SEE} THEN",
      replace: "CASE WHEN true THEN",
      by: "an account or key that the caller may not see",
    },
    {
      name: "the mask of a membership is left out",
      find: "UNION ALL SELECT path.rights & held.rights, held.ends_at FROM role_closure path",
      replace: "UNION ALL SELECT path.rights, held.ends_at FROM role_closure path",
      by: "memberships that end, carry less or belong to keys",
    },
    {
      name: "memberships that have ended give access",
      find: 'WHERE path.descendant_id = ${role} AND ${memberLives("held")}',
      replace: "WHERE path.descendant_id = ${role}",
      by: "memberships that end, carry less or belong to keys",
    },
    {
      name: "a page begins anew",
      find: "ON below.ancestor_id = mine.role_id AND below.descendant_id > :afterId AND",
      replace: "ON below.ancestor_id = mine.role_id AND",
      by: "where a page stops depends on the caller alone",
    },
    {
      name: "of the past, roles are shown that the asker does not see any more",
      find: '(${PERSON} = :actorId AND ${isVisible("candidate.role_id")})',
      replace: "(${PERSON} = :actorId)",
      by: "who may ask about the past is decided as of now",
      in: "tests/insight/past_access_test.ts",
    },
    {
      name: "of the past, whoever sees a role sees who else had access to it",
      find: "AND ${MAY_SEE})`",
      replace: 'AND ${isVisible("candidate.role_id")})`',
      by: "a list of the past follows up to 10,000 relations, and tells nobody else that there are more",
      in: "tests/insight/past_access_test.ts",
    },
    {
      name: "of the past, memberships of any time count",
      find: 'WHERE lineage.relation_id IS NULL AND ${memberLivedThen("held")}) AS held',
      replace: "WHERE lineage.relation_id IS NULL AND ${MOMENT_IS_KEPT}) AS held",
      by: "the lists of every past moment say what they said then",
      in: "tests/insight/past_access_test.ts",
    },
  ]),
];
