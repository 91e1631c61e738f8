import type { Ruled } from "../changes/ruled.ts";
import { type Authorization, awake, holds, mayGive, type Membership } from "../graph/rules/rules.ts";
import { maskOf, type RightsMask } from "../graph/rights.ts";

export interface CreateRoleFacts extends Authorization<Membership<"parent">> {
  /** What the parent demands: a `DemandList`. */
  readonly demand: unknown;
  /** Another role below the same root has the external id, where that matters. */
  readonly isTaken: boolean | null;
  /** The request that used the same `Idempotency-Key` before. */
  readonly first?: {
    readonly isSame: boolean;
    readonly roleId: number | null;
    readonly relationId: number | null;
    readonly demand: unknown;
  } | null;
}

export interface CreateRoleInput {
  readonly rights: RightsMask;
}

/**
 * Decides about a role below a parent, with the relation that connects them. A retry returns the role that the first
 * request created, even if the caller has lost the right since.
 */
export function decideCreateRole(facts: CreateRoleFacts, { rights }: CreateRoleInput): Ruled {
  const { demand, isTaken, first } = facts;
  const by = awake(facts).filter((each) =>
    holds(each, "roleManagement", each.to.parent) && mayGive(each, rights)
  );
  if (first) return { ...first, ruling: first.isSame ? "noop" : "key_reused", by };
  if (by.length === 0) return { ruling: "denied" };
  if ((rights & maskOf("roleManagement")) === 0) return { ruling: "unmanaged", by };
  if (isTaken) return { ruling: "external_id_taken", by };
  return { ruling: "ok", step: "grow", by, demand };
}
