import { api, dataOf } from "../../api.ts";
import { loadRoles } from "../../roles.ts";
import type { Role } from "../../schemas.ts";
import type { Holder } from "./summary.ts";
import type { Previewed } from "./use_preview.ts";

/** The details of an effect, which has only ids. */
export interface EffectDetails {
  /** The roles in the effect that the viewer sees. */
  readonly roles: ReadonlyMap<number, Role>;
  /** The visible members and keys of roles that gain or lose. */
  readonly holders: readonly Holder[];
  /** Whether all visible members are loaded. */
  readonly hasAllMembers: boolean;
  /** Whether all visible members and keys are loaded. */
  readonly isComplete: boolean;
  /** The roles among the deleted nodes. */
  readonly deletedRoleIds: readonly number[];
}

const MEMBERS = 200;
/** Maximum number of roles whose keys are loaded, each by a request. */
const ROLES_WITH_KEYS = 6;

/** Loads the members of the roles that gain or lose. `person`: the only affected person. */
export async function loadDetails(
  { effect, deletedNodeIds }: Previewed,
  person: string | undefined,
  signal: AbortSignal,
): Promise<EffectDetails> {
  const actingIds = [...new Set(effect.changes.map(({ actingRoleId }) => actingRoleId))];
  const named = [...actingIds, ...effect.unmanaged.slice(0, 3), ...deletedNodeIds];
  const [roles, members, keys] = await Promise.all([
    loadRoles(named, signal),
    person === undefined ? loadMembers(actingIds, signal) : {
      holders: actingIds.map((roleId) => ({ name: person, isKey: false, roleId })),
      isComplete: true,
    },
    person === undefined ? loadKeys(actingIds.slice(0, ROLES_WITH_KEYS), signal) : [],
  ]);
  return {
    roles,
    holders: [...members.holders, ...keys],
    hasAllMembers: members.isComplete,
    isComplete: members.isComplete && actingIds.length <= ROLES_WITH_KEYS,
    deletedRoleIds: deletedNodeIds.filter((id) => roles.has(id)),
  };
}

async function loadMembers(
  roleId: number[],
  signal: AbortSignal,
): Promise<Pick<EffectDetails, "holders" | "isComplete">> {
  if (roleId.length === 0) return { holders: [], isComplete: true };
  const params = { path: { roleId } };
  const { member, nextCursor } = await dataOf(
    api.POST("/v1/role/{roleId}/member/query", { params, body: { limit: MEMBERS }, signal }),
  );
  return {
    holders: member.map(({ userEmail: name, ...rest }) => ({ name, isKey: false, ...rest })),
    isComplete: nextCursor === null,
  };
}

async function loadKeys(roleIds: readonly number[], signal: AbortSignal): Promise<Holder[]> {
  const lists = await Promise.all(roleIds.map(async (roleId) => {
    const params = { path: { roleId } };
    return await dataOf(api.POST("/v1/role/{roleId}/key/query", { params, body: {}, signal }));
  }));
  return lists.flatMap(({ key }) =>
    key.map(({ name, roleId, rights }) => ({ name, isKey: true, roleId, rights }))
  );
}
