import { createHash } from "node:crypto";
import type { Actor } from "../core/actor.ts";
import { PAGE_ROWS, type PageRequest } from "../core/page.ts";
import { intersect, type List, readPage, type RoleSelection, toJson } from "../role/paging/page_service.ts";
import type { DeviceDeps } from "./deps.ts";
import { DEVICE_PAGES, DEVICE_UPDATE_PAGES, MONITORS_PAGES } from "./device_listing_queries.ts";
import { type Device, type DeviceRow, toDevice } from "./device_service.ts";
import type { Monitors } from "./monitors_service.ts";

/** 32 bytes in base64. */
const SHA256_BASE64 = /^[A-Za-z0-9+/]{43}=$/;

export interface DeviceFilter {
  readonly id?: List<number>;
  readonly nodeId?: List<string>;
  /** Roles that monitor the device, of which the actor is a member. */
  readonly roleId?: List<number>;
}

/** Devices that are monitored by a role of which the actor is a member, directly or indirectly. */
export async function listDevices(
  deps: DeviceDeps,
  actor: Actor,
  filter: DeviceFilter,
  page: PageRequest,
): Promise<Device[]> {
  const { driver, args } = driveBy(filter);
  return (await readPage<DeviceRow>(deps, actor, DEVICE_PAGES[driver], page, args)).map(toDevice);
}

function driveBy({ id, nodeId, roleId }: DeviceFilter) {
  const driver = id ? "id" : nodeId ? "nodeId" : roleId ? "role" : "none";
  return { driver, args: { ids: toJson(id), nodeIds: toJson(nodeId), roleIds: toJson(roleId) } } as const;
}

/**
 * Whether `hash` is that of the devices that `listDevices` returns: the base64 of the SHA-256 of the `lastUpdate` of
 * each, in the order of their ids, without a separator. Reads page by page like a listing, but without properties and
 * rights, and reads nothing if `hash` cannot be the hash of any devices. Stops early and returns false
 * once `signal` is aborted.
 */
export async function hasUpdateHash(
  deps: DeviceDeps,
  actor: Actor,
  filter: DeviceFilter,
  hash: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (!SHA256_BASE64.test(hash)) return false;
  const { driver, args } = driveBy(filter);
  const digest = createHash("sha256");
  let afterId = -1;
  while (!signal.aborted) {
    const page = { afterId, limit: PAGE_ROWS };
    const updates = await readPage<Pick<Device, "id" | "lastUpdate">>(
      deps,
      actor,
      DEVICE_UPDATE_PAGES[driver],
      page,
      args,
    );
    digest.update(updates.map(({ lastUpdate }) => lastUpdate).join(""));
    if (updates.length < PAGE_ROWS) return digest.digest("base64") === hash;
    afterId = updates.at(-1)?.id ?? afterId;
  }
  return false;
}

export interface MonitorsFilter {
  readonly id?: List<number>;
  readonly deviceId?: List<number>;
}

/** Monitors relations of roles of which the actor is a member, directly or indirectly. */
export async function listMonitors(
  deps: DeviceDeps,
  actor: Actor,
  selection: RoleSelection,
  filter: MonitorsFilter,
  page: PageRequest,
): Promise<Monitors[]> {
  const roles = intersect(selection, undefined);
  const driver = filter.id ? "id" : filter.deviceId ? "device" : roles ? "role" : "none";
  const filters = { ids: toJson(filter.id), deviceIds: toJson(filter.deviceId), roleIds: toJson(roles) };
  return await readPage<Monitors>(deps, actor, MONITORS_PAGES[driver], page, filters);
}
