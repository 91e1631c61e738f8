import { api, dataOf } from "./api.ts";
import { find } from "./find.ts";
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
  const { manages, nextCursor } = await dataOf(
    seesAll
      ? api.POST("/v1/role/{roleId}/managed-by/query", {
        params: { path: { roleId: [roleId] } },
        body,
        signal,
      })
      : api.POST("/v1/role/{parentRoleId}/manages/query", {
        params: { path: { parentRoleId: "*" } },
        body: { ...body, filter: { childRoleId: [roleId] } },
        signal,
      }),
  );
  const roles = await loadRoles(manages.map(({ parentRoleId }) => parentRoleId), signal);
  return {
    items: manages.map((relation) => {
      const { parentRoleId: id } = relation;
      return { id, role: roles.get(id), relation };
    }),
    next: nextCursor,
  };
}

/** Loads up to `limit` of the roles that a role manages. */
export async function loadChildren(
  roleId: number,
  start: PageStart,
  signal: AbortSignal,
  limit = PAGE,
): Promise<Page<RelatedRole>> {
  const body = { limit, ...start };
  const params = { path: { parentRoleId: [roleId] } };
  const { manages, nextCursor } = await dataOf(
    api.POST("/v1/role/{parentRoleId}/manages/query", { params, body, signal }),
  );
  const roles = await loadRoles(manages.map(({ childRoleId }) => childRoleId), signal);
  return {
    items: manages.map((relation) => {
      const { childRoleId: id } = relation;
      return { id, role: roles.get(id), relation };
    }),
    next: nextCursor,
  };
}

/** Finds up to `limit` roles anywhere below a role by any part of their names. */
export async function findBelow(
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
  const { manages } = await dataOf(api.POST("/v1/role/{parentRoleId}/manages/query", {
    params: { path: { parentRoleId: [roleId] } },
    body: { filter: { childRoleId: role.map(({ id }) => id) } },
    signal,
  }));
  const relations = new Map(manages.map((relation) => [relation.childRoleId, relation]));
  return {
    items: role.map((each) => ({ id: each.id, role: each, relation: relations.get(each.id) })),
    next,
  };
}
