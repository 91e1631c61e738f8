import { api, dataOf } from "./api.ts";
import { find } from "./find.ts";
import type { components } from "./openapi_types.ts";
import { queryManages } from "./ask_lists.ts";
import { loadRoles } from "./roles.ts";
import type { Manages, Role } from "./schemas.ts";
import type { Page, PageStart } from "./use_pages.ts";

/** A role above or below another. */
export interface RelatedRole {
  readonly id: number;
  /** Undefined if the viewer does not see it. */
  readonly role: Role | undefined;
  /** Their relation; undefined if other roles are between them. */
  readonly relation: Manages | undefined;
}

const PAGE = 50;

/**
 * Loads the roles that manage a role. With `seesAll` (role management on it), the list is complete, although roles
 * may be hidden.
 */
export async function loadParents(
  roleId: number,
  seesAll: boolean,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<RelatedRole>> {
  const body = { limit: PAGE, ...start };
  const params = { path: { roleId: [roleId] } };
  const list = seesAll
    ? await dataOf(api.POST("/v1/role/{roleId}/managed-by/query", { params, body, signal }))
    : await queryManages("*", { ...body, filter: { childRoleId: [roleId] } }, signal);
  return await pageOf(list, "parentRoleId", signal);
}

/** Loads up to `limit` of the roles that a role manages. */
export async function loadChildren(
  roleId: number,
  start: PageStart,
  signal: AbortSignal,
  limit = PAGE,
): Promise<Page<RelatedRole>> {
  return await pageOf(await queryManages(roleId, { limit, ...start }, signal), "childRoleId", signal);
}

/** Returns the roles at one end of relations. */
async function pageOf(
  { manages, nextCursor }: components["schemas"]["ManagesList"],
  end: "parentRoleId" | "childRoleId",
  signal: AbortSignal,
): Promise<Page<RelatedRole>> {
  const roles = await loadRoles(manages.map((relation) => relation[end]), signal);
  return {
    items: manages.map((relation) => ({ id: relation[end], role: roles.get(relation[end]), relation })),
    next: nextCursor,
  };
}

/** Loads up to `limit` of the roles that a role manages or, with a text, of those anywhere below whose names have it. */
export async function loadBelow(
  roleId: number,
  text: string,
  start: PageStart,
  signal: AbortSignal,
  limit?: number,
): Promise<Page<RelatedRole>> {
  return text === ""
    ? await loadChildren(roleId, start, signal, limit)
    : await findBelow(roleId, text, start, signal, limit);
}

/** Finds up to `limit` roles anywhere below a role by any part of their names. */
async function findBelow(
  roleId: number,
  text: string,
  start: PageStart,
  signal: AbortSignal,
  limit = PAGE,
): Promise<Page<RelatedRole>> {
  const found = await find({ text, kind: ["role"], limit, ...start }, signal);
  const { nextCursor: { role: next } } = found;
  const id = found.role.map((each) => each.id);
  if (id.length === 0) return { items: [], next };
  const filter = { ancestorRoleId: [roleId], id };
  const { role } = await dataOf(api.POST("/v1/role/query", { body: { filter }, signal }));
  const { manages } = await queryManages(
    roleId,
    { filter: { childRoleId: role.map(({ id }) => id) } },
    signal,
  );
  const relations = new Map(manages.map((relation) => [relation.childRoleId, relation]));
  return { items: role.map((each) => ({ id: each.id, role: each, relation: relations.get(each.id) })), next };
}
