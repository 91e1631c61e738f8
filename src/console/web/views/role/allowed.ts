import { api, dataOf } from "../../api.ts";
import type { Problem } from "../../problem.ts";
import type { Role } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";

/** What the viewer may do with a role. The service decides; this only hides what it would refuse. */
export interface Allowed {
  /** Put roles below it. */
  readonly mayExtend: boolean;
  /** Change it, and the relations to it. */
  readonly mayChange: boolean;
  /** See and change its members and keys, and see who has access. */
  readonly mayManagePeople: boolean;
}

/**
 * Loads what the viewer may do on a role, of which they may be a direct member; undefined until known, with the problem if
 * it cannot be loaded.
 */
export function useAllowed(
  { id, userRights }: Role,
  isMember: boolean,
): { readonly allowed: Allowed | undefined; readonly problem: Problem | undefined } {
  const { roleManagement: mayExtend = false, userManagement = false } = userRights;
  const { data, problem } = useLoad(
    `allowed ${id} ${mayExtend} ${isMember}`,
    async (signal) => ({ id, mayChange: mayExtend && (!isMember || await managesFromAbove(id, signal)) }),
  );
  if (data?.id !== id) return { allowed: undefined, problem };
  const { mayChange } = data;
  return { allowed: { mayExtend, mayChange, mayManagePeople: userManagement || mayChange }, problem };
}

/**
 * Whether the role management of a direct member also comes by a relation. With that of the role on itself they could not
 * change it.
 */
async function managesFromAbove(roleId: number, signal: AbortSignal): Promise<boolean> {
  const body = { roleId, right: "roleManagement" } as const;
  const { ways } = await dataOf(api.POST("/v1/rights/explain", { body, signal }));
  return ways.some(({ relations }) => relations.length > 0);
}
