import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import type { PageRequest } from "../core/page.ts";
import { bindNamed, type SqlArgs, type Statement } from "../db/statement.ts";
import type { RoleDeps } from "./deps.ts";
import { MANAGED_BY_PAGES, MANAGES_PAGES, MEMBER_PAGES, ROLE_PAGES } from "./listing_queries.ts";
import { type Manages, type ManagesRow, toManages } from "./manages_service.ts";
import type { Member } from "./member_service.ts";
import { WALK_IDS } from "./page_queries.ts";
import { type Role, type RoleRow, toRole } from "./role_service.ts";

type ListingDeps = Pick<RoleDeps, "database" | "clock">;
type List<T> = readonly T[] | undefined;

/** Which roles a listing is about: those with these ids, or all. */
export type RoleSelection = readonly number[] | "*";

/** What a statement adds to a row of a page that it did not look through to the end. */
interface Walked {
  readonly walkedTo?: number | null;
}

/**
 * Reads one page of a listing, in one round trip unless the statement had to stop on the way. Throws `TOKEN_INVALID` when
 * the actor's session is over.
 */
async function readPage<R extends { id: number }>(
  deps: ListingDeps,
  actor: Actor,
  statement: Statement,
  page: PageRequest,
  filters: SqlArgs,
): Promise<R[]> {
  const collected: R[] = [];
  let { afterId } = page;
  for (;;) {
    const limit = page.limit - collected.length;
    const rows = await deps.database.read<(R | { id: null }) & Walked>(bindNamed(statement, {
      now: deps.clock(),
      actorId: actor.userId,
      sessionId: actor.sessionId,
      afterId,
      horizonId: afterId + WALK_IDS,
      limit,
      ...filters,
    }));
    const [first] = rows;
    if (first === undefined) throw new AppError("TOKEN_INVALID");
    const found = rows.filter((row): row is R & Walked => row.id !== null);
    collected.push(...found);
    if (found.length === limit || typeof first.walkedTo !== "number") return collected;
    afterId = first.walkedTo;
    // A file database answers without ever giving way: let other requests have their turn.
    await new Promise((resolve) => setTimeout(resolve));
  }
}

function toJson(list: readonly (number | string)[] | undefined): string | null {
  return list === undefined ? null : JSON.stringify([...new Set(list)]);
}

export interface RoleFilter {
  readonly id?: List<number>;
  readonly name?: List<string>;
  readonly ancestorRoleId?: List<number>;
}

/** Roles of which the actor is a member, directly or indirectly, with his rights on each. */
export async function listRoles(
  deps: ListingDeps,
  actor: Actor,
  filter: RoleFilter,
  page: PageRequest,
): Promise<Role[]> {
  const { id, name, ancestorRoleId } = filter;
  const driver = id ? "id" : name ? "name" : ancestorRoleId ? "ancestor" : "none";
  const filters = { ids: toJson(id), names: toJson(name), ancestorIds: toJson(ancestorRoleId) };
  return (await readPage<RoleRow>(deps, actor, ROLE_PAGES[driver], page, filters)).map(toRole);
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
): Promise<Manages[]> {
  const roles = intersect(parents, filter.parentRoleId);
  const driver = filter.id ? "id" : filter.childRoleId ? "child" : roles ? "role" : "none";
  const filters = { ids: toJson(filter.id), childIds: toJson(filter.childRoleId), roleIds: toJson(roles) };
  return (await readPage<ManagesRow>(deps, actor, MANAGES_PAGES[driver], page, filters)).map(toManages);
}

/** Relations that end in roles on which the actor holds roleManagement: who has power over them. */
export async function listManagedBy(
  deps: ListingDeps,
  actor: Actor,
  roles: RoleSelection,
  page: PageRequest,
): Promise<Manages[]> {
  const statement = roles === "*" ? MANAGED_BY_PAGES.none : MANAGED_BY_PAGES.role;
  const filters = { roleIds: toJson(intersect(roles, undefined)) };
  return (await readPage<ManagesRow>(deps, actor, statement, page, filters)).map(toManages);
}

export interface MemberFilter {
  readonly id?: List<number>;
  /** Normalized addresses. */
  readonly userEmail?: List<string>;
}

/** Memberships of roles whose members the actor manages, and the actor's own. */
export async function listMembers(
  deps: ListingDeps,
  actor: Actor,
  selection: RoleSelection,
  filter: MemberFilter,
  page: PageRequest,
): Promise<Member[]> {
  const roles = intersect(selection, undefined);
  const driver = filter.id ? "id" : filter.userEmail ? "email" : roles ? "role" : "none";
  const filters = { ids: toJson(filter.id), emails: toJson(filter.userEmail), roleIds: toJson(roles) };
  const rows = await readPage<Member>(deps, actor, MEMBER_PAGES[driver], page, filters);
  return rows.map(({ id, roleId, userEmail }) => ({ id, roleId, userEmail }));
}

/** The path's selection and the filter's list both hold; undefined stands for all roles. */
function intersect(selection: RoleSelection, list: List<number>): List<number> {
  if (selection === "*") return list;
  return list === undefined ? selection : selection.filter((id) => list.includes(id));
}
