import { api, dataOf } from "../../api.ts";
import { find } from "../../find.ts";
import type { components } from "../../openapi_types.ts";
import { queryMembers } from "../../ask_lists.ts";
import { fillPage } from "../../read_list.ts";
import { loadRoles, loadSummaries } from "../../roles.ts";
import type { Member, Role } from "../../schemas.ts";
import type { Page, PageStart } from "../../use_pages.ts";

/** The lists of a person's page. Their pages may be short or empty in the interface, and are filled here. */

type RoleAccess = components["schemas"]["RoleAccess"];
type Grant = components["schemas"]["Grant"];

const PAGE = 20;

/** Maximum number of requests per page. */
const MOST_REQUESTS = 10;

/** A membership with its role, and the number of roles below that. */
export interface Membership {
  readonly member: Member;
  readonly role: Role | undefined;
  readonly below: number;
}

/** Loads memberships in roles whose members the viewer manages, or of the viewer. */
export async function loadMemberships(
  userId: number,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<Membership>> {
  const { items, next } = await fill(start, async (asked) => {
    const { member, nextCursor } = await queryMembers(
      "*",
      { filter: { userId: [userId] }, ...asked },
      signal,
    );
    return { items: member, next: nextCursor };
  });
  const id = items.map(({ roleId }) => roleId);
  const [roles, summaries] = await Promise.all([loadRoles(id, signal), loadSummaries(id, signal)]);
  return {
    items: items.map((member) => ({
      member,
      role: roles.get(member.roleId),
      below: summaries.get(member.roleId)?.descendants ?? 0,
    })),
    next,
  };
}

/** Loads the roles to which a person has access, or those of them in whose names a text is found. */
export async function loadReached(
  userId: number,
  text: string,
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<RoleAccess>> {
  if (text === "") {
    return await fill(start, async (asked) => {
      const { access, nextCursor } = await dataOf(
        api.POST("/v1/access/query", { body: { userId, ...asked }, signal }),
      );
      return { items: access, next: nextCursor };
    });
  }
  return await fill(start, async (asked) => {
    const { role, nextCursor } = await find({ text, kind: ["role"], ...asked }, signal);
    const roleId = role.map(({ id }) => id);
    if (roleId.length === 0) return { items: [], next: nextCursor.role };
    const { access } = await dataOf(api.POST("/v1/access/query", { body: { userId, roleId }, signal }));
    return { items: access, next: nextCursor.role };
  });
}

/** Something that a person gave, with the roles that it names. */
export interface NamedGrant extends Grant {
  readonly role: Role | undefined;
  readonly parent: Role | undefined;
}

/** Loads what a person gave and what still stands, of some kinds. */
export async function loadGrants(
  userId: number,
  kinds: readonly Grant["kind"][],
  start: PageStart,
  signal: AbortSignal,
): Promise<Page<NamedGrant>> {
  const { items, next } = await fill(start, async (asked) => {
    const body = { filter: { grantedBy: { userId }, kind: [...kinds] }, ...asked };
    const { grant, nextCursor } = await dataOf(api.POST("/v1/grant/query", { body, signal }));
    return { items: grant, next: nextCursor };
  });
  const roles = await loadRoles(
    items.flatMap(({ roleId, parentRoleId }) => [roleId, ...(parentRoleId ? [parentRoleId] : [])]),
    signal,
  );
  return {
    items: items.map((grant) => ({
      ...grant,
      role: roles.get(grant.roleId),
      parent: roles.get(grant.parentRoleId ?? 0),
    })),
    next,
  };
}

/** Whether anything still stands that a person gave, or a key that they made; undefined if that takes too long to find. */
export async function hasGrants(userId: number, signal: AbortSignal): Promise<boolean | undefined> {
  const { items, next } = await fill({}, async (asked) => {
    const body = { filter: { grantedBy: { userId } }, ...asked };
    const { grant, nextCursor } = await dataOf(api.POST("/v1/grant/query", { body, signal }));
    return { items: grant, next: nextCursor };
  }, 1);
  return items.length > 0 || (typeof next === "string" ? undefined : false);
}

async function fill<T>(
  start: PageStart,
  ask: (asked: PageStart & { readonly limit: number }) => Promise<Page<T>>,
  page = PAGE,
): Promise<Page<T>> {
  return await fillPage(start, page, (from, limit) => ask({ ...from, limit }), MOST_REQUESTS);
}
