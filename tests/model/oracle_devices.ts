import { isDeepStrictEqual } from "node:util";
import { conflict, forbidden, type GivenIds, type Outcome, success } from "./oracle_outcome.ts";
import {
  DEVICE_MANAGEMENT,
  giversOf,
  hasIndirectRoleManagement,
  isMember,
  type ModelDevice,
  type ModelMember,
  type ModelMonitors,
  rightsBy,
  someMembership,
  type World,
} from "./oracle_rights.ts";

/** A property that an update sets. */
export type Given = { readonly name: string } | { readonly label: string | null };

/** One request that changes devices, with all ids resolved. */
export type DeviceOperation =
  | { kind: "createDevice"; userId: number; roleId: number; nodeId: string; name: string }
  | {
    kind: "updateDevice";
    userId: number;
    deviceId: number;
    nodeId?: string;
    mode?: "replace";
    given: Given;
  }
  | { kind: "attachDevice"; userId: number; roleId: number; deviceId: number }
  | { kind: "detachDevice"; userId: number; roleId: number; monitorsId: number };

export const NODE_ID_TAKEN = "The nodeId belongs to another device";
export const NODE_ID_FIXED = "The nodeId of a device cannot be changed";

type Of<K extends DeviceOperation["kind"]> = Extract<DeviceOperation, { kind: K }>;

/** Decides an operation on devices by the rules: authorization first. */
export function decideDevice(world: World, operation: DeviceOperation, given: GivenIds): Outcome {
  switch (operation.kind) {
    case "createDevice":
      return createDevice(world, operation, given);
    case "updateDevice":
      return updateDevice(world, operation);
    case "attachDevice":
      return attachDevice(world, operation, given);
    case "detachDevice":
      return detachDevice(world, operation);
  }
}

function createDevice(world: World, operation: Of<"createDevice">, given: GivenIds): Outcome {
  const { userId, roleId, nodeId, name } = operation;
  if (!someMembership(world, userId, (own) => keepsDevicesOf(world, own, roleId))) {
    return forbidden(world);
  }
  const isTaken = [...world.devices.values()].some(({ properties }) => properties.nodeId === nodeId);
  if (isTaken) return conflict(world, NODE_ID_TAKEN);
  const device: ModelDevice = { id: given.nodeId, properties: { nodeId, name }, updatedAt: world.now };
  const monitors: ModelMonitors = { id: given.relationId, roleId, deviceId: device.id };
  const after = {
    ...world,
    devices: new Map(world.devices).set(device.id, device),
    monitors: new Map(world.monitors).set(monitors.id, monitors),
  };
  const body = { device: wireDevice(after, userId, device), monitors };
  return { ...success(after, body), createdNodeIds: [device.id], createdRelationIds: [monitors.id] };
}

function updateDevice(world: World, operation: Of<"updateDevice">): Outcome {
  const { userId, deviceId, nodeId, mode, given } = operation;
  const old = world.devices.get(deviceId);
  if (old === undefined || !mayUpdate(world, userId, deviceId)) return forbidden(world);
  if (nodeId !== undefined && nodeId !== old.properties.nodeId) return conflict(world, NODE_ID_FIXED);
  const kept = mode === "replace" ? { nodeId: old.properties.nodeId } : old.properties;
  const properties = { ...kept, ...given };
  if (isDeepStrictEqual(properties, old.properties)) {
    return success(world, { device: wireDevice(world, userId, old) });
  }
  // What is given comes after what is kept.
  for (const name of Object.keys(given)) Reflect.deleteProperty(properties, name);
  const device: ModelDevice = {
    id: deviceId,
    properties: Object.assign(properties, given),
    // No two changes of a device have the same time.
    updatedAt: Math.max(world.now, old.updatedAt + 1),
  };
  const after = { ...world, devices: new Map(world.devices).set(deviceId, device) };
  return success(after, { device: wireDevice(after, userId, device) });
}

