import { manages } from "../db/schema/role.ts";
import { placeholdersOf, sql, text, type Value } from "../db/sql.ts";
import { isVisible, someRoleAbove } from "../graph/rules/guard_queries.ts";
import { holds } from "../graph/rules/rule_queries.ts";
import { isNone, pageByList, pageByRole, reachPage, type RoleOwnedRows } from "./role_owned_queries.ts";
import { inList, LIST } from "../graph/paging/page_queries.ts";

const MANAGES_LISTS = { ids: LIST, roleIds: LIST, childIds: LIST };
const ofRelations = placeholdersOf(MANAGES_LISTS);

const MANAGES_FROM: RoleOwnedRows<typeof manages, typeof MANAGES_LISTS> = {
  table: manages,
  declared: MANAGES_LISTS,
  roleOf: ({ parentId }) => parentId,
  readable: isVisible,
  isOwn: () => sql`false`,
  isOwnOnPage: isNone,
  filter: ({ id, parentId, childId }) =>
    sql`${inList(id, ofRelations.ids)} AND ${inList(parentId, ofRelations.roleIds)}
    AND ${inList(childId, ofRelations.childIds)}`,
  columns: ({ id, parentId, childId, rights }) => ({
    id,
    parentRoleId: parentId,
    childRoleId: childId,
    rights,
  }),
};

/** Pages of the relations that start from roles the actor sees. Their rows are `ManagesRow`s. */
export const MANAGES_PAGES = {
  id: pageByList(MANAGES_FROM, "ids", ({ id }) => id),
  child: pageByList(MANAGES_FROM, "childIds", ({ childId }) => childId),
  role: pageByRole(MANAGES_FROM, "roleIds"),
  none: reachPage(MANAGES_FROM),
} as const;

/** Relations by the roles that they enter, for holders of roleManagement on these. */
const MANAGES_INTO = {
  ...MANAGES_FROM,
  roleOf: ({ childId }: typeof manages) => childId,
  readable: (on: Value) => someRoleAbove(on, (acting) => holds(acting, "roleManagement", on)),
  filter: () => sql`true`,
};

/** Pages of relations that enter roles on which the actor holds roleManagement. Their rows are `ManagesRow`s. */
export const MANAGED_BY_PAGES = {
  role: pageByRole({ ...MANAGES_INTO, declared: { roleIds: text } }, "roleIds"),
  none: reachPage({ ...MANAGES_INTO, declared: {} }),
} as const;
