import { api, dataOf } from "./api.ts";
import { Problem } from "./problem.ts";
import type { Policy } from "./schemas.ts";

/** Loads what a role demands of its members; undefined for a viewer who may not see it. */
export async function loadPolicy(
  roleId: number,
  signal: AbortSignal | null = null,
): Promise<Policy | undefined> {
  try {
    const params = { path: { roleId } };
    const found = await dataOf(api.GET("/v1/role/{roleId}/authentication-policy", { params, signal }));
    return found.authenticationPolicy;
  } catch (error) {
    if (error instanceof Problem && error.status === 403) return undefined;
    throw error;
  }
}
