import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { parseJson } from "../core/json.ts";
import { runChange } from "../role/change/change_service.ts";
import { accepted, type DecisionRow } from "../role/change/decision.ts";
import { chooseBatch, type IdempotentRequest } from "../role/change/idempotency.ts";
import type { DeviceDeps } from "./deps.ts";
import { CREATE_DEVICE, UPDATE_DEVICE, type UpdateMode } from "./device_queries.ts";
import type { Monitors } from "./monitors_service.ts";

/** Any JSON object, as submitted. */
export type DeviceProperties = Readonly<Record<string, unknown>>;

export interface Device {
  readonly id: number;
  /** Includes `nodeId`. */
  readonly properties: DeviceProperties;
  /** Time of the last change of `properties`, ISO 8601. */
  readonly lastUpdate: string;
  readonly userRights: {
    /** Always empty: no property has its own rule. Users who may update the device may change all but `nodeId`. */
    readonly propertyEditabilities: Readonly<Record<string, never>>;
    /** Whether the actor may update the device. */
    readonly monitorManagement: boolean;
  };
}

export interface DeviceRow {
  readonly id: number;
  readonly properties: DeviceProperties;
  readonly updatedAt: number;
  readonly monitorManagement: number;
}

interface ChangedDeviceRow extends Omit<DeviceRow, "properties">, DecisionRow {
  /** As JSON. */
  readonly properties: string;
  readonly relationId: number;
}

interface UpdatedDeviceRow extends Omit<ChangedDeviceRow, "properties"> {
  /** As JSON; null if the response was lost and the device was deleted before it was read back. */
  readonly properties: string | null;
}

export function toDevice({ id, properties, updatedAt, monitorManagement }: DeviceRow): Device {
  return {
    id,
    properties,
    lastUpdate: new Date(updatedAt).toISOString(),
    userRights: { propertyEditabilities: {}, monitorManagement: monitorManagement === 1 },
  };
}

function toChangedDevice(row: ChangedDeviceRow): Device {
  return toDevice({ ...row, properties: parseJson(row.properties) as Device["properties"] });
}

export interface CreateDeviceInput {
  /** The role that will monitor the device. */
  readonly roleId: number;
  readonly properties: DeviceProperties & { readonly nodeId: string };
  /** One key creates only one device. */
  readonly idempotency?: IdempotentRequest | undefined;
}

/**
 * Creates a device that a role monitors. Needs direct or indirect deviceManagement, or indirect roleManagement, on the
 * role. Throws `NODE_ID_TAKEN` if another device has the nodeId, or a deleted one whose points still exist. A retry
 * under its key returns the same device; another request with it throws `IDEMPOTENCY_KEY_REUSED`.
 */
export async function createDevice(
  deps: DeviceDeps,
  actor: Actor,
  input: CreateDeviceInput,
): Promise<{ device: Device; monitors: Monitors }> {
  const { roleId, properties, idempotency } = input;
  const { batch, keyArgs } = chooseBatch(CREATE_DEVICE, idempotency);
  const args = {
    roleId,
    nodeId: properties.nodeId,
    properties: JSON.stringify(properties),
    ...keyArgs,
  };
  const row = accepted(await runChange<ChangedDeviceRow>(deps, actor, batch, args));
  const device = toChangedDevice(row);
  return { device, monitors: { id: row.relationId, roleId, deviceId: device.id } };
}

export interface UpdateDeviceInput {
  readonly deviceId: number;
  /** Without a nodeId, the device keeps its own. */
  readonly properties: DeviceProperties & { readonly nodeId?: string | undefined };
  readonly mode: UpdateMode;
  /** Updates only if the device has not changed since the end of this second, in seconds since 1970. */
  readonly unmodifiedSince?: number | undefined;
}

/**
 * Updates a device's properties: in legacy mode the given ones, in replace mode all. Needs direct or indirect
 * deviceManagement, or indirect roleManagement, on a monitoring role. Equal properties keep `lastUpdate`. Throws
 * `NODE_ID_FIXED`, `DEVICE_MODIFIED` for a change after `unmodifiedSince`, and `PROPERTIES_TOO_LARGE`.
 */
export async function updateDevice(
  deps: DeviceDeps,
  actor: Actor,
  { deviceId, properties, mode, unmodifiedSince }: UpdateDeviceInput,
): Promise<Device> {
  const { nodeId = null, ...further } = properties;
  const given = mode === "replace" ? { properties: JSON.stringify(properties) } : {
    properties: JSON.stringify(further),
    mentioned: JSON.stringify(Object.fromEntries(Object.keys(further).map((name) => [name, null]))),
    numbers: JSON.stringify(
      Object.fromEntries(Object.entries(further).filter(([, value]) => typeof value === "number")),
    ),
  };
  const args = { deviceId, nodeId, unmodifiedSince: unmodifiedSince ?? null, ...given };
  const row = accepted(await runChange<UpdatedDeviceRow>(deps, actor, UPDATE_DEVICE[mode], args));
  if (row.properties === null) throw new AppError("FORBIDDEN");
  return toChangedDevice({ ...row, properties: row.properties });
}
