import type { Rights } from "../../../../graph/rights.ts";
import { api, dataOf, revisionOf } from "../../api.ts";
import type { components } from "../../openapi_types.ts";

interface NewRole {
  readonly role: { readonly name: string; readonly selfRights: Rights; readonly externalId?: string };
  /** What the role above may do there. */
  readonly manages: Rights;
}

type MadeRole = Pick<components["schemas"]["CreatedRole"], "role" | "authenticationPolicy"> & {
  readonly revision: number;
};

/** Makes a role below another. A retry after a lost response has the same key, and makes no second role. */
export async function createRole(
  parentRoleId: number,
  { role, manages }: NewRole,
  idempotencyKey: string,
): Promise<MadeRole> {
  const params = { query: { parentRoleId }, header: { "Idempotency-Key": idempotencyKey } };
  const sent = api.POST("/v1/role", { params, body: { role: { ...role }, manages: { ...manages } } });
  return { ...await dataOf(sent), revision: revisionOf((await sent).response) };
}
