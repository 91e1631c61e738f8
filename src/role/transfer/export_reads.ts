import { and, count, eq, exists, gt, not, or, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { defineRead, select } from "../../db/define_read.ts";
import { manages, role, roleClosure } from "../../db/schema/role.ts";

const UNDER_ID = sql.placeholder("underId");
const AFTER_ID = sql.placeholder("afterId");
const LIMIT = sql.placeholder("limit");

const ROLE = { id: role.id, name: role.name, selfRights: role.selfRights, isRoot: role.isRoot };

/** The relations that enter the role and meet the condition, as JSON [[id, rights]], ascending by id. */
function parents(condition?: SQL): SQL<string> {
  const pairs = sql`json_group_array(json_array(${manages.parentId}, ${manages.rights}))`;
  return sql`${select({ pairs }).from(manages).where(and(eq(manages.childId, role.id), condition))}`;
}

/** The page of roles after `:afterId` with all relations that enter them. */
export const EXPORT_ROLES = defineRead(
  select({ ...ROLE, parents: parents(), leftOut: sql<number>`0` })
    .from(role).where(gt(role.id, AFTER_ID)).orderBy(role.id).limit(LIMIT),
);

const inside = alias(roleClosure, "inside");

const STARTS_INSIDE = sql`${
  or(
    eq(manages.parentId, UNDER_ID),
    exists(
      select({ rights: inside.rights }).from(inside)
        .where(and(eq(inside.descendantId, manages.parentId), eq(inside.ancestorId, UNDER_ID))),
    ),
  )
}`;

const STARTING_OUTSIDE = select({ total: count() }).from(manages)
  .where(and(eq(manages.childId, role.id), not(STARTS_INSIDE)));

/** The same for the roles below `:underId`, with the relations that start there or below and the number of others. */
export const EXPORT_ROLES_BELOW = defineRead(
  select({ ...ROLE, parents: parents(STARTS_INSIDE), leftOut: sql<number>`${STARTING_OUTSIDE}` })
    .from(roleClosure).innerJoin(role, eq(role.id, roleClosure.descendantId))
    .where(and(eq(roleClosure.ancestorId, UNDER_ID), gt(roleClosure.descendantId, AFTER_ID)))
    .orderBy(roleClosure.descendantId).limit(LIMIT),
);

export const COUNT_ROLES = defineRead(select({ total: count() }).from(role));

/** Whether the role `:underId` exists, and how many roles are below it. */
export const COUNT_ROLES_BELOW = {
  role: defineRead(select({ id: role.id }).from(role).where(eq(role.id, UNDER_ID))),
  below: defineRead(select({ total: count() }).from(roleClosure).where(eq(roleClosure.ancestorId, UNDER_ID))),
};
