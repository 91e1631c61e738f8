import type { Actor } from "../core/actor.ts";
import { AppError } from "../core/errors.ts";
import { parseJson } from "../core/json.ts";
import { canonicalText, spellingsOf } from "../core/text.ts";
import { previewable } from "../changes/change_queries.ts";
import { runChange } from "../changes/change_service.ts";
import { accepted, type DecisionRow } from "../changes/decision.ts";
import { chooseBatch, type IdempotentRequest } from "../changes/idempotency.ts";
import type { CreatingBatch } from "../changes/idempotency_queries.ts";
import { externalIdArgs } from "../role/external_id_queries.ts";
import type { Effect } from "../changes/preview/effect.ts";
import { trashMsOf } from "../role/manages/manages_service.ts";
import { changeOrPreview, MAKE, type Mode } from "../changes/preview/preview_service.ts";
import type { DeviceDeps } from "./deps.ts";
import { effectOnMonitors } from "./reading_effect.ts";
import {
  CREATE_DEVICE,
  CREATE_DEVICES,
  PREVIEW_CREATION,
  UPDATE_DEVICE,
  type UpdateMode,
} from "./device_queries.ts";
import type { Monitors } from "./monitors_service.ts";

/** Any JSON object, as submitted. */
export type DeviceProperties = Readonly<Record<string, unknown>>;

export interface Device {
  readonly id: number;
  /** Its id in another system. Absent without one, and for an actor who may not update the device. */
  readonly externalId?: string;
  /** Includes `nodeId`. */
  readonly properties: DeviceProperties;
  /** Time of the last change of `properties` or `externalId`, ISO 8601. */
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
  readonly externalId: string | null;
  readonly properties: DeviceProperties;
  readonly updatedAt: number;
  readonly monitorManagement: number;
}

/** The row of a creation. Its ids are those of the first device and its relation, and null in a preview. */
interface CreatedRow extends Omit<DeviceRow, "id" | "externalId" | "properties">, DecisionRow {
  readonly id: number | null;
  readonly relationId: number | null;
  /** JSON: the first of the devices, counted from 0, whose nodeIds or external ids are taken; null unless that is the refusal. */
  readonly taken: string | null;
}

interface UpdatedDeviceRow extends Omit<DeviceRow, "properties">, DecisionRow {
  /** As JSON; null if the response was lost and the device was deleted before it was read back. */
  readonly properties: string | null;
}

export function toDevice<Id>(
  { id, externalId, properties, updatedAt, monitorManagement }: Omit<DeviceRow, "id"> & { readonly id: Id },
): Omit<Device, "id"> & { readonly id: Id } {
  return {
    id,
    ...(monitorManagement === 1 && externalId !== null && { externalId }),
    properties,
    lastUpdate: new Date(updatedAt).toISOString(),
    userRights: { propertyEditabilities: {}, monitorManagement: monitorManagement === 1 },
  };
}

interface NewDevice {
  readonly properties: DeviceProperties & { readonly nodeId: string };
  readonly externalId?: string | null | undefined;
}

interface CreateInput {
  /** The role that will monitor the devices. */
  readonly roleId: number;
  /** One key makes only one creation. */
  readonly idempotency?: IdempotentRequest | undefined;
}

export interface CreateDeviceInput extends CreateInput {
  readonly device: NewDevice;
}

export interface CreateDevicesInput extends CreateInput {
  /** At least one, with different nodeIds and external ids. */
  readonly devices: readonly NewDevice[];
}

/** A new device and its relation, which have no ids in a preview. */
export interface CreatedDevice {
  readonly device: Omit<Device, "id"> & { readonly id: number | null };
  readonly monitors: Omit<Monitors, "id" | "deviceId"> & {
    readonly id: number | null;
    readonly deviceId: number | null;
  };
  readonly effect?: Effect;
}

/**
 * Creates a device that a role monitors. Needs direct or indirect deviceManagement, or indirect roleManagement, on the
 * role. Throws `NODE_ID_TAKEN` if another device has the nodeId, or a deleted one whose points still exist, and
 * `EXTERNAL_ID_TAKEN`. A retry under its key returns the same device; another request with it throws
 * `IDEMPOTENCY_KEY_REUSED`. Throws the errors of `changeOrPreview`, too.
 */
export async function createDevice(
  deps: DeviceDeps,
  actor: Actor,
  { device, ...input }: CreateDeviceInput,
  mode: Mode = MAKE,
): Promise<CreatedDevice> {
  const [created] = await create(deps, actor, { ...input, devices: [device] }, mode, {
    batch: CREATE_DEVICE,
    accept: accepted,
  });
  return created!;
}

/**
 * Creates devices like `createDevice`, all or none, and returns them in their order. The error of taken nodeIds or
 * external ids names the first of them in its details. The effect of a preview is that of all.
 */
export async function createDevices(
  deps: DeviceDeps,
  actor: Actor,
  input: CreateDevicesInput,
  mode: Mode = MAKE,
): Promise<CreatedDevice[]> {
  return await create(deps, actor, input, mode, { batch: CREATE_DEVICES, accept: acceptAll });
}

