import type { Actor } from "../core/actor.ts";
import { mapPage, type Page, type PageRequest } from "../core/page.ts";
import { MANAGED_BY_PAGES, MANAGES_PAGES } from "./manages_listing_queries.ts";
import { intersect, type List, readPage, type RoleSelection, toJson } from "../graph/paging/page_service.ts";
import { type Manages, type ManagesRow, toManages } from "../role/manages/manages_service.ts";
import type { GraphDeps } from "../graph/deps.ts";

export interface ManagesFilter {
  readonly id?: List<number>;
  readonly parentRoleId?: List<number>;
  readonly childRoleId?: List<number>;
}

/** Returns relations that start from roles of which the actor is a member, directly or indirectly. */
export async function listManages(
  deps: GraphDeps,
  actor: Actor,
  parents: RoleSelection,
  filter: ManagesFilter,
  page: PageRequest,
): Promise<Page<Manages>> {
  const roles = intersect(parents, filter.parentRoleId);
  const driver = filter.id ? "id" : filter.childRoleId ? "child" : roles ? "role" : "none";
  const filters = { ids: toJson(filter.id), childIds: toJson(filter.childRoleId), roleIds: toJson(roles) };
  return mapPage(await readPage<ManagesRow>(deps, actor, MANAGES_PAGES[driver], page, filters), toManages);
}

/** Returns relations that enter roles on which the actor holds roleManagement, and so the roles that manage these. */
export async function listManagedBy(
  deps: GraphDeps,
  actor: Actor,
  roles: RoleSelection,
  page: PageRequest,
): Promise<Page<Manages>> {
  const statement = roles === "*" ? MANAGED_BY_PAGES.none : MANAGED_BY_PAGES.role;
  const filters = { roleIds: toJson(intersect(roles, undefined)) };
  return mapPage(await readPage<ManagesRow>(deps, actor, statement, page, filters), toManages);
}
