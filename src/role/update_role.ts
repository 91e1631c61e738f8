import type { Ruled } from "../changes/ruled.ts";
import {
  type Authorization,
  authorize,
  awake,
  holdsIndirectly,
  mayGive,
  type Membership,
} from "../graph/rules/rules.ts";
import type { RightsMask } from "../graph/rights.ts";

export interface UpdateRoleFacts extends Authorization<Membership<"role">> {
  readonly current: {
    readonly name: string;
    readonly selfRights: RightsMask;
    readonly externalId: string | null;
  } | null;
  /** The request sets another external id, or none. */
  readonly changesExternalId: boolean;
  /** Another role below the same root has the external id, where that matters. */
  readonly isTaken: boolean | null;
}

export interface UpdateRoleInput {
  readonly name: string;
  readonly selfRights: RightsMask;
  readonly externalId: string | null;
}

/**
 * Decides about a role's name, self rights and external id. Only indirect roleManagement counts, so that no role can
 * raise its own self rights. A key changes self rights only if its maker could, in either direction: managers of the
 * key's role may need them to delete it.
 */
export function decideUpdateRole(
  facts: UpdateRoleFacts,
  { name, selfRights, externalId }: UpdateRoleInput,
): Ruled {
  const { current, changesExternalId, isTaken } = facts;
  const said = {
    oldName: current?.name ?? null,
    oldRights: current?.selfRights ?? null,
    oldExternalId: current?.externalId ?? null,
    changesExternalId,
  };
  if (current === null) return { ruling: "denied", ...said };
  const added = selfRights & ~current.selfRights;
  const manages = (by: Membership<"role">): boolean => holdsIndirectly(by, "roleManagement", by.to.role);
  const by = authorize(
    facts,
    (each) => manages(each) && mayGive(each, added),
    selfRights !== current.selfRights,
  );
  if (by.length === 0) return { ruling: "denied", ...said };
  const renames = name !== current.name;
  if (!renames && selfRights === current.selfRights && !changesExternalId) {
    return { ruling: "noop", by, ...said };
  }
  if (changesExternalId && isTaken) return { ruling: "external_id_taken", ...said };
  const takesAway = !renames && added === 0 && (!changesExternalId || externalId === null);
  return { ruling: "ok", step: "write", by, chargedBy: awake(facts).filter(manages), takesAway, ...said };
}
