import type { Actor } from "../core/actor.ts";
import { mapPage, type Page, type PageRequest } from "../core/page.ts";
import type { Statement } from "../db/statement.ts";
import { PROBED_ROLES } from "./guard_queries.ts";
import type { ProbedPage } from "./paging/page_queries.ts";
import { MANAGED_BY_PAGES, MANAGES_PAGES, MEMBER_PAGES, ROLE_PAGES } from "./paging/listing_queries.ts";
import { namePrefix as prefixOf } from "./paging/name_prefix.ts";
import { type Manages, type ManagesRow, toManages } from "./manages_service.ts";
import { type Member, type MemberRow, toMember } from "./member_service.ts";
import {
  intersect,
  type List,
  type ListingDeps,
  readPage,
  type RoleSelection,
  toJson,
} from "./paging/page_service.ts";
import { type Role, type RoleRow, toRole } from "./role_service.ts";

export interface RoleFilter {
  readonly id?: List<number>;
  readonly name?: List<string>;
  /** What the name begins with, whatever its case. */
  readonly namePrefix?: string | undefined;
  readonly ancestorRoleId?: List<number>;
}

/** Roles of which the actor is a member, directly or indirectly, with their rights on each. */
export async function listRoles(
  deps: ListingDeps,
  actor: Actor,
  filter: RoleFilter,
  page: PageRequest,
): Promise<Page<Role>> {
  const { id, name, namePrefix, ancestorRoleId } = filter;
  const prefix = namePrefix === undefined ? undefined : prefixOf(namePrefix);
  const filters = {
    ids: toJson(id),
    names: toJson(name),
    starts: toJson(prefix?.starts),
    pattern: prefix?.pattern ?? null,
    ancestorIds: toJson(ancestorRoleId),
  };
  return mapPage(await readPage<RoleRow>(deps, actor, chooseRolePage(filter), page, filters), toRole);
}

/** The page that the most selective filter drives. */
function chooseRolePage({ id, name, namePrefix, ancestorRoleId }: RoleFilter): Statement | ProbedPage {
  if (id && (name || namePrefix !== undefined || ancestorRoleId)) return ROLE_PAGES.idAndMore;
  if (id) return id.length <= PROBED_ROLES ? ROLE_PAGES.fewIds : ROLE_PAGES.id;
  if (name) return ROLE_PAGES.name;
  if (namePrefix !== undefined) return ROLE_PAGES.namePrefix;
  return ancestorRoleId ? ROLE_PAGES.ancestor : ROLE_PAGES.none;
}

export interface ManagesFilter {
  readonly id?: List<number>;
  readonly parentRoleId?: List<number>;
  readonly childRoleId?: List<number>;
}

/** Relations that start from roles of which the actor is a member, directly or indirectly. */
export async function listManages(
  deps: ListingDeps,
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

/** Relations that enter roles on which the actor holds roleManagement, and so show which roles manage these. */
export async function listManagedBy(
  deps: ListingDeps,
  actor: Actor,
  roles: RoleSelection,
  page: PageRequest,
): Promise<Page<Manages>> {
  const statement = roles === "*" ? MANAGED_BY_PAGES.none : MANAGED_BY_PAGES.role;
  const filters = { roleIds: toJson(intersect(roles, undefined)) };
  return mapPage(await readPage<ManagesRow>(deps, actor, statement, page, filters), toManages);
}

export interface MemberFilter {
  readonly id?: List<number>;
  /** Normalized addresses. */
  readonly userEmail?: List<string>;
}

/** The actor's own memberships, and those of roles whose members they manage. */
export async function listMembers(
  deps: ListingDeps,
  actor: Actor,
  selection: RoleSelection,
  filter: MemberFilter,
  page: PageRequest,
): Promise<Page<Member>> {
  const roles = intersect(selection, undefined);
  const driver = filter.id ? "id" : filter.userEmail ? "email" : roles ? "role" : "none";
  const filters = { ids: toJson(filter.id), emails: toJson(filter.userEmail), roleIds: toJson(roles) };
  return mapPage(await readPage<MemberRow>(deps, actor, MEMBER_PAGES[driver], page, filters), toMember);
}
