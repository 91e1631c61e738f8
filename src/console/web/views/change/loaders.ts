import { api, dataOf } from "../../api.ts";
import { MOST_IDS } from "../../roles.ts";
import type { Manages, Member } from "../../schemas.ts";

/** Relations that lead to a role: all of them for those who manage it, or else those from roles that they see. */
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

/** A relation by id: one that leads to the role or from it, or any other that the person sees. */
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

/** A membership by id, if the viewer sees it. */
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

/** The memberships of one person, of those that the viewer may see: one's own are. */
export async function loadMemberships(email: string, signal: AbortSignal): Promise<readonly Member[]> {
  const params = { path: { roleId: "*" as const } };
  const body = { filter: { userEmail: [email] }, limit: MOST_IDS };
  return (await dataOf(api.POST("/v1/role/{roleId}/member/query", { params, body, signal }))).member;
}
