import { isDeepStrictEqual } from "node:util";
import {
  conflict,
  forbidden,
  type GivenIds,
  type Outcome,
  success,
  unprocessable,
} from "./oracle_outcome.ts";
import {
  ascending,
  byId,
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
  | {
    kind: "attachDevice";
    userId: number;
    roleId: number;
    deviceId: number;
    from?: number | null;
    until?: number | null;
  }
  | { kind: "transferDevice"; userId: number; deviceId: number; toRoleId: number }
  | { kind: "detachDevice"; userId: number; roleId: number; monitorsId: number };

export const NODE_ID_TAKEN = "The nodeId belongs to another device";
export const NODE_ID_FIXED = "The nodeId of a device cannot be changed";
export const OUTSIDE_PERIOD =
  "The period does not lie within that of a relation by which you manage the device";
export const BEGINS_EARLIER = "The period of a monitors relation cannot begin earlier than before";
export const PERIOD_EMPTY = "The period does not end after its beginning";
export const CANNOT_END =
  "The device has monitors relations that you may not end: ask those who manage them to do it";

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
    case "transferDevice":
      return transferDevice(world, operation, given);
    case "detachDevice":
      return detachDevice(world, operation);
  }
}

function createDevice(world: World, operation: Of<"createDevice">, given: GivenIds): Outcome {
  const { userId, roleId, nodeId, name } = operation;
  if (!mayKeepDevices(world, userId, roleId)) return forbidden(world);
  const isTaken = [...world.devices.values()].some(({ properties }) => properties.nodeId === nodeId) ||
    (world.trash.get(nodeId) ?? roleId) !== roleId;
  if (isTaken) return conflict(world, NODE_ID_TAKEN);
  const device: ModelDevice = { id: given.nodeId, properties: { nodeId, name }, updatedAt: world.now };
  const unlimited = { from: null, until: null };
  const monitors: ModelMonitors = { id: given.relationId, roleId, deviceId: device.id, ...unlimited };
  const after = {
    ...world,
    devices: new Map(world.devices).set(device.id, device),
    monitors: new Map(world.monitors).set(monitors.id, monitors),
    trash: new Map([...world.trash].filter(([kept]) => kept !== nodeId)),
  };
  const body = { device: wireDevice(after, userId, device), monitors: wireMonitors(monitors) };
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
  const { userId, roleId, deviceId, ...asked } = operation;
  const ofPair = relationsOf(world, deviceId).filter((each) => each.roleId === roleId);
  // A request that ended a relation may be repeated.
  const isRepeated = ({ from, until }: ModelMonitors): boolean =>
    asked.until !== undefined && until === asked.until && (asked.from === undefined || from === asked.from);
  const existing = ofPair.find((each) => !isClosed(world, each)) ??
    ofPair.filter(isRepeated).sort((a, b) => b.id - a.id)[0];
  const periods = periodsToGive(world, userId, operation);
  const fitting = periods.filter((period) => isWithin({ ...period, ...asked }, period));
  const longest =
    fitting.sort((a, b) => end(a) === end(b) ? compare(begin(a), begin(b)) : compare(end(b), end(a)))[0];
  const bounds: Period = existing ?? longest ?? { from: null, until: null };
  const { from = bounds.from, until = bounds.until } = asked;
  const period = { from, until };
  const gives = existing === undefined || end(existing) < end(period);
  const mayTake = !gives && (asked.from !== undefined || asked.until !== undefined) &&
    mayKeepDevices(world, userId, roleId);
  if (periods.length === 0 && !mayTake) return forbidden(world);
  const givers = gives ? giversOf(world, userId).map((id) => periodsToGive(world, id, operation)) : [];
  if (givers.some((ofGiver) => ofGiver.length === 0)) return forbidden(world);
  if (existing !== undefined && begin(period) < begin(existing)) return unprocessable(world, BEGINS_EARLIER);
  if (begin(period) >= end(period)) return unprocessable(world, PERIOD_EMPTY);
  if (existing !== undefined && isSamePeriod(existing, period)) {
    return success(world, { monitors: wireMonitors(existing) });
  }
  const added = existing === undefined ? period : { from: existing.until, until: period.until };
  if (!givers.every((ofGiver) => ofGiver.some((period) => isWithin(added, period)))) {
    return unprocessable(world, OUTSIDE_PERIOD);
  }
  const monitors: ModelMonitors = { id: existing?.id ?? given.relationId, roleId, deviceId, ...period };
  const after = { ...world, monitors: new Map(world.monitors).set(monitors.id, monitors) };
  const outcome = success(after, { monitors: wireMonitors(monitors) });
  return existing === undefined ? { ...outcome, createdRelationIds: [monitors.id] } : outcome;
}

