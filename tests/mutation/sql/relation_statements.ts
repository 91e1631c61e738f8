import { wrongIn, type WrongStatement } from "./wrong_statement.ts";

/** Relations between roles. */

export const RELATION_STATEMENTS: readonly WrongStatement[] = [
  ...wrongIn("src/role/manages/manages_queries.ts", "tests/role/properties_test.ts", [
    {
      name: "the child's roleManagement on itself is enough to join it",
      find: 'holdsIndirectly(acting, "roleManagement", child),\n    ];',
      replace: 'holds(acting, "roleManagement", child),\n    ];',
      by: "service and model agree over",
    },
    {
      name: "roles are joined without roleManagement on the child",
      find: "sql`${ofParent} AND ${ofChild} AND ${mayGive",
      replace: "sql`${ofParent} AND (${ofChild} OR true) AND ${mayGive",
      by: "service and model agree over",
    },
    {
      name: "roles are joined without roleManagement on the parent",
      find: "sql`${ofParent} AND ${ofChild} AND ${mayGive",
      replace: "sql`(${ofParent} OR true) AND ${ofChild} AND ${mayGive",
      by: "service and model agree over",
    },
    {
      name: "one role holds the parent and another the child",
      find: "return sql`${ofParent} AND ${ofChild} AND ${mayGive(acting, added)}`;\n  }, gives);",
      replace:
        'return sql`${ofParent} AND ${someGivingRole((other) => holdsIndirectly(other, "roleManagement", child))} AND ${\n      mayGive(acting, added)\n    } AND (${ofChild} OR true)`;\n  }, gives);',
      by: "one role must hold both the parent and the child",
    },
    {
      name: "a member of the child ends a relation that needed no password",
      find: "OR (${byPassword} AND ${staysWithout",
      replace: "OR (${staysWithout",
      by: "a relation made without a password does not end by a member",
      in: "tests/role/password_relation_test.ts",
    },
    {
      name: "a member of the child removes it from the graph",
      find: "${byPassword} AND ${staysWithout(relation.id, child)} AND",
      replace: "${byPassword} AND",
      by: "a member of a role cannot show out the one relation",
      in: "tests/role/password_relation_test.ts",
    },
    {
      name: "a role loses the last relation by which it is managed",
      find: "sql`${relation.rights} & ${ROLE_MANAGEMENT} AND NOT (${asked.rights}",
      replace: "sql`false AND ${relation.rights} & ${ROLE_MANAGEMENT} AND NOT (${asked.rights}",
      by: "service and model agree over",
    },
    {
      name: "a relation without roleManagement counts as managing a role",
      find: "AND ${other.rights} & ${ROLE_MANAGEMENT} AND ${other.id} <> ${relation.id})",
      replace: "AND ${other.id} <> ${relation.id})",
      by: "a relation without roleManagement does not stand in",
    },
    {
      name: "a cycle is closed",
      find:
        "sql`(${asked.parentId} = ${asked.childId} OR EXISTS (SELECT 1 FROM ${path}\n      WHERE ${path.descendantId} = ${asked.parentId} AND ${path.ancestorId} = ${asked.childId}))`;",
      replace: "sql`(${asked.parentId} = ${asked.childId})`;",
      by: "fifty opposite PUTs at once leave one direction",
      in: "tests/flows/concurrency_test.ts",
    },
    {
      name: "a role is joined to itself",
      find: "sql`(${asked.parentId} = ${asked.childId} OR EXISTS",
      replace: "sql`(EXISTS",
      by: "service and model agree over",
    },
    {
      name: "a user who may only take rights away adds some",
      find: "CASE WHEN ${asked.rights} & ~${existing.rights} THEN",
      replace: "CASE WHEN false THEN",
      by: "adding a bit by a relation's id needs the child",
    },
    {
      name: "a relation is changed through the path of another role",
      find:
        "ON ${existing.id} = ${asked.relationId} AND ${existing.parentId} = ${asked.parentId}\n  WHERE ${PRINCIPAL_LIVES}`;",
      replace: "ON ${existing.id} = ${asked.relationId}\n  WHERE ${PRINCIPAL_LIVES}`;",
      by: "a relation is changed through its own parent alone",
    },
    {
      name: "a change exceeds the bound",
      find: ": sql`CASE WHEN decision <> 'ok' THEN 'none'",
      replace: ": sql`CASE WHEN decision NOT IN ('ok', 'too_large') THEN 'none'",
      by: "a chain that is entered at every role counts",
      in: "tests/role/cost_bound_test.ts",
    },
  ]),
  ...wrongIn("src/role/manages/deletion_queries.ts", "tests/role/properties_test.ts", [
    {
      name: "a relation is deleted through the path of another role",
      find:
        "ON ${existing.id} = ${asked.relationId} AND ${existing.parentId} = ${asked.parentId}\n    WHERE ${PRINCIPAL_LIVES}),",
      replace: "ON ${existing.id} = ${asked.relationId}\n    WHERE ${PRINCIPAL_LIVES}),",
      by: "service and model agree over",
    },
    {
      name: "a deletion exceeds the bound",
      find: 'WHERE ${whenEffect("delete")} AND ${changeLog.cost} > ${asked.maxCost}`',
      replace: 'WHERE ${whenEffect("delete")} AND false AND ${changeLog.cost} > ${asked.maxCost}`',
      by: "what a deletion may cost counts the monitors relations that go",
      in: "tests/device/cascade_test.ts",
    },
    {
      name: "a root below a deleted role is deleted",
      find: "ON ${root.id} = deleted.value AND ${root.isRoot}\n      UNION",
      replace: "ON ${root.id} = deleted.value AND false\n      UNION",
      by: "a deletion keeps a root that was attached below",
    },
    {
      name: "roles below a role that stays are deleted",
      find: "ON ${onward.parentId} = staying.role_id)",
      replace: "ON ${onward.parentId} = staying.role_id AND false)",
      by: "a deletion keeps the roles below a role",
    },
    {
      name: "a deletion takes the last manager of a role that stays",
      find: "WHERE NOT ${isRoot(sql`lost.child_id`)}",
      replace: "WHERE false AND NOT ${isRoot(sql`lost.child_id`)}",
      by: "a deletion that would leave a staying role",
    },
    {
      name: "a relation without roleManagement prevents the refusal of a deletion",
      find: "AND ${kept.rights} & ${ROLE_MANAGEMENT} AND ${kept.id} NOT IN",
      replace: "AND ${kept.id} NOT IN",
      by: "a deletion that would leave a staying role",
    },
  ]),
];
