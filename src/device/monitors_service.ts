import type { Actor } from "../core/actor.ts";
import { previewable } from "../changes/change_queries.ts";
import { accepted, type DecisionRow } from "../changes/decision.ts";
import { chooseBatch, type IdempotentRequest } from "../changes/idempotency.ts";
import {
  type Deletion,
  forgetDeleted,
  forgetIfDenied,
  readIds,
  trashMsOf,
} from "../role/manages/manages_service.ts";
import type { Effect } from "../changes/preview/effect.ts";
import { changeOrPreview, MAKE, type Mode } from "../changes/preview/preview_service.ts";
import type { DeviceDeps } from "./deps.ts";
import { PUT_MONITORS } from "./monitors_queries.ts";
import { REMOVE_MONITORS } from "./monitors_removal_queries.ts";
import { effectOnMonitors, type MonitorsChange, type PutRelation } from "./reading_effect.ts";
import { PREVIEW_TRANSFER, TRANSFER_DEVICES } from "./transfer_queries.ts";
import { FORGET_DETACHED } from "./trash_queries.ts";

/**
 * A role that monitors a device. Its direct and indirect members may read the telemetry of the relation's period, and
 * see the device while it is open.
 */
export interface Monitors {
  readonly id: number;
  readonly roleId: number;
  readonly deviceId: number;
  /** The beginning of the period (ISO 8601), and its end, which is not part of it. Absent: no bound. */
  readonly from?: string;
  readonly until?: string;
}

/** Times in milliseconds. */
export interface MonitorsRow {
  readonly id: number;
  readonly roleId: number;
  readonly deviceId: number;
  readonly validFrom: number | null;
  readonly validUntil: number | null;
}

/** A new relation has no id in a preview. */
export interface PutMonitorsRow extends Omit<MonitorsRow, "id">, DecisionRow {
  readonly id: number | null;
}

interface RemovedMonitorsRow extends DecisionRow {
  readonly deletedDeviceIds: string;
  readonly deletedRelationIds: string;
}

/** The lists are JSON. */
export interface TransferRow extends DecisionRow {
  readonly at: number;
  /** `PutRelation`s that begin, and those that were in place. */
  readonly made: string;
  readonly kept: string;
  readonly endedRelationIds: string;
  readonly deletedRelationIds: string;
}

/** Returns what a put does. */
export function changeOfPut({ id, roleId, deviceId, validFrom, validUntil }: PutMonitorsRow): MonitorsChange {
  return { put: [{ id, roleId, deviceId, from: validFrom, until: validUntil }] };
}

/** Returns what a transfer does. */
export function changeOfTransfer(
  { at, made, endedRelationIds, deletedRelationIds }: TransferRow,
): MonitorsChange {
  return {
    deleted: readIds(deletedRelationIds),
    ended: { ids: readIds(endedRelationIds), at },
    put: JSON.parse(made) as PutRelation[],
  };
}

/** Returns the response's form of a relation. */
export function toMonitors<Id>(
  { id, roleId, deviceId, validFrom, validUntil }: Omit<MonitorsRow, "id"> & { readonly id: Id },
): Omit<Monitors, "id"> & { readonly id: Id } {
  return {
    id,
    roleId,
    deviceId,
    ...toPeriod(validFrom, validUntil),
  };
}

/** Returns the response's form of a period. */
export function toPeriod(from: number | null, until: number | null): Pick<Monitors, "from" | "until"> {
  return {
    ...(from === null ? {} : { from: new Date(from).toISOString() }),
    ...(until === null ? {} : { until: new Date(until).toISOString() }),
  };
}

export interface PutMonitorsInput {
  readonly roleId: number;
  readonly deviceId: number;
  /**
   * Milliseconds; null for no bound. Absent: that of an existing relation stays; a new one takes it from the relation
   * that authorizes it.
   */
  readonly from?: number | null | undefined;
  readonly until?: number | null | undefined;
}

/** A relation after a change, or a preview of it, which has an effect. A new one has no id in a preview. */
export interface ChangedMonitors {
  readonly monitors: Omit<Monitors, "id"> & { readonly id: number | null };
  readonly effect?: Effect;
}

/**
 * Lets a role monitor a device for a period, or changes the period of a relation that is open or to come. What is given
 * takes a role with direct or indirect deviceManagement on this role and on one that monitors the device now, within the
 * period of that relation; for less, the right to delete it is enough. Throws `TOO_MANY_MONITORS`, `OUTSIDE_PERIOD`,
 * `PERIOD_BEGINS_EARLIER`, `PERIOD_EMPTY`, and the errors of `changeOrPreview`.
 */
export async function putMonitors(
  deps: DeviceDeps,
  actor: Actor,
  { roleId, deviceId, from, until }: PutMonitorsInput,
  mode: Mode = MAKE,
): Promise<ChangedMonitors> {
  const args = {
    roleId,
    deviceId,
    from: from ?? null,
    until: until ?? null,
    setsFrom: from === undefined ? 0 : 1,
    setsUntil: until === undefined ? 0 : 1,
  };
  const { row, ...preview } = await changeOrPreview<PutMonitorsRow>(deps, actor, mode, {
    request: ["monitors.put", ...Object.values(args)],
    batches: PUT_MONITORS,
    args,
    accept: accepted,
    ...effectOnMonitors(changeOfPut),
  });
  return { monitors: toMonitors(row), ...preview };
}

