import type { Actor } from "../core/actor.ts";
import { mapPage, type Page, type PageRequest } from "../core/page.ts";
import type { Statement } from "../db/statement.ts";
import { PROBED_ROLES } from "../graph/rules/guard_queries.ts";
import { ROLE_PAGES } from "./role_listing_queries.ts";
import { namePrefix as prefixOf } from "./name_prefix.ts";
import type { PageWays } from "../graph/paging/page_queries.ts";
import { type List, readPage, toJson } from "../graph/paging/page_service.ts";
import { type Role, type RoleRow, toListedRole } from "../role/role_service.ts";
import type { GraphDeps } from "../graph/deps.ts";

export interface RoleFilter {
  readonly id?: List<number>;
  readonly name?: List<string>;
  /** The beginning of the name, in any case. */
  readonly namePrefix?: string | undefined;
  readonly externalId?: List<string>;
  readonly ancestorRoleId?: List<number>;
}

/**
 * Returns roles of which the actor is a member, directly or indirectly, with their rights on each. Only roles that the
 * actor may update match the filter of external ids.
 */
export async function listRoles(
  deps: GraphDeps,
  actor: Actor,
  filter: RoleFilter,
  page: PageRequest,
): Promise<Page<Role>> {
  const { id, name, namePrefix, externalId, ancestorRoleId } = filter;
  const prefix = namePrefix === undefined ? undefined : prefixOf(namePrefix);
  const filters = {
    ids: toJson(id),
    names: toJson(name),
    starts: toJson(prefix?.starts),
    patterns: toJson(prefix?.patterns),
    externalIds: toJson(externalId),
    ancestorIds: toJson(ancestorRoleId),
  };
  return mapPage(await readPage<RoleRow>(deps, actor, chooseRolePage(filter), page, filters), toListedRole);
}

/** Returns the page that the most selective filter drives. */
function chooseRolePage(
  { id, name, namePrefix, externalId, ancestorRoleId }: RoleFilter,
): Statement | PageWays {
  if (id && (name || namePrefix !== undefined || externalId || ancestorRoleId)) return ROLE_PAGES.idAndMore;
  if (id) return id.length <= PROBED_ROLES ? ROLE_PAGES.fewIds : ROLE_PAGES.id;
  if (externalId) return ROLE_PAGES.externalId;
  if (name) return ROLE_PAGES.name;
  if (namePrefix !== undefined) return ROLE_PAGES.namePrefix;
  return ancestorRoleId ? ROLE_PAGES.ancestor : ROLE_PAGES.none;
}
