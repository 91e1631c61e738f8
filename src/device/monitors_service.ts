import type { Actor } from "../core/actor.ts";
import { runChange } from "../role/change/change_service.ts";
import { accepted, type Decision } from "../role/change/decision.ts";
import { type Deletion, readIds } from "../role/manages_service.ts";
import type { DeviceDeps } from "./deps.ts";
import { ADD_MONITORS, REMOVE_MONITORS } from "./monitors_queries.ts";

/** A role monitors a device: it and all above it may read the device's telemetry. */
export interface Monitors {
  readonly id: number;
  readonly roleId: number;
  readonly deviceId: number;
}

interface AddedMonitorsRow extends Monitors {
  readonly decision: Decision;
  readonly cost: number | null;
}

interface RemovedMonitorsRow {
  readonly decision: Decision;
  readonly cost: number | null;
  readonly deletedDeviceIds: string;
  readonly deletedRelationIds: string;
}

export interface AddMonitorsInput {
  readonly roleId: number;
  readonly deviceId: number;
}

/**
 * Lets a role monitor an existing device. Needs, of one authorizing role, direct or indirect deviceManagement on the role
 * and on one that monitors the device already. Does nothing where the role monitors it.
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
 * Detaches a device from a role. Needs direct or indirect deviceManagement, or indirect roleManagement, on the role. A
 * device that nothing monitors any more goes too.
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
