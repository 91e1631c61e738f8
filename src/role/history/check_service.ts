import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { bind } from "../../db/statement.ts";
import type { RoleDeps } from "../deps.ts";
import { includesRights, maskOf, NO_RIGHTS, type RightsMask } from "../rights.ts";
import type { RightCheck } from "../role_service.ts";
import { type AsOf, momentArgs, type MomentRow, readMoment } from "./as_of.ts";
import { READ_PAST_RIGHTS } from "./check_queries.ts";
import { carryRights, type LineageRelation } from "./lineage.ts";

interface PastRightsRow extends MomentRow {
  /** 0 or 1. */
  readonly isCut: number;
  /** JSON: those of the roles that the actor sees now; empty unless the walk is cut. */
  readonly visibleRoleIds: string;
  /** JSON: a list of `LineageRelation`. */
  readonly relations: string;
  /** JSON: the actor's memberships in roles of the lineage, as [role, rights]. */
  readonly held: string;
  /** JSON: the self rights of the roles asked about, as [role, rights or null]. */
  readonly selfRights: string;
}

/**
 * Whether the actor held each right at a moment in the past, directly or indirectly, in the order of `checks`, and the
 * revision that the moment stands for. False for a role that did not exist. Throws `BEFORE_HISTORY`,
 * `MALFORMED_REQUEST` for a moment in the future, and `LINEAGE_TOO_LARGE` if more relations lead to the roles than are
 * walked, as far as the actor sees or saw one of them.
 */
export async function checkPastRights(
  deps: Pick<RoleDeps, "database" | "clock">,
  actor: Actor,
  checks: readonly RightCheck[],
  asOf: AsOf,
): Promise<{ allowed: boolean[]; revision: number }> {
  const { database, clock } = deps;
  const { userId: actorId, sessionId } = actor;
  const roleIds = JSON.stringify(checks.map(({ roleId }) => roleId));
  const args = { now: clock(), actorId, sessionId, roleIds, ...momentArgs(asOf) };
  const row = await readMoment<PastRightsRow>(database, bind(READ_PAST_RIGHTS, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  const held = new Map(JSON.parse(row.held) as [number, RightsMask][]);
  const selfRights = new Map(JSON.parse(row.selfRights) as [number, RightsMask | null][]);
  const carried = carryRights(JSON.parse(row.relations) as LineageRelation[], held);
  const knew = (roleId: number): boolean => held.has(roleId) || carried.has(roleId);
  const visible = new Set(JSON.parse(row.visibleRoleIds) as number[]);
  const isSeen = ({ roleId }: RightCheck): boolean => visible.has(roleId);
  if (visible.size > 0 && !checks.every(isSeen)) {
    // Together they may be too many because of a role that the actor does not see, of which nothing must tell.
    const [seen, others] = [checks.filter(isSeen), checks.filter((check) => !isSeen(check))];
    const ofSeen = await checkPastRights(deps, actor, seen, asOf);
    const ofOthers = await checkPastRights(deps, actor, others, asOf);
    const [nextSeen, nextOther] = [ofSeen.allowed.values(), ofOthers.allowed.values()];
    const allowed = checks.map((check) => (isSeen(check) ? nextSeen : nextOther).next().value === true);
    return { allowed, revision: ofSeen.revision };
  }
  // Refused only if the actor sees or saw one of the roles: the refusal must not tell them that a role exists.
  if (row.isCut && (visible.size > 0 || checks.some(({ roleId }) => knew(roleId)))) {
    throw new AppError("LINEAGE_TOO_LARGE");
  }
  const allowed = checks.map(({ roleId, right }) => {
    const direct = (held.get(roleId) ?? NO_RIGHTS) & (selfRights.get(roleId) ?? NO_RIGHTS);
    return includesRights(direct | (carried.get(roleId) ?? NO_RIGHTS), maskOf(right));
  });
  return { allowed, revision: row.momentRevision };
}