export interface RemoveMonitorsInput {
  readonly roleId: number;
  readonly monitorsId: number;
  /** Refuses the deletion if the device would be deleted with the relation. */
  readonly cascade?: "refuse" | undefined;
  /** A device that is deleted cannot be restored. */
  readonly permanent?: boolean | undefined;
}

/**
 * Deletes a relation with its past, and the device if it has no other one. Needs direct or indirect deviceManagement, or
 * indirect roleManagement, on the role. A permanent deletion of a relation that is deleted already deletes the device
 * that this left in the trash. Throws `WOULD_DELETE`, and the errors of `changeOrPreview`.
 */
export async function removeMonitors(
  deps: DeviceDeps,
  actor: Actor,
  { roleId, monitorsId, cascade, permanent = false }: RemoveMonitorsInput,
  mode: Mode = MAKE,
): Promise<Deletion> {
  const args = { roleId, relationId: monitorsId };
  const removing = changeOrPreview<RemovedMonitorsRow>(deps, actor, mode, {
    request: ["monitors.remove", roleId, monitorsId, cascade ?? null, ...(permanent ? ["permanent"] : [])],
    batches: REMOVE_MONITORS,
    args: {
      ...args,
      refusesCascade: cascade === "refuse" ? 1 : 0,
      trashMs: trashMsOf(deps, permanent),
    },
    accept: accepted,
    deletes: ({ deletedDeviceIds }) => ({ roles: 0, devices: readIds(deletedDeviceIds).length }),
    ...effectOnMonitors(() => ({ deleted: [monitorsId] })),
  });
  const forget = () => forgetDeleted(deps, actor, FORGET_DETACHED, args);
  const { row, ...preview } =
    await (permanent && mode.kind === "make"
      ? removing.catch(forgetIfDenied<Awaited<typeof removing>>(forget))
      : removing);
  return {
    deletedNodeIds: readIds(row.deletedDeviceIds),
    deletedRelationIds: readIds(row.deletedRelationIds),
    ...preview,
  };
}

export interface TransferInput {
  readonly deviceId: number;
  readonly toRoleId: number;
}

/** The relations that end with a transfer, and those that were to come. */
interface TakenRelations {
  readonly endedRelationIds: number[];
  readonly deletedRelationIds: number[];
}

export interface Transfer extends ChangedMonitors, TakenRelations {}

/**
 * Transfers a device to a role: ends its open relations, which keep their past, deletes those to come, and begins a new
 * one, at one moment. Needs direct or indirect deviceManagement on the role, and the right to delete each of these
 * relations. A noop if the role alone monitors the device. Throws `CANNOT_END_MONITORS`, `TOO_MANY_MONITORS`, and the
 * errors of `changeOrPreview`.
 */
export async function transferDevice(
  deps: DeviceDeps,
  actor: Actor,
  { deviceId, toRoleId }: TransferInput,
  mode: Mode = MAKE,
): Promise<Transfer> {
  const { monitors: [monitors], ...rest } = await transferDevices(deps, actor, {
    deviceIds: [deviceId],
    toRoleId,
  }, mode);
  if (monitors === undefined) throw new TypeError("A transfer has no relation");
  return { monitors, ...rest };
}

export interface TransferManyInput {
  /** Different ones. */
  readonly deviceIds: readonly number[];
  readonly toRoleId: number;
  readonly idempotency?: IdempotentRequest | undefined;
}

export interface TransferOfMany extends TakenRelations {
  /** One for each device, in the order of the request. */
  readonly monitors: ChangedMonitors["monitors"][];
  readonly effect?: Effect;
}

/**
 * Transfers devices to a role like `transferDevice`: all, or none. It is one change, with one undo. The errors are about the
 * first device that cannot be transferred, and name it if there are several.
 */
export async function transferDevices(
  deps: DeviceDeps,
  actor: Actor,
  { deviceIds, toRoleId, idempotency }: TransferManyInput,
  mode: Mode = MAKE,
): Promise<TransferOfMany> {
  const { batch: make, keyArgs } = chooseBatch(TRANSFER_DEVICES, idempotency);
  const { batch: preview } = chooseBatch(PREVIEW_TRANSFER, idempotency);
  const { row, ...previewed } = await changeOrPreview<TransferRow>(deps, actor, mode, {
    request: ["device.transfer", ...deviceIds, toRoleId],
    batches: previewable({ make, preview, changesDevices: true }),
    args: { deviceIds: JSON.stringify(deviceIds), toRoleId, ...keyArgs },
    accept: accepted,
    shows: ({ endedRelationIds, deletedRelationIds }) => [endedRelationIds, deletedRelationIds],
    ...effectOnMonitors(changeOfTransfer),
  });
  const relations = [row.made, row.kept].flatMap((list) => JSON.parse(list) as PutRelation[]);
  const place = new Map(deviceIds.map((id, index) => [id, index]));
  const inOrder = relations.sort((a, b) => (place.get(a.deviceId) ?? 0) - (place.get(b.deviceId) ?? 0));
  return {
    monitors: inOrder.map(({ id, roleId, deviceId, from, until }) => ({
      id,
      roleId,
      deviceId,
      ...toPeriod(from, until),
    })),
    endedRelationIds: readIds(row.endedRelationIds),
    deletedRelationIds: readIds(row.deletedRelationIds),
    ...previewed,
  };
}
