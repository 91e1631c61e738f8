import { api, dataOf } from "../../api.ts";
import type { components } from "../../openapi_types.ts";
import { Problem } from "../../problem.ts";
import { loadRoles } from "../../roles.ts";
import type { Member, Role } from "../../schemas.ts";

/** What becomes of roles when somebody leaves. */
export interface LeavingEffect {
  /** The roles that they are a direct member of; the first ones of many. */
  readonly memberships: number;
  readonly hasMore: boolean;
  /** Root roles that nobody else keeps: then they cannot leave. */
  readonly keeps: readonly Role[];
  /** Roles that nobody could manage, the first ones of many, and how many more there are at least. */
  readonly unmanaged: readonly Role[];
  readonly moreUnmanaged: number;
  /** Whether one of the effects could not be found out. */
  readonly isPartial: boolean;
}

/** Memberships whose end is previewed, one at a time. */
const PREVIEWED = 20;
const NAMED = 10;

/** What leaving would do, membership by membership, by the address of whoever asks. */
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
      // Several memberships may leave the same ones.
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

/** The effect of ending a membership; `kept` if it keeps a root role, undefined if that cannot be said now. */
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
