import type { Actor } from "../../core/actor.ts";
import { AppError } from "../../core/errors.ts";
import { bind } from "../../db/statement.ts";
import type { GraphDeps } from "../deps.ts";
import { includesRights, maskOf, NO_RIGHTS, type RightCheck, type RightsMask } from "../rights.ts";
import { type AsOf, momentArgs, readMoment } from "./as_of.ts";
import { READ_PAST_RIGHTS } from "./check_queries.ts";
import { carryRights, type LineageRelation } from "./lineage.ts";

/**
 * Returns whether the actor held each right at a past moment, directly or indirectly, and the moment's revision. False
 * for roles that did not exist, or that the actor does not see now. Throws `BEFORE_HISTORY`, `MALFORMED_REQUEST` for a
 * future moment, and `LINEAGE_TOO_LARGE` if too many relations lead to the roles.
 */
export async function checkPastRights(
  deps: GraphDeps,
  actor: Actor,
  checks: readonly RightCheck[],
  asOf: AsOf,
): Promise<{ allowed: boolean[]; revision: number }> {
  const { database, clock } = deps;
  const { userId: actorId, sessionId } = actor;
  const roleIds = JSON.stringify(checks.map(({ roleId }) => roleId));
  const args = { now: clock(), actorId, sessionId, roleIds, ...momentArgs(asOf) };
  const row = await readMoment(database, bind(READ_PAST_RIGHTS, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  if (row.costly !== null) {
    const middle = Math.ceil(checks.length / 2);
    const one = await checkPastRights(deps, actor, checks.slice(0, middle), asOf);
    const other = await checkPastRights(deps, actor, checks.slice(middle), asOf);
    return { allowed: [...one.allowed, ...other.allowed], revision: one.revision };
  }
  if (row.isCut === 1) throw new AppError("LINEAGE_TOO_LARGE");
  const held = new Map(JSON.parse(row.held) as [number, RightsMask][]);
  const seen = new Map(JSON.parse(row.selfRights) as [number, RightsMask | null][]);
  const carried = carryRights(JSON.parse(row.relations) as LineageRelation[], held);
  const allowed = checks.map(({ roleId, right }) => {
    // A walked role may lie above a visible one without being visible itself.
    const selfRights = seen.get(roleId);
    if (selfRights === undefined) return false;
    const direct = (held.get(roleId) ?? NO_RIGHTS) & (selfRights ?? NO_RIGHTS);
    return includesRights(direct | (carried.get(roleId) ?? NO_RIGHTS), maskOf(right));
  });
  return { allowed, revision: row.momentRevision };
}
