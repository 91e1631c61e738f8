import type { Actor } from "../core/actor.ts";
import type { PageRequest } from "../core/page.ts";
import { intersect, type List, readPage, type RoleSelection, toJson } from "../role/paging/page_service.ts";
import type { DeviceDeps } from "./deps.ts";
import { DEVICE_PAGES, MONITORS_PAGES } from "./device_listing_queries.ts";
import { type Device, type DeviceRow, toDevice } from "./device_service.ts";
import type { Monitors } from "./monitors_service.ts";

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
  { id, nodeId, roleId }: DeviceFilter,
  page: PageRequest,
): Promise<Device[]> {
  const driver = id ? "id" : nodeId ? "nodeId" : roleId ? "role" : "none";
  const filters = { ids: toJson(id), nodeIds: toJson(nodeId), roleIds: toJson(roleId) };
  return (await readPage<DeviceRow>(deps, actor, DEVICE_PAGES[driver], page, filters)).map(toDevice);
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
