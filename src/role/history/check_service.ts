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
  /** Whether the actor sees one of the roles now, as 0 or 1; null unless the walk is cut. */
  readonly isVisible: number | null;
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
  { database, clock }: Pick<RoleDeps, "database" | "clock">,
  { userId: actorId, sessionId }: Actor,
  checks: readonly RightCheck[],
  asOf: AsOf,
): Promise<{ allowed: boolean[]; revision: number }> {
  const roleIds = JSON.stringify(checks.map(({ roleId }) => roleId));
  const args = { now: clock(), actorId, sessionId, roleIds, ...momentArgs(asOf) };
  const row = await readMoment<PastRightsRow>(database, bind(READ_PAST_RIGHTS, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  const held = new Map(JSON.parse(row.held) as [number, RightsMask][]);
  const selfRights = new Map(JSON.parse(row.selfRights) as [number, RightsMask | null][]);
  const carried = carryRights(JSON.parse(row.relations) as LineageRelation[], held);
  const knew = (roleId: number): boolean => held.has(roleId) || carried.has(roleId);
  // Refused only if the actor sees or saw one of the roles: the refusal must not tell them that a role exists.
  if (row.isCut && (row.isVisible || checks.some(({ roleId }) => knew(roleId)))) {
    throw new AppError("LINEAGE_TOO_LARGE");
  }
  const allowed = checks.map(({ roleId, right }) => {
    const direct = (held.get(roleId) ?? NO_RIGHTS) & (selfRights.get(roleId) ?? NO_RIGHTS);
    return includesRights(direct | (carried.get(roleId) ?? NO_RIGHTS), maskOf(right));
  });
  return { allowed, revision: row.momentRevision };
}
