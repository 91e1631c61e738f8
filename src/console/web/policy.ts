import { api, dataOf } from "./api.ts";
import { Problem } from "./problem.ts";
import type { Policy } from "./schemas.ts";

/** Loads what a role demands of its members; undefined for a viewer who may not see it. */
export async function loadPolicy(
  roleId: number,
  signal: AbortSignal | null = null,
): Promise<Policy | undefined> {
  const params = { path: { roleId } };
  const asked = dataOf(api.GET("/v1/role/{roleId}/authentication-policy", { params, signal }));
  const found = await asked.catch((error) => {
    if (!(error instanceof Problem) || error.status !== 403) throw error;
  });
  return found?.authenticationPolicy;
}
