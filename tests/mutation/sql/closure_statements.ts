import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** The rights table, and relations made with a password. */

export const CLOSURE_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/role/closure/closure_queries.ts", "tests/role/properties_test.ts", [
    {
      name: "a new relation lets every right through",
      find: "up.rights & down.rights & ${relation} AS rights",
      replace: "up.rights & down.rights & (${relation} | 63) AS rights",
      by: "the closure is found clean after random changes",
      in: "tests/role/closure_test.ts",
    },
    {
      name: "a new relation gives rights that the parent's ancestors do not have",
      find: "up.rights & down.rights & ${relation} AS rights",
      replace: "down.rights & ${relation} AS rights",
      by: "the closure is found clean after random changes",
      in: "tests/role/closure_test.ts",
    },
    {
      name: "a new role gets rights that its relation does not carry",
      find: "${above.rights} & ${made.newRights}\n",
      replace: "${above.rights}\n",
      by: "the closure is found clean after random changes",
      in: "tests/role/closure_test.ts",
    },
    {
      name: "a new role gets every right that its relation carries from all above",
      find: "${above.rights} & ${made.newRights}\n",
      replace: "${made.newRights}\n",
      by: "the closure is found clean after random changes",
      in: "tests/role/closure_test.ts",
    },
    {
      name: "a new path takes rights away that another one gives",
      find: "${assigned(roleClosure, { rights: UNITED })}",
      replace: "${takenOver(roleClosure.rights)}",
      by: "removing one side of a diamond",
    },
    {
      name: "a deleted relation leaves its rights behind",
      find:
        'WHERE ${roleClosure.descendantId} IN (${childAndDescendants("delete")})\n    AND ${roleClosure.ancestorId}',
      replace:
        'WHERE false AND ${roleClosure.descendantId} IN (${childAndDescendants("delete")})\n    AND ${roleClosure.ancestorId}',
      by: "a lattice of 20 layers",
    },
    {
      name: "rights that a lower relation does not carry count below it",
      find: "entered.ancestor_id, entered.rights & ${below.rights}, entries",
      replace: "entered.ancestor_id, entered.rights, entries",
      by: "a lattice of 20 layers",
    },
    {
      name: "narrowed rights stay as they were",
      find: "WHERE ${roleClosure.rights} <> ${EXCLUDED_RIGHTS}`",
      replace: "WHERE false`",
      by: "a lattice of 20 layers",
    },
  ]),
  ...wrongIn("src/role/manages/password_relation_queries.ts", "tests/role/password_relation_test.ts", [
    {
      name: "a caller need not wait after wrong passwords",
      find: "${NEXT_GUESS_AT} > :now OR ${ROLE_IS_FULL}",
      replace: "${NEXT_GUESS_AT} IS NULL OR ${ROLE_IS_FULL}",
      by: "wrong passwords of one caller wait as the schedule says",
    },
    {
      name: "all callers together guess a role's password without limit",
      find: "> :now OR ${ROLE_IS_FULL} OR ${CALLER_IS_FULL})`;",
      replace: "> :now OR ${CALLER_IS_FULL})`;",
      by: "a role's passwords are tried 20 times a day",
    },
    {
      name: "one caller guesses the passwords of any number of roles",
      find: "> :now OR ${ROLE_IS_FULL} OR ${CALLER_IS_FULL})`;",
      replace: "> :now OR ${ROLE_IS_FULL})`;",
      by: "one caller guesses at roles",
    },
    {
      name: "a password is compared without roleManagement on the parent",
      find: "CASE WHEN ${MAY_COMPARE} THEN 'compare' ELSE 'none' END",
      replace: "CASE WHEN NOT waits THEN 'compare' ELSE 'none' END",
      by: "without roleManagement on the parent nothing is spent",
    },
    {
      name: "a right on the parent that ended during the comparison still counts",
      find: "    WHEN NOT ${managesParent} THEN 'denied'\n",
      replace: "",
      by: "a right on the parent that ends while a password is compared",
    },
    {
      name: "a role password makes a relation after it was changed",
      find: "${proven.id} = ${childId} AND ${proven.passwordHash} = ${comparedHash}\n",
      replace: "${proven.id} = ${childId} AND ${comparedHash} IS NOT NULL\n",
      by: "a password that is changed or removed while it is compared",
    },
    {
      name: "a password gives more rights than it carries",
      find: "${passwordCarries(proven, rights)}",
      replace: "${passwordWorks(proven)}",
      by: "whoever manages a role puts another below it by its password",
    },
    {
      name: "a password closes a cycle",
      find: "    WHEN ${WOULD_CLOSE_CYCLE} THEN 'cycle'\n",
      replace: "",
      by: "a right password closes no cycle",
    },
    {
      name: "a change by password takes a role's last manager away",
      find: "    WHEN ${takesLastManager(existing)} THEN 'unmanaged'\n",
      replace: "",
      by: "a right password closes no cycle",
    },
    {
      name: "a relation that needed no password is flagged",
      find: "byPassword: sql`NOT ${isAllowedAnyway}`",
      replace: "byPassword: sql`${isAllowedAnyway} IS NOT NULL`",
      by: "only a relation that the password made possible is flagged",
    },
    {
      name: "an outdated password takes the failure back",
      find: "${decided.opId} = ${opId} AND ${proven.passwordHash} = ${comparedHash} AND",
      replace: "${decided.opId} = ${opId} AND ${comparedHash} IS NOT NULL AND",
      by: "a password that is changed or removed while it is compared",
    },
    {
      name: "a void password takes the failure back",
      find: " AND ${passwordWorks(proven)})`;",
      replace: ")`;",
      by: "a password that becomes void while it is compared",
      in: "tests/role/password_setter_test.ts",
    },
    {
      name: "a right password that its own change voids counts as a failure",
      find:
        "  ...TAKE_FAILURE_BACK, TAKE_RELATION_ID, WRITE_RELATION_BY_PASSWORD, GROW_CLOSURE, RECOMPUTE_RECTANGLE,",
      replace:
        "  TAKE_RELATION_ID, WRITE_RELATION_BY_PASSWORD, GROW_CLOSURE, RECOMPUTE_RECTANGLE, ...TAKE_FAILURE_BACK,",
      by: "a change that ends its setter's right",
      in: "tests/role/password_setter_test.ts",
    },
  ]),
];
