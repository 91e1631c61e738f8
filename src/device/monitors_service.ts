import type { Actor } from "../core/actor.ts";
import { runChange } from "../role/change/change_service.ts";
import { accepted, type DecisionRow } from "../role/change/decision.ts";
import { type Deletion, readIds } from "../role/manages/manages_service.ts";
import type { DeviceDeps } from "./deps.ts";
import { ADD_MONITORS, REMOVE_MONITORS } from "./monitors_queries.ts";

/** A role that monitors a device. Its direct and indirect members may read the device's telemetry. */
export interface Monitors {
  readonly id: number;
  readonly roleId: number;
  readonly deviceId: number;
}

interface AddedMonitorsRow extends Monitors, DecisionRow {
}

interface RemovedMonitorsRow extends DecisionRow {
  readonly deletedDeviceIds: string;
  readonly deletedRelationIds: string;
}

export interface AddMonitorsInput {
  readonly roleId: number;
  readonly deviceId: number;
}

/**
 * Lets a role monitor an existing device. One role must have direct or indirect deviceManagement on this role and on
 * one that already monitors the device. A noop if this role does. Throws `TOO_MANY_MONITORS` if `MAX_MONITORS` roles
 * do.
 */
export async function addMonitors(
  deps: DeviceDeps,
  actor: Actor,
  { roleId, deviceId }: AddMonitorsInput,
): Promise<Monitors> {
  const { id } = accepted(
    await runChange<AddedMonitorsRow>(deps, actor, ADD_MONITORS, { roleId, deviceId }),
  );
  return { id, roleId, deviceId };
}

export interface RemoveMonitorsInput {
  readonly roleId: number;
  readonly monitorsId: number;
}

/**
 * Detaches a device from a role, and deletes it if no role monitors it any longer. Needs direct or indirect
 * deviceManagement, or indirect roleManagement, on the role.
 */
export async function removeMonitors(
  deps: DeviceDeps,
  actor: Actor,
  { roleId, monitorsId }: RemoveMonitorsInput,
): Promise<Deletion> {
  const args = { roleId, relationId: monitorsId };
  const row = accepted(await runChange<RemovedMonitorsRow>(deps, actor, REMOVE_MONITORS, args));
  return {
    deletedNodeIds: readIds(row.deletedDeviceIds),
    deletedRelationIds: readIds(row.deletedRelationIds),
  };
}
