import { api, dataOf } from "../../api.ts";
import type { components } from "../../openapi_types.ts";
import { Problem } from "../../problem.ts";
import { loadRoles } from "../../roles.ts";
import type { Member, Role } from "../../schemas.ts";

/** The effect of a user's leaving on roles. */
export interface LeavingEffect {
  /** Number of direct memberships; the first ones of many. */
  readonly memberships: number;
  readonly hasMore: boolean;
  /** Root roles without another lasting manager: the user cannot leave. */
  readonly keeps: readonly Role[];
  /** Roles left without a manager: the first of many, and the minimum number of others. */
  readonly unmanaged: readonly Role[];
  readonly moreUnmanaged: number;
  /** Whether an effect is unknown. */
  readonly isPartial: boolean;
}

/** Maximum number of memberships whose end is previewed, one at a time. */
const PREVIEWED = 20;
const NAMED = 10;

/** Previews leaving, membership by membership. `email`: the user's own address. */
export async function findLeavingEffect(email: string, signal: AbortSignal): Promise<LeavingEffect> {
  const { member } = await dataOf(api.POST("/v1/role/{roleId}/member/query", {
    params: { path: { roleId: "*" } },
    body: { filter: { userEmail: [email] }, limit: PREVIEWED + 1 },
    signal,
  }));
  const previewed = member.slice(0, PREVIEWED);
  const kept: number[] = [];
  const unmanaged = new Set<number>();
  let hidden = 0;
  let isPartial = false;
  for (const membership of previewed) {
    const effect = await previewLeaving(membership, signal);
    if (effect === "kept") kept.push(membership.roleId);
    else if (effect === undefined) isPartial = true;
    else {
      for (const id of effect.unmanaged) unmanaged.add(id);
      // Several memberships may leave the same roles.
      hidden = Math.max(hidden, effect.hiddenUnmanaged);
      isPartial ||= effect.truncated;
    }
  }
  const named = [...unmanaged].slice(0, NAMED);
  const roles = await loadRoles([...kept, ...named], signal);
  const seen = (ids: readonly number[]): Role[] => ids.flatMap((id) => roles.get(id) ?? []);
  return {
    memberships: previewed.length,
    hasMore: member.length > PREVIEWED,
    keeps: seen(kept),
    unmanaged: seen(named),
    moreUnmanaged: unmanaged.size - named.length + hidden,
    isPartial,
  };
}

type Effect = components["schemas"]["Effect"];

/** Previews the end of a membership; `kept` if it keeps a root role, undefined if unknown for now. */
async function previewLeaving(
  { id, roleId }: Member,
  signal: AbortSignal,
): Promise<Effect | "kept" | undefined> {
  const params = { path: { roleId, memberId: id }, query: { dryRun: true } };
  try {
    return (await dataOf(api.DELETE("/v1/role/{roleId}/member/{memberId}", { params, signal }))).effect;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status === 409) return "kept";
    if (error.status === 429 || error.status === 403) return undefined;
    throw error;
  }
}
