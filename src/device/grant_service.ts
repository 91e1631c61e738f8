import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { bind } from "../db/statement.ts";
import type { DeviceDeps } from "./deps.ts";
import { FIND_GRANTS, type GrantKind } from "./grant_queries.ts";

/** Dependencies of finding grants. */
export type GrantDeps = Pick<DeviceDeps, "database" | "clock">;

/** The roles by which the actor may use a device. They may have changed by the time of use. */
export interface Grant {
  readonly nodeId: string;
  readonly deviceId: number;
  /** A role that monitors the device. */
  readonly roleId: number;
  /** The role of which the actor is a direct member, and which has the rights on `roleId`. */
  readonly actingId: number;
  /** A role that monitors the device, at or below the requested role. Null if the call names none. */
  readonly meantId: number | null;
}

export interface GrantQuery {
  readonly kind: GrantKind;
  readonly nodeIds: ReadonlySet<string>;
  /** The requested role. */
  readonly belowId?: number | undefined;
}

/**
 * Finds grants for the devices that the actor may use. Takes one round trip, and more if one statement cannot judge all
 * roles. Throws `TOKEN_INVALID`.
 */
export async function findGrants(
  { database, clock }: GrantDeps,
  { userId: actorId, sessionId }: Actor,
  { kind, nodeIds: named, belowId }: GrantQuery,
): Promise<Grant[]> {
  const nodeIds = [...named];
  const args = { actorId, sessionId, nodeIds: JSON.stringify(nodeIds), belowId: belowId ?? null };
  const held = new Map<number, readonly [deviceId: number, roleId: number, actingId: number]>();
  const meant = new Map<number, number>();
  for (let afterKey = -1;;) {
    const statement = bind(FIND_GRANTS[kind], { ...args, now: clock(), afterKey });
    const [row] = await database.read(statement);
    if (row === undefined) throw new AppError("TOKEN_INVALID");
    for (const [key, ...ids] of JSON.parse(row.held) as [number, number, number, number][]) {
      held.set(key, ids);
    }
    for (const [key, roleId] of JSON.parse(row.meant) as [number, number][]) meant.set(key, roleId);
    if (row.lastKey === null) break;
    afterKey = row.lastKey;
  }
  return nodeIds.flatMap((nodeId, key) => {
    const [deviceId, roleId, actingId] = held.get(key) ?? [];
    const meantId = belowId === undefined ? null : meant.get(key);
    if (deviceId === undefined || roleId === undefined || actingId === undefined || meantId === undefined) {
      return [];
    }
    return [{ nodeId, deviceId, roleId, actingId, meantId }];
  });
}

/** Returns the grants as the parameter `:grants`. */
export function toGrantsJson(grants: readonly Grant[]): string {
  return JSON.stringify(
    grants.map(({ nodeId, roleId, actingId, meantId }) => [nodeId, roleId, actingId, meantId]),
  );
}