function acceptAll(row: CreatedRow | undefined): CreatedRow {
  if (typeof row?.taken !== "string") return accepted(row);
  const isNodeId = row.decision === "node_id_taken";
  const [code, field, message] = isNodeId
    ? ["NODE_ID_TAKEN", "properties.nodeId", "Expected a nodeId that no other device has"] as const
    : ["EXTERNAL_ID_TAKEN", "externalId", "Expected an externalId that is free below the root role"] as const;
  const details = (JSON.parse(row.taken) as number[])
    .map((index) => ({ path: `body.${index}.${field}`, message }));
  throw new AppError(code, { extra: { details } });
}

async function create(
  deps: DeviceDeps,
  actor: Actor,
  { roleId, devices: asked, idempotency }: CreateDevicesInput,
  mode: Mode,
  { batch, accept }: {
    readonly batch: CreatingBatch;
    readonly accept: (row: CreatedRow | undefined) => CreatedRow;
  },
): Promise<CreatedDevice[]> {
  const { batch: make, keyArgs } = chooseBatch(batch, idempotency);
  const { batch: preview } = chooseBatch(PREVIEW_CREATION, idempotency);
  const given = asked.map(({ properties, externalId }) => {
    const nodeId = canonicalText(properties.nodeId);
    const stored = nodeId === properties.nodeId ? properties : withNodeId(properties, nodeId);
    return { properties: stored, nodeIds: spellingsOf(properties.nodeId), ...externalIdArgs(externalId) };
  });
  const devices = JSON.stringify(
    given.map(({ properties, externalId, nodeIds, externalIds }) => {
      return [
        properties.nodeId,
        JSON.stringify(properties),
        externalId,
        nodeIds,
        JSON.parse(externalIds ?? "[]"),
      ];
    }),
  );
  const { row, ...previewed } = await changeOrPreview<CreatedRow>(deps, actor, mode, {
    request: ["device.create", roleId, devices, idempotency?.key ?? null],
    batches: previewable({ make, preview, changesDevices: true }),
    args: { roleId, devices, trashMs: trashMsOf(deps, false), ...keyArgs },
    accept,
    // Devices that have no ids yet, so that each is told from the others.
    ...effectOnMonitors(() => ({
      put: asked.map((_, index) => ({ id: null, deviceId: -1 - index, roleId, from: null, until: null })),
    })),
  });
  const nth = (first: number | null, index: number): number | null => first === null ? null : first + index;
  return given.map(({ properties, externalId }, index) => {
    const device = toDevice({ ...row, id: nth(row.id, index), externalId, properties });
    const monitors = { id: nth(row.relationId, index), roleId, deviceId: device.id };
    return { device, monitors, ...previewed };
  });
}

/** Returns properties with another nodeId in its place. An assignment would set the prototype by `__proto__`. */
function withNodeId<P extends DeviceProperties>(
  properties: P,
  nodeId: string,
): P & { readonly nodeId: string } {
  const entries = Object.entries(properties).map((
    [name, value],
  ) => [name, name === "nodeId" ? nodeId : value]);
  return Object.fromEntries(entries);
}

export interface UpdateDeviceInput {
  readonly deviceId: number;
  /** Without a nodeId, the device keeps its own. */
  readonly properties: DeviceProperties & { readonly nodeId?: string | undefined };
  /** Null for none. Absent: it stays. */
  readonly externalId?: string | null | undefined;
  readonly mode: UpdateMode;
  /** Updates only if the device has not changed since the end of this second, in seconds since 1970. */
  readonly unmodifiedSince?: number | undefined;
}

/**
 * Updates a device's external id and properties: in legacy mode the given ones, in replace mode all. Needs direct or indirect
 * deviceManagement, or indirect roleManagement, on a monitoring role. A noop keeps `lastUpdate`. Throws `NODE_ID_FIXED`,
 * `DEVICE_MODIFIED` for a change after `unmodifiedSince`, `PROPERTIES_TOO_LARGE` and `EXTERNAL_ID_TAKEN`.
 */
export async function updateDevice(
  deps: DeviceDeps,
  actor: Actor,
  { deviceId, properties, externalId, mode, unmodifiedSince }: UpdateDeviceInput,
): Promise<Device> {
  const { nodeId, ...further } = properties;
  const given = mode === "replace"
    ? {
      properties: JSON.stringify(further),
      complete: nodeId === undefined ? null : JSON.stringify(properties),
    }
    : {
      properties: JSON.stringify(further),
      mentioned: JSON.stringify(Object.fromEntries(Object.keys(further).map((name) => [name, null]))),
      numbers: JSON.stringify(
        Object.fromEntries(Object.entries(further).filter(([, value]) => typeof value === "number")),
      ),
    };
  const nodeIds = nodeId === undefined ? null : JSON.stringify(spellingsOf(nodeId));
  const external = externalIdArgs(externalId);
  const args = { deviceId, nodeIds, unmodifiedSince: unmodifiedSince ?? null, ...external, ...given };
  const row = accepted(await runChange<UpdatedDeviceRow>(deps, actor, UPDATE_DEVICE[mode], args));
  if (row.properties === null) throw new AppError("FORBIDDEN");
  return toDevice({ ...row, properties: parseJson(row.properties) as Device["properties"] });
}