function attachDevice(world: World, operation: Of<"attachDevice">, given: GivenIds): Outcome {
  const { userId, roleId, deviceId } = operation;
  const hasRight = (own: ModelMember, target: number): boolean =>
    (rightsBy(world, own, target) & DEVICE_MANAGEMENT) !== 0;
  const existing = [...world.monitors.values()].find((m) => m.roleId === roleId && m.deviceId === deviceId);
  const allowed = (existing === undefined ? giversOf(world, userId) : [userId]).every((giverId) =>
    someMembership(
      world,
      giverId,
      (own) => hasRight(own, roleId) && rolesOf(world, deviceId).some((other) => hasRight(own, other)),
    )
  );
  if (!allowed) return forbidden(world);
  if (existing !== undefined) return success(world, { monitors: existing });
  const monitors: ModelMonitors = { id: given.relationId, roleId, deviceId };
  const after = { ...world, monitors: new Map(world.monitors).set(monitors.id, monitors) };
  return { ...success(after, { monitors }), createdRelationIds: [monitors.id] };
}

function detachDevice(world: World, operation: Of<"detachDevice">): Outcome {
  const { userId, roleId, monitorsId } = operation;
  const relation = world.monitors.get(monitorsId);
  if (relation === undefined || relation.roleId !== roleId) return forbidden(world);
  if (!someMembership(world, userId, (own) => keepsDevicesOf(world, own, roleId))) {
    return forbidden(world);
  }
  const monitors = new Map(world.monitors);
  monitors.delete(monitorsId);
  const after = withoutLooseDevices({ ...world, monitors });
  const deletedNodeIds = after.devices.has(relation.deviceId) ? [] : [relation.deviceId];
  return success(after, { deletedNodeIds, deletedRelationIds: [monitorsId] });
}

/** Removes the devices that nothing monitors. */
export function withoutLooseDevices(world: World): World {
  const kept = [...world.devices].filter(([id]) => rolesOf(world, id).length > 0);
  return { ...world, devices: new Map(kept) };
}

/** The devices that the user may read, in the order of their ids. */
export function visibleDevices(world: World, userId: number): Record<string, unknown>[] {
  return [...world.devices.values()].sort((a, b) => a.id - b.id)
    .filter(({ id }) => rolesOf(world, id).some((roleId) => isMember(world, userId, roleId)))
    .map((device) => wireDevice(world, userId, device));
}

/** The monitors relations of the roles that the user is a member of. */
export function visibleMonitors(world: World, userId: number): Record<string, unknown>[] {
  return [...world.monitors.values()].sort((a, b) => a.id - b.id)
    .filter(({ roleId }) => isMember(world, userId, roleId)).map((relation) => ({ ...relation }));
}

/** The roles that monitor a device. */
export function rolesOf(world: World, deviceId: number): number[] {
  return [...world.monitors.values()].filter((m) => m.deviceId === deviceId).map(({ roleId }) => roleId);
}

function wireDevice(world: World, userId: number, device: ModelDevice): Record<string, unknown> {
  const { id, properties, updatedAt } = device;
  const monitorManagement = mayUpdate(world, userId, id);
  const lastUpdate = new Date(updatedAt).toISOString();
  return { id, properties, lastUpdate, userRights: { propertyEditabilities: {}, monitorManagement } };
}

/** Whether the user may update the device, and write its telemetry. */
export function mayUpdate(world: World, userId: number, deviceId: number): boolean {
  return someMembership(
    world,
    userId,
    (own) => rolesOf(world, deviceId).some((roleId) => keepsDevicesOf(world, own, roleId)),
  );
}

/** Direct or indirect deviceManagement, or indirect roleManagement. */
function keepsDevicesOf(world: World, own: ModelMember, roleId: number): boolean {
  return (rightsBy(world, own, roleId) & DEVICE_MANAGEMENT) !== 0 ||
    hasIndirectRoleManagement(world, own, roleId);
}
