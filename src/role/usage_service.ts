import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { readRevised } from "../db/revisions.ts";
import { bind } from "../db/statement.ts";
import { CLOCK_TOLERANCE_MS, SECOND_MS } from "../core/clock.ts";
import { bytesThatDrain, MOST_DRAINS, SHARES } from "../changes/store_limits.ts";
import type { RoleDeps } from "./deps.ts";
import { refusalOf } from "../graph/rules/step_up.ts";
import { READ_USAGE } from "./usage_queries.ts";

export interface Share {
  readonly used: number;
  readonly allowed: number;
}

/** Usage of a root role, and its maximum. */
export interface Usage {
  /** Whether the figures are those of the whole root, or of the caller's top branch below it. */
  readonly of: "root" | "caller";
  readonly roles: Share;
  readonly devices: Share;
  /** In bytes. */
  readonly changes: Share;
  /** The bytes of points, for a whole root. `allowed` is absent without a limit. */
  readonly telemetry?: { readonly used: number; readonly allowed?: number };
}

export interface UsageDeps extends Pick<RoleDeps, "database" | "clock" | "storeLimits"> {
  /** Counts the bytes of the points of a root's devices. A telemetry engine does not. */
  readonly telemetryStore: { countedBytes?(rootId: number): Promise<number> };
  /** The maximum of these; undefined without one. */
  readonly telemetryBytes?: number | undefined;
}

/**
 * Returns the usage of the root that members of the role act through: of the whole root for its members, else the part
 * of the caller's top branch. Throws `FORBIDDEN` unless the actor is a direct member of the role.
 */
export async function findUsage(
  deps: UsageDeps,
  actor: Actor,
  roleId: number,
): Promise<Usage> {
  const { storeLimits } = deps;
  const { userId: actorId, sessionId } = actor;
  const now = deps.clock();
  const args = { now, actorId, sessionId, roleId };
  const [row] = await readRevised(deps.database, bind(READ_USAGE, args));
  if (row === undefined) throw new AppError("TOKEN_INVALID");
  const { isRoot, roles, devices, freeAt } = row;
  if (isRoot === null) {
    const refuses = (judged?: { readonly isRoot: number | null }): boolean =>
      typeof judged?.isRoot !== "number";
    throw await refusalOf(deps, actor, { statement: READ_USAGE, args, refuses });
  }
  const shares = isRoot === 1 ? 1 : SHARES;
  const mostMs = MOST_DRAINS * storeLimits.bucket.drainSeconds * SECOND_MS + CLOCK_TOLERANCE_MS;
  const filledMs = freeAt - now > mostMs ? 0 : freeAt - now;
  const points = isRoot === 1 ? await deps.telemetryStore.countedBytes?.(roleId) : undefined;
  const allowed = deps.telemetryBytes;
  const share = (used: number, most: number): Share => ({ used, allowed: Math.ceil(most / shares) });
  return {
    of: isRoot === 1 ? "root" : "caller",
    roles: share(roles, storeLimits.roles),
    devices: share(devices, storeLimits.devices),
    // A top branch is charged a multiple.
    changes: share(
      bytesThatDrain(storeLimits.bucket, filledMs / shares),
      storeLimits.bucket.capacity,
    ),
    ...(points !== undefined && { telemetry: { used: points, ...(allowed !== undefined && { allowed }) } }),
  };
}
