import { api, dataOf } from "../../api.ts";
import { MOST_IDS } from "../../roles.ts";
import type { Manages, Member } from "../../schemas.ts";

/** Loads the relations to a role: all if the viewer manages it, otherwise those from visible roles. */
export async function loadEntering(roleId: number, signal: AbortSignal | null): Promise<readonly Manages[]> {
  const [managed, seen] = await Promise.all([
    dataOf(
      api.POST("/v1/role/{roleId}/managed-by/query", {
        params: { path: { roleId: [roleId] } },
        body: { limit: MOST_IDS },
        signal,
      }),
    ),
    dataOf(
      api.POST("/v1/role/{parentRoleId}/manages/query", {
        params: { path: { parentRoleId: "*" } },
        body: { filter: { childRoleId: [roleId] }, limit: MOST_IDS },
        signal,
      }),
    ),
  ]);
  return [...new Map([...managed.manages, ...seen.manages].map((each) => [each.id, each])).values()];
}

/** Loads a relation by id: to or from the role, or any other visible one. */
export async function loadRelation(
  id: number,
  roleId: number,
  signal: AbortSignal | null = null,
): Promise<Manages | undefined> {
  const params = { path: { parentRoleId: "*" as const } };
  const { manages } = await dataOf(
    api.POST("/v1/role/{parentRoleId}/manages/query", { params, body: { filter: { id: [id] } }, signal }),
  );
  return manages[0] ?? (await loadEntering(roleId, signal)).find((relation) => relation.id === id);
}

/** Loads a membership by id, if the viewer sees it. */
export async function loadMember(
  id: number,
  roleId: number,
  signal: AbortSignal | null = null,
): Promise<Member | undefined> {
  const params = { path: { roleId: [roleId] } };
  const { member } = await dataOf(
    api.POST("/v1/role/{roleId}/member/query", { params, body: { filter: { id: [id] } }, signal }),
  );
  return member[0];
}

/** Loads the visible memberships of a person; the viewer sees all of their own. */
export async function loadMemberships(email: string, signal: AbortSignal): Promise<readonly Member[]> {
  const params = { path: { roleId: "*" as const } };
  const body = { filter: { userEmail: [email] }, limit: MOST_IDS };
  return (await dataOf(api.POST("/v1/role/{roleId}/member/query", { params, body, signal }))).member;
}
