import { api, dataOf } from "../../api.ts";
import type { Problem } from "../../problem.ts";
import type { Role } from "../../schemas.ts";
import { useLoad } from "../../use_load.ts";

/** What the person who is signed in may do about a role. The service decides; this only hides what it would refuse. */
export interface Allowed {
  /** Put roles below it. */
  readonly mayExtend: boolean;
  /** Change it, and what it is below. */
  readonly mayChange: boolean;
  /** See and change its members and keys, and see who has access. */
  readonly mayManagePeople: boolean;
}

/** Undefined until it is known, with what keeps it from being known. */
export function useAllowed(
  { id, userRights }: Role,
): { readonly allowed: Allowed | undefined; readonly problem: Problem | undefined } {
  const { roleManagement: mayExtend = false, userManagement = false } = userRights;
  const { state } = useLoad(
    `allowed ${id} ${mayExtend}`,
    async (signal) => ({ id, mayChange: mayExtend && await managesFromAbove(id, signal) }),
  );
  const { data, problem } = state.value;
  if (data?.id !== id) return { allowed: undefined, problem };
  const { mayChange } = data;
  return { allowed: { mayExtend, mayChange, mayManagePeople: userManagement || mayChange }, problem };
}

/** Whether their role management comes over a relation. That of direct members does not let them change the role itself. */
async function managesFromAbove(roleId: number, signal: AbortSignal): Promise<boolean> {
  const body = { roleId, right: "roleManagement" } as const;
  const { ways } = await dataOf(api.POST("/v1/rights/explain", { body, signal }));
  return ways.some(({ relations }) => relations.length > 0);
}
