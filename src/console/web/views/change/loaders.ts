import { api, dataOf } from "../../api.ts";
import { queryManages, queryMembers } from "../../ask_lists.ts";
import { MOST_IDS } from "../../roles.ts";
import type { Manages, Member } from "../../schemas.ts";

/** Loads the relations to a role: all if the viewer manages it, otherwise those from visible roles. */
export async function loadEntering(roleId: number, signal: AbortSignal | null): Promise<readonly Manages[]> {
  const body = { limit: MOST_IDS };
  const params = { path: { roleId: [roleId] } };
  const [managed, seen] = await Promise.all([
    dataOf(api.POST("/v1/role/{roleId}/managed-by/query", { params, body, signal })),
    queryManages("*", { ...body, filter: { childRoleId: [roleId] } }, signal),
  ]);
  return [...new Map([...managed.manages, ...seen.manages].map((each) => [each.id, each])).values()];
}

/** Loads a relation by id: to or from the role, or any other visible one. */
export async function loadRelation(
  id: number,
  roleId: number,
  signal: AbortSignal | null = null,
): Promise<Manages | undefined> {
  const { manages } = await queryManages("*", { filter: { id: [id] } }, signal);
  return manages[0] ?? (await loadEntering(roleId, signal)).find((relation) => relation.id === id);
}

/** Loads a membership by id, if the viewer sees it. */
export async function loadMember(
  id: number,
  roleId: number,
  signal: AbortSignal | null = null,
): Promise<Member | undefined> {
  return (await queryMembers(roleId, { filter: { id: [id] } }, signal)).member[0];
}

/** Loads the visible memberships of a person; the viewer sees all of their own. */
export async function loadMemberships(email: string, signal: AbortSignal): Promise<readonly Member[]> {
  return (await queryMembers("*", { filter: { userEmail: [email] }, limit: MOST_IDS }, signal)).member;
}