function isSamePeriod(a: Period, b: Period): boolean {
  return a.from === b.from && a.until === b.until;
}

function compare(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The periods of the relations by which the user may let the role monitor the device, too. */
export function periodsToGive(
  world: World,
  userId: number,
  { roleId, deviceId }: Pick<Of<"attachDevice">, "roleId" | "deviceId">,
): Period[] {
  return relationsOf(world, deviceId).filter((each) =>
    isOpen(world, each) && someMembership(
      world,
      userId,
      (own) => hasDeviceManagement(world, own, roleId) && hasDeviceManagement(world, own, each.roleId),
    )
  );
}

function transferDevice(world: World, operation: Of<"transferDevice">, given: GivenIds): Outcome {
  const { userId, deviceId, toRoleId } = operation;
  const relations = relationsOf(world, deviceId).filter((each) => !isClosed(world, each));
  const open = relations.filter((each) => isOpen(world, each));
  const mayEnd = (userId: number, { roleId }: ModelMonitors): boolean =>
    mayKeepDevices(world, userId, roleId);
  const mayMove = (userId: number): boolean =>
    mayReceiveDevices(world, userId, toRoleId) && open.some((each) => mayEnd(userId, each));
  if (![userId, ...giversOf(world, userId)].every(mayMove)) return forbidden(world);
  const inTheWay = byId(relations.filter((each) => !mayEnd(userId, each)));
  if (inTheWay.length > 0) {
    const seen = inTheWay.filter(({ roleId }) => isMember(world, userId, roleId));
    const first = seen.map(({ id, roleId }) => ({ id, roleId }));
    return conflict(world, CANNOT_END, { monitors: { first, hidden: inTheWay.length - seen.length } });
  }
  const [only] = open;
  const ids = (of: readonly ModelMonitors[]): number[] => ascending(of.map(({ id }) => id));
  if (only !== undefined && relations.length === 1 && only.roleId === toRoleId) {
    return success(world, { monitors: wireMonitors(only), endedRelationIds: [], deletedRelationIds: [] });
  }
  const dropped = relations.filter((each) => begin(each) >= world.now);
  const until = Math.max(...open.map(end));
  const begun = { from: world.now, until: until === Infinity ? null : until };
  const begins: ModelMonitors = { id: given.relationId, roleId: toRoleId, deviceId, ...begun };
  const body = {
    monitors: wireMonitors(begins),
    endedRelationIds: ids(relations.filter((each) => !dropped.includes(each))),
    deletedRelationIds: ids(dropped),
  };
  const after = replaceAt(world, relations, [begins]);
  return { ...success(after, body), createdRelationIds: [begins.id] };
}

/** Ends relations now, and drops those that have no past. Others begin. */
export function replaceAt(
  world: World,
  ending: readonly ModelMonitors[],
  beginning: readonly ModelMonitors[],
): World {
  const monitors = new Map(world.monitors);
  for (const each of ending) {
    if (begin(each) < world.now) monitors.set(each.id, { ...each, until: world.now });
    else monitors.delete(each.id);
  }
  for (const each of beginning) monitors.set(each.id, each);
  return { ...world, monitors };
}

function detachDevice(world: World, operation: Of<"detachDevice">): Outcome {
  const { userId, roleId, monitorsId } = operation;
  const relation = world.monitors.get(monitorsId);
  if (relation === undefined || relation.roleId !== roleId) return forbidden(world);
  if (!mayKeepDevices(world, userId, roleId)) return forbidden(world);
  const monitors = new Map(world.monitors);
  monitors.delete(monitorsId);
  const after = withoutLooseDevices({ ...world, monitors }, roleId);
  const deletedNodeIds = after.devices.has(relation.deviceId) ? [] : [relation.deviceId];
  return success(after, { deletedNodeIds, deletedRelationIds: [monitorsId] });
}

/** Moves the devices that nothing monitors or has monitored to the trash, which keeps their nodeIds for a role. */
export function withoutLooseDevices(world: World, roleId: number): World {
  const isLoose = (id: number): boolean => relationsOf(world, id).length === 0;
  const kept = [...world.devices].filter(([id]) => !isLoose(id));
  const loose = [...world.devices.values()].filter(({ id }) => isLoose(id));
  const trash = loose.map(({ properties }) => [properties.nodeId, roleId] as const);
  return { ...world, devices: new Map(kept), trash: new Map([...world.trash, ...trash]) };
}

/** The devices that the user may read, in the order of their ids. */
export function visibleDevices(world: World, userId: number): Record<string, unknown>[] {
  return byId(world.devices.values())
    .filter(({ id }) => rolesOf(world, id).some((roleId) => isMember(world, userId, roleId)))
    .map((device) => wireDevice(world, userId, device));
}

/**
 * The devices that the user sees no longer, by a relation that `counts`: with the periods in which they read them, those
 * that touch as one.
 */
export function endedDevices(
  world: World,
  userId: number,
  counts = (_relation: ModelMonitors): boolean => true,
): Record<string, unknown>[] {
  return byId(world.devices.values()).flatMap(({ id, properties: { nodeId } }) => {
    const own = relationsOf(world, id).filter(({ roleId }) => isMember(world, userId, roleId));
    if (own.some((each) => isOpen(world, each))) return [];
    if (!own.some((each) => isClosed(world, each) && counts(each))) return [];
    const isRead = (time: number): boolean => own.some((each) => begin(each) <= time && time < end(each));
    const bounds = own.flatMap((each) => [begin(each), end(each)]);
    // Where reading begins and ends; as numbers with the infinite ones.
    const changes = [...new Set(bounds)].sort((a, b) => compare(a, b)).filter((time) =>
      !Number.isFinite(time) || isRead(time) !== isRead(time - 1)
    );
    const periods: Record<string, unknown>[] = [];
    for (let i = 0; i + 1 < changes.length; i += 2) {
      const [from, until] = changes.slice(i, i + 2) as [number, number];
      periods.push({
        ...(Number.isFinite(from) ? { from: new Date(from).toISOString() } : {}),
        ...(Number.isFinite(until) ? { until: new Date(until).toISOString() } : {}),
      });
    }
    const userRights = { propertyEditabilities: {}, monitorManagement: false };
    return [{ id, properties: { nodeId }, userRights, periods }];
  });
}

/** The monitors relations, of any period, of the roles that the user is a member of. */
export function visibleMonitors(world: World, userId: number): Record<string, unknown>[] {
  return byId(world.monitors.values()).filter(({ roleId }) => isMember(world, userId, roleId)).map((
    relation,
  ) => ({
    ...wireMonitors(relation),
    ...(relation.from === null && relation.until === null
      ? {}
      : { nodeId: world.devices.get(relation.deviceId)?.properties.nodeId }),
  }));
}

/** The roles that monitor a device now. */
export function rolesOf(world: World, deviceId: number): number[] {
  return relationsOf(world, deviceId).filter((each) => isOpen(world, each)).map(({ roleId }) => roleId);
}

/** The relations of a device, of any period. */
export function relationsOf(world: World, deviceId: number): ModelMonitors[] {
  return [...world.monitors.values()].filter((each) => each.deviceId === deviceId);
}

type Period = Pick<ModelMonitors, "from" | "until">;

export function begin({ from }: Pick<Period, "from">): number {
  return from ?? -Infinity;
}

export function end({ until }: Pick<Period, "until">): number {
  return until ?? Infinity;
}

export function isClosed({ now }: World, period: Period): boolean {
  return end(period) <= now;
}

/** Whether the period lies within the other one. */
export function isWithin(inner: Period, outer: Period): boolean {
  return begin(outer) <= begin(inner) && end(inner) <= end(outer);
}

export function isOpen(world: World, period: Period): boolean {
  return begin(period) <= world.now && !isClosed(world, period);
}

function wireMonitors({ id, roleId, deviceId, from, until }: ModelMonitors): Record<string, unknown> {
  return {
    id,
    roleId,
    deviceId,
    ...(from === null ? {} : { from: new Date(from).toISOString() }),
    ...(until === null ? {} : { until: new Date(until).toISOString() }),
  };
}

function wireDevice(world: World, userId: number, device: ModelDevice): Record<string, unknown> {
  const { id, properties, updatedAt } = device;
  const monitorManagement = mayUpdate(world, userId, id);
  const lastUpdate = new Date(updatedAt).toISOString();
  return { id, properties, lastUpdate, userRights: { propertyEditabilities: {}, monitorManagement } };
}

/** Whether the user may update the device, and write its telemetry. */
export function mayUpdate(world: World, userId: number, deviceId: number): boolean {
  return rolesOf(world, deviceId).some((roleId) => mayKeepDevices(world, userId, roleId));
}

/** Whether the user has direct or indirect deviceManagement on the role, or indirect roleManagement. */
export function mayKeepDevices(world: World, userId: number, roleId: number): boolean {
  return mayReceiveDevices(world, userId, roleId) ||
    someMembership(world, userId, (own) => hasIndirectRoleManagement(world, own, roleId));
}

/** Whether the user has direct or indirect deviceManagement on the role. */
export function mayReceiveDevices(world: World, userId: number, roleId: number): boolean {
  return someMembership(world, userId, (own) => hasDeviceManagement(world, own, roleId));
}

/** Direct or indirect deviceManagement by one membership. */
export function hasDeviceManagement(world: World, own: ModelMember, roleId: number): boolean {
  return (rightsBy(world, own, roleId) & DEVICE_MANAGEMENT) !== 0;
}
