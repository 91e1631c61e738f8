import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Relations between roles. */

export const RELATION_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/role/manages_queries.ts", "tests/role/properties_test.ts", [
    {
      name: "the child's roleManagement on itself is enough to join it",
      find:
        '`${holds("roleManagement", parent)} AND ${holdsIndirectly("roleManagement", child)} AND ${\n      mayGive(added)\n    }`',
      replace:
        '`${holds("roleManagement", parent)} AND ${holds("roleManagement", child)} AND ${mayGive(added)}`',
      by: "service and model agree over",
    },
    {
      name: "roles are joined without roleManagement on the child",
      find:
        '`${holds("roleManagement", parent)} AND ${holdsIndirectly("roleManagement", child)} AND ${\n      mayGive(added)\n    }`',
      replace: '`${holds("roleManagement", parent)} AND ${mayGive(added)}`',
      by: "service and model agree over",
    },
    {
      name: "roles are joined without roleManagement on the parent",
      find:
        '`${holds("roleManagement", parent)} AND ${holdsIndirectly("roleManagement", child)} AND ${\n      mayGive(added)\n    }`',
      replace: '`${holdsIndirectly("roleManagement", child)} AND ${mayGive(added)}`',
      by: "service and model agree over",
    },
    {
      name: "one role holds the parent and another the child",
      find:
        '  return someGivingRole(\n    `${holds("roleManagement", parent)} AND ${holdsIndirectly("roleManagement", child)} AND ${\n      mayGive(added)\n    }`,\n    gives,\n  );',
      replace:
        '  return someGivingRole(`${holds("roleManagement", parent)} AND ${mayGive(added)}`, gives) + " AND " +\n    someGivingRole(holdsIndirectly("roleManagement", child), gives);',
      by: "one role must hold both the parent and the child",
    },
    {
      name: "a member of the child ends a relation that needed no password",
      find: "OR (${e}.by_password AND ${childStays}",
      replace: "OR (${childStays}",
      by: "a relation made without a password does not end by a member",
      in: "tests/role/password_relation_test.ts",
    },
    {
      name: "a member of the child removes it from the graph",
      find: "AND ${childStays} AND",
      replace: "AND",
      by: "a member of a role cannot show out the one relation",
      in: "tests/role/password_relation_test.ts",
    },
    {
      name: "a role loses the last relation by which it is managed",
      find: "`${e}.rights & ${ROLE_MANAGEMENT} AND NOT (:rights & ${ROLE_MANAGEMENT})",
      replace: "`false AND ${e}.rights & ${ROLE_MANAGEMENT} AND NOT (:rights & ${ROLE_MANAGEMENT})",
      by: "service and model agree over",
    },
    {
      name: "a relation without roleManagement counts as managing a role",
      find: "      AND other.rights & ${ROLE_MANAGEMENT} AND other.id <> ${e}.id)\n",
      replace: "      AND other.id <> ${e}.id)\n",
      by: "service and model agree over",
    },
    {
      name: "a cycle is closed",
      find:
        "`(:parentId = :childId OR EXISTS (SELECT 1 FROM role_closure\n      WHERE descendant_id = :parentId AND ancestor_id = :childId))`;",
      replace: "`(:parentId = :childId)`;",
      by: "fifty opposite PUTs at once leave one direction",
      in: "tests/flows/concurrency_test.ts",
    },
    {
      name: "a role is joined to itself",
      find: "`(:parentId = :childId OR EXISTS",
      replace: "`(EXISTS",
      by: "service and model agree over",
    },
    {
      name: "a user who may only take rights away adds some",
      find: "CASE WHEN :rights & ~existing.rights\n",
      replace: "CASE WHEN false\n",
      by: "adding a bit by a relation's id needs the child",
    },
    {
      name: "a relation is changed through the path of another role",
      find: "ON existing.id = :relationId AND existing.parent_id = :parentId\n  WHERE ${PRINCIPAL_LIVES}`,",
      replace: "ON existing.id = :relationId\n  WHERE ${PRINCIPAL_LIVES}`,",
      by: "a relation is changed through its own parent alone",
    },
    {
      name: "a relation is deleted through the path of another role",
      find: "ON existing.id = :relationId AND existing.parent_id = :parentId\n    WHERE ${PRINCIPAL_LIVES}),",
      replace: "ON existing.id = :relationId\n    WHERE ${PRINCIPAL_LIVES}),",
      by: "service and model agree over",
    },
    {
      name: "a change exceeds the bound",
      find: ": `CASE WHEN decision <> 'ok' THEN 'none'",
      replace: ": `CASE WHEN decision NOT IN ('ok', 'too_large') THEN 'none'",
      by: "a chain that is entered at every role counts",
      in: "tests/role/cost_bound_test.ts",
    },
    {
      name: "a deletion exceeds the bound",
      find: 'WHERE ${whenEffect("delete")} AND cost > :maxCost`',
      replace: 'WHERE ${whenEffect("delete")} AND false AND cost > :maxCost`',
      by: "what a deletion may cost counts the monitors relations that go",
      in: "tests/device/cascade_test.ts",
    },
    {
      name: "a root below a deleted role is deleted",
      find: "ON root.id = deleted.value AND root.is_root\n      UNION",
      replace: "ON root.id = deleted.value AND false\n      UNION",
      by: "a deletion keeps a root that was attached below",
    },
    {
      name: "roles below a role that stays are deleted",
      find: "CROSS JOIN manages onward ON onward.parent_id = staying.role_id)",
      replace: "CROSS JOIN manages onward ON onward.parent_id = staying.role_id AND false)",
      by: "service and model agree over",
    },
    {
      name: "a deletion takes the last manager of a role that stays",
      find: '"true" : "blocked_role_id IS NOT NULL"',
      replace: '"true" : "false"',
      by: "a deletion that would leave a staying role",
    },
    {
      name: "a relation without roleManagement prevents the refusal of a deletion",
      find: "        AND kept.rights & ${ROLE_MANAGEMENT} AND kept.id NOT IN",
      replace: "        AND kept.id NOT IN",
      by: "a deletion that would leave a staying role",
    },
  ]),
];
